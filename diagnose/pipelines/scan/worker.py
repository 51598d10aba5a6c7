"""What runs in a worker process: a batch of files in, their diagnoses out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from diagnose.diagnosis import Diagnosis
from diagnose.engine.judge import Judge
from diagnose.pipelines.files import collect_path
from diagnose.pipelines.rulebook import rulebook

MEMORY_LIMIT_BYTES = 6 << 30
"""Address space of a worker: a picture that wants more is a finding, not the end of the machine."""


class FileResult(Struct, frozen=True):
    """What became of one file: its diagnoses, or why it was not checked."""

    path: str
    diagnoses: list[Diagnosis]
    not_checked: str = ""


_judge: Judge | None = None


def start(own_rules: Sequence[str], language: str) -> None:
    """Prepares the process. Ctrl-C is the parent's to handle."""
    import signal

    global _judge
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_resources()
    _judge = Judge(rulebook([Path(folder) for folder in own_rules], with_patterns=False).rules, language)


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the pool's time-out still holds
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > MEMORY_LIMIT_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, hard))


def examine(paths: Sequence[str]) -> list[FileResult]:
    """The results of a batch, in its order."""
    assert _judge is not None
    return [examine_file(path, _judge) for path in paths]


def examine_file(path: str, judge: Judge) -> FileResult:
    """The result of one file. Whatever goes wrong in looking at it is told, and ends nothing."""
    try:
        return FileResult(path, judge.diagnoses(collect_path(path)))
    except OSError as error:
        return FileResult(path, [], error.strerror or str(error))
    except MemoryError:
        return FileResult(path, [], f"needs more than {MEMORY_LIMIT_BYTES >> 30} GiB of memory")
    except Exception as error:  # a defect of ours on one file must not cost the other files their answer
        return FileResult(path, [], f"internal error, please report it: {type(error).__name__}: {error}")

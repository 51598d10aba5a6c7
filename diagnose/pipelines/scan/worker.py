"""What runs in a worker process: a batch of files in, what there is to tell of them out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from diagnose.engine.judge import Judge
from diagnose.engine.screening import Screen
from diagnose.evidence import Evidence
from diagnose.pipelines.files import collect_path
from diagnose.pipelines.scan.confinement import confine
from diagnose.pipelines.scan.verdict import BatchResult, FileResult, pack_batch, verdict_of
from diagnose.pipelines.targets import rules_for
from diagnose.quoting import printable

BATCH_SECONDS = 0.25
"""After this time a batch ends where it is: work that is not told yet is lost with the process."""

GARBAGE_THRESHOLD = 10_000
"""New objects after which Python looks for garbage: a file makes dozens, and nearly all of them die at once."""

_POINTS_ELSEWHERE = frozenset(
    (
        "artefact.external_data",
        "artefact.shard_files",
        "artefact.split_count",
        "artefact.missing_files",
        "artefact.short_files",
    )
)
"""Facts of files whose verdict depends on other files beside them."""

_screen: Screen | None = None
_language = "en"


def start(own_rules: Sequence[str], targets: Sequence[str], language: str, memory_bytes: int) -> None:
    """Prepares the process. Ctrl-C is the parent's to handle; SIGTERM ends it even inside a decoder.

    The rules stay for ever: Python need not look at them each time that it looks for garbage.
    """
    import gc
    import signal

    global _screen, _language
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _screen = Screen(rules_for([Path(folder) for folder in own_rules], targets))
    _language = language
    confine(memory_bytes)
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD)


def examine(paths: Sequence[str]) -> bytes:
    """The packed `BatchResult` on the files at these paths, in their order, as far as it came in its time."""
    assert _screen is not None
    told: list[FileResult] = []
    started = now = time.perf_counter()
    done = 0
    for done, path in enumerate(paths, 1):
        result = _examine_file(done - 1, path, _screen, _language)
        if result is not None:
            told.append(result)
        now = time.perf_counter()
        if now - started > BATCH_SECONDS:
            break
    return pack_batch(BatchResult(done, now - started, told))


def _examine_file(position: int, path: str, screen: Screen, language: str) -> FileResult | None:
    """What there is to tell of one file. Whatever goes wrong in looking at it is told, and ends nothing."""
    try:
        evidence = collect_path(path)
        rules = screen.raised_by(evidence)
        if rules is None:
            return None if _is_lasting(evidence) else FileResult(position, lasting=False)
        verdicts = [verdict_of(diagnosis) for diagnosis in Judge(rules, language).diagnoses(evidence)]
        return FileResult(position, verdicts, lasting=_is_lasting(evidence))
    except OSError as error:
        return _not_checked(position, error.strerror or str(error))
    except MemoryError:
        return _not_checked(position, "needs more memory than a worker may have")
    except Exception as error:  # a defect of ours on one file must not cost the other files their answer
        return _not_checked(position, f"internal error, please report it: {type(error).__name__}: {error}")


def _not_checked(position: int, reason: str) -> FileResult:
    return FileResult(position, not_checked=printable(reason, 400), lasting=False)


def _is_lasting(evidence: Evidence) -> bool:
    if evidence.value("file.kind") == "image":
        return True
    if evidence.value("file.format") == "openvino-ir-xml":
        return False
    return _POINTS_ELSEWHERE.isdisjoint(evidence.names())

"""The library's functions. Each does what the command of its name does, and returns typed results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from diagnose.diagnosis import Diagnosis, Report
from diagnose.evidence import Evidence
from diagnose.pipelines.rulebook import Rulebook, rulebook

Paths = str | os.PathLike[str]
_shipped: dict[str, Rulebook] = {}


def explain(log: Paths | BinaryIO, *, language: str = "en", rules: Sequence[Path] = ()) -> Report:
    """What a log (a path, or a stream of bytes) says went wrong. Raises OSError if it cannot be read."""
    from diagnose.pipelines.explain import explain as run

    if isinstance(log, (str, os.PathLike)):
        with Path(log).open("rb", buffering=0) as stream:
            return run(stream, os.fspath(log), _book(rules), language)
    return run(log, "-", _book(rules), language)


def scan(
    *paths: Paths,
    language: str = "en",
    rules: Sequence[Path] = (),
    targets: Sequence[str] = (),
    jobs: int | None = None,
) -> Report:
    """Which files at and below `paths` will fail to decode, why and where. Runs `jobs` worker processes.

    `targets` name consumers (`decodedoctor targets list`): what they cannot read is told too. Raises LookupError for
    a name that none of them has.

    All diagnoses are in the report, and in memory. The caller's program is not imported by the workers: a script needs
    no guard around the call.
    """
    from diagnose.pipelines.scan import ScanRequest, scan_whole
    from diagnose.pipelines.targets import rules_for

    named = [os.fspath(path) for path in paths]
    request = ScanRequest(named, language=language, own_rules=rules, targets=targets, jobs=jobs)
    return scan_whole(request, rules_for(rules, targets))


def check_bytes(
    data: bytes, name: str, *, language: str = "en", rules: Sequence[Path] = (), targets: Sequence[str] = ()
) -> list[Diagnosis]:
    """The diagnoses of one file's bytes, decoded in this process; `name` tells what they claim to be.

    `targets` name consumers whose limits are told too, as in `scan`.

    An empty list for a sound file. Rows can be pickled and nothing outside is changed, so that it runs inside a map
    of `datasets`, webdataset, Ray or Spark. A decoder that crashes takes this process with it, as it would in the
    loader itself; `scan` has processes for that.
    """
    from diagnose.pipelines.scan.in_memory import judge_bytes

    return judge_bytes(bytes(data), name, language, rules, targets)


def inspect(path: Paths) -> Evidence:
    """The bare evidence of one file. Raises OSError if it cannot be read."""
    from diagnose.pipelines.files import collect_path

    return collect_path(os.fspath(path))


def check(*names: str, language: str = "en", timeout_seconds: float = 10.0) -> Report:
    """The self-check of this environment, or of the probes and families of these names."""
    from diagnose.pipelines.check import check as run
    from diagnose.pipelines.check import report_of

    return report_of(run(names, timeout_seconds), _book(()), language)


def image(reference: str, *, language: str = "en", platform: str | None = None, insecure: bool = False) -> Report:
    """What a registry, an OCI layout or the local engine answers about a container image."""
    from diagnose.pipelines.image import image as run

    return run(reference, _book(()), language, platform, insecure).report


def _book(rules: Sequence[Path]) -> Rulebook:
    if rules:
        return rulebook(rules)
    if "shipped" not in _shipped:
        _shipped["shipped"] = rulebook()
    return _shipped["shipped"]

"""The diagnosis of a file that its decoder did not survive: what its first bytes say, and how the process ended."""

from __future__ import annotations

import os
import signal
import stat

from msgspec import Struct

from diagnose.collectors import process, signature
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence, Subject
from diagnose.pipelines.scan.verdict import FileResult, verdict_of

HEAD_BYTES = 4096


class Lost(Struct, frozen=True):
    """A process that did not come back: it took more than so many seconds, or ended with an exit code."""

    seconds: float = 0.0
    exit_code: int | None = None


def judge_lost(path: str, lost: Lost, judge: Judge) -> FileResult:
    """The result of a file alone in its batch. Of the file itself little more than its beginning is read."""
    evidence = Evidence(Subject("file", path))
    try:
        head, size = _head(path)
    except OSError as error:
        return FileResult(0, not_checked=error.strerror or str(error), lasting=False)
    evidence.extend(signature.collect(path, head, b"", max(len(head), size)))
    evidence.add(process.timed_out(lost.seconds) if lost.seconds else process.crashed(_ending(lost.exit_code)))
    return FileResult(0, [verdict_of(diagnosis) for diagnosis in judge.diagnoses(evidence)])


def _head(path: str) -> tuple[bytes, int]:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        return (os.read(descriptor, HEAD_BYTES) if stat.S_ISREG(status.st_mode) else b""), status.st_size
    finally:
        os.close(descriptor)


def _ending(exit_code: int | None) -> str:
    """In words: the signal's name, or the exit status."""
    if exit_code is not None and exit_code < 0:
        try:
            return signal.Signals(-exit_code).name
        except ValueError:
            return f"signal {-exit_code}"
    return f"exit status {exit_code}"

"""A log that is still being written is explained as soon as an incident is complete."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from diagnose.pipelines.live import follow
from diagnose.pipelines.rulebook import Rulebook

FAILURE = b"failed to decode referrers index: invalid character '<' looking for beginning of value\n"


def test_a_pipe_that_stays_open_is_explained_before_it_ends(book: Rulebook) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"pulling\n" + FAILURE)
    with os.fdopen(read_end, "rb", buffering=0) as stream:
        reports = follow(_NotSeekable(stream), "-", book)  # type: ignore[arg-type]
        started = time.monotonic()
        first = next(reports)
        assert first.diagnoses[0].rule == "container/referrers-not-an-index"
        assert time.monotonic() - started < 10
        os.close(write_end)
        assert list(reports) == []


class _NotSeekable:
    def __init__(self, stream: object) -> None:
        self.read = stream.read  # type: ignore[attr-defined]

    def seekable(self) -> bool:
        return False


def test_a_growing_file_is_read_on(book: Rulebook, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_bytes(b"starting\n")
    with path.open("rb", buffering=0) as stream:
        reports = follow(stream, str(path), book)
        writer = threading.Timer(0.5, lambda: path.open("ab").write(FAILURE))
        writer.start()
        report = next(reports)
        writer.join()
        assert report.diagnoses[0].evidence[0].where == f"{path}:2"

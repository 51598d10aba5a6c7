"""Logs that are still being written: bytes come in pieces, and a diagnosis is given when an incident is complete."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors import log
from diagnose.collectors.log.blocks import ByteStream
from diagnose.diagnosis import Diagnosis, Report, summary_of
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence, Subject
from diagnose.pipelines.rulebook import Rulebook

QUIET_SECONDS = 1.0
"""An incident is complete when nothing of it has come for so long."""

POLL_SECONDS = 0.2
PIECE_BYTES = 1 << 16
PIECES_WAITING = 256


class Feed:
    """A stream that one thread fills and another reads."""

    def __init__(self) -> None:
        self._pieces: queue.Queue[bytes] = queue.Queue(PIECES_WAITING)
        self._rest = b""
        self._ended = False

    def put(self, piece: bytes) -> None:
        """Adds bytes; waits while the reader is far behind."""
        if piece:
            self._pieces.put(piece)

    def end(self) -> None:
        self._pieces.put(b"")

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, as soon as there are any; b"" at the end."""
        if not self._rest and not self._ended:
            self._rest = self._pieces.get()
            self._ended = not self._rest
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


class LiveLog:
    """Reads a stream in a thread of its own, as its bytes come, and can be judged at any time."""

    def __init__(self, stream: ByteStream, name: str, book: Rulebook, language: str) -> None:
        self.evidence = Evidence(Subject("log", name))
        self._judge = Judge(book.rules, language)
        self._lock = threading.Lock()
        self._told: set[tuple[str, str]] = set()
        self._last_hit = 0.0
        self._hits_judged = 0
        self._scan = log.HitScan(book.patterns, self.evidence)
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: ByteStream) -> None:
        for block, _ in log.read_blocks(stream, self.evidence):
            with self._lock:
                before = len(self.evidence.hits)
                self._scan.block(block)
                if len(self.evidence.hits) > before:
                    self._last_hit = time.monotonic()
        with self._lock:
            self._scan.finish()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        """Until the stream has ended and is read."""
        self._thread.join()

    def complete_incidents(self) -> list[Diagnosis]:
        """Diagnoses that were not given before, once the log has been quiet about failures for a while."""
        with self._lock:
            hits = len(self.evidence.hits)
            quiet = not self.running or time.monotonic() - self._last_hit >= QUIET_SECONDS
            if hits == self._hits_judged or not quiet:
                return []
            self._hits_judged = hits
            return self._new(self._judge.diagnoses(self.evidence))

    def _new(self, diagnoses: list[Diagnosis]) -> list[Diagnosis]:
        new = [d for d in diagnoses if (d.rule, d.causes[0].id) not in self._told]
        self._told.update((d.rule, d.causes[0].id) for d in new)
        return new

    def report(self) -> Report:
        """All diagnoses so far."""
        with self._lock:
            diagnoses = self._judge.diagnoses(self.evidence)
        return Report(self.evidence.subject, summary_of(diagnoses, 1), diagnoses)


def follow(stream: BinaryIO, name: str, book: Rulebook, language: str = "en") -> Iterator[Report]:
    """A report on each incident as soon as it is complete, until the stream ends (a file never does) or Ctrl-C."""
    live = LiveLog(_Growing(stream) if stream.seekable() else _Arriving(stream), name, book, language)
    while True:
        running = live.running
        diagnoses = live.complete_incidents()
        if diagnoses:
            yield Report(Subject("log", name), summary_of(diagnoses, 1), diagnoses)
        if not running:
            return
        time.sleep(POLL_SECONDS)


class _Arriving:
    """A pipe: what has come is read at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._read = getattr(stream, "read1", stream.read)

    def read(self, size: int, /) -> bytes:
        data: bytes = self._read(min(size, PIECE_BYTES))
        return data


class _Growing:
    """A file that grows: its end is waited at; a file that was cut is read from its start."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        try:
            while not (data := self._stream.read(size)):
                position = self._stream.tell()
                if self._stream.seek(0, 2) < position:
                    position = 0
                self._stream.seek(position)
                time.sleep(POLL_SECONDS)
        except (ValueError, OSError):  # whoever followed has closed the file
            return b""
        return data

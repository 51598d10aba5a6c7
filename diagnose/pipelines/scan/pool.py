"""Batches of files over worker processes. A crash or a hang is traced to its file, and costs only that one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from msgspec import Struct

from diagnose.pipelines.scan.confinement import memory_limit
from diagnose.pipelines.scan.context import worker_context
from diagnose.pipelines.scan.entries import File
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.lost import Lost
from diagnose.pipelines.scan.verdict import BatchResult, unpack_batch
from diagnose.pipelines.scan.worker import BATCH_SECONDS, examine, start

WORKER_LIFETIME_BATCHES = 2000
BYTES_PER_SECOND = 20e6
"""A file alone may take its time and, if it is large, as long as reading it at this pace."""

SUSPECT_SECONDS = 5.0
"""A file among others may take so long; then each file of the batch is tried alone."""

RESTARTS = 3
"""How often in a row the pool may break down before it does anything."""


class Batch(Struct, frozen=True, eq=False):
    """Files that a worker was given, with the pool that it belongs to, and the time that one file may take."""

    files: list[File]
    file_seconds: float
    pool: Any
    is_last_trial: bool


class Finished(Struct, frozen=True, eq=False):
    """A batch came back, or its worker was lost."""

    batch: Batch
    future: Any


class Answer(Struct, frozen=True):
    """What came of a batch: its first files have a result; or its only file was lost, and how."""

    files: list[File]
    result: BatchResult
    lost: Lost | None = None


class Workers:
    """Worker processes, started when they get their first batch. What they finish is delivered from other threads."""

    def __init__(
        self,
        jobs: int,
        own_rules: Sequence[Path],
        targets: Sequence[str],
        language: str,
        deliver: Callable[[Finished], None],
        file_seconds: float,
    ) -> None:
        self.jobs = jobs
        self.batches_out = 0
        self._start = ([str(folder) for folder in own_rules], list(targets), language, memory_limit(jobs))
        self._deliver = deliver
        self._file_seconds = file_seconds
        self._pool: Any = None
        self._failures = 0

    def give(self, files: list[File]) -> None:
        """Has these files examined; the answer comes as `Finished`. Raises ScanError."""
        self._schedule(files, min(SUSPECT_SECONDS, self._file_seconds) if len(files) > 1 else self._file_seconds)

    def answer(self, finished: Finished) -> Answer:
        """What came of a batch. Where its process was lost, each of its files is given out again on its own.

        A file is to blame that is lost a second time: the first may have been another's fault. Raises ScanError.
        """
        from pebble import ProcessExpired

        self.batches_out -= 1
        batch = finished.batch
        try:
            result = unpack_batch(finished.future.result())
        except FutureTimeoutError:
            lost = Lost(seconds=batch.file_seconds)
        except ProcessExpired as error:
            lost = Lost(exit_code=error.exitcode)
        except BrokenProcessPool:
            self._restart(batch.pool)
            self._schedule(batch.files, batch.file_seconds, batch.is_last_trial)
            return Answer([], BatchResult(0, 0))
        else:
            self._failures = 0
            return Answer(batch.files, result)
        if len(batch.files) == 1 and (batch.is_last_trial or lost.seconds):
            return Answer(batch.files, BatchResult(1, batch.file_seconds), lost)
        for file in batch.files:
            self._schedule([file], self._seconds_alone(file), is_last_trial=True)
        return Answer([], BatchResult(0, 0))

    def stop(self) -> None:
        """Ends all workers at once, whatever they do."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None

    def _schedule(self, files: list[File], file_seconds: float, is_last_trial: bool = False) -> None:
        if self._pool is None:
            self._pool = self._new_pool()
        pool = self._pool
        paths = [file.folder + file.name for file in files]
        try:
            future = pool.schedule(examine, args=[paths], timeout=BATCH_SECONDS + file_seconds)
        except OSError as error:
            raise ScanError(f"worker processes cannot be started: {error}") from None
        except RuntimeError:  # it broke down since; its other batches will tell, too
            self._restart(pool)
            self._schedule(files, file_seconds, is_last_trial)
            return
        self.batches_out += 1
        batch = Batch(files, file_seconds, pool, is_last_trial)
        future.add_done_callback(lambda done: self._deliver(Finished(batch, done)))

    def _new_pool(self) -> Any:
        from pebble import ProcessPool

        return ProcessPool(
            max_workers=self.jobs,
            max_tasks=WORKER_LIFETIME_BATCHES,
            initializer=start,
            initargs=self._start,
            context=worker_context(),
        )

    def _restart(self, broken: Any) -> None:
        """A new pool in place of `broken`, once."""
        if broken is not self._pool:
            return
        self._failures += 1
        if self._failures > RESTARTS:
            raise ScanError("worker processes end as soon as they start; is there memory for them?")
        self._pool = None
        broken.stop()
        broken.join()

    def _seconds_alone(self, file: File) -> float:
        try:
            size = os.stat(file.path).st_size
        except OSError:
            size = 0
        return self._file_seconds + size / BYTES_PER_SECOND

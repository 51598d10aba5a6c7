"""Batches of files over worker processes. A crash or a hang is traced to its file, and costs only that one."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import Any

from diagnose.collectors import process, signature
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence, Fact, Subject
from diagnose.pipelines.scan.worker import FileResult, examine, start

BATCH_FILES = 16
BATCHES_AHEAD = 4
"""Batches per worker that wait: enough to keep it busy, few enough to keep memory flat."""

WORKER_LIFETIME_BATCHES = 2000
FILE_SECONDS = 30.0


def examine_all(
    paths: Iterable[str],
    judge: Judge,
    own_rules: Sequence[Path],
    jobs: int,
    file_seconds: float = FILE_SECONDS,
) -> Iterator[FileResult]:
    """The results of all files, batch by batch in the order of `paths`. Closing the iterator stops the workers."""
    from pebble import ProcessPool

    method = "spawn" if sys.platform == "win32" else "forkserver"
    pool: Any = ProcessPool(
        max_workers=jobs,
        max_tasks=WORKER_LIFETIME_BATCHES,
        initializer=start,
        initargs=([str(folder) for folder in own_rules], judge.language),
        context=multiprocessing.get_context(method),
    )
    waiting: deque[tuple[list[str], Any]] = deque()
    try:
        for batch in _batches(paths):
            waiting.append((batch, pool.schedule(examine, args=[batch], timeout=_batch_seconds(batch, file_seconds))))
            while len(waiting) >= jobs * BATCHES_AHEAD:
                yield from _results(waiting.popleft(), pool, judge, file_seconds)
        while waiting:
            yield from _results(waiting.popleft(), pool, judge, file_seconds)
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()


def _batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """Small batches first, so that the first finding comes at once."""
    batch: list[str] = []
    size = 1
    for path in paths:
        batch.append(path)
        if len(batch) >= size:
            yield batch
            batch, size = [], min(BATCH_FILES, size * 2)
    if batch:
        yield batch


def _batch_seconds(batch: list[str], file_seconds: float) -> float:
    """A batch may take one file's time in full, and a little for each other one; who overstays is tried alone."""
    return file_seconds + len(batch) - 1


def _results(item: tuple[list[str], Any], pool: Any, judge: Judge, file_seconds: float) -> list[FileResult]:
    """The results of a scheduled batch; where its process was lost, each file is tried on its own."""
    from pebble import ProcessExpired

    batch, future = item
    try:
        results: list[FileResult] = future.result()
        return results
    except FutureTimeoutError:
        lost = process.timed_out(file_seconds)
    except ProcessExpired as error:
        lost = process.crashed(_ending(error.exitcode))
    if len(batch) == 1:
        return [_lost_file(batch[0], lost, judge)]
    singly = [([path], pool.schedule(examine, args=[[path]], timeout=file_seconds)) for path in batch]
    return [result for one in singly for result in _results(one, pool, judge, file_seconds)]


def _ending(exit_code: int | None) -> str:
    """In words: the signal's name, or the exit status."""
    if exit_code is not None and exit_code < 0:
        try:
            return signal.Signals(-exit_code).name
        except ValueError:
            return f"signal {-exit_code}"
    return f"exit status {exit_code}"


def _lost_file(path: str, lost: Fact, judge: Judge) -> FileResult:
    """The diagnosis of a file that its decoder did not survive: what its first bytes say, and how it ended."""
    evidence = Evidence(Subject("file", path))
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(4096)
            evidence.extend(signature.collect(path, head, b"", max(len(head), Path(path).stat().st_size)))
    except OSError as error:
        return FileResult(path, [], error.strerror or str(error))
    evidence.add(lost)
    return FileResult(path, judge.diagnoses(evidence))

"""The blocks of a large log, searched on all processors: the next ones while one is looked at."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from diagnose.patterns import MAX_LINE_BYTES, PatternSet

Candidates = list[tuple[int, int]]
"""Pattern and end offset in the block, as `PatternSet.scan` proposes them, about one for a pattern and line."""

ALONE_BYTES = 8 << 20
"""So much of a log is read before threads are worth their start."""

MOST_THREADS = 4


def searched(
    blocks: Iterator[tuple[bytes, int]], patterns: PatternSet
) -> Iterator[tuple[bytes, int, Candidates | None]]:
    """Each block with the bytes read so far and its candidates; None where the caller is to search it."""
    for block, size in blocks:
        yield block, size, None
        if size >= ALONE_BYTES and patterns.backend.releases_interpreter:
            break
    else:
        return
    yield from _searched_ahead(blocks, patterns, min(MOST_THREADS, _processors()))


def _searched_ahead(
    blocks: Iterator[tuple[bytes, int]], patterns: PatternSet, threads: int
) -> Iterator[tuple[bytes, int, Candidates | None]]:
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[tuple[bytes, int, Future[Candidates]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for block, size in blocks:
            waiting.append((block, size, pool.submit(candidates_of, patterns, block)))
            if len(waiting) > 2 * threads:
                done, read, future = waiting.popleft()
                yield done, read, future.result()
        while waiting:
            done, read, future = waiting.popleft()
            yield done, read, future.result()


def candidates_of(patterns: PatternSet, block: bytes) -> Candidates:
    """What `scan` proposes for a block in which a carriage return ends a line, too, without its repetitions."""
    candidates: Candidates = []
    skip_to: dict[int, int] = {}

    def on_candidate(pattern: int, end: int) -> None:
        if end - 1 > skip_to.get(pattern, -1):
            stop = block.find(b"\n", end - 1, end + MAX_LINE_BYTES // 2)
            skip_to[pattern] = end + MAX_LINE_BYTES // 2 if stop == -1 else stop
            candidates.append((pattern, end))

    patterns.scan(block.replace(b"\r", b"\n"), on_candidate)
    return candidates


def _processors() -> int:
    """Those that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1

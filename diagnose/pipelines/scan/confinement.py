"""The limits of a worker process: what a crafted file may cost, and what a decoder may do."""

from __future__ import annotations

import os
import signal
import sys

PR_SET_PDEATHSIG = 1

MAX_MEMORY_BYTES = 6 << 30
MIN_MEMORY_BYTES = 2 << 30
"""A picture of the largest size that is decoded takes 0.7 GB, and a decoder holds it twice at most."""

MEMORY_SHARE = 0.7
"""Of the memory, for all workers together."""

OPEN_FILES = 256
WRITTEN_FILE_BYTES = 16 << 20
"""Decoders write nothing; Python writes its compiled modules, and the messages of libtiff are caught in a file."""


THREADS_OF_LIBRARIES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""numpy's linear algebra, which nobody here uses, starts a thread for each processor in each worker where it may."""


def memory_limit(jobs: int) -> int:
    """Bytes that each of `jobs` workers may have: their share of the machine's or container's memory, within bounds."""
    from diagnose.collectors import cgroup

    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return MAX_MEMORY_BYTES
    limit = cgroup.memory_limit_bytes()
    total = min(total, int(limit.value)) if limit else total
    return max(MIN_MEMORY_BYTES, min(MAX_MEMORY_BYTES, int(total * MEMORY_SHARE) // jobs))


def confine(memory_bytes: int) -> None:
    """Limits this process and its threads, silences native libraries, and has it ended first where memory runs out.

    RLIMIT_DATA counts what is allocated and not what is mapped of files (getrlimit(2)), which may be larger models.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limits; the pool's time-out still holds
        return
    for kind, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, memory_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, WRITTEN_FILE_BYTES),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    os.environ.update(dict.fromkeys(THREADS_OF_LIBRARIES, "1"))
    _end_with_parent()
    _be_ended_first()
    _silence()


def _end_with_parent() -> None:
    """Linux, prctl(2), PR_SET_PDEATHSIG: a decoder that hangs does not outlive a scan that was killed."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _be_ended_first() -> None:
    """Linux, proc(5): raises this process's score where the kernel must choose one to end."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
            stream.write("800")
    except OSError:
        return


def _silence() -> None:
    """What a library prints about a file may hold the file's own escape sequences; results come another way."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)

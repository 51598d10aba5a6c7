"""Messages that a C library prints to the process's standard error because its Python binding does not pass them on."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import IO

MAX_BYTES = 64 << 10
STANDARD_ERROR = 2


@contextlib.contextmanager
def captured() -> Iterator[list[str]]:
    """Collects the lines printed to file descriptor 2 meanwhile; they are in the list after the block.

    The descriptor belongs to the whole process: not for use beside other threads that print. Where the process has
    no such descriptor, the list stays empty.
    """
    lines: list[str] = []
    try:
        saved = os.dup(STANDARD_ERROR)
    except OSError:
        yield lines
        return
    try:
        with _nameless_file() as file:
            os.dup2(file.fileno(), STANDARD_ERROR)
            try:
                yield lines
            finally:
                os.dup2(saved, STANDARD_ERROR)
                file.seek(0)
                lines.extend(file.read(MAX_BYTES).decode("utf-8", "replace").splitlines())
    finally:
        os.close(saved)


def _nameless_file() -> IO[bytes]:
    """In memory where the system can: a loader may run where no folder can be written."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("messages"), "w+b")
    return tempfile.TemporaryFile()

"""Reading a list of files, one a line or separated by NUL bytes, as it comes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from diagnose.pipelines.scan.errors import ScanError

BLOCK_BYTES = 64 << 10
MAX_PATH_BYTES = 1 << 20
"""A longer piece without a separator is no path, and the list no list."""


def read_file_list(path: str, by_nul: bool = False) -> Iterator[list[str]]:
    """The paths of the list at `path` (`-` is standard input), block by block as they arrive.

    NUL bytes separate where `by_nul` says so or the first block holds one; else lines do. Empty entries are left out.
    Raises ScanError.
    """
    try:
        descriptor = os.dup(0) if path == "-" else os.open(path, os.O_RDONLY)
    except OSError as error:
        raise ScanError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        yield from _blocks(descriptor, path, b"\0" if by_nul else b"")
    finally:
        os.close(descriptor)


def _blocks(descriptor: int, path: str, separator: bytes) -> Iterator[list[str]]:
    """Reads without the buffers of `sys.stdin`, whose lock a waiting thread would keep at the end of the program."""
    rest = b""
    while True:
        try:
            block = os.read(descriptor, BLOCK_BYTES)
        except OSError as error:
            raise ScanError(f"cannot read {path}: {error.strerror or error}") from None
        if not separator and block:
            separator = b"\0" if b"\0" in block else b"\n"
        *whole, rest = (rest + block).split(separator or b"\n")
        if not block:
            whole.append(rest)
        elif len(rest) > MAX_PATH_BYTES:
            raise ScanError(f"{path} is no list of files: a megabyte without an end of line")
        paths = [os.fsdecode(each.removesuffix(b"\r") if separator == b"\n" else each) for each in whole]
        if any(paths):
            yield [each for each in paths if each]
        if not block:
            return

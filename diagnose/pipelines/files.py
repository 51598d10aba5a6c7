"""One file (or its bytes) in, its evidence out: which collectors look at it follows from what it is."""

from __future__ import annotations

import mmap
import os
import stat
from io import BytesIO
from typing import BinaryIO

from diagnose.collectors import signature
from diagnose.evidence import Evidence, Subject

HEAD_BYTES = 64 << 10
TAIL_BYTES = 4 << 10
READ_WHOLE_BYTES = 64 << 20
"""A file up to this size is read at once; a larger one is mapped."""


class NotRegularError(OSError):
    """The path is no regular file: opening it could wait for ever or have effects."""


def collect_path(path: str) -> Evidence:
    """The evidence on the file at `path`. Raises OSError if it cannot be read, NotRegularError if it is no file."""
    evidence = Evidence(Subject("file", path))
    with _open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size <= READ_WHOLE_BYTES:
            data = stream.read(READ_WHOLE_BYTES + 1)
            _collect(evidence, data, path, BytesIO(data), len(data))
        else:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                _collect(evidence, mapped, path, stream, size)
    return evidence


def collect_bytes(data: bytes, name: str) -> Evidence:
    """The evidence on a file's bytes that are in memory; `name` tells what they claim to be."""
    evidence = Evidence(Subject("file", name))
    _collect(evidence, data, name, BytesIO(data), len(data))
    return evidence


def _open_regular(path: str) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRegularError(f"{path} is no regular file")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularError(f"{path} is no regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def _collect(evidence: Evidence, data: bytes | mmap.mmap, name: str, stream: BinaryIO, size: int) -> None:
    head = bytes(data[:HEAD_BYTES])
    evidence.extend(signature.collect(name, head, bytes(data[max(0, size - TAIL_BYTES) :]), size))
    evidence.looked_for(signature.FACTS.names)
    kind, claimed = evidence.value("file.kind"), evidence.value("file.extension_kind")
    if size == 0 or evidence.value("file.is_zero_filled"):
        return
    if kind == "image" or (kind == "unknown" and claimed == "image"):
        from diagnose.collectors import image

        evidence.extend(image.collect(data, str(evidence.value("file.format")), size))
        evidence.looked_for(image.FACTS.names)
    elif kind == "text" or (kind == "unknown" and claimed == "text"):
        from diagnose.collectors import text

        evidence.extend(text.collect(bytes(data[:READ_WHOLE_BYTES]), name))
        evidence.looked_for(text.FACTS.names)
    elif kind in ("model", "archive"):
        from diagnose.collectors import artefact

        stream.seek(0)
        evidence.extend(artefact.collect(stream, size, str(evidence.value("file.format"))))
        evidence.looked_for(artefact.FACTS.names)

"""One file (or its bytes) in, its evidence out: which collectors look at it follows from what it is."""

from __future__ import annotations

import mmap
import os
import stat
from io import BytesIO
from typing import BinaryIO

from msgspec import Struct

from diagnose.collectors import signature
from diagnose.evidence import Evidence, Subject

HEAD_BYTES = 64 << 10
TAIL_BYTES = 4 << 10
READ_WHOLE_BYTES = 64 << 20
"""A file up to this size is read at once; a larger one is mapped."""


class NotRegularError(OSError):
    """The path is no regular file: opening it could wait for ever or have effects."""


class ChangedError(OSError):
    """The file was written, cut or replaced in part while it was read."""


def collect_path(path: str) -> Evidence:
    """The evidence on the file at `path`.

    Raises OSError if it cannot be read, NotRegularError if it is no file, ChangedError if somebody wrote it meanwhile.
    """
    evidence = Evidence(Subject("file", path))
    with _open_regular(path) as stream:
        before = os.fstat(stream.fileno())
        evidence.extend(signature.collect_from_disk(stream.fileno(), before.st_size))
        if before.st_size <= READ_WHOLE_BYTES:
            data = _read(stream, before.st_size)
            _require_unchanged(stream, before)
            _collect(evidence, _Content(path, data, BytesIO(data), len(data), on_disk=True))
        else:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                _collect(evidence, _Content(path, mapped, stream, before.st_size, on_disk=True))
            _require_unchanged(stream, before)
    return evidence


def collect_bytes(data: bytes, name: str) -> Evidence:
    """The evidence on a file's bytes that are in memory; `name` tells what they claim to be."""
    evidence = Evidence(Subject("file", name))
    _collect(evidence, _Content(name, data, BytesIO(data), len(data), on_disk=False))
    return evidence


def _open_regular(path: str) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRegularError(f"{path} is no regular file")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularError(f"{path} is no regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


def _read(stream: BinaryIO, size: int) -> bytes:
    """The bytes of a file of this size. Some file systems give less at a time than they were asked for."""
    data = stream.read(size)
    if len(data) == size:
        return data
    pieces, left = [data], size - len(data)
    while left and (piece := stream.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _require_unchanged(stream: BinaryIO, before: os.stat_result) -> None:
    """A file of which one half is old and the other new, or that still grows, would be called damaged."""
    after = os.fstat(stream.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ChangedError("changed while it was read")


class _Content(Struct, frozen=True):
    """What there is of a file. If it is `on_disk`, `name` is its path and other files may lie beside it."""

    name: str
    data: bytes | mmap.mmap
    stream: BinaryIO
    size_bytes: int
    on_disk: bool


def _collect(evidence: Evidence, content: _Content) -> None:
    size, data = content.size_bytes, content.data
    head, tail = bytes(data[:HEAD_BYTES]), bytes(data[max(0, size - TAIL_BYTES) :])
    evidence.extend(signature.collect(content.name, head, tail, size))
    evidence.looked_for(signature.FACTS.names if content.on_disk else signature.FACTS.names - signature.DISK_FACTS)
    if size == 0 or evidence.value("file.is_zero_filled"):
        return
    kind, format_ = str(evidence.value("file.kind")), str(evidence.value("file.format"))
    claimed = str(evidence.value("file.extension_kind") or "")
    if kind == "unknown":
        format_ = str(evidence.value("file.extension_format") or format_)
    for collector in collectors_for(kind if kind != "unknown" else claimed, format_):
        _LOOKS[collector](evidence, content, format_)


def collectors_for(kind: str, format_: str) -> tuple[str, ...]:
    """The names of the collectors that look at a file of this kind and format.

    They are those of the content, or where that is unknown those that the extension claims.
    """
    if format_ in _TEXTS_OF_MODELS:
        return ("text", "artefact")
    if format_ == "eps":
        return ("image",)
    return {"image": ("image",), "text": ("text",), "model": ("artefact",), "archive": ("artefact",)}.get(kind, ())


_TEXTS_OF_MODELS = frozenset(("json", "openvino-ir-xml"))
"""Texts that may be a tokenizer, an index of weight shards, or a network."""


def _look_at_image(evidence: Evidence, content: _Content, _format: str) -> None:
    from diagnose.collectors import image

    evidence.extend(image.collect(content.data, str(evidence.value("file.format")), content.size_bytes))
    evidence.looked_for(image.FACTS.names)


def _look_at_text(evidence: Evidence, content: _Content, _format: str) -> None:
    from diagnose.collectors import text

    data = bytes(content.data[:READ_WHOLE_BYTES])
    evidence.extend(text.collect(data, content.name, is_whole=len(data) == content.size_bytes))
    evidence.looked_for(text.FACTS.names)


def _look_at_artefact(evidence: Evidence, content: _Content, format_: str) -> None:
    from diagnose.collectors import artefact

    if format_ not in artefact.READERS and format_ not in _TEXTS_OF_MODELS:
        return
    content.stream.seek(0)
    evidence.extend(artefact.collect(content.stream, content.size_bytes, format_))
    evidence.looked_for(artefact.FACTS.names - artefact.COMPANION_FACTS)
    if content.on_disk:
        evidence.extend(list(artefact.find_companions(content.name, evidence.facts)))
        evidence.looked_for(artefact.COMPANION_FACTS)


_LOOKS = {"image": _look_at_image, "text": _look_at_text, "artefact": _look_at_artefact}

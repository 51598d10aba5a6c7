"""Where a layout's files are: a folder, or an archive that is read once."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import posixpath
import stat
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Protocol

from msgspec import Struct, field

from diagnose.collectors.oci.document import MANIFEST_LIMIT_BYTES
from diagnose.collectors.oci.media_types import recognise
from diagnose.collectors.oci.tar import BLOCK_BYTES, TarCutError, TarError, TarStream

_CHUNK_BYTES = 1024 * 1024
_KEPT_LIMIT_BYTES = 64 * 1024 * 1024
_MEMBER_LIMIT = 100_000
_EXPANSION_LIMIT = 200
_EXPANSION_FLOOR_BYTES = 1024 * 1024 * 1024


def _open_plain(path: Path) -> BinaryIO:
    return path.open("rb")


_OPENERS: dict[str, Callable[[Path], BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    "tar": _open_plain,
    "unknown": _open_plain,
    "gzip": gzip.GzipFile,
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}


class File(Struct, frozen=True):
    """A file as it was read: its size, SHA-256 (hexadecimal), first bytes, and its content if it is small."""

    where: str
    size_bytes: int
    sha256: str
    start: bytes
    content: bytes | None = None
    not_checked: str = ""


class Files(Protocol):
    """The files below a layout's root."""

    def file(self, name: str) -> File | None:
        """The file of this name, relative and with slashes; None if there is none."""

    def place(self, name: str) -> str:
        """Where a file of this name is or would be, for people."""


class Folder(Struct, frozen=True):
    """The files of a folder. Links are followed as long as they stay inside it."""

    root: Path

    def file(self, name: str) -> File | None:
        path = self.root / name
        try:
            real = path.resolve(strict=True)
            found = real.stat()
            if not real.is_relative_to(self.root.resolve()):
                return _unread(self.place(name), "it is a link that leads out of the layout")
            if not stat.S_ISREG(found.st_mode):
                return _unread(self.place(name), "it is not a regular file")
            with real.open("rb") as stream:
                chunks = iter(lambda: stream.read(_CHUNK_BYTES), b"")
                return _read(self.place(name), chunks, keep=found.st_size <= MANIFEST_LIMIT_BYTES)
        except FileNotFoundError:
            return None
        except (OSError, RuntimeError) as error:
            return _unread(self.place(name), f"it cannot be read: {type(error).__name__}")

    def place(self, name: str) -> str:
        return f"file {name}"


class Archive(Struct):
    """The files of an archive, all read. `damage` says what stopped the reading, `cut` that its end is missing."""

    format: str
    files: dict[str, File] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    damage: str = ""
    damage_where: str = ""
    cut: bool = False

    def file(self, name: str) -> File | None:
        for _ in range(8):
            if name not in self.links:
                break
            name = self.links[name]
        return self.files.get(name)

    def place(self, name: str) -> str:
        return f"member {name}"


def read_archive(path: Path) -> Archive:
    """All members of the archive at `path`, compressed or not. A damaged one is an Archive with `damage`."""
    with path.open("rb") as stream:
        archive = Archive(recognise(stream.read(BLOCK_BYTES)))
    opener = _OPENERS.get(archive.format)
    if opener is None:
        archive.damage, archive.damage_where = f"this is {archive.format}, not tar", "byte 0"
        return archive
    budget = _EXPANSION_FLOOR_BYTES + _EXPANSION_LIMIT * path.stat().st_size
    try:
        with opener(path) as stream:
            _read_members(archive, TarStream(stream), budget)
    except TarError as error:
        archive.damage, archive.damage_where = str(error), f"byte {error.offset}"
        archive.cut = isinstance(error, TarCutError)
    except EOFError:
        archive.damage, archive.cut = "the compressed data ends too early", True
    except (OSError, zlib.error, lzma.LZMAError) as error:
        archive.damage = f"the {archive.format} data are damaged ({type(error).__name__})"
    return archive


def _read_members(archive: Archive, members: TarStream, budget: int) -> None:
    kept = read = 0
    for entry in members:
        name = posixpath.normpath(entry.name)
        if entry.target:
            archive.links[name] = posixpath.normpath(posixpath.join(posixpath.dirname(name), entry.target))
        if entry.is_file:
            keep = entry.size_bytes <= min(MANIFEST_LIMIT_BYTES, _KEPT_LIMIT_BYTES - kept)
            file = _read(f"{archive.place(name)} (byte {entry.offset})", members.chunks(), keep=keep)
            archive.files[name] = file
            kept += len(file.content or b"")
        read += entry.size_bytes
        if read > budget or len(archive.files) + len(archive.links) > _MEMBER_LIMIT:
            archive.damage, archive.damage_where = "the archive expands beyond reason", f"byte {entry.offset}"
            return


def _read(where: str, chunks: Iterable[bytes], *, keep: bool) -> File:
    state, size_bytes, start = hashlib.sha256(), 0, b""
    kept: list[bytes] = []
    for chunk in chunks:
        state.update(chunk)
        size_bytes += len(chunk)
        if len(start) < BLOCK_BYTES:
            start = (start + chunk)[:BLOCK_BYTES]
        if keep:
            kept.append(chunk)
    return File(where, size_bytes, state.hexdigest(), start, b"".join(kept) if keep else None)


def _unread(where: str, reason: str) -> File:
    return File(where, 0, "", b"", not_checked=reason)

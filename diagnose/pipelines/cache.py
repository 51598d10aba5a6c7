"""Compiled rules in the user's cache folder. What is there is data, checked before use, and never executed.

A cache file is `MAGIC`, the stamp of what it was made from, a checksum, and the payload. One that is damaged, made
from something else or owned by another user counts as not there. Where the folder cannot be written, everything
works, only slower.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from diagnose._version import __version__

if TYPE_CHECKING:  # a quick start has no time for pathlib
    from pathlib import Path

MAGIC = b"decodedoctor-cache-1\n"
FILES_KEPT = 8
"""Of each kind: so many sets of rule folders can be in use side by side."""

_OTHERS_MAY_WRITE = 0o022


def cache_folder() -> str:
    """Where this user's cached files live: DECODEDOCTOR_CACHE, or what the platform prescribes."""
    explicit = os.environ.get("DECODEDOCTOR_CACHE")
    if explicit:
        return explicit
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "decodedoctor")


def stamp(files: Iterable[Path | str]) -> bytes:
    """What is compiled: the version, the interpreter, and each file's path, size and time of change."""
    parts = [f"{__version__} {sys.version_info[:2]} {sys.maxsize} {sys.byteorder}"]
    for path in files:
        status = os.stat(path)
        parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts).encode("utf-8", "surrogateescape")


def read_cached(name: str, stamped: bytes) -> bytes | None:
    """The payload of a cache file made from `stamped`; None where it is missing, damaged or not this user's alone."""
    head = _head(stamped)
    try:
        with open(os.path.join(cache_folder(), name), "rb") as stream:
            status = os.fstat(stream.fileno())
            if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & _OTHERS_MAY_WRITE):
                return None
            content = stream.read()
    except OSError:
        return None
    start = len(head) + 4
    checksum = zlib.crc32(memoryview(content)[start:]).to_bytes(4, "little")
    return content[start:] if content.startswith(head + checksum) else None


def write_cached(name: str, stamped: bytes, payload: bytes) -> None:
    """Stores a payload for `read_cached`, whole or not at all."""
    from pathlib import Path

    folder = Path(cache_folder())
    temporary = folder / f"{name}.{os.getpid()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with temporary.open("xb") as stream:
            stream.write(_head(stamped) + zlib.crc32(payload).to_bytes(4, "little") + payload)
        temporary.chmod(0o600)
        temporary.replace(folder / name)
        _prune(folder, name.partition("-")[0])
    except OSError:
        _discard(temporary)


def _prune(folder: Path, kind: str) -> None:
    """Removes all but the newest files of a kind: each change of a rule makes new ones."""
    files = sorted(folder.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in files[FILES_KEPT:]:
        _discard(path)


def _head(stamped: bytes) -> bytes:
    return MAGIC + len(stamped).to_bytes(4, "little") + stamped


def _discard(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return

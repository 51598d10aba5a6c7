"""Compiled rules in the user's cache folder. What is there is data, checked before use, and never executed.

A cache file is `MAGIC`, a digest of the payload, and the payload. One that is damaged, of another version or owned
by another user counts as not there. Where the folder cannot be written, everything works, only slower.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from diagnose._version import __version__

MAGIC = b"decodedoctor-cache-1\n"
_DIGEST_BYTES = 32
_OTHERS_MAY_WRITE = 0o022


def cache_folder() -> Path:
    """Where this user's cached files live: DECODEDOCTOR_CACHE, or what the platform prescribes."""
    explicit = os.environ.get("DECODEDOCTOR_CACHE")
    if explicit:
        return Path(explicit)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "decodedoctor"


def cache_key(files: Iterable[Path]) -> str:
    """A name for what these files compile to: it changes with the version and with any file's path, size or time."""
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]} {sys.maxsize} {sys.byteorder}".encode())
    for path in files:
        status = path.stat()
        digest.update(f"\0{path}\0{status.st_size}\0{status.st_mtime_ns}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


def read_cached(name: str) -> bytes | None:
    """The payload of a cache file, or None where it is missing, damaged or not this user's alone."""
    try:
        with (cache_folder() / name).open("rb") as stream:
            status = os.fstat(stream.fileno())
            if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & _OTHERS_MAY_WRITE):
                return None
            content = stream.read()
    except OSError:
        return None
    start = len(MAGIC) + _DIGEST_BYTES
    payload = content[start:]
    if not content.startswith(MAGIC) or hashlib.sha256(payload).digest() != content[len(MAGIC) : start]:
        return None
    return payload


def write_cached(name: str, payload: bytes) -> None:
    """Stores a payload for `read_cached`, whole or not at all."""
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=name, dir=folder)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(MAGIC + hashlib.sha256(payload).digest() + payload)
        Path(temporary).replace(folder / name)
    except OSError:
        Path(temporary).unlink(missing_ok=True)

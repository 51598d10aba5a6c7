"""Reading a file that may lie about its lengths: no read goes beyond the end, and none is larger than a bound."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

READ_LIMIT_BYTES = 64 << 20
_WINDOW_BYTES = 256 << 10
_WINDOW_AFTER_JUMP_BYTES = 4 << 10
"""How much is read ahead: little where the reads jump through a large file, as from tensor to tensor."""


class CutError(Exception):
    """The file ends before `end_bytes`, where the read at `at` would have ended."""

    def __init__(self, at: int, end_bytes: int) -> None:
        super().__init__(f"the file ends before byte {end_bytes}")
        self.at = at
        self.end_bytes = end_bytes


class ImplausibleError(Exception):
    """A count or length at byte `at` that no real file has; `kind` is a value of artefact.damage."""

    def __init__(self, kind: str, at: int, text: str = "") -> None:
        super().__init__(f"{kind} at byte {at}")
        self.kind = kind
        self.at = at
        self.text = text


class Cursor:
    """A place in a file of `size_bytes`. Reads raise CutError where the file is too short.

    >>> import io
    >>> cursor = Cursor(io.BytesIO(b"GGUF\\x03\\0\\0\\0"), 8)
    >>> cursor.read(4), cursor.unpack("<I")
    (b'GGUF', (3,))
    """

    def __init__(self, file: BinaryIO, size_bytes: int, at: int = 0) -> None:
        self.file = file
        self.size_bytes = size_bytes
        self.at = at
        self._window = b""
        self._window_at = 0

    def peek(self, length: int, at: int | None = None) -> bytes:
        """`length` bytes at `at` (here, if not given), without going on. Raises CutError and ImplausibleError."""
        at = self.at if at is None else at
        if at < 0 or length < 0 or at + length > self.size_bytes:
            raise CutError(at, at + length)
        if length > READ_LIMIT_BYTES:
            raise ImplausibleError("length-too-large", at, f"{length} bytes")
        start = at - self._window_at
        if start < 0 or start + length > len(self._window):
            is_next = 0 <= start <= len(self._window)
            ahead = _WINDOW_BYTES if is_next else _WINDOW_AFTER_JUMP_BYTES
            self.file.seek(at)
            self._window = self.file.read(max(length, min(ahead, self.size_bytes - at)))
            self._window_at, start = at, 0
            if len(self._window) < length:
                raise CutError(at, at + length)
        return self._window[start : start + length]

    def read(self, length: int) -> bytes:
        """The next `length` bytes. Raises like `peek`."""
        data = self.peek(length)
        self.at += length
        return data

    def unpack(self, layout: str) -> tuple[Any, ...]:
        """The next fields of a `struct` layout. Raises CutError."""
        return struct.unpack(layout, self.read(struct.calcsize(layout)))

    def skip(self, length: int) -> None:
        """Go on by `length` bytes without reading them. Raises CutError."""
        if length < 0 or self.at + length > self.size_bytes:
            raise CutError(self.at, self.at + length)
        self.at += length

"""UTF-8: whether data is valid, where it is not, and what stands there instead (RFC 3629; Unicode, table 3-7)."""

from __future__ import annotations

import re

from msgspec import Struct

_EXCERPT_BYTES = 24
_LINE_BYTES = 4096
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_OVERLONG = re.compile(rb"[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]")


class InvalidByte(Struct, frozen=True):
    """The first byte that is not UTF-8, and the `text` around it.

    `line` and `column` count from 1, the column in characters. `kind` is cut-at-end, surrogate, overlong, or empty
    where only the whole text can tell.
    """

    offset: int
    line: int
    column: int
    text: str
    kind: str

    @property
    def where(self) -> str:
        return f"byte {self.offset}, line {self.line}, column {self.column}"


def find_invalid_byte(data: bytes) -> InvalidByte | None:
    """The first byte that makes `data` invalid as UTF-8, or None."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return _describe(data, error.start, error.reason)
    return None


def _describe(data: bytes, offset: int, reason: str) -> InvalidByte:
    line_start = data.rfind(b"\n", 0, offset) + 1
    shown_from = max(line_start, offset - _LINE_BYTES)
    column = len(data[shown_from:offset].decode("utf-8", "ignore")) + 1 + (shown_from - line_start)
    return InvalidByte(
        offset, data.count(b"\n", 0, offset) + 1, column, excerpt(data, offset), _kind(data, offset, reason)
    )


def excerpt(data: bytes, offset: int) -> str:
    """What stands around a byte, in one line: printable ASCII as it is, all else as escapes."""
    around = data[max(0, offset - _EXCERPT_BYTES) : offset + _EXCERPT_BYTES]
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in around)


def _kind(data: bytes, offset: int, reason: str) -> str:
    if reason == "unexpected end of data":
        return "cut-at-end"
    if _SURROGATE.match(data, offset):
        return "surrogate"
    return "overlong" if _OVERLONG.match(data, offset) else ""

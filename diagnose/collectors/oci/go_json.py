"""What Go's JSON decoder says of bytes that are not JSON, in its own words.

Container engines are written in Go and print this text, so the same text has to come out for the same bytes. Source:
Go encoding/json, scanner.go (states and contexts) and stream.go (`Decoder.Decode` and its ends of input).
"""

from __future__ import annotations

import re

from msgspec import Struct

EOF = "EOF"
UNEXPECTED_EOF = "unexpected EOF"
_DEPTH_LIMIT = 10000
_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING_RUN = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]*")
_LITERALS = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")
_ESCAPES = frozenset(b'bfnrt\\/"')
_NAMED = {7: r"\a", 8: r"\b", 9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}

_VALUE = "looking for beginning of value"
_KEY = "looking for beginning of object key string"
_END = {"[": "after array element", "{": "after object key:value pair", "k": "after object key"}


class Scan(Struct, frozen=True):
    """The end of the first JSON value in some bytes, or the error at which the decoder stopped."""

    end: int = 0
    error: str = ""


class _StopError(Exception):
    """The text with which the decoder gives up."""


class _InputEndsError(_StopError):
    """The bytes end inside a value."""


def scan_value(body: bytes, ending: str = EOF) -> Scan:
    """Scans the first value of `body`. `ending` is what the reader says behind its last byte: EOF, or an error."""
    start = _skip(body, 0)
    if start == len(body):
        return Scan(error=ending)
    try:
        return Scan(end=_value(body, start, ending))
    except _InputEndsError:
        return Scan(error=UNEXPECTED_EOF if ending == EOF else ending)
    except _StopError as stop:
        return Scan(error=str(stop))


def invalid_character(byte: int, context: str) -> str:
    """Go's message on a byte that cannot stand where it stands. Go takes the byte for a code point of its own."""
    return f"invalid character {_quoted(byte)} {context}"


def _value(body: bytes, at: int, ending: str) -> int:
    """The offset behind the value at `at`. A loop over an explicit stack: hostile nesting costs no recursion."""
    stack: list[str] = []
    while True:
        at = _skip(body, at)
        if body[at : at + 1] in (b"{", b"["):
            _check_depth(stack, body[at])
            at = _open(body, at, stack)
            if stack and stack[-1] != "done":
                continue
            stack.pop()
        else:
            at = _scalar(body, at, is_last=not stack and ending != EOF)
        at = _close(body, at, stack)
        if not stack:
            return at


def _open(body: bytes, at: int, stack: list[str]) -> int:
    """Enters an object or array; an empty one is left at once and marked `done`."""
    is_object = body[at] == ord("{")
    inside = _skip(body, at + 1)
    if body[inside : inside + 1] == (b"}" if is_object else b"]"):
        stack.append("done")
        return inside + 1
    if not is_object:
        stack.append("[")
        return inside
    stack.append("{")
    return _key(body, inside)


def _close(body: bytes, at: int, stack: list[str]) -> int:
    """Behind a value: closes what ends here, or goes on to the next element. The offset of the next value."""
    while stack:
        at = _skip(body, at)
        is_object = stack[-1] == "{"
        byte = _byte(body, at)
        if byte == ord("}" if is_object else "]"):
            stack.pop()
            at += 1
            continue
        if byte != ord(","):
            raise _StopError(invalid_character(byte, _END[stack[-1]]))
        return _key(body, _skip(body, at + 1)) if is_object else at + 1
    return at


def _key(body: bytes, at: int) -> int:
    """The offset behind an object key and its colon."""
    byte = _byte(body, at)
    if byte != ord('"'):
        raise _StopError(invalid_character(byte, _KEY))
    at = _skip(body, _string(body, at))
    byte = _byte(body, at)
    if byte != ord(":"):
        raise _StopError(invalid_character(byte, _END["k"]))
    return at + 1


def _scalar(body: bytes, at: int, *, is_last: bool) -> int:
    byte = _byte(body, at)
    if byte == ord('"'):
        end = _string(body, at)
    elif byte in _LITERALS:
        end = _literal(body, at, _LITERALS[byte])
    elif byte == ord("-") or ord("0") <= byte <= ord("9"):
        end = _number(body, at)
    else:
        raise _StopError(invalid_character(byte, _VALUE))
    if end == len(body) and is_last:
        # Only the byte behind it tells the decoder that a scalar at the top has ended.
        raise _InputEndsError
    return end


def _string(body: bytes, at: int) -> int:
    at += 1
    while True:
        at = _match_end(_STRING_RUN, body, at)
        byte = _byte(body, at)
        if byte == ord('"'):
            return at + 1
        if byte != ord("\\"):
            raise _StopError(invalid_character(byte, "in string literal"))
        at = _escape(body, at + 1)


def _escape(body: bytes, at: int) -> int:
    byte = _byte(body, at)
    if byte in _ESCAPES:
        return at + 1
    if byte != ord("u"):
        raise _StopError(invalid_character(byte, "in string escape code"))
    for digit in range(at + 1, at + 5):
        if _byte(body, digit) not in _HEX_DIGITS:
            raise _StopError(invalid_character(body[digit], r"in \u hexadecimal character escape"))
    return at + 5


def _literal(body: bytes, at: int, word: bytes) -> int:
    for offset in range(1, len(word)):
        byte = _byte(body, at + offset)
        if byte != word[offset]:
            expecting = f"in literal {word.decode()} (expecting '{chr(word[offset])}')"
            raise _StopError(invalid_character(byte, expecting))
    return at + len(word)


def _number(body: bytes, at: int) -> int:
    if body[at] == ord("-"):
        at += 1
        _require_digit(body, at, "in numeric literal")
    at = at + 1 if body[at] == ord("0") else _match_end(_DIGITS, body, at)
    if body[at : at + 1] == b".":
        _require_digit(body, at + 1, "after decimal point in numeric literal")
        at = _match_end(_DIGITS, body, at + 1)
    if body[at : at + 1] in (b"e", b"E"):
        at += 2 if body[at + 1 : at + 2] in (b"+", b"-") else 1
        _require_digit(body, at, "in exponent of numeric literal")
        at = _match_end(_DIGITS, body, at)
    return at


def _require_digit(body: bytes, at: int, context: str) -> None:
    byte = _byte(body, at)
    if not ord("0") <= byte <= ord("9"):
        raise _StopError(invalid_character(byte, context))


def _byte(body: bytes, at: int) -> int:
    if at >= len(body):
        raise _InputEndsError
    return body[at]


def _skip(body: bytes, at: int) -> int:
    return _match_end(_SPACE, body, at)


def _match_end(pattern: re.Pattern[bytes], body: bytes, at: int) -> int:
    found = pattern.match(body, at)
    return found.end() if found else at


def _check_depth(stack: list[str], byte: int) -> None:
    if len(stack) >= _DEPTH_LIMIT:
        raise _StopError(invalid_character(byte, "exceeded max depth"))


def _quoted(byte: int) -> str:
    if byte == ord("'"):
        return r"'\''"
    if byte == ord('"'):
        return "'\"'"
    if byte == ord("\\"):
        return r"'\\'"
    if byte in _NAMED:
        return f"'{_NAMED[byte]}'"
    if byte < 0x20 or byte == 0x7F:
        return rf"'\x{byte:02x}'"
    if 0x80 <= byte <= 0xA0 or byte == 0xAD:
        return rf"'\u{byte:04x}'"
    return f"'{chr(byte)}'"

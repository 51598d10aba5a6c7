"""Whether a JSON text obeys RFC 8259, and where it does not."""

from __future__ import annotations

import json
from typing import NoReturn

from msgspec import Struct

_SIZE_LIMIT = 32 << 20
_LINES_LIMIT = 50_000
_DEPTH_MESSAGE = "nested too deeply"


class JsonError(Struct, frozen=True):
    """What is wrong, at which line and column (from 1), and the text there."""

    message: str
    line: int
    column: int
    text: str

    @property
    def where(self) -> str:
        return f"line {self.line}, column {self.column}"


class TooLargeError(Exception):
    """The text is longer than what is parsed here."""


def find_json_error(text: str, *, by_line: bool) -> JsonError | None:
    """The first syntax error, or None. `by_line` for JSON Lines, of which each line that is not blank is a value.

    Raises TooLargeError beyond 32 Mi characters or 50,000 lines without an error.
    """
    if len(text) > _SIZE_LIMIT:
        raise TooLargeError(f"longer than {_SIZE_LIMIT} characters")
    if not by_line:
        return _parse(text, 0)
    for number, line in enumerate(text.split("\n")):
        if number >= _LINES_LIMIT:
            raise TooLargeError(f"more than {_LINES_LIMIT} lines")
        error = _parse(line, number) if line.strip() else None
        if error:
            return error
    return None


def _parse(text: str, lines_before: int) -> JsonError | None:
    if not text.strip(" \t\r\n"):
        return JsonError("empty text", lines_before + 1, 1, "")
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        around = text[max(0, error.pos - 20) : error.pos + 20]
        return JsonError(error.msg, lines_before + error.lineno, error.colno, around)
    except RecursionError:
        return JsonError(_DEPTH_MESSAGE, lines_before + 1, 1, text[:40])
    except _ConstantError as error:
        return _locate(text, lines_before, str(error))
    return None


class _ConstantError(ValueError):
    """NaN and Infinity, which Python reads and RFC 8259 does not know."""


def _refuse(name: str) -> NoReturn:
    raise _ConstantError(name)


def _locate(text: str, lines_before: int, name: str) -> JsonError:
    at = max(text.find(name), 0)
    line_start = text.rfind("\n", 0, at) + 1
    line = lines_before + text.count("\n", 0, at) + 1
    return JsonError(f"{name} is not JSON", line, at - line_start + 1, text[max(0, at - 20) : at + 20])

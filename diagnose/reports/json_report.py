"""The machine's form of a report: `decodedoctor/report/1`, described in docs/output.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from diagnose._version import __version__
from diagnose.diagnosis import NotChecked, Report

SCHEMA = "decodedoctor/report/1"


def render(report: Report, rules: int) -> bytes:
    """One JSON object, indented, ending with a line end. `rules` is the number of rules in force."""
    document = document_of(report, rules)
    return msgspec.json.format(msgspec.json.encode(document, enc_hook=str), indent=2) + b"\n"


def stream(
    report: Report, rules: int, diagnoses: Iterable[bytes], not_checked: Iterable[NotChecked]
) -> Iterator[bytes]:
    """The pieces of what `render` gives, with these diagnoses (each encoded as JSON) and what was not checked in
    place of the report's own: never all of them in memory."""
    streamed = {
        "diagnoses": diagnoses,
        "not_checked": (_encoded(msgspec.to_builtins(item)) for item in not_checked),
    }
    opening = b"{"
    for key, value in document_of(report, rules).items():
        yield opening + b"\n  " + _encoded(key) + b": "
        opening = b","
        if key in streamed:
            yield from _list(streamed[key])
        else:
            yield _indented(_encoded(value), 1)
    yield b"\n}\n"


def _list(items: Iterable[bytes]) -> Iterator[bytes]:
    opening = b"["
    for item in items:
        yield opening + b"\n    " + _indented(item, 2)
        opening = b","
    yield b"[]" if opening == b"[" else b"\n  ]"


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(valid_unicode(value))


def _indented(encoded: bytes, levels: int) -> bytes:
    """A value as it stands so many levels deep: within texts there are no line ends to mistake."""
    return msgspec.json.format(encoded, indent=2).replace(b"\n", b"\n" + b"  " * levels)


def document_of(report: Report, rules: int) -> dict[str, Any]:
    """The contract's object, every text valid Unicode (a lone surrogate of a file name becomes an escape)."""
    built: dict[str, Any] = msgspec.to_builtins(report, enc_hook=str)
    head = {"schema": SCHEMA, "tool": {"version": __version__, "rules": rules}}
    document: dict[str, Any] = {**head, **built}
    cleaned: dict[str, Any] = valid_unicode(document)
    return cleaned


def valid_unicode(value: Any) -> Any:
    """The value with every text encodable as UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: valid_unicode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [valid_unicode(item) for item in value]
    return value

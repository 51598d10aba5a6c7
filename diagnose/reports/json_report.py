"""The machine's form of a report: `decodedoctor/report/1`, described in docs/output.md."""

from __future__ import annotations

from typing import Any

import msgspec

from diagnose._version import __version__
from diagnose.diagnosis import Report

SCHEMA = "decodedoctor/report/1"


def render(report: Report, rules: int) -> bytes:
    """One JSON object, indented, ending with a line end. `rules` is the number of rules in force."""
    document = document_of(report, rules)
    return msgspec.json.format(msgspec.json.encode(document, enc_hook=str), indent=2) + b"\n"


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

"""What a text file is made of: its encoding, where UTF-8 breaks, line ends, mojibake, and JSON's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.collectors.signature import identify
from diagnose.collectors.text.declarations import can_hold, find_binding_declaration, find_declaration
from diagnose.collectors.text.encodings import detect_encoding
from diagnose.collectors.text.facts import FACTS
from diagnose.collectors.text.mojibake import find_mojibake
from diagnose.collectors.text.multi_byte import EAST_ASIAN_ENCODINGS
from diagnose.collectors.text.syntax import syntax_facts
from diagnose.collectors.text.unicode_forms import BYTE_ORDER_MARKS, Detection, detect_wide
from diagnose.collectors.text.utf8 import InvalidByte, find_invalid_byte
from diagnose.evidence import Fact

__all__ = ["FACTS", "collect"]

_SNIFFED_BYTES = 4096
_SEARCHED_BYTES = 1 << 18


def collect(data: bytes, name: str, *, is_whole: bool = True) -> list[Fact]:
    """Facts on the content of a file named `name` that is, or claims to be, text.

    A file that is no text has its binary nature and its first invalid byte stated, and nothing else. If not `is_whole`,
    `data` is the first part of a large file, and that it ends within a character or a value says nothing.
    """
    invalid = find_invalid_byte(data)
    if invalid and invalid.kind == "cut-at-end" and not is_whole:
        data, invalid = data[: invalid.offset], None
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), "")
    facts = [FACTS.known("text.valid_utf8", invalid is None), *_nul_facts(data)]
    if marked:
        facts.append(FACTS.known("text.bom", marked, "byte 0"))
    binary = "" if marked else _binary_format(data)
    facts.append(FACTS.known("text.is_binary", bool(binary), "byte 0" if binary else "", binary))
    detected = None if binary else detect_encoding(data, invalid is None)
    if invalid:
        facts.extend(_invalid_facts(data, invalid, detected, bool(binary)))
    facts.extend(_declaration_facts(data, name, invalid is None))
    if detected:
        facts.append(FACTS.known("text.encoding", detected.encoding, "", detected.evidence))
        facts.append(FACTS.known("text.encoding_confidence", detected.confidence))
        facts.extend(_content_facts(data, detected))
        facts.extend(syntax_facts(data, name, detected.encoding, invalid, is_whole=is_whole))
    elif not binary:
        facts.append(FACTS.not_checked("text.encoding", "no encoding makes the bytes a plausible text"))
    return facts


def _nul_facts(data: bytes) -> Iterator[Fact]:
    first = data.find(0)
    yield FACTS.known("text.contains_nul", first >= 0, f"byte {first}" if first >= 0 else "")
    zero_tail = len(data) - len(data.rstrip(b"\0"))
    if zero_tail:
        yield FACTS.known("text.zero_tail_bytes", zero_tail, f"byte {len(data) - zero_tail}")


def _binary_format(data: bytes) -> str:
    """The format of content that is no text, or an empty string."""
    signature = identify(data[:_SNIFFED_BYTES], len(data), data[-_SNIFFED_BYTES:])
    if signature.kind == "text" or signature.format in ("empty", "eps", "postscript", "xpm", "xbm", "rtf"):
        return ""
    if signature.format != "unknown":
        return signature.format
    sample = data[:_SNIFFED_BYTES]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls < _CONTROLS_OF_BINARY:
        return ""
    return "unknown" if controls * _CONTROLS_IN_TEXT > len(sample) and not _is_wide(data) else ""


_CONTROLS = bytes((*range(9), 11, *range(14, 27), *range(28, 32), 127))
_CONTROLS_IN_TEXT = 20
_CONTROLS_OF_BINARY = 2
"""More than one control character in so many is no text; a single one may be a slip in a short text."""


def _is_wide(data: bytes) -> bool:
    return detect_wide(data) is not None


def _invalid_facts(data: bytes, invalid: InvalidByte, detected: Detection | None, is_binary: bool) -> Iterator[Fact]:
    yield FACTS.known("text.first_invalid_utf8", invalid.offset, invalid.where, invalid.text)
    yield FACTS.known("text.invalid_utf8_kind", _invalid_kind(invalid, detected, is_binary), invalid.where)
    if detected:
        part = data[:_SEARCHED_BYTES]
        is_windows = detected.encoding == "cp1252" or (detected.encoding == "utf-8" and invalid.kind == "")
        quote = (
            _CP1252_QUOTES.search(part, invalid.offset if detected.encoding == "utf-8" else 0) if is_windows else None
        )
        yield FACTS.known("text.cp1252_quotes", quote is not None, f"byte {quote.start()}" if quote else "")


_CP1252_QUOTES = re.compile(rb"(?<![\x80-\xff])[\x85\x91-\x97](?![\x80-\xbf])")


def _invalid_kind(invalid: InvalidByte, detected: Detection | None, is_binary: bool) -> str:
    if is_binary or detected is None:
        return "binary"
    if detected.encoding.startswith(("utf-16", "utf-32")):
        return detected.encoding[:6]
    if detected.encoding == "utf-8":
        return invalid.kind or "utf8-cut-in-middle"
    if invalid.kind == "surrogate":
        return invalid.kind
    return "multibyte-legacy" if detected.encoding in EAST_ASIAN_ENCODINGS else "single-byte-legacy"


def _declaration_facts(data: bytes, name: str, valid_utf8: bool) -> Iterator[Fact]:
    declared, at = find_declaration(data)
    if declared:
        yield FACTS.known("text.declared_encoding", declared, f"byte {at}")
    binding = find_binding_declaration(data, name)
    if binding and not binding.codec:
        yield FACTS.known("text.declared_unknown", binding.label, f"byte {binding.at}")
    elif binding:
        holds = can_hold(binding.codec, data, valid_utf8)
        yield FACTS.known("text.declaration_holds", holds, f"byte {binding.at}", binding.label)


def _content_facts(data: bytes, detected: Detection) -> Iterator[Fact]:
    text = data[:_SEARCHED_BYTES].decode(detected.encoding, "replace")
    newline, where = _newline(
        text if detected.encoding.startswith("utf-") else data[:_SEARCHED_BYTES].decode("latin-1")
    )
    if newline:
        yield FACTS.known("text.newline", newline, where)
    mojibake = find_mojibake(text)
    if mojibake:
        line = text.count("\n", 0, mojibake.at) + 1
        yield FACTS.known("text.mojibake", mojibake.kind, f"line {line}", f"{mojibake.seen} is {mojibake.meant}")


def _newline(text: str) -> tuple[str, str]:
    """The kind of line ends and, where they are mixed, the line with the first one that is not like those before it."""
    counts = {"crlf": text.count("\r\n")}
    counts["lf"] = text.count("\n") - counts["crlf"]
    counts["cr"] = text.count("\r") - counts["crlf"]
    used = [kind for kind, count in counts.items() if count]
    if len(used) < 2:
        return (used[0] if used else ""), ""
    ends = re.finditer("\r\n|\r|\n", text)
    first = next(ends)[0]
    line = next((number for number, end in enumerate(ends, 2) if end[0] != first), 1)
    return "mixed", f"line {line}"

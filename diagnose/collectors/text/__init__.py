"""What a text file is made of: its encoding, where UTF-8 breaks, line ends, mojibake, and JSON's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.collectors.signature import identify
from diagnose.collectors.text.declarations import find_declaration
from diagnose.collectors.text.encodings import detect_encoding
from diagnose.collectors.text.json_syntax import TooLargeError, find_json_error
from diagnose.collectors.text.mojibake import find_mojibake
from diagnose.collectors.text.multi_byte import EAST_ASIAN_ENCODINGS
from diagnose.collectors.text.unicode_forms import BYTE_ORDER_MARKS, Detection, detect_wide
from diagnose.collectors.text.utf8 import InvalidByte, find_invalid_byte
from diagnose.evidence import Fact, FactSpec, Vocabulary

__all__ = ["FACTS", "collect"]

FACTS = Vocabulary(
    "text",
    FactSpec("text.encoding", "str", "Python codec that decodes the file to the right text, such as utf-8 or gbk"),
    FactSpec("text.encoding_confidence", "float", "how sure the encoding is, from 0 to 1"),
    FactSpec("text.declared_encoding", "str", "Python codec that the text declares: XML, HTML meta, Python's coding"),
    FactSpec("text.bom", "str", "encoding whose byte order mark stands at the start"),
    FactSpec("text.valid_utf8", "bool", "whether the whole file is valid UTF-8"),
    FactSpec("text.first_invalid_utf8", "int", "offset of the first byte that is not UTF-8", "bytes"),
    FactSpec(
        "text.invalid_utf8_kind",
        "str",
        "why UTF-8 breaks there: cut-at-end, utf8-cut-in-middle, single-byte-legacy, multibyte-legacy, utf-16, binary, "
        "surrogate, overlong",
    ),
    FactSpec("text.contains_nul", "bool", "whether there is a zero byte"),
    FactSpec("text.newline", "str", "line ends: lf, crlf, cr or mixed; absent in a text of one line"),
    FactSpec("text.mojibake", "str", "what was read as what before the text was saved, proven by undoing it"),
    FactSpec("text.json_error", "str", "what is wrong in a file whose name says JSON, by RFC 8259"),
    FactSpec("text.cp1252_quotes", "bool", "whether quotes or dashes of Windows-1252 make the file invalid as UTF-8"),
    FactSpec("text.is_binary", "bool", "whether the content is no text; the format stands in the fact's text"),
)

_JSON_SUFFIXES = (".json", ".ipynb", ".geojson", ".webmanifest")
_JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_SNIFFED_BYTES = 4096
_SEARCHED_BYTES = 1 << 18


def collect(data: bytes, name: str) -> list[Fact]:
    """Facts on the content of a file named `name` that is, or claims to be, text.

    A file that is no text has its binary nature and its first invalid byte stated, and nothing else.
    """
    invalid = find_invalid_byte(data)
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), "")
    facts = [
        FACTS.known("text.valid_utf8", invalid is None),
        FACTS.known("text.contains_nul", b"\0" in data),
    ]
    if marked:
        facts.append(FACTS.known("text.bom", marked, "byte 0"))
    binary = "" if marked else _binary_format(data)
    facts.append(FACTS.known("text.is_binary", bool(binary), "byte 0" if binary else "", binary))
    detected = None if binary else detect_encoding(data, invalid is None)
    if invalid:
        facts.extend(_invalid_facts(data, invalid, detected, bool(binary)))
    declared, at = find_declaration(data)
    if declared:
        facts.append(FACTS.known("text.declared_encoding", declared, f"byte {at}"))
    if detected:
        facts.append(FACTS.known("text.encoding", detected.encoding, "", detected.evidence))
        facts.append(FACTS.known("text.encoding_confidence", detected.confidence))
        facts.extend(_content_facts(data, name, detected, invalid))
    elif not binary:
        facts.append(FACTS.not_checked("text.encoding", "no encoding makes the bytes a plausible text"))
    return facts


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


def _content_facts(data: bytes, name: str, detected: Detection, invalid: InvalidByte | None) -> Iterator[Fact]:
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
    lowered = name.lower()
    if lowered.endswith(_JSON_SUFFIXES + _JSON_LINES_SUFFIXES):
        yield from _json_facts(data, detected, invalid, by_line=lowered.endswith(_JSON_LINES_SUFFIXES))


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


def _json_facts(data: bytes, detected: Detection, invalid: InvalidByte | None, *, by_line: bool) -> Iterator[Fact]:
    """RFC 8259, 8.1: JSON is UTF-8. Other Unicode forms are left to text.encoding; bytes of none are an error here."""
    if invalid and not detected.encoding.startswith(("utf-16", "utf-32")):
        yield FACTS.known("text.json_error", "not UTF-8", invalid.where, invalid.text)
        return
    encoding = "utf-8-sig" if detected.encoding in ("ascii", "utf-8") else detected.encoding
    try:
        error = find_json_error(data.decode(encoding, "replace"), by_line=by_line)
    except TooLargeError as reason:
        yield FACTS.not_checked("text.json_error", str(reason))
        return
    if error:
        yield FACTS.known("text.json_error", error.message, error.where, error.text)

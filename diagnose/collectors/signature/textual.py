"""What kind of text some bytes are: HTML, JSON, XML and its dialects, plain text."""

from __future__ import annotations

import re

from diagnose.collectors.utf8_sample import is_utf8_so_far

_BOM = b"\xef\xbb\xbf"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|script|meta|center|h1|p|div|table)\b", re.IGNORECASE)
_JSON_OBJECT = re.compile(rb'\{\s*(?:"|\}|$)')
_JSON_ARRAY = re.compile(rb'\[\s*(?:["{\[\]\d-]|true|false|null|$)')
_XML = re.compile(rb"<(?:\?xml|!DOCTYPE|!--|[A-Za-z_][\w.:-]*[\s/>])")
_HTML_ELEMENT = re.compile(rb"<(?:html|HTML)[\s>]")
_OPENVINO_NET = re.compile(rb"<net\s[^>]*\bversion=")
_S3_ERROR = re.compile(rb"<Error>\s*<Code>")
_INI_OF_WINDOWS = re.compile(rb"\[\.ShellClassInfo\]|\[LocalizedFileNames\]|\[ViewState\]", re.IGNORECASE)
_PRINTABLE = bytes([9, 10, 12, 13, 27, *range(32, 256)])
_SHIFTS = b"\x0e\x0f"
"""Shift out and in, which only ISO-2022-KR and -CN use, after designating a character set with ESC $ )."""


def identify_text(head: bytes) -> tuple[str, str] | None:
    """The format and a detail of `head` if it is text of an ASCII-compatible encoding, or None.

    Text is what has no control characters but white space, form feed and escape. Of what is not UTF-8, a short
    sample counts only if it has a blank or a line feed.
    """
    sample = head[:1024]
    wide = _wide_encoding(sample)
    if wide:
        return f"{wide[:6]}-text", f"{wide} without byte order mark"
    controls = sample.translate(None, _PRINTABLE)
    if controls and b"\x1b$)" in sample:
        controls = controls.translate(None, _SHIFTS)
    if controls or not _is_plausible_text(sample):
        return None
    return _markup(sample) or ("text", "ascii" if sample.isascii() else "")


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, told by where the zero bytes of its ASCII stand."""
    length = len(sample) & ~3
    if length < 8 or sample.count(0) * 4 < length:  # two of four bytes are zero in most of its characters
        return None
    zeros = [sample[start:length:4].count(0) * 4 / length for start in range(4)]
    for encoding, pattern in _WIDE_PATTERNS:
        matches = all(share > 0.6 if is_zero else share < 0.1 for share, is_zero in zip(zeros, pattern, strict=True))
        if matches and not re.search("[\0-\x08]", sample[:length].decode(encoding, "replace")):
            return encoding
    return None


_WIDE_PATTERNS = (
    ("utf-32-le", (False, False, True, True)),
    ("utf-32-le", (False, True, True, True)),
    ("utf-32-be", (True, True, False, False)),
    ("utf-32-be", (True, True, True, False)),
    ("utf-16-le", (False, True, False, True)),
    ("utf-16-be", (True, False, True, False)),
)


_TELLING_LENGTH = 128
"""So many bytes without a single control character come by chance once in a million."""


def _is_plausible_text(sample: bytes) -> bool:
    if sample.isascii() or is_utf8_so_far(sample):
        return True
    return len(sample) >= _TELLING_LENGTH or b" " in sample or b"\n" in sample or len(sample) < 16


def _markup(sample: bytes) -> tuple[str, str] | None:
    body = sample.removeprefix(_BOM).lstrip()
    first = body[:1]
    if first == b"<":
        return _angle_brackets(body)
    if first == b"{" and _JSON_OBJECT.match(body):
        return "json", "object"
    if first == b"[":
        if _INI_OF_WINDOWS.match(body):
            return "desktop-ini", ""
        return ("json", "array") if _JSON_ARRAY.match(body) else None
    if body.startswith((b"--- ", b"---\n", b"---\r\n", b"%YAML")):
        return "yaml", ""
    return None


def _angle_brackets(body: bytes) -> tuple[str, str] | None:
    if _HTML.match(body):
        return "html", ""
    if not _XML.match(body):
        return None
    if b"<Error>" in body and _S3_ERROR.search(body):
        return "s3-error-xml", ""
    if b"<svg" in body:
        return "svg", ""
    if _HTML_ELEMENT.search(body):
        return "html", "xhtml" if body.startswith(b"<?xml") else ""
    if b"<net " in body and _OPENVINO_NET.search(body):
        return "openvino-ir-xml", ""
    return "xml", ""

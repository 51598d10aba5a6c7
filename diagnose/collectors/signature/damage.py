"""Damage that a transfer as text does to binary content, and error pages saved under another thing's name."""

from __future__ import annotations

import re

from diagnose.collectors.signature.extensions import Claim
from diagnose.collectors.signature.identification import Signature
from diagnose.collectors.utf8_sample import is_utf8_so_far

_REPLACEMENT = b"\xef\xbf\xbd"
_BINARY_CONTROLS = bytes(range(1, 9))
_MANGLED = {"crlf-mangled-png": "crlf-mangled", "stripped-png": "bit-7-stripped"}
_TEXTUAL_BINARIES = frozenset(
    (
        "pbm",
        "pgm",
        "ppm",
        "pfm",
        "pam",
        "xpm",
        "xbm",
        "hdr",
        "im",
        "fits",
        "svg",
        "tar",
        "ncnn-param",
        "base64-image",
        "ar",
    )
)
_SAMPLE_BYTES = 16384
_ENOUGH = 8
"""So many marks of one damage are no accident: one would stand there by chance once in 256 or more."""


def find_text_damage(signature: Signature, head: bytes, tail: bytes) -> str:
    """What a conversion of text did to binary content, or an empty string.

    crlf-mangled: line ends were converted; utf8-replacement: bytes that are no UTF-8 became U+FFFD, lost for good;
    utf8-reencoded: each byte was taken for a Latin character and encoded as UTF-8; ascii-replacement: became "?";
    utf16-reencoded: text was written as UTF-16 (PowerShell 5 does); bit-7-stripped: a seven-bit channel.
    """
    if signature.format in _MANGLED:
        return _MANGLED[signature.format]
    if signature.format.startswith(("utf8-mangled", "utf16-mangled")):
        return signature.detail
    if signature.kind in ("text", "document") or signature.format in _TEXTUAL_BINARIES:
        return ""
    head = head[:_SAMPLE_BYTES]
    if is_utf8_so_far(head) and _has_controls(head):
        if head.count(_REPLACEMENT) >= _ENOUGH:
            return "utf8-replacement"
        latin = head.count(b"\xc2") + head.count(b"\xc3")
        if latin >= _ENOUGH and latin * 20 >= len(head) and max(head) <= 0xC3:
            return "utf8-reencoded"
    return "crlf-mangled" if _line_feeds_follow_returns(head, tail) else ""


def _has_controls(head: bytes) -> bool:
    """Control characters that no text has."""
    return b"\0" in head or head.translate(None, _BINARY_CONTROLS) != head


def _line_feeds_follow_returns(head: bytes, tail: bytes) -> bool:
    """All of many line feeds follow a return, and returns stand alone too: binary data has both alike, a text of CR LF
    lines inside an image has no lone returns."""
    first = head.find(b"\n")
    if first <= 0 or head[first - 1 : first] != b"\r":  # nearly every sound file ends here
        return False
    data = head + tail
    feeds, pairs = data.count(b"\n"), data.count(b"\r\n")
    return feeds >= _ENOUGH and pairs == feeds and (data.count(b"\r") - pairs) * 2 >= feeds


_PAGE_KINDS = {"html": "html", "json": "json", "xml": "xml", "s3-error-xml": "s3-xml", "text": "text"}
_PAGES_IN_TEXT = ("html", "s3-error-xml", "xml")
_MESSAGE_LIMIT_BYTES = 4096
_MESSAGE_LIMIT_WITHOUT_FORMAT_BYTES = 256
"""A plain sentence is taken for an error only in a small file, and in a very small one where the extension is vague."""


def find_error_page(signature: Signature, claim: Claim | None, head: bytes, size_bytes: int) -> str:
    """The kind of an answer of a server (html, json, xml, s3-xml, text) that stands where `claim` promises other
    content, or an empty string."""
    kind = _PAGE_KINDS.get(signature.format, "")
    if not kind or claim is None or signature.format in claim.formats or claim.kind == "document":
        return ""
    if claim.kind == "text":
        return kind if signature.format in _PAGES_IN_TEXT else ""
    limit = _MESSAGE_LIMIT_BYTES if claim.formats else _MESSAGE_LIMIT_WITHOUT_FORMAT_BYTES
    return "" if kind == "text" and (size_bytes > limit or not _is_sentence(head)) else kind


def _is_sentence(head: bytes) -> bool:
    """Mostly letters and spaces, and enough of them to say something: "Not Found", not "P6 32 32".

    Python's path files, which are named as PyTorch's are, hold paths and imports (documentation of `site`).
    """
    first = head[:512].lstrip().split(b"\n", 1)[0]
    if first.startswith((b"import ", b"#")) or b"/" in first.split(b" ", 1)[0] or b"\\" in first.split(b" ", 1)[0]:
        return False
    letters = sum(len(word) for word in re.findall(rb"[A-Za-z]{2,}", head[:512]))
    return letters >= 6 and letters * 2 > len(head[:512])


_TITLES = {
    "html": re.compile(rb"<title[^>]{0,200}>\s*+([^<]{1,300})|<h1[^>]{0,200}>\s*+([^<]{1,300})", re.IGNORECASE),
    "s3-xml": re.compile(rb"<Code>\s*([^<]{1,200})"),
    "xml": re.compile(rb"<(?:Code|code|message|Message|title)>\s*([^<]{1,300})"),
    "json": re.compile(rb'"(?:error|message|detail|errmsg|msg|code|title)"\s*:\s*"([^"]{1,300})"'),
    "text": re.compile(rb"\s*([^\r\n]{1,300})"),
}


def read_title(page_kind: str, head: bytes) -> str:
    """The title, code or message of an error page of this kind, in one line, or an empty string."""
    match = _TITLES[page_kind].search(head[:16384])
    found = next((group for group in match.groups() if group), b"") if match else b""
    return " ".join(found.decode("utf-8", "replace").split())[:200]

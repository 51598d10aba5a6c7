"""The encoding that a text declares for itself: in XML, HTML, and Python source."""

from __future__ import annotations

import codecs
import re

from msgspec import Struct

_XML = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_HTML = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_PYTHON = re.compile(rb"""^(?:[^\n]*\n)?[ \t\f]*#[^\n]{0,200}?coding[:=][ \t]*([\w.-]{2,40})""")
_DECLARATIONS = (_XML, _HTML, _PYTHON)
"""XML 1.0, 4.3.3; HTML, "prescan a byte stream"; PEP 263, in the first two lines."""

_SEARCHED_BYTES = 2048
_UTF_8_BOM = b"\xef\xbb\xbf"
_PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")
_LINE_END_SUFFIX = re.compile(r"-(?:unix|dos|mac)$")
"""Emacs names line ends with the encoding; Python overlooks that (tokenize.py, get_normal_name)."""


class Declaration(Struct, frozen=True):
    """The `label` that stands at byte `at`, and Python's codec for it, empty if there is none."""

    label: str
    codec: str
    at: int


def find_declaration(data: bytes) -> tuple[str, int]:
    """The Python name of the declared codec and where it stands; an empty name and 0 if none that Python knows is."""
    for pattern in _DECLARATIONS:
        found = pattern.search(data[:_SEARCHED_BYTES])
        name = codec_name(found[1].decode("ascii", "ignore")) if found else ""
        if found and name:
            return name, found.start(1)
    return "", 0


def find_binding_declaration(data: bytes, name: str) -> Declaration | None:
    """The declaration that a parser must obey: XML's at the very start, PEP 263's in a file named as Python source."""
    start = len(_UTF_8_BOM) if data.startswith(_UTF_8_BOM) else 0
    head = data[start : start + _SEARCHED_BYTES]
    pattern = _PYTHON if name.lower().endswith(_PYTHON_SUFFIXES) else _XML
    found = pattern.match(head)
    if not found:
        return None
    label = found[1].decode("ascii")
    return Declaration(label, codec_name(_LINE_END_SUFFIX.sub("", label)), start + found.start(1))


def can_hold(codec: str, data: bytes, valid_utf8: bool) -> bool:
    """Whether `data`, whose declaration can be read as ASCII, can be text in `codec` as far as that is certain.

    Only a Unicode codec can be refuted: a legacy one decodes nearly anything, but not to what was meant where the text
    is UTF-8.
    """
    if codec.startswith(("utf-16", "utf-32")):
        return False
    if codec in ("utf-8", "utf-8-sig"):
        return valid_utf8
    return data.isascii() or not (valid_utf8 or codec == "ascii")


def codec_name(label: str) -> str:
    """Python's own name of the codec with this label, or an empty string if there is none for text."""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return ""
    return info.name if getattr(info, "_is_text_encoding", True) else ""

"""The encoding that a text declares for itself: in XML, HTML, and Python source."""

from __future__ import annotations

import codecs
import re

_DECLARATIONS = (
    re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})"""),
    re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE),
    re.compile(rb"""^(?:[^\n]*\n)?[ \t\f]*#[^\n]{0,200}?coding[:=][ \t]*([\w.-]{2,40})"""),
)
"""XML 1.0, 4.3.3; HTML, "prescan a byte stream"; PEP 263, in the first two lines."""

_SEARCHED_BYTES = 2048


def find_declaration(data: bytes) -> tuple[str, int]:
    """The Python name of the declared codec and where it stands; an empty name and 0 if none that Python knows is."""
    for pattern in _DECLARATIONS:
        found = pattern.search(data[:_SEARCHED_BYTES])
        name = codec_name(found[1].decode("ascii", "ignore")) if found else ""
        if found and name:
            return name, found.start(1)
    return "", 0


def codec_name(label: str) -> str:
    """Python's own name of the codec with this label, or an empty string if there is none for text."""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return ""
    return info.name if getattr(info, "_is_text_encoding", True) else ""

"""Text from the network made safe to show: printable, short, and without secrets in addresses."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

BODY_START_CHARACTERS = 80
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{1,400})", re.IGNORECASE)


def neutral(text: str, limit: int = 300) -> str:
    """`text` on one line with every unprintable character replaced by U+FFFD, cut to `limit` characters."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def body_start(body: bytes) -> str:
    """The first 80 characters of a body, white space folded, so that a page can be recognised by its beginning."""
    text = body[: BODY_START_CHARACTERS * 8].decode("utf-8", "replace")
    return neutral(" ".join(text.split()), BODY_START_CHARACTERS)


def page_title(body: bytes) -> str:
    """The title of an HTML page, which often names who answered (a proxy, a sign-in page, a web interface)."""
    found = _TITLE.search(body[:65536])
    if not found:
        return ""
    return neutral(" ".join(found[1].decode("utf-8", "replace").split()), BODY_START_CHARACTERS)


def shown_url(url: str) -> str:
    """`url` without user, password, query and fragment: redirects to object stores carry signatures in the query."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        return neutral(urlunsplit((parts.scheme, host, parts.path, "", "")))
    except ValueError:
        return "(an address that cannot be parsed)"

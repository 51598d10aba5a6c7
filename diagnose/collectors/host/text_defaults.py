"""The encodings that Python takes when nobody names one."""

from __future__ import annotations

import codecs
import locale
import os
import sys

from diagnose.collectors.host.facts import FACTS, STANDARD_OUTPUT, not_checked
from diagnose.evidence import Fact

VARIABLES = ("PYTHONUTF8", "PYTHONIOENCODING", "PYTHONCOERCECLOCALE", "LC_ALL", "LC_CTYPE", "LANG", "LANGUAGE")


def look_at_open(_probe: str) -> list[Fact]:
    """The encoding that open() takes in this very process, and what decided on it."""
    return [
        encoding("host.preferred_encoding", locale.getpreferredencoding(False)),
        FACTS.known("host.utf8_mode", bool(sys.flags.utf8_mode)),
        characters_locale(),
        FACTS.known("host.text_variables", [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]),
    ]


def look_at_standard_output(_probe: str) -> list[Fact]:
    """The encoding of the standard output of this very process."""
    seen = getattr(sys.stdout, "encoding", None)
    if not seen:
        return not_checked(STANDARD_OUTPUT, "standard output is closed or takes no text")
    return [encoding("host.stdout_encoding", seen)]


def look_at_file_names(_probe: str) -> list[Fact]:
    """The encoding of file names, arguments and environment variables."""
    return [encoding("host.filesystem_encoding", sys.getfilesystemencoding())]


def encoding(name: str, seen: str) -> Fact:
    """The encoding by Python's own name, so that `ANSI_X3.4-1968` is ascii; the text is what the system calls it."""
    try:
        return FACTS.known(name, codecs.lookup(seen).name, text=seen)
    except LookupError:
        return FACTS.known(name, seen.lower(), text=seen)


def characters_locale() -> Fact:
    try:
        return FACTS.known("host.locale", locale.setlocale(locale.LC_CTYPE))
    except locale.Error as error:
        return FACTS.not_checked("host.locale", str(error))

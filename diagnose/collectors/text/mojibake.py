"""Text that was decoded with a wrong encoding and saved so, proven by undoing it.

A run of characters is mojibake if the wrong encoding gives back bytes that are valid UTF-8 of several characters: by
chance that happens to hardly any text, since UTF-8 demands the number and the range of the bytes that follow a first.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

_SEARCHED_CHARACTERS = 1 << 18
_RUN_LIMIT = 200
_RUNS_LIMIT = 2000
_PROOF_SEQUENCES = 2
"""So many UTF-8 sequences in the text prove it, or one of three bytes or more."""


class Mojibake(Struct, frozen=True):
    """`kind` says what was read as what; `at` is the first character of it; `seen` became `meant` by undoing."""

    kind: str
    at: int
    seen: str
    meant: str


_KNOWN: tuple[tuple[str, str, str], ...] = (
    ("锟斤拷", "U+FFFD in utf-8 read as gbk", "\ufffd\ufffd"),
    ("烫烫烫", "uninitialised memory (0xCC) read as gbk", "\\xcc\\xcc"),
    ("屯屯屯", "uninitialised memory (0xCD) read as gbk", "\\xcd\\xcd"),
    ("ï»¿", "utf-8 byte order mark read as cp1252", "\ufeff"),
    ("锘縨", "utf-8 byte order mark read as gbk", "\ufeff"),
)
"""What cannot be undone but is known, and what it came from."""

_HIGH_RUN = re.compile("[^\x00-\x7f]+")
_WRONG_ENCODINGS = (
    "cp1252",
    "cp1251",
    "cp1250",
    "gbk",
    "shift_jis",
    "big5",
    "mac_roman",
    "cp437",
    "cp850",
    "cp866",
    "koi8_r",
)
_SMALLEST_RUN = {"gbk": 3, "shift_jis": 3, "big5": 3}
"""In East Asian encodings a short run may be valid UTF-8 by chance."""


def find_mojibake(text: str) -> Mojibake | None:
    """The first mojibake in the first 256 Ki characters of a text, or None."""
    part = text[:_SEARCHED_CHARACTERS]
    if part.isascii():
        return None
    for seen, kind, meant in _KNOWN:
        at = part.find(seen)
        if at >= 0:
            return Mojibake(kind, at, seen, meant)
    runs = [(run.start(), run[0][:_RUN_LIMIT]) for run in _limited(part)]
    for encoding in _WRONG_ENCODINGS:
        found = _undo_runs(runs, encoding)
        if found:
            return found
    return None


def _limited(text: str) -> list[re.Match[str]]:
    runs = []
    for run in _HIGH_RUN.finditer(text):
        runs.append(run)
        if len(runs) == _RUNS_LIMIT:
            break
    return runs


def _undo_runs(runs: list[tuple[int, str]], encoding: str) -> Mojibake | None:
    """The first run that the encoding undoes, if enough is undone in all runs together and most runs are."""
    first: Mojibake | None = None
    sequences, undone = 0, 0
    for at, run in runs:
        meant = _undo(run, encoding)
        if meant is None:
            continue
        undone += 1
        sequences += len(meant) + any(char > "\u07ff" for char in meant)
        first = first or Mojibake(f"utf-8 read as {encoding}", at, run[:40], meant[:40])
    proven = sequences >= _PROOF_SEQUENCES and undone * 2 >= len(runs)
    return first if proven else None


def _undo(run: str, encoding: str) -> str | None:
    """What a run was before it was read in the wrong encoding, or None where it is no such run.

    A last character may be lost: decoders put a question mark or nothing for a byte that their encoding does not have.
    """
    if len(run) < _SMALLEST_RUN.get(encoding, 2):
        return None
    table = _byte_table(encoding)
    try:
        raw = b"".join(table[char] for char in run) if table else run.encode(encoding)
        return _as_utf8(raw)
    except (KeyError, UnicodeEncodeError):
        return None


def _as_utf8(raw: bytes) -> str | None:
    try:
        meant = raw.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data" or error.start < 4:
            return None
        meant = raw[: error.start].decode()
    return meant if meant and not meant.isascii() and meant.isprintable() else None


@cache
def _byte_table(encoding: str) -> dict[str, bytes]:
    """The character of each byte from 128 on in a code page; a byte that it lacks stands for the control character."""
    if encoding in _SMALLEST_RUN:
        return {}
    return {(bytes((byte,)).decode(encoding, "ignore") or chr(byte)): bytes((byte,)) for byte in range(0x80, 0x100)}

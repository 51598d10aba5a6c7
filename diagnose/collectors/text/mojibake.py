"""Text that was decoded with a wrong encoding and saved so, proven by undoing it.

A run of characters is mojibake if the wrong encoding gives back bytes that are valid UTF-8 of several characters: by
chance that happens to hardly any text, since UTF-8 demands the number and the range of the bytes that follow a first.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from diagnose.collectors.text.unicode_forms import block_of

_SEARCHED_CHARACTERS = 1 << 18
_RUN_LIMIT = 200
_RUNS_LIMIT = 2000
_WESTERN = "cp1252"
_PROOF_SEQUENCES, _PROOF_SEQUENCES_WESTERN = 4, 2
_PROOF_BESIDE_SOUND_TEXT = 4
"""So many UTF-8 sequences prove it, if most of the text is undone; in Western text, where letters beyond ASCII hardly
ever meet, fewer, and a few more even beside sound text, as in a file that was joined from two."""


class Mojibake(Struct, frozen=True):
    """`kind` says what was read as what; `at` is the first character of it; `seen` became `meant` by undoing."""

    kind: str
    at: int
    seen: str
    meant: str


_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile("锟斤拷"), "U+FFFD in utf-8 read as gbk", "U+FFFD U+FFFD"),
    (re.compile("烫烫烫"), "uninitialised memory (0xCC) read as gbk", "0xCC bytes"),
    (re.compile("屯屯屯"), "uninitialised memory (0xCD) read as gbk", "0xCD bytes"),
    (re.compile("ï»¿"), "utf-8 byte order mark read as cp1252", "U+FEFF"),
    (re.compile("\\A锘"), "utf-8 byte order mark read as gbk", "U+FEFF"),
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
        found = seen.search(part)
        if found:
            return Mojibake(kind, found.start(), found[0], meant)
    runs = [(run.start(), run[0][:_RUN_LIMIT]) for run in _limited(part)]
    for encoding in _WRONG_ENCODINGS:
        undone = _undo_runs(runs, encoding)
        if undone:
            return undone
    return None


def _limited(text: str) -> list[re.Match[str]]:
    runs = []
    for run in _HIGH_RUN.finditer(text):
        runs.append(run)
        if len(runs) == _RUNS_LIMIT:
            break
    return runs


def _undo_runs(runs: list[tuple[int, str]], encoding: str) -> Mojibake | None:
    """The first run that the encoding undoes, if enough is undone in all runs together."""
    first: Mojibake | None = None
    sequences, undone = 0, 0
    for at, run in runs:
        meant = _undo(run, encoding)
        if meant is None:
            continue
        undone += 1
        sequences += sum(1 if char < "\u0800" or encoding != _WESTERN else 2 for char in meant)
        first = first or Mojibake(f"utf-8 read as {encoding}", at, run[:40], meant[:40])
    is_most = undone * 2 >= len(runs)
    if encoding == _WESTERN:
        proven = sequences >= (_PROOF_SEQUENCES_WESTERN if is_most else _PROOF_BESIDE_SOUND_TEXT)
    else:
        proven = is_most and sequences >= (2 if encoding in _SMALLEST_RUN else _PROOF_SEQUENCES)
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
    return meant if not meant.isascii() and _is_usual(meant) else None


def _is_usual(text: str) -> bool:
    """Letters of one script and what goes with any."""
    blocks = {block_of(char) for char in text}
    return None not in blocks and len(blocks - {0}) <= 1 and all(char.isalnum() or char in _SIGNS for char in text)


_SIGNS = frozenset("“”‘’„–—…«»°§€£©®·•¡¿´\xa0\ufeff、。，：；？！（）《》「」")


@cache
def _byte_table(encoding: str) -> dict[str, bytes]:
    """The character of each byte from 128 on in a code page; a byte that it lacks stands for the control character."""
    if encoding in _SMALLEST_RUN:
        return {}
    return {(bytes((byte,)).decode(encoding, "ignore") or chr(byte)): bytes((byte,)) for byte in range(0x80, 0x100)}

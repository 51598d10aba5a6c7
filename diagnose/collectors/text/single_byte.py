"""Code pages of one byte a character: which of them, in which language, makes the words likeliest."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from diagnose.collectors.text.languages import language


class Candidate(Struct, frozen=True):
    """Encodings of one family that could be, the narrowest first, and the logarithm of how likely they make the sample.

    `text` is the sample as they read it.
    """

    encodings: tuple[str, ...]
    score: float
    text: str


_WESTERN = ["en", "fr", "de", "es", "pt", "it", "nl", "sv", "da", "nb", "fi", "is", "ca", "ga", "eu", "cy", "af"]
_CENTRAL = ["pl", "cs", "sk", "hu", "sl", "hr", "ro", "sq", "de", "en"]
_CYRILLIC = ["ru", "uk", "be", "bg", "mk", "sr", "kk", "mn"]
_OTHER_SCRIPTS = frozenset(("el", "he", "ar", "fa", "ur", "th"))
_RUSSIAN = ["ru", "uk", "be", "bg"]
_SERBIAN_TOO = ["ru", "uk", "be", "bg", "mk", "sr"]
_BALTIC = ["lt", "lv", "et", "pl", "fi", "de", "en"]
_ARABIC = ["ar", "fa", "ur"]

_CODE_PAGES: tuple[tuple[str, float, list[str]], ...] = (
    ("cp1252", 0, _WESTERN),
    ("iso8859_15", -3, _WESTERN),
    ("cp1250", -1, _CENTRAL),
    ("iso8859_2", -1.5, _CENTRAL),
    ("iso8859_16", -5, ["ro", "pl", "hu", "sl", "hr", "sq", "de", "fr", "it", "ga"]),
    ("iso8859_3", -5, ["eo", "tr", "en"]),
    ("iso8859_4", -5, ["et", "lt", "lv", "fi", "da", "sv", "nb", "de", "en"]),
    ("iso8859_9", -2, ["tr", "en", "de"]),
    ("cp1254", -1.5, ["tr", "az", "en", "de"]),
    ("iso8859_10", -5, ["is", "et", "lt", "lv", "da", "nb", "sv", "fi", "de"]),
    ("cp1257", -1.5, _BALTIC),
    ("iso8859_13", -3, [*_BALTIC, "da", "sv", "nb"]),
    ("iso8859_14", -6, ["ga", "cy"]),
    ("cp437", -5, ["en", "fr", "de", "es", "it", "sv", "fi", "nl"]),
    ("cp850", -4, _WESTERN),
    ("cp852", -4, _CENTRAL),
    ("cp775", -6, _BALTIC),
    ("cp857", -6, ["tr"]),
    ("cp860", -7, ["pt"]),
    ("cp861", -7, ["is"]),
    ("cp865", -7, ["da", "nb"]),
    ("mac_roman", -4, _WESTERN),
    ("mac_latin2", -5, [*_CENTRAL, "lt", "lv", "et"]),
    ("mac_turkish", -6, ["tr"]),
    ("mac_iceland", -7, ["is"]),
    ("mac_croatian", -7, ["hr", "sl"]),
    ("mac_romanian", -7, ["ro"]),
    ("cp1251", 0, _CYRILLIC),
    ("koi8_r", -1, ["ru", "bg"]),
    ("koi8_u", -2, ["uk", "be", "ru"]),
    ("cp866", -2, _RUSSIAN),
    ("iso8859_5", -2, _SERBIAN_TOO),
    ("cp855", -4, _SERBIAN_TOO),
    ("mac_cyrillic", -3, _SERBIAN_TOO),
    ("cp1253", 0, ["el"]),
    ("iso8859_7", -1, ["el"]),
    ("cp737", -4, ["el"]),
    ("cp869", -6, ["el"]),
    ("mac_greek", -5, ["el"]),
    ("cp1255", 0, ["he"]),
    ("iso8859_8", -1, ["he"]),
    ("cp862", -4, ["he"]),
    ("cp1256", 0, _ARABIC),
    ("iso8859_6", -1, _ARABIC),
    ("tis_620", 0, ["th"]),
    ("cp874", -1, ["th"]),
    ("iso8859_11", -1, ["th"]),
    ("cp1258", -1, ["vi"]),
)
"""Codec, logarithm of how much rarer it is than its script's usual one, and the languages that are written in it."""

_WORDS = re.compile(rb"[A-Za-z\x80-\xff]+(?:'[A-Za-z\x80-\xff]+)*")
_DISTINCT_ASCII_WORDS = 60
_FINAL_CODE_PAGES, _FINAL_LANGUAGES = 8, 3
"""So many code pages of a script, in so many languages each, those with the likeliest letters, are compared by word."""


def rank_code_pages(sample: bytes) -> Iterator[Candidate]:
    """Each code page that can be, with its score in the language that suits it best."""
    words = Counter(_WORDS.findall(sample))
    high = {word: count for word, count in words.items() if not word.isascii()}
    if not high:
        return
    plain = _AsciiWords([word.decode().lower() for word in words if word.isascii() and len(word) > 1])
    counts = list(high.values())
    joined = b" ".join(high)
    best: dict[str, float] = {}
    for codec, prior, code in _finalists(high):
        text = _decode(joined, codec)
        decoded = text.split(" ") if text else []
        if len(decoded) == len(counts):
            score = prior + _cost(code, decoded, counts) + plain.cost(code)
            best[codec] = max(score, best.get(codec, score))
    yield from (Candidate((codec,), score, sample.decode(codec)) for codec, score in best.items())


def _finalists(words: dict[bytes, int]) -> list[tuple[str, float, str]]:
    """Code pages and languages by how frequent the letters that they make of the bytes above 127 are."""
    histogram: Counter[int] = Counter()
    for word, count in words.items():
        for byte in word:
            if byte > 0x7F:
                histogram[byte] += count
    bytes_and_counts = list(histogram.items())
    ranked = []
    for codec, prior, codes in _CODE_PAGES:
        for code in codes:
            costs = _byte_costs(codec, code)
            ranked.append((prior + sum(costs[byte] * count for byte, count in bytes_and_counts), codec, prior, code))
    ranked.sort(reverse=True)
    languages_of: dict[tuple[str, str], int] = {}
    code_pages_of: Counter[str] = Counter()
    finalists = []
    for score, codec, prior, code in ranked:
        key = (_script(code), codec)
        if score == -math.inf or (key not in languages_of and code_pages_of[key[0]] == _FINAL_CODE_PAGES):
            continue
        code_pages_of[key[0]] += key not in languages_of
        languages_of[key] = languages_of.get(key, 0) + 1
        if languages_of[key] <= _FINAL_LANGUAGES:
            finalists.append((codec, prior, code))
    return finalists


def _script(code: str) -> str:
    if code in _CYRILLIC:
        return "cyrillic"
    return code if code in _OTHER_SCRIPTS else "latin"


@cache
def _byte_costs(codec: str, code: str) -> list[float]:
    """For each byte the logarithm of the probability of its character, minus infinity where it has none."""
    costs = [0.0] * 0x80
    for byte in range(0x80, 0x100):
        char = bytes((byte,)).decode(codec, "ignore")
        costs.append(language(code).cost(char) if char else -math.inf)
    return costs


def _decode(data: bytes, codec: str) -> str | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    return unicodedata.normalize("NFC", text) if codec == "cp1258" else text


def _cost(code: str, words: list[str], counts: list[int]) -> float:
    cost = language(code).cost
    return sum(cost(word) * count for word, count in zip(words, counts, strict=True))


class _AsciiWords:
    """The words without a high byte tell nothing on the encoding, but something on the language."""

    def __init__(self, words: list[str]) -> None:
        self._words = words[:_DISTINCT_ASCII_WORDS]
        self._costs: dict[str, float] = {}

    def cost(self, code: str) -> float:
        """By how much they are likelier in a language than in English, which they may be all the same, as in markup."""
        if _script(code) != "latin":
            return 0.0
        if code not in self._costs:
            own, english = language(code).cost, language("en").cost
            self._costs[code] = sum(max(own(word) - english(word), -1.0) for word in self._words)
        return self._costs[code]

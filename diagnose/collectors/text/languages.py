"""How likely words are in a language, by how often its letters occur and follow each other.

The tables are in `language_letters.txt`: a line a language, with its letters, a level for each letter and one for each
pair. A level is a capital letter: A is a probability of 1, each further one a factor of e ** -0.5, X is never. They are
derived by tools/derive_language_letters.py from the letter models of lingua-language-detector 1.3.5 (Apache-2.0).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_NEVER = -11.5
_FOREIGN = -13.0
"""Logarithm of the probability of a letter that the language does not have."""

_THAI_MARKS = "".join(map(chr, (0xE31, *range(0xE34, 0xE3B), *range(0xE47, 0xE4F))))
"""Vowels and tones above and below a letter: the tables have only letters."""

_SYMBOL_COSTS: dict[str, float] = (
    dict.fromkeys("“”‘’„‚–—…«»\xa0", -5.5)
    | dict.fromkeys("§°©®€£№·•¿¡‹›™´`", -7.5)
    | dict.fromkeys(_THAI_MARKS, -3.0)
    | dict.fromkeys("±×÷½¼¾²³µ¶†‡‰¢¥", -9.0)
)
_SYMBOL, _CONTROL = -10.5, -16.0
_INSIDE_WORD = -5.0
_RISE, _FALL = -7.0, -3.0
"""A capital behind a small letter, and a small letter behind two capitals, as a wrong code page shuffles them."""

_REMEMBERED_WORDS = 5000
_JOINERS = frozenset("’‘'·-\xad" + _THAI_MARKS)


class Language:
    """The letters of one language. `cost` is a logarithm: nearer to 0 is likelier."""

    def __init__(self, letters: str, singles: str, pairs: str) -> None:
        self.letters = letters
        width = len(letters)
        self._singles = dict(zip(letters, map(_cost_of_level, singles), strict=True))
        self._rows = {
            letter: dict(zip(letters, map(_cost_of_level, pairs[at * width : (at + 1) * width]), strict=True))
            for at, letter in enumerate(letters)
        }
        self._costs: dict[str, float] = {}

    def cost(self, word: str) -> float:
        """Logarithm of the probability of a word, which may hold signs too."""
        found = self._costs.get(word)
        if found is None:
            if len(self._costs) >= _REMEMBERED_WORDS:
                self._costs.clear()
            found = self._costs[word] = self._cost(word)
        return found

    def _cost(self, word: str) -> float:
        total = 0.0
        row: dict[str, float] | None = None
        before = ""
        for at, char in enumerate(word.lower() if len(word.lower()) == len(word) else word):
            single = self._singles.get(char)
            if single is None:
                total += self._cost_of_stranger(char, before, word[at + 1 : at + 2])
                row = None
            else:
                total += single if row is None else row[char]
                row = self._rows[char]
                total += _shuffle(word, at)
            before = word[at]
        return total

    def _cost_of_stranger(self, char: str, before: str, after: str) -> float:
        if char.isalpha():
            return _FOREIGN
        if char < "\xa0" and not char.isprintable():
            return _CONTROL
        cost = _SYMBOL_COSTS.get(char, _SYMBOL)
        is_inside = before.isalpha() and after.isalpha() and char not in _JOINERS
        return cost + _INSIDE_WORD if is_inside else cost


def _shuffle(word: str, at: int) -> float:
    if at and word[at].isupper():
        return _RISE if word[at - 1].islower() else 0.0
    return _FALL if at > 1 and word[at].islower() and word[at - 1].isupper() and word[at - 2].isupper() else 0.0


def _cost_of_level(level: str) -> float:
    return max(_NEVER, (ord("A") - ord(level)) / 2)


@cache
def language(code: str) -> Language:
    """The language with this ISO 639-1 code. Raises KeyError for one that has no table."""
    return Language(*_lines()[code])


@cache
def _lines() -> dict[str, tuple[str, str, str]]:
    text = files("diagnose.collectors.text").joinpath("language_letters.txt").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {code: (letters, singles, pairs) for code, letters, singles, pairs in rows}

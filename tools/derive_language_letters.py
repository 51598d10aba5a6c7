"""Derive diagnose/collectors/text/language_letters.txt: how often letters follow each other in a language.

Usage: python tools/derive_language_letters.py FOLDER > diagnose/collectors/text/language_letters.txt

FOLDER is `lingua/language-models` of the package lingua-language-detector 1.3.5 (Apache-2.0), whose models hold the
probabilities of letters, and of letters after a letter, in the Leipzig Corpora Collection. Needs the package brotli.

A line a language: its code, its letters, a level for each letter, and a level for each pair of letters row by row. A
level is a capital letter: A stands for a probability of 1, each further one for a factor of e ** -0.5, X for never.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import brotli

CODES = (
    "af ar be bg ca cs cy da de el en eo es et eu fa fi fr ga he hr hu is it lt lv mk mn nb nl pl pt ro ru sk sl sq sr "
    "sv th tr uk ur vi kk az"
)
RAREST = 1e-5
NEVER = 23


def main(folder: Path) -> None:
    for language in CODES.split():
        letters = {gram: share for gram, share in read(folder / language / "unigrams.json.br") if share >= RAREST}
        pairs = dict(read(folder / language / "bigrams.json.br"))
        alphabet = "".join(sorted(letters))
        row = "".join(level(letters[letter]) for letter in alphabet)
        matrix = "".join(level(pairs.get(first + second, 0)) for first in alphabet for second in alphabet)
        print(language, alphabet, row, matrix, sep="\t")


def read(path: Path) -> list[tuple[str, float]]:
    """Each n-gram with its probability, given the letters before its last."""
    model = json.loads(brotli.decompress(path.read_bytes()))
    shares = []
    for fraction, grams in model["ngrams"].items():
        numerator, denominator = fraction.split("/")
        shares += [(gram, int(numerator) / int(denominator)) for gram in grams.split()]
    return shares


def level(probability: float) -> str:
    return chr(ord("A") + (min(NEVER, round(-2 * math.log(probability))) if probability > 0 else NEVER))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

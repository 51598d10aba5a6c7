"""What a verdict depends on besides the file: the rules, the decoders, this program, the language of the texts."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from diagnose._version import __version__
from diagnose.pipelines.rulebook import rule_files, shipped_rules

FORM = 1
"""Of the verdicts in a ledger; one more where they change."""

DECODERS = (
    "pillow",
    "pillow-heif",
    "simplejpeg",
    "numpy",
    "isal",
    "charset-normalizer",
    "zstandard",
    "av",
)
"""Distributions that decide what decodes."""

CODECS = ("jpg", "jpg_2000", "zlib", "libtiff", "webp", "avif")
"""Libraries of Pillow (PIL.features), which a Linux distribution replaces on their own."""


def stamp_of(own_rules: Sequence[Path], language: str, options: Iterable[str] = ()) -> str:
    """A digest of all that; a file's verdicts hold only as long as it is the same."""
    digest = hashlib.sha256()
    told = [f"{__version__} {FORM} {sys.version} {sys.platform} {language}", *options, *decoder_versions()]
    digest.update("\n".join(told).encode())
    for path in rule_files([shipped_rules(), *own_rules]):
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def decoder_versions() -> list[str]:
    """The decoders that are installed, each with its version."""
    return [f"{name} {version}" for name, version in [*_distributions(), *_codecs()] if version]


def _distributions() -> Iterable[tuple[str, str]]:
    for name in DECODERS:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _codecs() -> Iterable[tuple[str, str | None]]:
    try:
        from PIL import features
    except ImportError:
        return
    for name in CODECS:
        yield name, features.version(name)

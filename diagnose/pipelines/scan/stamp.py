"""What a verdict depends on besides the file: the rules, the decoders, this program, the language of the texts."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from diagnose._version import __version__
from diagnose.pipelines.rulebook import rule_files, shipped_rules

FORM = 1
"""Of the verdicts in a ledger; one more where they change."""

DECODERS = frozenset(
    ("pillow", "pillow_heif", "simplejpeg", "numpy", "isal", "charset_normalizer", "zstandard", "av", "rawpy")
)
"""Distributions that decide what decodes, as their folders of metadata are named."""

CODECS = (
    ("PIL._imaging", "jpeglib_version"),
    ("PIL._imaging", "libjpeg_turbo_version"),
    ("PIL._imaging", "jp2klib_version"),
    ("PIL._imaging", "zlib_version"),
    ("PIL._imaging", "libtiff_version"),
    ("PIL._webp", "webpdecoder_version"),
)
"""Libraries of Pillow, where it tells their versions: a Linux distribution replaces them on their own."""


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
    return [*sorted(_distributions()), *_codecs()]


def _distributions() -> Iterable[str]:
    """From the names of folders such as `pillow-12.0.0.dist-info` (PEP 427): reading their metadata takes long."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")) and name.partition("-")[0].lower() in DECODERS:
                yield name


def _codecs() -> Iterable[str]:
    for module, name in CODECS:
        try:
            yield f"{name} {getattr(import_module(module), name, '')}"
        except ImportError:
            continue

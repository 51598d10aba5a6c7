"""The rules in force: those that ship with the package and the user's own folders, compiled once and cached."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from diagnose.engine.rule import RuleSet
from diagnose.patterns import PatternSet
from diagnose.pipelines.cache import read_cached, stamp, write_cached
from diagnose.pipelines.packed import identity, pack, unpack

if TYPE_CHECKING:  # a quick start has no time for pathlib
    from mmap import mmap
    from pathlib import Path

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

DATABASES = ("patterns", "kept")
"""Cache files of a pattern set's compiled forms."""


class Rulebook(msgspec.Struct, frozen=True):
    """A rule set with its patterns compiled."""

    rules: RuleSet
    patterns: PatternSet


def shipped_rules() -> Path:
    """The folder of the rules that come with the package: in the wheel, or at the top of a checkout."""
    from pathlib import Path

    packed = Path(_PACKAGE, "_rules")
    return packed if packed.is_dir() else Path(_PACKAGE).parent / "rules"


def rulebook(own_folders: Sequence[Path] = (), with_patterns: bool = True) -> Rulebook:
    """The shipped rules and those of `own_folders`. Raises RuleError with all that is wrong in them.

    Without patterns it is loaded faster, and good for anything but logs.
    """
    packed = _packed_rules()
    if not own_folders and os.path.isfile(packed):
        payload = _mapped(packed)
        rules = unpack(payload)
        stamped = stamp([packed]) + identity(payload)
    else:
        files = rule_files([shipped_rules(), *own_folders])
        stamped = stamp(files)
        rules = _checked_rules(files, stamped)
    if not with_patterns:
        return Rulebook(rules, PatternSet([]))
    name = _name(stamped)
    cached = [read_cached(f"{kind}-{name}", stamped) or b"" for kind in DATABASES]
    patterns = PatternSet(rules.patterns, rules.scan, rules.by_pattern, rules.kept, cached)
    for kind, before, made in zip(DATABASES, cached, patterns.databases() if b"" in cached else cached, strict=True):
        if made and not before:
            write_cached(f"{kind}-{name}", stamped, made)
    return Rulebook(rules, patterns)


def _packed_rules() -> str:
    """What the build of a wheel made of the shipped rules; it is not there in a checkout."""
    return os.path.join(_PACKAGE, "_rules.msgpack")


def _mapped(path: str) -> mmap:
    """A file of which little will be read."""
    from mmap import ACCESS_READ, mmap

    with open(path, "rb") as stream:
        return mmap(stream.fileno(), 0, access=ACCESS_READ)


def _checked_rules(files: Sequence[Path], stamped: bytes) -> RuleSet:
    """The rules of these files, from the cache if they are there. Raises RuleError."""
    name = f"rules-{_name(stamped)}"
    rules = _cached_rules(name, stamped)
    if rules is None:
        rules = load_rules(files)
        write_cached(name, stamped, pack(rules))
    return rules


def _name(stamped: bytes) -> str:
    return f"{zlib.crc32(stamped):08x}"


def load_rules(files: Sequence[Path]) -> RuleSet:
    """The checked rules of these files, without any cache. Raises RuleError."""
    from diagnose.engine.load import load
    from diagnose.pipelines.vocabulary import vocabularies

    rules, _ = load(files, [spec for vocabulary in vocabularies() for spec in vocabulary])
    return rules


def rule_files(folders: Sequence[Path]) -> list[Path]:
    """The rule files below these folders, in a stable order; `targets/` holds another kind of file."""
    from pathlib import Path

    files: list[str] = []
    for folder in folders:
        found: list[str] = []
        for parent, names, entries in os.walk(folder):
            names[:] = [name for name in names if name != "targets"]
            found += [f"{parent}{os.sep}{entry}" for entry in entries if entry.endswith(".yaml")]
        files += sorted(found)
    return [Path(path) for path in files]


def _cached_rules(name: str, stamped: bytes) -> RuleSet | None:
    payload = read_cached(name, stamped)
    if payload is None:
        return None
    try:
        return unpack(payload)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None

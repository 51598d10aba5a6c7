"""The rules in force: those that ship with the package and the user's own folders, compiled once and cached."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from diagnose.engine.rule import RuleSet
from diagnose.patterns import PatternSet
from diagnose.pipelines.cache import cache_key, read_cached, write_cached


class Rulebook(msgspec.Struct, frozen=True):
    """A rule set with its patterns compiled."""

    rules: RuleSet
    patterns: PatternSet


def shipped_rules() -> Path:
    """The folder of the rules that come with the package: in the wheel, or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    packed = package / "_rules"
    return packed if packed.is_dir() else package.parent / "rules"


def rulebook(own_folders: Sequence[Path] = ()) -> Rulebook:
    """The shipped rules and those of `own_folders`. Raises RuleError with all that is wrong in them."""
    files = rule_files([shipped_rules(), *own_folders])
    key = cache_key(files)
    rules = _cached_rules(key)
    if rules is None:
        rules = load_rules(files)
        write_cached(f"rules-{key}", msgspec.msgpack.encode(rules))
    database = read_cached(f"patterns-{key}")
    patterns = PatternSet(rules.patterns, database)
    if database is None:
        made = patterns.database()
        if made is not None:
            write_cached(f"patterns-{key}", made)
    return Rulebook(rules, patterns)


def load_rules(files: Sequence[Path]) -> RuleSet:
    """The checked rules of these files, without any cache. Raises RuleError."""
    from diagnose.engine.load import load
    from diagnose.pipelines.vocabulary import vocabularies

    rules, _ = load(files, [spec for vocabulary in vocabularies() for spec in vocabulary])
    return rules


def rule_files(folders: Sequence[Path]) -> list[Path]:
    """The rule files below these folders, in a stable order; `targets/` holds another kind of file."""
    return [
        path
        for folder in folders
        for path in sorted(folder.rglob("*.yaml"))
        if "targets" not in path.relative_to(folder).parts
    ]


def _cached_rules(key: str) -> RuleSet | None:
    payload = read_cached(f"rules-{key}")
    if payload is None:
        return None
    try:
        return msgspec.msgpack.decode(payload, type=RuleSet)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None

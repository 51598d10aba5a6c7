"""The targets that ship with the package and the user's own, compiled once and cached like rules."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from diagnose.engine.problems import nearest
from diagnose.engine.rule import RuleSet
from diagnose.engine.target import Target, with_targets
from diagnose.pipelines.cache import read_cached, stamp, write_cached
from diagnose.pipelines.rulebook import rulebook, shipped_rules

FOLDER = "targets"
"""Below each folder of rules."""

_decoder = msgspec.msgpack.Decoder(list[Target])


class UnknownTargetError(LookupError):
    """No target has this name."""


def rules_for(own_folders: Sequence[Path], names: Sequence[str]) -> RuleSet:
    """The rules in force for files, with the limits of the targets of these names.

    Raises RuleError with what is wrong in own folders, and UnknownTargetError.
    """
    rules = rulebook(own_folders, with_patterns=False).rules
    return with_targets(rules, chosen(own_folders, names)) if names else rules


def chosen(own_folders: Sequence[Path], names: Iterable[str]) -> list[Target]:
    """The targets of these names or aliases, each once, in their order. Raises RuleError, UnknownTargetError."""
    known = targets(own_folders)
    by_name = {name: target for target in known for name in (target.name, *target.aliases)}
    found: dict[str, Target] = {}
    for name in names:
        target = by_name.get(name.lower())
        if target is None:
            hint = nearest(name, by_name) or "; `decodedoctor targets list` names them"
            raise UnknownTargetError(f"no target is called {name!r}{hint}")
        found.setdefault(target.name, target)
    return list(found.values())


def targets(own_folders: Sequence[Path] = ()) -> list[Target]:
    """All targets, in the order of their names. Raises RuleError with all that is wrong in the files."""
    packed = _packed_targets()
    if packed.is_file() and not own_folders:
        return _decoder.decode(packed.read_bytes())
    files = target_files([shipped_rules(), *own_folders])
    stamped = stamp(files)
    name = f"targets-{zlib.crc32(stamped):08x}"
    payload = read_cached(name, stamped)
    if payload is not None:
        try:
            return _decoder.decode(payload)
        except (msgspec.DecodeError, msgspec.ValidationError):
            pass
    found = read_targets(files)
    write_cached(name, stamped, pack(found))
    return found


def read_targets(files: Sequence[Path]) -> list[Target]:
    """The checked targets of these files, without any cache. Raises RuleError."""
    from diagnose.engine.target_load import load_targets
    from diagnose.pipelines.vocabulary import vocabularies

    found, _ = load_targets(files, [spec for vocabulary in vocabularies() for spec in vocabulary])
    return sorted(found, key=lambda target: target.name)


def pack(found: Sequence[Target]) -> bytes:
    """Targets as they lie in the cache and in the wheel."""
    return msgspec.msgpack.encode(found)


def target_files(folders: Sequence[Path]) -> list[Path]:
    """The target files of these folders of rules, in a stable order."""
    return [path for folder in folders for path in sorted((folder / FOLDER).glob("*.yaml"))]


def identity(own_folders: Sequence[Path], names: Sequence[str]) -> list[str]:
    """What tells a scan for these targets from another: their names, and a digest of all target files."""
    if not names:
        return []
    digest = hashlib.sha256()
    for path in target_files([shipped_rules(), *own_folders]):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode("utf-8", "surrogateescape") + content)
    return [*sorted(target.name for target in chosen(own_folders, names)), digest.hexdigest()]


def _packed_targets() -> Path:
    """What the build of a wheel made of the shipped targets; it is not there in a checkout."""
    return shipped_rules().parent / "_targets.msgpack"

"""Files that must lie beside a model: external tensors, shards of weights, parts of a split GGUF, OpenVINO's weights.

Names come from the model, which may be hostile: only what lies at or below the model's own folder is looked at, and of
that only whether it exists and how large it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator

from diagnose.collectors.artefact.facts import FACTS
from diagnose.evidence import Fact

COMPANION_FACTS = frozenset(("artefact.missing_files", "artefact.short_files", "artefact.outside_files"))
"""The facts that only `find_companions` yields: it needs the folder, the bytes do not tell."""

_NAMES_LIMIT = 4096
_SPLIT_GGUF = re.compile(r"(?P<stem>.+)-(?P<index>\d{5})-of-(?P<count>\d{5})\.gguf")
"""llama.cpp, llama_split_path: the names of all parts follow from the name of one."""


def find_companions(path: str, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Which of the files that `facts` (on the file at `path`) name are missing, too short, or outside its folder."""
    folder, name = os.path.split(path)
    needed = _needed_bytes(name, list(facts))
    missing, short, outside = [], [], []
    for companion, size_bytes in sorted(needed.items())[:_NAMES_LIMIT]:
        if not _is_inside(companion):
            outside.append(companion)
            continue
        actual = _size_of(os.path.join(folder, companion))
        if actual is None:
            missing.append(companion)
        elif actual < size_bytes:
            short.append(companion)
    found = (
        ("artefact.missing_files", missing),
        ("artefact.short_files", short),
        ("artefact.outside_files", outside),
    )
    yield from (FACTS.known(fact, names) for fact, names in found if names)


def _needed_bytes(name: str, facts: list[Fact]) -> dict[str, int]:
    """The size that each companion has at least."""
    needed: dict[str, int] = {}
    for fact in facts:
        if fact.name in ("artefact.external_data", "artefact.shard_files") and isinstance(fact.value, list):
            needed.update((companion, 1) for companion in fact.value)
    for fact in facts:
        if fact.name == "artefact.external_data_end_bytes" and isinstance(fact.value, int):
            needed[fact.text] = max(1, fact.value)
        elif fact.name == "artefact.split_count" and isinstance(fact.value, int):
            needed.update((part, 1) for part in _split_parts(name, fact.value))
        elif fact.name == "file.format" and fact.value == "openvino-ir-xml":
            needed[os.path.splitext(name)[0] + ".bin"] = 0
    return needed


def _split_parts(name: str, count: int) -> Iterator[str]:
    found = _SPLIT_GGUF.fullmatch(name)
    if found and int(found["count"]) == count and count <= _NAMES_LIMIT:
        parts = (f"{found['stem']}-{index:05}-of-{found['count']}.gguf" for index in range(1, count + 1))
        yield from (part for part in parts if part != name)


def _is_inside(companion: str) -> bool:
    """Whether a name stays in the folder, by the rules of POSIX and of Windows, whichever this machine has."""
    parts = re.split(r"[/\\]", companion)
    return bool(parts[0]) and ".." not in parts and ":" not in companion and "\0" not in companion


def _size_of(path: str) -> int | None:
    """The size of a regular file, or None if there is none at the path."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None

"""Patterns for paths, as .gitignore writes them: `*.tmp`, `raw/`, `train/**/*.jpg`.

A pattern without a slash (but for one at its end) is tried on the name of every file and folder; one with a slash on
the path below the folder that is scanned. `*` and `?` stand for anything but a slash, `**` for any number of folders,
`[abc]` and `[!abc]` for one character. A slash at the end asks for a folder. What lies in a folder that matches,
matches. A backslash takes the next character as it is. No pattern takes back what another has matched (`!`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, TypeVar

from diagnose.pipelines.scan.errors import ScanError

Owner = TypeVar("Owner")

_SPECIAL = re.compile(r"[*?\[\\]")


class Globs(Generic[Owner]):
    """Patterns, each of which belongs to something; the first one that matches a path tells to what.

    Plain names and paths are looked up, so that a list of thousands costs no more than one of a few. Raises
    ScanError.
    """

    def __init__(self, patterns: Iterable[tuple[str, Owner]]) -> None:
        self._names: dict[str, tuple[int, bool, Owner]] = {}
        self._paths: dict[str, tuple[int, bool, Owner]] = {}
        self._regexes: list[tuple[int, bool, bool, re.Pattern[str], Owner]] = []
        for order, (pattern, owner) in enumerate(patterns):
            self._enter(order, pattern, owner)

    def __bool__(self) -> bool:
        return bool(self._names or self._paths or self._regexes)

    def find(self, path: str, is_folder: bool) -> Owner | None:
        """The owner of the first pattern that matches `path` (relative, with slashes) itself, or None."""
        name = path[path.rfind("/") + 1 :]
        best: tuple[int, Owner] | None = None
        for table, key in ((self._names, name), (self._paths, path)):
            found = table.get(key)
            if found is not None and (is_folder or not found[1]) and (best is None or found[0] < best[0]):
                best = (found[0], found[2])
        for order, only_folders, whole_path, regex, owner in self._regexes:
            if best is not None and best[0] < order:
                break
            if (is_folder or not only_folders) and regex.fullmatch(path if whole_path else name):
                return owner
        return best[1] if best is not None else None

    def find_above(self, path: str) -> Owner | None:
        """The owner of the first pattern that matches the file at `path` or a folder on the way to it, or None."""
        end = path.find("/")
        while end > 0:
            found = self.find(path[:end], is_folder=True)
            if found is not None:
                return found
            end = path.find("/", end + 1)
        return self.find(path, is_folder=False)

    def _enter(self, order: int, pattern: str, owner: Owner) -> None:
        if pattern.startswith("!"):
            raise ScanError(f"{pattern!r}: no pattern takes files back; for a name that begins with ! write \\!")
        only_folders = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        whole_path = "/" in pattern
        pattern = pattern.lstrip("/").removeprefix("./")
        if _SPECIAL.search(pattern):
            self._regexes.append((order, only_folders, whole_path, _compiled(pattern), owner))
        else:
            table = self._paths if whole_path else self._names
            table.setdefault(pattern, (order, only_folders, owner))


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_translate(pattern))
    except re.error as error:
        raise ScanError(f"{pattern!r} is no pattern: {error}") from None


def _translate(pattern: str) -> str:
    """The pattern as a regular expression that cannot take more than quadratic time: ignore files come with the data.

    What stands between two stars is taken where it is found first (an atomic group), since the star behind it can
    take whatever is left; only what follows the last star is tried at each place. The same holds for `**`.
    """
    runs: list[list[str]] = [[]]
    for segment in pattern.split("/"):
        if segment == "**":
            runs.append([])
        else:
            runs[-1].append(_segment(segment))
    first, *others = ["/".join(run) for run in runs]
    if not others:
        return first
    start = f"{first}/" if first else ""
    middle = "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in others[:-1] if run)
    return start + middle + (f"(?:[^/]+/)*{others[-1]}" if others[-1] else "(?s:.*)")


def _segment(segment: str) -> str:
    """A part between slashes; nothing in it stands for a slash."""
    first, *others = _between_stars(segment)
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{each})" for each in others[:-1]) + f"[^/]*{others[-1]}"


def _between_stars(segment: str) -> list[str]:
    parts = [""]
    at = 0
    while at < len(segment):
        if segment[at] == "*":
            if parts[-1] or len(parts) == 1:  # stars in a row are one
                parts.append("")
            at += 1
        elif segment[at] == "?":
            parts[-1] += "[^/]"
            at += 1
        elif segment[at] == "[" and (end := segment.find("]", at + 2)) > 0:
            parts[-1] += _character_class(segment[at + 1 : end])
            at = end + 1
        else:
            at += segment[at] == "\\" and at + 1 < len(segment)
            parts[-1] += re.escape(segment[at])
            at += 1
    return parts


def _character_class(inside: str) -> str:
    negated = inside.startswith(("!", "^"))
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
    return f"[^/{body}]" if negated else f"(?!/)[{body}]"

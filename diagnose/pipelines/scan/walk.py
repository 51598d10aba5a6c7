"""Listing what to scan: lazily, without following folder links, and without opening anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from diagnose.diagnosis import NotChecked

SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__"})


def walk(paths: Iterable[str]) -> Iterator[str | NotChecked]:
    """The files at and below `paths`, each folder's in order of name; what cannot be listed comes as NotChecked.

    Links to files are files. Links to folders are not followed (they could lead in circles or outside). FIFOs,
    devices and sockets are never opened.
    """
    for path in paths:
        yield from _entry(path, linked_folder=True)


def _entry(path: str, linked_folder: bool = False) -> Iterator[str | NotChecked]:
    try:
        status = os.stat(path)
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError as error:
        yield NotChecked(path, "a broken link" if os.path.islink(path) else error.strerror or str(error))
        return
    if stat.S_ISDIR(status.st_mode):
        if linked_folder or not is_link:
            yield from _folder(path)
        else:
            yield NotChecked(path, "a link to a folder, not followed")
    elif stat.S_ISREG(status.st_mode):
        yield path
    else:
        yield NotChecked(path, f"{_kind(status.st_mode)}, never opened")


def _folder(root: str) -> Iterator[str | NotChecked]:
    """Depth first with a stack of its own, so that deep trees cannot exhaust the interpreter's."""
    stack = [iter([root])]
    while stack:
        folder = next(stack[-1], None)
        if folder is None:
            stack.pop()
            continue
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield NotChecked(folder, error.strerror or str(error))
            continue
        folders: list[str] = []
        for entry in listed:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED_FOLDERS:
                        folders.append(entry.path)
                    continue
                if entry.is_file(follow_symlinks=False):
                    yield entry.path
                    continue
            except OSError as error:
                yield NotChecked(entry.path, error.strerror or str(error))
                continue
            yield from _entry(entry.path)
        stack.append(iter(folders))


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISCHR, "a character device"),
    ):
        if test(mode):
            return name
    return "no regular file"

"""Listing what to scan: lazily, without following folder links, and without opening any file.

Links to files are files. Links to folders are not followed (they could lead in circles or outside). FIFOs, devices
and sockets are never opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter

from msgspec import Struct

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.selection import FolderSelection, Mark, Selection

SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__"})

PIECE_ENTRIES = 4096
"""Entries of a folder that are read and sorted at a time, so that a folder of millions takes no more memory."""

_by_name = attrgetter("name")


def walk(path: str, selection: Selection, stamped: bool = False) -> Iterator[Listed | NotChecked]:
    """The chosen files at or below `path`, each folder's in order of name; what cannot be listed as NotChecked.

    `stamped` files come with their sizes and times of change.
    """
    if os.path.isdir(path):
        yield from _Walk(selection.within(path), stamped).tree(path)
    else:
        yield from named([path], selection, stamped)


def named(paths: Iterable[str], selection: Selection, stamped: bool = False) -> Iterator[Listed | NotChecked]:
    """The chosen ones of these files; of a folder all that is below it."""
    choice = selection.of_list()
    walker = _Walk(choice, stamped)
    files: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            yield from walk(path, selection, stamped)
        elif choice.takes_all or choice.takes_listed(relative(path)):
            files.append(path)
    yield from walker.classify(files)


def walk_files(paths: Iterable[str]) -> Iterator[str | NotChecked]:
    """The paths of all files at and below `paths`, one by one."""
    everything = Selection()
    for path in paths:
        for item in walk(path, everything):
            if isinstance(item, NotChecked):
                yield item
            else:
                yield from (item.folder + name for name in item.names)


def relative(path: str) -> str:
    """The path as patterns see one that was named itself."""
    path = path.replace(os.sep, "/") if os.sep != "/" else path
    while path.startswith("./"):
        path = path[2:]
    return path.lstrip("/")


class _Walk:
    def __init__(self, choice: FolderSelection, stamped: bool) -> None:
        self.choice, self.stamped = choice, stamped

    def tree(self, root: str) -> Iterator[Listed | NotChecked]:
        """Depth first with a stack of its own, so that deep trees cannot exhaust the interpreter's."""
        stack: list[Iterator[tuple[str, str, Mark]]] = [iter([(os.path.join(root, ""), "", self.choice.top())])]
        while stack:
            folder = next(stack[-1], None)
            if folder is None:
                stack.pop()
                continue
            below: list[tuple[str, str, Mark]] = []
            yield from self._folder(*folder, below)
            stack.append(iter(below))

    def _folder(
        self, folder: str, inside: str, mark: Mark, below: list[tuple[str, str, Mark]]
    ) -> Iterator[Listed | NotChecked]:
        """The files of one folder, `inside` the root by this path; its folders are put into `below`."""
        try:
            with _opened(folder) as entries:
                while piece := sorted(islice(entries, PIECE_ENTRIES), key=_by_name):
                    yield from self._piece(folder, inside, mark, piece, below)
        except OSError as error:
            yield NotChecked(folder.rstrip(os.sep) or folder, error.strerror or str(error))

    def _piece(
        self,
        folder: str,
        inside: str,
        mark: Mark,
        piece: list[os.DirEntry[str]],
        below: list[tuple[str, str, Mark]],
    ) -> Iterator[Listed | NotChecked]:
        files, others = self._sorted_out(folder, inside, mark, piece, below)
        if files:
            yield self._listed(folder, inside, files)
        yield from self.classify([folder + name for name in others], inside)

    def _sorted_out(
        self,
        folder: str,
        inside: str,
        mark: Mark,
        piece: list[os.DirEntry[str]],
        below: list[tuple[str, str, Mark]],
    ) -> tuple[list[os.DirEntry[str]], list[str]]:
        """The chosen regular files, and the names of what needs a closer look: links and special files."""
        files: list[os.DirEntry[str]] = []
        others: list[str] = []
        choice, takes_all = self.choice, self.choice.takes_all
        for entry in piece:
            name = entry.name
            try:
                is_file = entry.is_file(follow_symlinks=False)
                if not is_file and entry.is_dir(follow_symlinks=False):
                    deeper = mark if takes_all else choice.below(mark, inside + name)
                    if deeper is not None and name not in SKIPPED_FOLDERS:
                        below.append((f"{folder}{name}{os.sep}", f"{inside}{name}/", deeper))
                elif takes_all or choice.takes(mark, inside + name):
                    if is_file:
                        files.append(entry)
                    else:
                        others.append(name)
            except OSError:
                others.append(name)
        return files, others

    def _listed(self, folder: str, inside: str, entries: list[os.DirEntry[str]]) -> Listed:
        if not self.stamped:
            return Listed(folder, inside, [entry.name for entry in entries])
        names, sizes, mtimes = [], [], []
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # it has vanished since; who opens it will find out
                status = None
            names.append(entry.name)
            sizes.append(status.st_size if status is not None else -1)
            mtimes.append(status.st_mtime_ns if status is not None else -1)
        return Listed(folder, inside, names, sizes, mtimes)

    def classify(self, paths: Iterable[str], inside: str | None = None) -> Iterator[Listed | NotChecked]:
        """Single paths, each looked at by itself: files, neighbours together, and what is none of them."""
        gathered = _Neighbours()
        for path in paths:
            try:
                status = os.stat(path)
            except (OSError, ValueError) as error:
                yield NotChecked(path, _why_not(path, error))
                continue
            if not stat.S_ISREG(status.st_mode):
                yield NotChecked(path, _kind(status.st_mode))
                continue
            cut = path.rfind(os.sep) + 1
            if path[:cut] != gathered.folder:
                yield from gathered.taken(inside)
                gathered = _Neighbours(path[:cut])
            gathered.names.append(path[cut:])
            if self.stamped:
                gathered.sizes.append(status.st_size)
                gathered.mtimes_ns.append(status.st_mtime_ns)
        yield from gathered.taken(inside)


@contextmanager
def _opened(folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder, by its descriptor where the platform can: their sizes are then found without the path,
    and it stays the same folder."""
    if os.scandir not in os.supports_fd:
        with os.scandir(folder or os.curdir) as entries:
            yield entries
        return
    descriptor = os.open(folder or os.curdir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


class _Neighbours(Struct):
    """Files of one folder, as they are found one by one."""

    folder: str = ""
    names: list[str] = []
    sizes: list[int] = []
    mtimes_ns: list[int] = []

    def taken(self, inside: str | None) -> Iterator[Listed]:
        if self.names:
            place = relative(self.folder) if inside is None else inside
            yield Listed(self.folder, place, self.names, self.sizes, self.mtimes_ns)


def _why_not(path: str, error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return "a broken link" if os.path.islink(path) else error.strerror or str(error)
    return "no path: it holds a NUL character"


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a link to a folder, not followed"
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISCHR, "a character device"),
    ):
        if test(mode):
            return f"{name}, never opened"
    return "no regular file, never opened"

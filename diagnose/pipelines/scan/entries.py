"""What a listing yields: files, many of a folder at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct


class File(Struct, frozen=True, order=True, gc=False):
    """A file to look at: `folder` ends with a separator or is empty. Size and time are 0 where nobody needs them."""

    folder: str
    name: str
    size_bytes: int = 0
    mtime_ns: int = 0

    @property
    def path(self) -> str:
        return self.folder + self.name


class Listed(Struct, frozen=True, gc=False):
    """Some files of one folder; `sizes` and `mtimes_ns` are empty where nobody needs them.

    `inside` is the folder as patterns and samples see it: its path below the folder that is scanned, with slashes,
    ending with one or empty.
    """

    folder: str
    inside: str
    names: list[str]
    sizes: list[int] = []
    mtimes_ns: list[int] = []

    def files(self) -> Iterator[File]:
        """The files one by one."""
        if not self.sizes:
            return (File(self.folder, name) for name in self.names)
        return map(File, [self.folder] * len(self.names), self.names, self.sizes, self.mtimes_ns)

    def part(self, positions: Sequence[int]) -> Listed:
        """The files at these positions."""
        names, sizes, times = self.names, self.sizes, self.mtimes_ns
        return Listed(
            self.folder,
            self.inside,
            [names[each] for each in positions],
            [sizes[each] for each in positions] if sizes else [],
            [times[each] for each in positions] if times else [],
        )

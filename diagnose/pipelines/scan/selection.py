"""Which of the files that are found are looked at: include, exclude, ignore files, sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from diagnose.pipelines.scan.globs import Globs
from diagnose.pipelines.scan.ignore import Entry, IgnoreList, read_entries, read_own_entries
from diagnose.pipelines.scan.sample import Sample


class Mark(Struct, frozen=True):
    """What a folder passes on to all that lies in it: it is included, or ignored because of an entry."""

    included: bool = False
    ignored: Entry | None = None


class Selection:
    """The choice for a whole scan. Raises ScanError for what cannot be used."""

    def __init__(
        self,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        ignore_files: Sequence[Path] = (),
        sample: Sample | None = None,
    ) -> None:
        self.include = Globs((pattern, True) for pattern in include)
        self.exclude = Globs((pattern, True) for pattern in exclude)
        self.sample = sample
        self.entries: list[Entry] = []
        self.offered = 0
        for path in ignore_files:
            self.entries.extend(read_entries(path))
        self._shared = IgnoreList(self.entries)
        self._common = list(self.entries)

    def within(self, folder: str) -> FolderSelection:
        """The choice for the files below a folder, by their paths below it and its own ignore file."""
        own = read_own_entries(folder)
        if not own:
            return FolderSelection(self, self._shared)
        self.entries.extend(own)
        return FolderSelection(self, IgnoreList([*own, *self._common]))

    def of_list(self) -> FolderSelection:
        """The choice for files that were named one by one, by their paths as given."""
        return FolderSelection(self, self._shared)


class FolderSelection:
    """The choice below one folder. Paths are relative to it, with slashes."""

    def __init__(self, whole: Selection, ignore: IgnoreList) -> None:
        self._whole = whole
        self._ignore = ignore
        self._share = whole.sample if whole.sample is not None and whole.sample.files is None else None
        self._included = Mark(included=not whole.include)
        self.takes_all = not (whole.include or whole.exclude or ignore.globs or whole.sample)

    def top(self) -> Mark:
        """The mark of the folder itself."""
        return self._included

    def below(self, mark: Mark, path: str) -> Mark | None:
        """The mark of a folder in a folder, or None where it is not entered."""
        if self._whole.exclude.find(path, is_folder=True):
            return None
        included = mark.included or bool(self._whole.include.find(path, is_folder=True))
        ignored = mark.ignored or self._ignore.globs.find(path, is_folder=True)
        if included == mark.included and ignored is mark.ignored:
            return mark
        return Mark(included, ignored)

    def takes(self, mark: Mark, path: str) -> bool:
        """Whether the file at `path`, in a folder with this mark, is looked at. Counts what is ignored."""
        if self._whole.exclude.find(path, is_folder=False):
            return False
        if not mark.included and not self._whole.include.find(path, is_folder=False):
            return False
        entry = mark.ignored or self._ignore.globs.find(path, is_folder=False)
        if entry is not None:
            entry.note(path)
            return False
        self._whole.offered += 1
        return self._share is None or self._share.takes(path)

    def takes_listed(self, path: str) -> bool:
        """`takes` for a file of which only its whole path is known."""
        mark: Mark | None = self.top()
        end = path.find("/")
        while end > 0 and mark is not None:
            mark = self.below(mark, path[:end])
            end = path.find("/", end + 1)
        return mark is not None and self.takes(mark, path)

"""Choosing some files of many, the same ones in every run: by a hash of the path and a seed."""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from diagnose.pipelines.scan.entries import File, Listed
from diagnose.pipelines.scan.errors import ScanError

_FORM = re.compile(r"(\d+(?:\.\d+)?)%|(\d+)")
_WHOLE = 1 << 64


class Sample(Struct, frozen=True):
    """So many files, or the files of so large a share (0 to 1); one of the two."""

    files: int | None
    share: float
    seed: str = "0"

    def rank(self, path: str) -> int:
        """The place of a path (relative, with slashes) among all: files come in the order of their ranks."""
        digest = hashlib.blake2b(f"{self.seed}\0{path}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
        return int.from_bytes(digest, "big")

    def takes(self, path: str) -> bool:
        """Whether a file belongs to the share."""
        return self.rank(path) < self.share * _WHOLE


def parse_sample(text: str, seed: str = "0") -> Sample:
    """`1000` files or `5%` of them. Raises ScanError."""
    found = _FORM.fullmatch(text.strip())
    if found is None or (found[1] and float(found[1]) > 100):
        raise ScanError(f"{text!r} is neither a number of files nor a percentage such as 5%")
    if found[1]:
        return Sample(None, float(found[1]) / 100, seed)
    return Sample(int(found[2]), 1.0, seed)


class Smallest:
    """The files of the smallest ranks among all that were offered: at most so many as the sample asks for."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._size = sample.files or 0
        self._heap: list[tuple[int, str, str, File]] = []
        self._stamped = False

    def offer(self, listed: Listed) -> None:
        """Keeps those of these files that belong to the smallest."""
        self._stamped = bool(listed.sizes)
        for file in listed.files():
            item = (-self._sample.rank(listed.inside + file.name), file.path, listed.inside, file)
            if len(self._heap) < self._size:
                heapq.heappush(self._heap, item)
            elif self._heap and item[:2] > self._heap[0][:2]:
                heapq.heapreplace(self._heap, item)

    def listed(self) -> Iterator[Listed]:
        """The files that were kept, by path."""
        kept = sorted(((inside, file) for _, _, inside, file in self._heap), key=lambda item: item[1].path)
        for (folder, inside), members in groupby(kept, key=lambda item: (item[1].folder, item[0])):
            files = [file for _, file in members]
            stamped = files if self._stamped else []
            names = [file.name for file in files]
            yield Listed(folder, inside, names, [f.size_bytes for f in stamped], [f.mtime_ns for f in stamped])

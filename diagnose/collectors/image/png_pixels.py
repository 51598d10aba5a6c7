"""The compressed pixels of a PNG image: inflate, length and filter bytes, without undoing the filters."""

from __future__ import annotations

from diagnose.collectors.image.deflate import BrokenStreamError, Inflater
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.png_header import Header

MAX_FILTER = 4


class PixelStream:
    """Takes the IDAT (or fdAT) pieces of one image in order and checks what they inflate to."""

    def __init__(self, header: Header, width: int, height: int, name: str, found: Findings) -> None:
        self.found = found
        self.name = name
        self.passes = header.rows(width, height)
        self.expected = sum(size * rows for size, rows in self.passes)
        self.total = 0
        self.broken = False
        self.started = False
        self._inflater = Inflater()
        self._pass = 0
        self._pass_start = 0
        self._bad_filter = False

    def feed(self, piece: memoryview, offset: int) -> None:
        """The next piece of compressed data, which stands at `offset`."""
        self.started = True
        if self.broken:
            return
        try:
            for output in self._inflater.feed(piece):
                self._check_filters(output, offset)
                self.total += len(output)
                if self.total > self.expected:
                    break
        except BrokenStreamError as error:
            self._report(error, offset)

    def finish(self, offset: int) -> None:
        """States what is missing when all pieces were fed; `offset` is where the last one ended."""
        if self.broken or not self.started:
            return
        if self.total < self.expected:
            kind = Damage.TOO_FEW_PIXELS if self._inflater.finished else Damage.TRUNCATED
            text = f"the {self.name} data inflate to {self.total} bytes instead of {self.expected}"
            self.found.damage(kind, offset, f"{text}: {self.rows_whole()} of {self.rows_expected()} rows are whole")
        elif self.total > self.expected:
            text = f"the {self.name} data inflate to more than the {self.expected} bytes of the image"
            self.found.irregular(Damage.TOO_MANY_PIXELS, offset, text)
        elif not self._inflater.finished:
            text = f"all rows are there, but the end of the compressed {self.name} data is missing"
            self.found.damage(Damage.BAD_ADLER, offset, text)
        elif self._inflater.spare:
            text = f"{self._inflater.spare} bytes follow the end of the compressed {self.name} data"
            self.found.irregular(Damage.TRAILING_DATA, offset, text)

    def rows_expected(self) -> int:
        return sum(rows for _, rows in self.passes)

    def rows_whole(self) -> int:
        left, whole = self.total, 0
        for size, rows in self.passes:
            done = min(rows, left // size)
            whole += done
            left -= done * size
            if done < rows:
                break
        return whole

    def _report(self, error: BrokenStreamError, offset: int) -> None:
        self.broken = True
        if error.checksum:
            text = f"the Adler-32 checksum of the {self.name} data is wrong"
            self.found.damage(Damage.BAD_ADLER, offset, text)
            return
        text = f"the {self.name} data cannot be inflated ({error}) after {self.total} of {self.expected} bytes"
        self.found.damage(Damage.BAD_COMPRESSED_DATA, offset, text)

    def _check_filters(self, output: bytes, offset: int) -> None:
        """Looks at the first byte of each row that starts in this piece of output."""
        position, end = self.total, self.total + len(output)
        while self._pass < len(self.passes) and position < end:
            size, rows = self.passes[self._pass]
            pass_end = self._pass_start + size * rows
            first = self._pass_start + -(-(position - self._pass_start) // size) * size
            filters = output[first - self.total : min(pass_end, end) - self.total : size]
            if filters and max(filters) > MAX_FILTER and not self._bad_filter:
                self._bad_filter = True
                row = (first - self._pass_start) // size + next(i for i, f in enumerate(filters) if f > MAX_FILTER)
                text = f"row {row} of the {self.name} data has the filter type {max(filters)}, which does not exist"
                self.found.damage(Damage.BAD_FILTER, offset, text)
            if end < pass_end:
                return
            position = self._pass_start = pass_end
            self._pass += 1

"""Counting decoder for GIF's LZW (GIF89a appendix F): how many pixels a stream yields and where it breaks.

No pixels are made. Between two clear codes the width of the n-th code depends on n alone, so that all codes of such a
stretch can be cut out at once; and since a code's string is one longer than that of the code it extends, the lengths
of all strings follow by adding up chains, halving their depth each time (pointer jumping).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.int32]]

MAX_CODES = 4096
MAX_BITS = 12
_STRETCH = MAX_CODES
"""Codes looked at in one go; encoders clear when the table is full, shortly before as many."""


@dataclass(frozen=True)
class LzwCount:
    """`pixels` were yielded; `broken_at` is the offset in the stream of an impossible code, or None.

    `ended` says that the end code was read, `used` how many bytes were read.
    """

    pixels: int
    broken_at: int | None
    ended: bool
    used: int


def count(data: bytes, code_size: int, limit: int) -> LzwCount:
    """Follows the codes of `data`, whose literals have `code_size` bits, to its end, an error or above `limit`."""
    import numpy as np

    stream = np.frombuffer(data + bytes(4), np.uint8).astype(np.int32)
    bits, position, pixels = 8 * len(data), 0, 0
    table: _Table | None = None
    while True:
        first = table.codes_read if table else 0
        offsets, widths = _layout(code_size, first)
        here = position + offsets
        fitting = int(np.searchsorted(here + widths, bits, side="right"))
        if not fitting:
            return LzwCount(pixels, None, False, len(data))
        codes = _cut_out(stream, here[:fitting], widths[:fitting])
        clear = 1 << code_size
        stops = np.flatnonzero((codes == clear) | (codes == clear + 1))
        stop = int(stops[0]) if stops.size else fitting
        table = table or _Table(code_size)
        yielded, broken = table.extend(codes[:stop])
        pixels += yielded
        if broken is not None:
            at = int(here[broken]) // 8
            return LzwCount(pixels, at, False, at + 1)
        after = int(here[stop - 1] + widths[stop - 1]) if stop == fitting else int(here[stop] + widths[stop])
        if pixels > limit:
            return LzwCount(pixels, None, False, -(-after // 8))
        if stop < fitting:
            if codes[stop] == clear + 1:
                return LzwCount(pixels, None, True, -(-after // 8))
            table = None
        position = after


class _Table:
    """The strings' lengths since the last clear code."""

    def __init__(self, code_size: int) -> None:
        import numpy as np

        self.clear = 1 << code_size
        self.codes_read = 0
        self.lengths: Array = np.zeros(0, np.int32)

    def extend(self, codes: Array) -> tuple[int, int | None]:
        """Takes the next codes. Returns how many pixels they yield, and the index of the first impossible code."""
        import numpy as np

        first_free = self.clear + 2
        count = self.codes_read + np.arange(codes.size)
        # The n-th code may name the entry that it completes itself; the first must be a literal.
        highest = np.minimum(first_free + count - 1, MAX_CODES - 1)
        wrong = np.flatnonzero((codes > highest) | ((count == 0) & (codes > self.clear)))
        broken = int(wrong[0]) if wrong.size else None
        codes = codes[:broken]
        lengths = self._lengths(codes, first_free)
        self.codes_read += codes.size
        self.lengths = np.concatenate([self.lengths, lengths])[:MAX_CODES]
        return int(lengths.sum(dtype=np.int64)), broken

    def _lengths(self, codes: Array, first_free: int) -> Array:
        """Entry `first_free + n` is one longer than the string of the n-th code since the clear code."""
        import numpy as np

        known, base = self.lengths, self.lengths.size
        parents = np.where(codes < self.clear, -1, codes - first_free)
        lengths = np.ones(codes.size, np.int32)
        old = (parents >= 0) & (parents < base)
        lengths[old] += known[parents[old]]
        # What is left extends codes of this stretch: index them from its start, and jump until all chains end.
        chain = np.where(parents >= base, parents - base, -1)
        open_ends = np.flatnonzero(chain >= 0)
        while open_ends.size:
            ahead = chain[open_ends]
            lengths[open_ends], chain[open_ends] = lengths[open_ends] + lengths[ahead], chain[ahead]
            open_ends = open_ends[chain[open_ends] >= 0]
        return lengths


@cache
def _layout(code_size: int, first: int) -> tuple[Array, Array]:
    """Offsets in bits and widths of the codes from the `first` since a clear code on."""
    import numpy as np

    free = (1 << code_size) + 1 + np.arange(first, first + _STRETCH)
    free[0] += 1 if first == 0 else 0
    widths = np.minimum(np.floor(np.log2(free)).astype(np.int32) + 1, MAX_BITS)
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(widths)[:-1]])
    return offsets, widths


def _cut_out(stream: Array, offsets: Array, widths: Array) -> Array:
    at = offsets >> 3
    words = stream[at] | stream[at + 1] << 8 | stream[at + 2] << 16
    codes: Array = words >> (offsets & 7) & ((1 << widths) - 1)
    return codes

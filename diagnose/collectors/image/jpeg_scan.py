"""Entropy-coded data of a JPEG scan: where they end, restart markers, holes (ITU-T T.81 B.1.1.5 and F.2)."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.jpeg_state import Frame, JpegState, Scan, ScanComponent
from diagnose.collectors.image.jpeg_tables import AC, DC

HOLE_BYTES = 32
"""Zero bytes in a row that no picture yields where the code of zero bits stands for a coefficient (256 bits)."""

SECTOR = 512
ZERO_RUN = 0xF0
_FLAT = (0x00, ZERO_RUN)
"""AC symbols that leave a block without coefficients: end of block, and 16 zeros."""

MAX_HOLES = 4
_ZEROS, _SECTOR_OF_ZEROS = bytes(HOLE_BYTES), bytes(SECTOR)

_MARKER_OR_FILL = re.compile(rb"\xff[^\x00]", re.DOTALL)
_NOT_ZERO = re.compile(rb"[^\x00]")
_NOT_FILL = re.compile(rb"[^\xff]")
_RESTARTS = range(0xD0, 0xD8)
_MAY_FOLLOW = frozenset([0xC4, 0xCC, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE, *range(0xE0, 0xF0)])
"""Markers that may follow a scan: tables, another scan, DNL, EOI, application data and comments."""


def read_scan_data(state: JpegState, frame: Frame, scan: Scan) -> int | None:
    """Checks the entropy-coded data of a scan: markers in them, and holes of zeros or of FF bytes.

    Returns the offset of the marker that ends them, or None where the file ends first.
    """
    end = _follow_markers(state, frame, scan)
    limit = len(state.data) if end is None else end
    if not frame.arithmetic:
        _find_holes(state, scan, limit, aligned_only=not zeros_are_implausible(state, frame, scan))
    return end


def _follow_markers(state: JpegState, frame: Frame, scan: Scan) -> int | None:
    restarts = _Restarts(state, frame, scan)
    position = scan.start
    while match := _MARKER_OR_FILL.search(state.data, position):
        offset = match.start()
        marker = state.data[offset + 1]
        position = offset + 2
        if marker == 0xFF:
            position = _end_of_run(state.data, _NOT_FILL, offset, len(state.data)) - 1
            _check_fill(state, offset, position + 1)
        elif marker in _RESTARTS:
            restarts.take(marker - 0xD0, offset)
        elif marker in _MAY_FOLLOW:
            restarts.finish(offset)
            return offset
        else:
            text = f"the invalid marker FF{marker:02X} stands within the entropy-coded data"
            state.found.damage(Damage.BAD_MARKER, offset, text)
            if marker == 0xD8:
                return offset
    return None


class _Restarts:
    """Restart markers of one scan: numbers in turn, and as many as the interval asks for."""

    def __init__(self, state: JpegState, frame: Frame, scan: Scan) -> None:
        self.found = state.found
        self.interval = state.restart_interval
        self.expected = (units_of_scan(frame, scan) - 1) // self.interval if self.interval and frame.height else 0
        self.seen = 0
        self.told = False

    def take(self, number: int, offset: int) -> None:
        if self.told:
            return
        if not self.interval:
            self._tell(offset, "a restart marker stands in a scan without restart interval")
        elif number != self.seen % 8:
            due = self.seen % 8
            self._tell(
                offset, f"restart marker {number} where {due} is due: data were lost, doubled or flipped before it"
            )
        self.seen += 1

    def finish(self, offset: int) -> None:
        if self.told or self.seen == self.expected or not self.expected:
            return
        text = f"the scan has {self.seen} restart markers instead of {self.expected}"
        if self.seen == self.expected + 1:
            # One more marker than needed, right before the end, is a habit of some cameras that decoders skip.
            self.found.irregular(Damage.RESTART_ORDER, offset, text)
        else:
            self._tell(offset, text)

    def _tell(self, offset: int, text: str) -> None:
        self.told = True
        self.found.damage(Damage.RESTART_ORDER, offset, text)


def units_of_scan(frame: Frame, scan: Scan) -> int:
    """MCUs of the scan (T.81 A.2)."""
    unit = 1 if frame.lossless else 8
    if len(scan.components) > 1:
        across = -(-frame.width // (unit * frame.max_horizontal))
        down = -(-frame.height // (unit * frame.max_vertical))
        return across * down
    component = scan.components[0].component
    width = -(-frame.width * component.horizontal // frame.max_horizontal)
    height = -(-frame.height * component.vertical // frame.max_vertical)
    return -(-width // unit) * -(-height // unit)


def zeros_are_implausible(state: JpegState, frame: Frame, scan: Scan) -> bool:
    """Whether a run of zero bits would mean what no encoder writes.

    With the tables of annex K it does: 00 is `run 0, size 1` for luminance AC, the same coefficient again and again.
    In tables made for a flat picture the shortest code may be the end of block, and then zeros are just a flat area.
    """
    if frame.lossless:
        return False
    if frame.progressive:
        return any(_is_implausible_progressive(state, scan, part) for part in scan.components)
    for part in scan.components:
        dc, ac = state.huffman.get((DC, part.dc_table)), state.huffman.get((AC, part.ac_table))
        if (dc and dc.zero_symbol) or (ac and ac.zero_symbol is not None and ac.zero_symbol not in _FLAT):
            return True
    return False


def _is_implausible_progressive(state: JpegState, scan: Scan, part: ScanComponent) -> bool:
    if not scan.spectral_start:
        dc = state.huffman.get((DC, part.dc_table))
        return not scan.high and dc is not None and bool(dc.zero_symbol)
    ac = state.huffman.get((AC, part.ac_table))
    if ac is None or ac.zero_symbol is None:
        return False
    # An encoder that writes runs of ended blocks never ends one block after the other by codes of their own.
    return bool(ac.zero_symbol & 15) or (ac.zero_symbol != ZERO_RUN and ac.block_runs)


def _find_holes(state: JpegState, scan: Scan, end: int, aligned_only: bool) -> None:
    needle = _SECTOR_OF_ZEROS if aligned_only else _ZEROS
    position = scan.start
    for _ in range(MAX_HOLES):
        start = state.data.find(needle, position, end)
        if start < 0:
            return
        stop = _end_of_run(state.data, _NOT_ZERO, start, end)
        # Where zeros could be a flat area, only a hole cut along sectors at both ends is no coincidence.
        if not aligned_only or (start % SECTOR == 0 and stop % SECTOR == 0):
            text = f"{stop - start} zero bytes within the entropy-coded data"
            state.found.damage(Damage.ZERO_HOLE, start, text)
        position = stop


def _check_fill(state: JpegState, start: int, stop: int) -> None:
    """FF bytes before a marker are padding (T.81 B.1.1.2), but nobody pads by this much."""
    if stop - start >= HOLE_BYTES:
        state.found.damage(Damage.FILL_HOLE, start, f"{stop - start} bytes of FF within the entropy-coded data")


def _end_of_run(data: Content, other: re.Pattern[bytes], start: int, end: int) -> int:
    match = other.search(data, start, end)
    return match.start() if match else end

"""Entropy-coded data of a JPEG scan: where they end, restart markers, holes (ITU-T T.81 B.1.1.5 and F.2)."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.jpeg_state import Frame, JpegState, Scan
from diagnose.collectors.image.jpeg_tables import AC, DC

HOLE_BYTES = 32
"""Zero bytes in a row that no picture yields where the code of zero bits stands for a coefficient (256 bits)."""

SECTOR = 512
MAX_HOLES = 4

_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_RESTART = re.compile(rb"\xff([\xd0-\xd7])")
_NOT_ZERO = re.compile(rb"[^\x00]")
_NOT_FILL = re.compile(rb"[^\xff]")
_MAY_FOLLOW = frozenset([0xC4, 0xCC, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE, *range(0xE0, 0xF0)])
"""Markers that may follow a scan: tables, another scan, DNL, EOI, application data and comments."""


def end_of_scan(state: JpegState, scan: Scan) -> int | None:
    """The offset of the marker that ends the scan's data, or None where the file ends first."""
    position = scan.start
    while True:
        match = _MARKER.search(state.data, position)
        if match is None:
            return None
        marker = state.data[match.start() + 1]
        if marker in _MAY_FOLLOW:
            return match.start()
        text = f"the invalid marker FF{marker:02X} stands within the entropy-coded data"
        state.found.damage(Damage.BAD_MARKER, match.start(), text)
        if marker == 0xD8:
            return match.start()
        position = match.start() + 2


def check_scan_data(state: JpegState, frame: Frame, scan: Scan, end: int) -> None:
    """Restart markers in order and number, and holes of zeros or of FF bytes."""
    _check_restarts(state, frame, scan, end)
    if zeros_are_implausible(state, frame, scan):
        _find_holes(state, scan, end, aligned_only=False)
    elif not frame.arithmetic:
        _find_holes(state, scan, end, aligned_only=True)
    _find_fill(state, scan, end)


def _check_restarts(state: JpegState, frame: Frame, scan: Scan, end: int) -> None:
    expected = (units_of_scan(frame, scan) - 1) // state.restart_interval if state.restart_interval else 0
    seen = 0
    for match in _RESTART.finditer(state.data, scan.start, end):
        number = match.group(1)[0] - 0xD0
        if not state.restart_interval:
            text = "a restart marker stands in a scan without restart interval"
            state.found.damage(Damage.RESTART_ORDER, match.start(), text)
            return
        if number != seen % 8:
            text = f"restart marker {number} where {seen % 8} is due: data were lost, doubled or flipped before it"
            state.found.damage(Damage.RESTART_ORDER, match.start(), text)
            return
        seen += 1
        if seen > expected:
            break
    if frame.height and seen != expected:
        # One more marker than needed, right before the end, is a habit of some cameras that decoders skip.
        report = state.found.irregular if seen == expected + 1 else state.found.damage
        report(Damage.RESTART_ORDER, end, f"the scan has {seen} restart markers instead of {expected}")


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
    """Whether a run of zero bits would mean the same non-zero coefficient again and again.

    With the tables of annex K it does: 00 is `run 0, size 1` for luminance AC. In tables made for a flat picture
    the shortest code may be the end of block, and then zero bytes are just a flat area.
    """
    if frame.arithmetic or frame.lossless or (frame.progressive and scan.high):
        return False
    flat_ac = (0x00, 0xF0)
    for part in scan.components:
        dc, ac = state.huffman.get((DC, part.dc_table)), state.huffman.get((AC, part.ac_table))
        if not (frame.progressive and scan.spectral_start) and dc is not None and dc.zero_symbol:
            return True
        if frame.progressive:
            # Low nibble 0: a run of ended blocks or of zero coefficients.
            if scan.spectral_start and ac is not None and ac.zero_symbol is not None and ac.zero_symbol & 15:
                return True
        elif ac is not None and ac.zero_symbol is not None and ac.zero_symbol not in flat_ac:
            return True
    return False


def _find_holes(state: JpegState, scan: Scan, end: int, aligned_only: bool) -> None:
    needle = b"\0" * (SECTOR if aligned_only else HOLE_BYTES)
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


def _find_fill(state: JpegState, scan: Scan, end: int) -> None:
    start = state.data.find(b"\xff" * HOLE_BYTES, scan.start, end)
    if start >= 0:
        stop = _end_of_run(state.data, _NOT_FILL, start, end)
        state.found.damage(Damage.FILL_HOLE, start, f"{stop - start} bytes of FF within the entropy-coded data")


def _end_of_run(data: Content, other: re.Pattern[bytes], start: int, end: int) -> int:
    match = other.search(data, start, end)
    return match.start() if match else end

"""Structure of a JPEG stream (ITU-T T.81 annex B): marker segments, scans, end, and what follows."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.jpeg_application import check_icc_chunks, check_pictures, read_application
from diagnose.collectors.image.jpeg_frame import PROCESSES, read_frame, read_scan
from diagnose.collectors.image.jpeg_scan import read_scan_data
from diagnose.collectors.image.jpeg_state import UNSEEN, JpegState, Segment
from diagnose.collectors.image.jpeg_tables import read_huffman_tables, read_quantisation_tables
from diagnose.collectors.image.trailing import describe_trailing

SOI, EOI, SOS, DHT, DQT, DRI, DNL, COM, TEM = 0xD8, 0xD9, 0xDA, 0xC4, 0xDB, 0xDD, 0xDC, 0xFE, 0x01
MAX_SEGMENTS = 1 << 16
MANY_SCANS = 100
"""libjpeg-turbo's own programs warn from 100 scans on: each costs a pass over the whole picture."""

_NEXT_MARKER = re.compile(rb"\xff[^\x00\xff]", re.DOTALL)
_LENGTH = struct.Struct(">H")
_KNOWN = frozenset([*PROCESSES, DHT, DQT, DRI, DNL, SOS, COM, 0xC8, 0xCC, 0xDE, 0xDF, *range(0xE0, 0xF0)])


def read(data: Content, found: Findings) -> None:
    """Walks the stream from its start and adds what it finds."""
    state = JpegState(data, found)
    if data[:2] != b"\xff\xd8":
        found.damage(Damage.BAD_HEADER, 0, f"the file starts with {data[:2].hex(' ')} instead of ff d8")
        return
    end = _walk(state)
    _sum_up(state)
    if end is not None:
        _check_scans(state, end)
        check_pictures(state)
        if end < len(data):
            describe_trailing(data, end, found)


def _walk(state: JpegState) -> int | None:
    """Follows the segments to EOI and returns the offset behind it; None where the stream ends or breaks before."""
    data, position = state.data, 2
    for _ in range(MAX_SEGMENTS):
        marker_at = _next_marker(state, position)
        if marker_at is None:
            return None
        marker = data[marker_at + 1]
        position = marker_at + 2
        if marker == EOI:
            return position
        if marker == SOI:
            state.found.damage(Damage.BAD_MARKER, marker_at, "another JPEG starts (SOI) before this one has ended")
            return None
        if marker == TEM or 0xD0 <= marker <= 0xD7:
            state.found.irregular(Damage.BAD_MARKER, marker_at, f"marker FF{marker:02X} outside a scan")
            continue
        if marker not in _KNOWN:
            state.found.damage(Damage.BAD_MARKER, marker_at, f"the marker FF{marker:02X} is reserved")
        segment = _segment(state, marker, marker_at)
        if segment is None:
            return None
        following = _read_segment(state, segment)
        if following is None:
            return None
        position = following
    state.found.damage(Damage.BAD_MARKER, position, f"more than {MAX_SEGMENTS} marker segments")
    return None


def _next_marker(state: JpegState, position: int) -> int | None:
    head = state.data[position : position + 2]
    if len(head) == 2 and head[0] == 0xFF and head[1] not in (0x00, 0xFF):
        return position
    match = _NEXT_MARKER.search(state.data, position)
    if match is None:
        _ends_early(state, len(state.data))
        return None
    start = match.start()
    junk = state.data[position:start].rstrip(b"\xff")
    if junk:
        text = f"{len(junk)} bytes that belong to no segment"
        state.found.irregular(Damage.JUNK, position, text)
    return start


def _segment(state: JpegState, marker: int, offset: int) -> Segment | None:
    start = offset + 2
    if start + 2 > len(state.data):
        _ends_early(state, start)
        return None
    (length,) = _LENGTH.unpack_from(state.data, start)
    if length < 2:
        state.found.damage(Damage.BAD_CHUNK_LENGTH, start, f"segment FF{marker:02X} states a length of {length}")
        return None
    if start + length > len(state.data):
        missing = start + length - len(state.data)
        text = f"segment FF{marker:02X} states {length} bytes, the file ends {missing} bytes before"
        state.found.damage(Damage.TRUNCATED, len(state.data), text)
        state.found.know("image.missing_bytes", missing, len(state.data))
        return None
    return Segment(marker, offset, start + 2, start + length)


def _read_segment(state: JpegState, segment: Segment) -> int | None:
    """Reads one segment and returns where the next one starts; None where the stream cannot be followed."""
    if segment.marker == SOS:
        return _read_scan(state, segment)
    reader = _READERS.get(segment.marker)
    if reader:
        reader(state, segment)
    return segment.end


def _read_scan(state: JpegState, segment: Segment) -> int | None:
    scan = read_scan(state, segment)
    if scan is None or state.frame is None:
        return None
    state.scans += 1
    state.found.first_scan = state.found.first_scan or scan.start
    end = read_scan_data(state, state.frame, scan)
    state.scanned.update(part.component.id for part in scan.components)
    if end is None:
        _ends_early(state, len(state.data))
    return end


def _read_restart_interval(state: JpegState, segment: Segment) -> None:
    if segment.end - segment.start != 2:
        state.found.damage(Damage.BAD_CHUNK_LENGTH, segment.offset, "the DRI segment is not 4 bytes long")
        return
    (state.restart_interval,) = _LENGTH.unpack_from(state.data, segment.start)
    if state.restart_interval:
        state.found.know("jpeg.restart_interval", state.restart_interval, segment.offset)
        state.found.feature("restart-interval", f"a restart marker after every {state.restart_interval} MCUs")


_READERS: dict[int, Callable[[JpegState, Segment], None]] = {
    DQT: read_quantisation_tables,
    DHT: read_huffman_tables,
    DRI: _read_restart_interval,
    **dict.fromkeys(PROCESSES, read_frame),
    **dict.fromkeys(range(0xE0, 0xF0), read_application),
}


def _ends_early(state: JpegState, offset: int) -> None:
    if not state.scans:
        state.found.damage(Damage.TRUNCATED, offset, "the file ends before its first scan")
    else:
        state.found.ends_early = True
        state.found.damage(Damage.MISSING_END_MARKER, offset, "the file ends without the end of image marker FFD9")


def _sum_up(state: JpegState) -> None:
    found, frame = state.found, state.frame
    check_icc_chunks(state)
    if state.scans:
        found.know("jpeg.scans", state.scans)
    if state.scans >= MANY_SCANS:
        found.feature("many-scans", f"{state.scans} scans, each a pass over the whole picture")
    if frame is None:
        return
    model = _colour_model(state)
    found.know("image.colour_model", model, frame.offset)
    if model in ("cmyk", "ycck"):
        found.feature(model, "four colour components, as print shops use them")
    elif model == "rgb":
        found.feature("rgb-jpeg", "components are RGB; decoders that ignore the mark show wrong colours")


def _colour_model(state: JpegState) -> str:
    """As libjpeg guesses it (jdapimin.c, default_decompress_parms)."""
    components = state.frame.components if state.frame else ()
    identifiers = bytes(component.id for component in components)
    if len(components) == 1:
        return "grey"
    if len(components) == 4:
        return "ycck" if state.adobe_transform == 2 else "cmyk"
    if len(components) != 3:
        return "unknown"
    if state.jfif:
        return "ycbcr"
    if state.adobe_transform is not None:
        return "rgb" if state.adobe_transform == 0 else "ycbcr"
    return "rgb" if identifiers == b"RGB" else "ycbcr"


def _check_scans(state: JpegState, end: int) -> None:
    found, frame = state.found, state.frame
    if frame is None:
        found.damage(Damage.MISSING_SEGMENT, end, "the stream has no (sound) frame header")
        return
    if not state.scans:
        found.damage(Damage.MISSING_SCAN, end, "the stream ends without a scan")
        return
    identifiers = {component.id for component in frame.components}
    if len(identifiers) == len(frame.components) and identifiers - state.scanned:
        found.damage(Damage.MISSING_SCAN, end, f"{len(identifiers - state.scanned)} colour components have no scan")
    if any(low > 0 or low == UNSEEN for bits in state.approximations.values() for low in bits):
        found.feature("incomplete-progressive", "the scans do not refine every coefficient to its last bit")

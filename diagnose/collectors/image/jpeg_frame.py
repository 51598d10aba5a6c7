"""Frame and scan headers of a JPEG stream (ITU-T T.81 B.2.2 and B.2.3)."""

from __future__ import annotations

import struct
from functools import lru_cache

from msgspec import Struct

from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.jpeg_state import UNSEEN, Component, Frame, JpegState, Scan, ScanComponent, Segment
from diagnose.collectors.image.jpeg_tables import AC, DC

PROCESSES = {
    0xC0: "baseline",
    0xC1: "extended",
    0xC2: "progressive",
    0xC3: "lossless",
    0xC5: "hierarchical-sequential",
    0xC6: "hierarchical-progressive",
    0xC7: "hierarchical-lossless",
    0xC9: "arithmetic",
    0xCA: "progressive-arithmetic",
    0xCB: "lossless-arithmetic",
    0xCD: "hierarchical-arithmetic",
    0xCE: "hierarchical-progressive-arithmetic",
    0xCF: "hierarchical-lossless-arithmetic",
}
"""Start of frame markers, T.81 table B.1."""

PROGRESSIVE = {0xC2, 0xC6, 0xCA, 0xCE}
LOSSLESS = {0xC3, 0xC7, 0xCB, 0xCF}
ARITHMETIC = {0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}
HIERARCHICAL = {0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF}

SAMPLINGS = {(1, 1): "4:4:4", (2, 1): "4:2:2", (2, 2): "4:2:0", (4, 1): "4:1:1", (1, 2): "4:4:0", (4, 2): "4:1:0"}
"""Ratio of the luminance factors to the chrominance factors."""

_FRAME = struct.Struct(">BHHB")
_MAX_BLOCKS_IN_MCU = 10


def read_frame(state: JpegState, segment: Segment) -> None:
    """SOFn: precision, size, components. Keeps the first sound one in `state.frame`."""
    found = state.found
    if state.frame is not None:
        found.damage(Damage.BAD_MARKER, segment.offset, "a second frame header")
        return
    if segment.end - segment.start < _FRAME.size:
        found.damage(Damage.BAD_HEADER, segment.offset, "the frame header is too short")
        return
    precision, height, width, count = _FRAME.unpack_from(state.data, segment.start)
    components = _components(state, segment, count)
    frame = Frame(
        marker=segment.marker,
        offset=segment.offset,
        precision=precision,
        width=width,
        height=height,
        components=components,
        progressive=segment.marker in PROGRESSIVE,
        lossless=segment.marker in LOSSLESS,
        arithmetic=segment.marker in ARITHMETIC,
    )
    if _is_sound(state, segment, frame, count):
        state.frame = frame
    _describe(state, frame)


def _components(state: JpegState, segment: Segment, count: int) -> tuple[Component, ...]:
    first = segment.start + _FRAME.size
    specifications = state.data[first : min(first + 3 * count, segment.end)]
    return tuple(
        Component(specifications[i], specifications[i + 1] >> 4, specifications[i + 1] & 15, specifications[i + 2])
        for i in range(0, len(specifications) - 2, 3)
    )


def _is_sound(state: JpegState, segment: Segment, frame: Frame, count: int) -> bool:
    before = len(state.found.facts)
    at = segment.offset

    def bad(kind: Damage, text: str) -> None:
        state.found.damage(kind, at, text)

    if not count or len(frame.components) != count or segment.end - segment.start != _FRAME.size + 3 * count:
        bad(Damage.BAD_HEADER, f"the frame header is {segment.end - segment.start} bytes long for {count} components")
        return False
    if not frame.width:
        bad(Damage.BAD_DIMENSIONS, "the width is 0")
    if not frame.height:
        state.found.feature("dnl-height", "the height is 0 in the frame header, to be given by a DNL segment")
        state.found.unsupported_variant("height defined after the first scan (DNL)", at)
    if any(not 1 <= c.horizontal <= 4 or not 1 <= c.vertical <= 4 for c in frame.components):
        bad(Damage.BAD_HEADER, "a sampling factor is not between 1 and 4")
    if any(c.quantisation > 3 for c in frame.components):
        bad(Damage.BAD_HEADER, "a component names a quantisation table above 3")
    if frame.precision not in _precisions(frame):
        bad(Damage.BAD_BIT_DEPTH, f"{frame.precision} bits a sample in a {PROCESSES[frame.marker]} frame")
    if len({c.id for c in frame.components}) != len(frame.components):
        state.found.irregular(Damage.BAD_HEADER, at, "two components have the same identifier")
    return len(state.found.facts) == before or bool(frame.width and not state.found.damaged)


def _precisions(frame: Frame) -> range | tuple[int, ...]:
    if frame.lossless:
        return range(2, 17)
    return (8,) if frame.marker == 0xC0 else (8, 12)


def _describe(state: JpegState, frame: Frame) -> None:
    found = state.found
    found.size(frame.width, frame.height, frame.offset)
    found.know("image.bit_depth", frame.precision, frame.offset)
    found.know("jpeg.process", PROCESSES[frame.marker], frame.offset)
    found.know("jpeg.components", len(frame.components), frame.offset)
    found.components = len(frame.components)
    for present, feature, words in (
        (frame.progressive, "progressive", "progressive JPEG"),
        (frame.arithmetic, "arithmetic", "arithmetic-coded JPEG"),
        (frame.lossless, "lossless-jpeg", "lossless JPEG"),
        (frame.marker in HIERARCHICAL, "hierarchical", "hierarchical JPEG"),
        (frame.precision == 12 and not frame.lossless, "12-bit", "12 bits a sample"),
        (len(frame.components) not in (1, 3, 4), "unusual-components", f"{len(frame.components)} colour components"),
    ):
        if present:
            found.feature(feature, words)
    if frame.marker in HIERARCHICAL:
        found.unsupported_variant("hierarchical JPEG", frame.offset)
    _describe_sampling(state, frame)


def _describe_sampling(state: JpegState, frame: Frame) -> None:
    sampling = _sampling(tuple((c.horizontal, c.vertical) for c in frame.components))
    if sampling is None:
        return
    found = state.found
    found.know("jpeg.sampling_factors", sampling.factors, frame.offset)
    if len(frame.components) < 3:
        return
    found.know("jpeg.sampling", sampling.name, frame.offset)
    if sampling.unusual:
        found.feature("unusual-sampling", f"sampling factors {sampling.factors}")
    across, down = max(c.horizontal for c in frame.components), max(c.vertical for c in frame.components)
    if (across > 1 and frame.width % 2) or (down > 1 and frame.height % 2):
        found.feature("odd-size", f"{frame.width}x{frame.height} with subsampled chroma: rows and columns are padded")
    if sampling.fractional:
        found.unsupported_variant(f"fractional sampling factors {sampling.factors}", frame.offset)


class _Sampling(Struct, frozen=True):
    """`name` is 4:2:0 and the like, or the `factors` where they have none."""

    factors: str
    name: str
    unusual: bool
    fractional: bool


@lru_cache(maxsize=256)
def _sampling(factors: tuple[tuple[int, int], ...]) -> _Sampling | None:
    """What factors (horizontal, vertical) by component amount to; None where they cannot be. A data set has few."""
    if not factors or any(not horizontal or not vertical for horizontal, vertical in factors):
        return None
    text = ",".join(f"{horizontal}x{vertical}" for horizontal, vertical in factors)
    first, *others = factors[:3]
    ratios = {(first[0] / horizontal, first[1] / vertical) for horizontal, vertical in others}
    name = SAMPLINGS.get(ratios.pop()) if len(ratios) == 1 else None  # type: ignore[arg-type]
    plain = all(each == (1, 1) for each in others)
    widest, highest = (max(each) for each in zip(*factors, strict=True))
    return _Sampling(
        text,
        name or text,
        unusual=name not in ("4:4:4", "4:2:2", "4:2:0") or not plain,
        fractional=any(widest % horizontal or highest % vertical for horizontal, vertical in factors),
    )


def read_scan(state: JpegState, segment: Segment) -> Scan | None:
    """SOS: the components of a scan with their tables. None where it cannot be followed."""
    found, frame = state.found, state.frame
    if frame is None:
        found.damage(Damage.MISSING_SEGMENT, segment.offset, "a scan begins before any (sound) frame header")
        return None
    count = state.data[segment.start] if segment.end > segment.start else 0
    if not 1 <= count <= 4 or segment.end - segment.start != 4 + 2 * count:
        found.damage(Damage.BAD_HEADER, segment.offset, f"scan header for {count} components does not fit its length")
        return None
    parameters = state.data[segment.start + 1 : segment.end]
    by_id = {component.id: component for component in frame.components}
    components = []
    for i in range(0, 2 * count, 2):
        component = by_id.get(parameters[i])
        if component is None:
            found.damage(
                Damage.BAD_HEADER, segment.offset, f"the scan names component {parameters[i]}, not in the frame"
            )
            return None
        components.append(ScanComponent(component, parameters[i + 1] >> 4, parameters[i + 1] & 15))
    start, end, approximation = parameters[2 * count :]
    scan = Scan(segment.offset, segment.end, tuple(components), start, end, approximation >> 4, approximation & 15)
    if count > 1 and sum(c.component.horizontal * c.component.vertical for c in components) > _MAX_BLOCKS_IN_MCU:
        found.damage(Damage.BAD_HEADER, segment.offset, "more than 10 blocks in an MCU")
    _check_parameters(state, frame, scan)
    _check_tables(state, frame, scan)
    return scan


def _check_parameters(state: JpegState, frame: Frame, scan: Scan) -> None:
    if frame.lossless:
        _check_lossless_parameters(state, frame, scan)
        return
    if not frame.progressive:
        if (scan.spectral_start, scan.spectral_end, scan.high, scan.low) != (0, 63, 0, 0):
            # libjpeg decodes such a scan as if it said 0, 63, 0, 0, with a warning; strict decoders refuse it.
            text = f"sequential scan with Ss={scan.spectral_start} Se={scan.spectral_end} Ah={scan.high} Al={scan.low}"
            state.found.irregular(Damage.BAD_HEADER, scan.offset, text)
        return
    dc = scan.spectral_start == 0
    bad_range = scan.spectral_end != 0 if dc else not scan.spectral_start <= scan.spectral_end <= 63
    if bad_range or (not dc and len(scan.components) > 1) or scan.low > 13 or (scan.high and scan.low != scan.high - 1):
        text = f"progressive scan with Ss={scan.spectral_start} Se={scan.spectral_end} Ah={scan.high} Al={scan.low}"
        state.found.damage(Damage.BAD_HEADER, scan.offset, text)
        return
    _follow_progression(state, scan)


def _check_lossless_parameters(state: JpegState, frame: Frame, scan: Scan) -> None:
    """T.81 table B.3: the predictor stands in Ss, the point transform in Al."""
    first = 0 if frame.marker in HIERARCHICAL else 1
    if not first <= scan.spectral_start <= 7 or scan.spectral_end or scan.high or scan.low >= frame.precision:
        text = f"lossless scan with Ss={scan.spectral_start} Se={scan.spectral_end} Ah={scan.high} Al={scan.low}"
        state.found.damage(Damage.BAD_HEADER, scan.offset, text)


def _follow_progression(state: JpegState, scan: Scan) -> None:
    for part in scan.components:
        bits = state.approximations.setdefault(part.component.id, [UNSEEN] * 64)
        if scan.spectral_start and bits[0] == UNSEEN:
            state.found.irregular(Damage.MISSING_SCAN, scan.offset, "an AC scan comes before the component's DC scan")
        for k in range(scan.spectral_start, scan.spectral_end + 1):
            if scan.high != max(bits[k], 0):
                state.found.irregular(Damage.BAD_HEADER, scan.offset, "the scan refines bits that no scan has left")
                break
        for k in range(scan.spectral_start, scan.spectral_end + 1):
            bits[k] = scan.low


def _check_tables(state: JpegState, frame: Frame, scan: Scan) -> None:
    if frame.lossless and frame.arithmetic:
        return
    for part in scan.components:
        if not frame.lossless and part.component.quantisation not in state.quantisation:
            text = f"component {part.component.id} uses quantisation table {part.component.quantisation}, never defined"
            state.found.damage(Damage.MISSING_TABLE, scan.offset, text)
        if frame.arithmetic:
            continue
        for table_class, number in _tables_used(frame, scan, part):
            if (table_class, number) not in state.huffman:
                _missing_huffman_table(state, scan, table_class, number)


def _tables_used(frame: Frame, scan: Scan, part: ScanComponent) -> list[tuple[int, int]]:
    if frame.lossless:
        return [(DC, part.dc_table)]
    if not frame.progressive:
        return [(DC, part.dc_table), (AC, part.ac_table)]
    if scan.spectral_start:
        return [(AC, part.ac_table)]
    return [] if scan.high else [(DC, part.dc_table)]


def _missing_huffman_table(state: JpegState, scan: Scan, table_class: int, number: int) -> None:
    if number < 2 and not state.huffman:
        # Frames of motion JPEG leave the tables of annex K out; libjpeg-turbo and ffmpeg put them in by themselves.
        state.found.feature("default-huffman-tables", "no Huffman table in the file (a frame of motion JPEG)")
        return
    kind = "AC" if table_class == AC else "DC"
    state.found.damage(Damage.MISSING_TABLE, scan.offset, f"the scan uses {kind} Huffman table {number}, never defined")

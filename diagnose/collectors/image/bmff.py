"""Structure of a HEIF or AVIF file (ISO/IEC 23008-12; AV1 Image File Format 1.1): brands, items, places of data."""

from __future__ import annotations

from dataclasses import dataclass, field

from diagnose.collectors.image.bmff_boxes import Box, BoxFields, boxes
from diagnose.collectors.image.bmff_items import Items, read_items
from diagnose.collectors.image.bmff_properties import check_properties
from diagnose.collectors.image.content import Content, CutShort, zero_run
from diagnose.collectors.image.exif import read_exif
from diagnose.collectors.image.findings import Damage, Findings

SEQUENCE_BRANDS = {b"avis", b"hevc", b"hevx", b"msf1", b"avcs", b"vvis"}
KNOWN_BOXES = {b"ftyp", b"meta", b"mdat", b"moov", b"moof", b"mini", b"free", b"skip", b"uuid", b"idat"}
MAX_BRANDS = 256
MIN_HOLE = 64
"""Zero bytes in a row that arithmetic codes do not come to; HEVC even forbids three (ISO/IEC 23008-2, 7.4.2)."""


@dataclass
class BmffState:
    data: Content
    found: Findings
    major: bytes = b""
    brands: list[bytes] = field(default_factory=list)
    meta: Box | None = None
    items: Items | None = None
    has_movie: bool = False
    is_minimised: bool = False


def read(data: Content, found: Findings) -> None:
    """Walks the boxes of the file and adds what it finds."""
    state = BmffState(data, found)
    position = 0
    try:
        for box in boxes(data, 0, len(data), found):
            position = box.offset
            _read_box(state, box)
        if state.items:
            _check_items(state, state.items)
    except CutShort as cut:
        text = f"a field at byte {cut.offset} reaches past the end of its box, in the box at byte {position}"
        found.damage(Damage.BAD_BOX, cut.offset, text)
    _describe(state)


def _read_box(state: BmffState, box: Box) -> None:
    if box.cut and box.type not in KNOWN_BOXES:
        text = f"{box.end - box.offset} bytes that are no known box follow the last one"
        state.found.irregular(Damage.TRAILING_DATA, box.offset, text)
    elif box.cut:
        missing = box.stated_end - box.end
        text = f"box {box.name} lacks {missing} of its {box.stated_end - box.offset} bytes"
        state.found.damage(Damage.TRUNCATED, box.end, text)
        state.found.know("image.missing_bytes", missing, box.end)
    if box.type == b"ftyp":
        _read_brands(state, box)
    elif box.type == b"meta" and state.meta is None:
        state.meta = box
        state.items = read_items(state.data, box, state.found)
    elif box.type == b"mini":
        state.is_minimised = True
        state.found.feature("minimised-heif", "the low-overhead form of HEIF, which few decoders read")
    elif box.type == b"moov":
        state.has_movie = True


def _read_brands(state: BmffState, box: Box) -> None:
    fields = BoxFields(state.data, box)
    state.major = fields.code()
    fields.integer(4)
    rest = box.end - fields.position
    if rest % 4:
        state.found.damage(Damage.BAD_BOX, box.offset, "the ftyp box does not hold a whole number of brands")
    state.brands = [fields.code() for _ in range(min(rest // 4, MAX_BRANDS))]
    names = [brand.decode("latin-1") for brand in dict.fromkeys([state.major, *state.brands])]
    state.found.know("bmff.brands", names, box.offset)


def _check_items(state: BmffState, items: Items) -> None:
    found, meta = state.found, state.meta
    if meta is None:
        return
    if items.handler != b"pict":
        found.damage(Damage.MISSING_BOX, meta.offset, f"the handler of the meta box is {items.handler!r}, not pict")
    for kind, needed in ((b"pitm", True), (b"iinf", True), (b"iloc", True), (b"iprp", True)):
        if needed and kind not in items.seen:
            found.damage(Damage.MISSING_BOX, meta.offset, f"the meta box has no {kind.decode()} box")
    for kind in (b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"iref", b"idat"):
        if items.seen.count(kind) > 1:
            found.damage(Damage.BAD_BOX, meta.offset, f"the meta box has two {kind.decode()} boxes")
    if items.seen[:1] != [b"hdlr"] and b"hdlr" in items.seen:
        # Demanded by ISO/IEC 14496-12 section 8.11.1 of AVIF's readers; libavif refuses it, libheif does not.
        report = found.damage if b"avif" in (state.major, *state.brands) else found.irregular
        report(Damage.BAD_BOX, meta.offset, "the meta box does not start with its handler (hdlr)")
    if items.primary is not None and items.types and items.primary not in items.types:
        found.damage(Damage.MISSING_BOX, meta.offset, f"the primary item {items.primary} is not described")
    _check_extents(state, items)
    _read_exif_items(state, items)
    check_properties(state.data, meta, items, state.major == b"avif" or b"avif" in state.brands, found)


def _check_extents(state: BmffState, items: Items) -> None:
    size = len(state.data)
    for item, kind in items.types.items():
        essential = item == items.primary or kind in (b"hvc1", b"av01", b"grid", b"avc1", b"vvc1", b"iovl")
        report = state.found.damage if essential else state.found.metadata_damage
        extents = items.extents.get(item, [])
        name = f"item {item} ({kind.decode('latin-1')})"
        if essential and not extents and kind != b"iden":
            state.found.damage(Damage.MISSING_BOX, size, f"{name} has no data")
        for extent in extents:
            start, end = extent.offset, extent.offset + extent.size
            if extent.method == 1:
                limit = items.idat.end - items.idat.start if items.idat else 0
                if end > limit:
                    at = items.idat.start if items.idat else 0
                    report(Damage.BAD_OFFSET, at, f"{name} reaches byte {end} of an idat box of {limit}")
            elif extent.method == 0 and end > size:
                text = f"{name} lies from byte {start} to {end}, the file ends at {size}"
                if start < size:
                    state.found.damage(Damage.TRUNCATED, size, text)
                else:
                    report(Damage.BAD_OFFSET, size, text)
            elif extent.method == 0 and kind in _ARITHMETIC:
                _look_for_hole(state, name, start, end)


def _look_for_hole(state: BmffState, name: str, start: int, end: int) -> None:
    hole = zero_run(state.data, start, end, MIN_HOLE)
    if hole is not None:
        state.found.damage(Damage.ZERO_HOLE, hole, f"{MIN_HOLE} or more zero bytes in the coded data of {name}")


def _read_exif_items(state: BmffState, items: Items) -> None:
    """ISO/IEC 23008-12 annex A.2.1: an Exif item starts with the offset of its TIFF header."""
    for item, kind in items.types.items():
        extents = items.extents.get(item, [])
        if kind != b"Exif" or len(extents) != 1 or extents[0].method != 0 or extents[0].size < 4:
            continue
        start, end = extents[0].offset, extents[0].offset + extents[0].size
        if end <= len(state.data):
            skip = int.from_bytes(state.data[start : start + 4], "big")
            read_exif(state.data, min(start + 4 + skip, end), end, state.found)


def _describe(state: BmffState) -> None:
    found, items = state.found, state.items
    if state.major in SEQUENCE_BRANDS or (state.has_movie and SEQUENCE_BRANDS & set(state.brands)):
        found.feature("image-sequence", "a sequence of pictures as in a video track")
        found.know("image.animated", True)
    if state.major == b"avis" and not state.has_movie:
        found.damage(
            Damage.MISSING_BOX, len(state.data), "the file is said to be an AVIF sequence, but has no moov box"
        )
    if not state.brands and not state.major:
        found.damage(Damage.MISSING_BOX, 0, "the file has no ftyp box")
    if items is None:
        if not state.has_movie and not state.is_minimised:
            found.damage(Damage.MISSING_BOX, len(state.data), "the file has no meta box")
        return
    images = [item for item, kind in items.types.items() if kind in _CODECS and item not in items.hidden]
    found.know("image.frames", max(1, len(images)))
    if items.primary is not None and items.primary in items.types:
        kind = items.types[items.primary].decode("latin-1")
        found.know("bmff.codec", kind)
        tiles = items.referenced(b"dimg", items.primary)
        found.codec = items.types.get(tiles[0], b"").decode("latin-1") if tiles else kind
    for item, feature, words in _features(items):
        if item:
            found.feature(feature, words)


_ARITHMETIC = {b"hvc1", b"av01", b"vvc1"}
_CODECS = {b"hvc1", b"av01", b"avc1", b"vvc1", b"j2k1", b"jpeg", b"grid", b"iovl", b"iden", b"unci", b"mski"}


def _features(items: Items) -> list[tuple[bool, str, str]]:
    kinds = set(items.types.values())
    references = {name for name, _, _ in items.references}
    primary = items.types.get(items.primary or 0, b"")
    return [
        (primary == b"grid", "grid", "the picture is put together from tiles"),
        (primary == b"iovl", "overlay", "the picture is an overlay of others"),
        (primary == b"iden", "derived", "the picture is derived from another"),
        (
            primary in (b"avc1", b"vvc1", b"j2k1", b"jpeg", b"unci"),
            "unusual-codec",
            f"coding {primary.decode('latin-1')}",
        ),
        (b"auxl" in references, "auxiliary-images", "alpha, depth or gain map beside the picture"),
        (b"tmap" in kinds, "gain-map", "an HDR gain map"),
    ]

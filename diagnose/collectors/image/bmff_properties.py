"""Item properties of HEIF and AVIF (ISO/IEC 23008-12 section 6): size, depth, configuration, transforms, grids."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.collectors.image.bmff_boxes import Box, BoxFields
from diagnose.collectors.image.bmff_items import Items
from diagnose.collectors.image.bmff_order import check_order
from diagnose.collectors.image.content import Content, CutShort
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.icc import read_icc

CONFIGURATIONS = {b"hvc1": b"hvcC", b"av01": b"av1C", b"avc1": b"avcC", b"vvc1": b"vvcC", b"j2k1": b"j2kH"}
TRANSFORMS = {b"irot": "rotation", b"imir": "mirroring"}
AUXILIARIES = {
    "urn:mpeg:hevc:2015:auxid:1": "alpha",
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha": "alpha",
    "urn:mpeg:hevc:2015:auxid:2": "depth",
    "urn:mpeg:mpegB:cicp:systems:auxiliary:depth": "depth",
    "urn:com:apple:photo:2020:aux:hdrgainmap": "gain-map",
}
"""What auxC names (ISO/IEC 23008-12 section 6.5.8; Apple's own)."""

MUST_BE_ESSENTIAL = {b"av1C", b"hvcC", b"avcC", b"vvcC", b"lsel", b"a1op"}
CHROMA = {0: "monochrome", 1: "4:2:0", 2: "4:2:2", 3: "4:4:4"}
TILES_SHOULD_AGREE = (b"ispe", b"av1C", b"hvcC")
MAX_SIDE = 1 << 30


@dataclass(frozen=True)
class _Look:
    """What one check needs at hand."""

    data: Content
    meta: Box
    items: Items
    found: Findings
    avif: bool


def check_properties(data: Content, meta: Box, items: Items, avif: bool, found: Findings) -> None:
    """Checks the properties of all coded items and describes the primary one. Raises CutShort as BoxFields does."""
    look = _Look(data, meta, items, found, avif)
    for item, kind in items.types.items():
        if kind in CONFIGURATIONS or kind in (b"grid", b"iovl", b"iden"):
            _check_indices(look, item)
            _check_coded_item(look, item, kind)
            if avif:
                check_order(data, meta, items, item, found)
    if items.primary is not None and items.primary in items.types:
        _describe_primary(look, items.primary)


def _check_indices(look: _Look, item: int) -> None:
    for index, essential in look.items.associations.get(item, []):
        if index > len(look.items.properties):
            text = f"item {item} names property {index} of {len(look.items.properties)}"
            look.found.damage(Damage.BAD_PROPERTY, look.meta.offset, text)
        elif index:
            kind = look.items.properties[index - 1].type
            if kind in MUST_BE_ESSENTIAL and not essential:
                text = f"property {kind.decode('latin-1')} of item {item} is not marked as essential"
                look.found.irregular(Damage.BAD_PROPERTY, look.items.properties[index - 1].box.offset, text)


def _check_coded_item(look: _Look, item: int, kind: bytes) -> None:
    extents = look.items.properties_of(item)
    name = f"item {item} ({kind.decode('latin-1')})"
    size = look.items.property_of(item, b"ispe")
    if size is None:
        look.found.damage(Damage.BAD_PROPERTY, look.meta.offset, f"{name} does not state its size (ispe)")
    elif not all(_dimensions(look, size.box)):
        look.found.damage(Damage.BAD_DIMENSIONS, size.box.offset, f"{name} states a size of 0 pixels")
    needed = CONFIGURATIONS.get(kind)
    if needed and look.items.property_of(item, needed) is None:
        text = f"{name} lacks its decoder configuration ({needed.decode()})"
        look.found.damage(Damage.BAD_PROPERTY, look.meta.offset, text)
    for once in (b"ispe", b"av1C", b"hvcC", b"pixi", b"colr"):
        count = sum(p.type == once for p in extents)
        if count > 1 and once != b"colr":
            text = f"{name} has {count} properties of type {once.decode()}"
            look.found.irregular(Damage.BAD_PROPERTY, look.meta.offset, text)
    stands_alone = kind in (b"av01", b"grid") and not _is_tile(look, item)
    if look.avif and stands_alone and look.items.property_of(item, b"pixi") is None:
        # Demanded by ISO/IEC 23000-22 section 7.3.6.6; libavif's own tools insist on it, browsers do not.
        text = f"{name} does not state the depth of its channels (pixi)"
        look.found.irregular(Damage.BAD_PROPERTY, look.meta.offset, text)
    if kind == b"grid":
        _check_grid(look, item)


def _is_tile(look: _Look, item: int) -> bool:
    return any(name == b"dimg" and item in targets for name, _, targets in look.items.references)


def _dimensions(look: _Look, box: Box) -> tuple[int, int]:
    fields = BoxFields(look.data, box)
    fields.version_and_flags()
    return fields.integer(4), fields.integer(4)


def _check_grid(look: _Look, item: int) -> None:
    tiles = look.items.referenced(b"dimg", item)
    content = item_bytes(look.data, look.items, item, 12)
    if len(content) < 8:
        look.found.damage(Damage.TRUNCATED, look.meta.offset, f"the grid description of item {item} is too short")
        return
    needed = (content[2] + 1) * (content[3] + 1)
    if len(tiles) != needed:
        text = f"the grid of item {item} has {len(tiles)} tiles, it needs {needed}"
        look.found.damage(Damage.BAD_PROPERTY, look.meta.offset, text)
    for kind in TILES_SHOULD_AGREE:
        boxes = [look.items.property_of(tile, kind) for tile in tiles]
        contents = {look.data[p.box.start : p.box.end] for p in boxes if p}
        if len(contents) > 1:
            text = f"the tiles of the grid of item {item} differ in their property {kind.decode()}"
            look.found.irregular(Damage.BAD_PROPERTY, look.meta.offset, text)


def item_bytes(data: Content, items: Items, item: int, limit: int) -> bytes:
    """Up to `limit` first bytes of an item's data."""
    content = b""
    for extent in items.extents.get(item, []):
        start = extent.offset
        if extent.method == 1:
            if items.idat is None:
                return content
            start += items.idat.start
        content += bytes(data[start : start + min(extent.size, limit - len(content))])
    return content


def _describe_primary(look: _Look, item: int) -> None:
    found, items = look.found, look.items
    size = items.property_of(item, b"ispe")
    if size:
        width, height = _dimensions(look, size.box)
        if max(width, height) <= MAX_SIDE:
            found.size(width, height, size.box.start + 4)
    for kind, words in TRANSFORMS.items():
        if items.property_of(item, kind):
            found.feature("transformed", f"{words} to be applied after decoding")
    if items.property_of(item, b"clap"):
        found.feature("cropped", "a part is to be cut out after decoding")
    tiles = items.referenced(b"dimg", item)
    if items.types[item] == b"grid":
        found.know("bmff.tiles", len(tiles))
    _describe_coding(look, tiles[0] if tiles else item)
    _describe_auxiliary(look)
    for p in items.properties_of(item):
        if p.type == b"colr" and look.data[p.box.start : p.box.start + 4] in (b"prof", b"rICC"):
            read_icc(bytes(look.data[p.box.start + 4 : p.box.end]), p.box.start + 4, found)


def _describe_auxiliary(look: _Look) -> None:
    """Which pictures stand beside others: alpha, depth, gain maps."""
    kinds = set()
    for name, source, _ in look.items.references:
        stated = look.items.property_of(source, b"auxC") if name == b"auxl" else None
        if stated is not None:
            content = bytes(look.data[stated.box.start + 4 : stated.box.end])
            kinds.add(AUXILIARIES.get(content.partition(b"\0")[0].decode("latin-1"), "other"))
    if kinds:
        look.found.know("bmff.auxiliary", sorted(kinds))


def _describe_coding(look: _Look, item: int) -> None:
    for reader, kind in ((_read_av1, b"av1C"), (_read_hevc, b"hvcC")):
        configuration = look.items.property_of(item, kind)
        if configuration is None:
            continue
        try:
            depth, chroma = reader(look, configuration.box)
        except CutShort:
            text = f"the decoder configuration {kind.decode()} is too short"
            look.found.damage(Damage.BAD_PROPERTY, configuration.box.offset, text)
            continue
        look.found.know("image.bit_depth", depth, configuration.box.offset)
        look.found.know("bmff.chroma", chroma, configuration.box.offset)
        size = look.items.property_of(item, b"ispe")
        if size and chroma in ("4:2:0", "4:2:2"):
            _check_evenness(look, *_dimensions(look, size.box), chroma)
        if depth > 8:
            look.found.feature(f"{depth}-bit", f"{depth} bits a sample")
        if chroma not in ("4:2:0", "monochrome"):
            look.found.feature("full-chroma", f"chroma format {chroma}, which many hardware decoders lack")


def _check_evenness(look: _Look, width: int, height: int, chroma: str) -> None:
    if width % 2 or (height % 2 and chroma == "4:2:0"):
        text = f"{width}x{height} with subsampled chroma: rows and columns are padded"
        look.found.feature("odd-size", text)


def _read_av1(look: _Look, box: Box) -> tuple[int, str]:
    """AV1 codec configuration record (AV1 in ISOBMFF section 2.3.3)."""
    fields = BoxFields(look.data, box)
    marker = fields.integer(1)
    if marker != 0x81:
        look.found.damage(Damage.BAD_PROPERTY, box.start, f"av1C starts with {marker:#04x} instead of 0x81")
    fields.integer(1)
    flags = fields.integer(1)
    depth = (12 if flags & 0x20 else 10) if flags & 0x40 else 8
    if flags & 0x10:
        return depth, "monochrome"
    return depth, {0: "4:4:4", 2: "4:2:2", 3: "4:2:0"}.get(flags >> 2 & 3, "unknown")


def _read_hevc(look: _Look, box: Box) -> tuple[int, str]:
    """HEVC decoder configuration record (ISO/IEC 14496-15 section 8.3.3.1)."""
    fields = BoxFields(look.data, box)
    fields.position += 16
    chroma = CHROMA[fields.integer(1) & 3]
    return (fields.integer(1) & 7) + 8, chroma

"""Items of a HEIF or AVIF file (ISO/IEC 14496-12 section 8.11 and ISO/IEC 23008-12): locations, properties, links."""

from __future__ import annotations

from dataclasses import dataclass, field

from diagnose.collectors.image.bmff_boxes import Box, BoxFields, boxes
from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

MAX_ITEMS = 1 << 12
MAX_EXTENTS = 1 << 14


@dataclass(frozen=True)
class Extent:
    """Part of an item's data. `method` 0 counts from the file's start, 1 from the idat box, 2 from another item."""

    offset: int
    size: int
    method: int


@dataclass(frozen=True)
class Property:
    """An item property: its box and, where the box is one of the known, its numbers."""

    type: bytes
    box: Box


@dataclass
class Items:
    """The contents of a meta box."""

    primary: int | None = None
    types: dict[int, bytes] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    extents: dict[int, list[Extent]] = field(default_factory=dict)
    properties: list[Property] = field(default_factory=list)
    associations: dict[int, list[tuple[int, bool]]] = field(default_factory=dict)
    association_forms: list[tuple[int, int]] = field(default_factory=list)
    """Version and flags of each ipma box so far."""
    references: list[tuple[bytes, int, list[int]]] = field(default_factory=list)
    idat: Box | None = None
    handler: bytes = b""
    seen: list[bytes] = field(default_factory=list)

    def properties_of(self, item: int) -> list[Property]:
        """The item's properties in order; an index that no property has is left out."""
        indices = [index for index, _ in self.associations.get(item, [])]
        return [self.properties[i - 1] for i in indices if 0 < i <= len(self.properties)]

    def property_of(self, item: int, kind: bytes) -> Property | None:
        return next((p for p in self.properties_of(item) if p.type == kind), None)

    def referenced(self, kind: bytes, source: int) -> list[int]:
        """The items that `source` refers to by references of this kind."""
        return [
            target
            for name, origin, targets in self.references
            if (name, origin) == (kind, source)
            for target in targets
        ]


def read_items(data: Content, meta: Box, found: Findings) -> Items:
    """The items of a meta box. Raises CutShort where one of its boxes ends inside a field."""
    items = Items()
    for box in boxes(data, meta.start + 4, meta.end, found):
        items.seen.append(box.type)
        if box.cut:
            found.damage(Damage.BAD_BOX, box.offset, f"box {box.name} reaches past the end of the box around it")
        if box.type == b"idat":
            items.idat = box
        reader = _READERS.get(box.type)
        if reader:
            reader(data, box, items, found)
    return items


def _read_handler(data: Content, box: Box, items: Items, _: Findings) -> None:
    fields = BoxFields(data, box)
    fields.version_and_flags()
    fields.integer(4)
    items.handler = fields.code()


def _read_primary(data: Content, box: Box, items: Items, _: Findings) -> None:
    fields = BoxFields(data, box)
    version = fields.version_and_flags()[0]
    items.primary = fields.integer(2 if version == 0 else 4)


def _read_information(data: Content, box: Box, items: Items, found: Findings) -> None:
    fields = BoxFields(data, box)
    version, _ = fields.version_and_flags()
    stated = fields.integer(2 if version == 0 else 4)
    for entry in boxes(data, fields.position, box.end, found):
        if entry.type != b"infe" or len(items.types) >= MAX_ITEMS:
            continue
        part = BoxFields(data, entry)
        version, flags = part.version_and_flags()
        item = part.integer(2 if version <= 2 else 4)
        part.integer(2)
        if item in items.types:
            found.irregular(Damage.BAD_BOX, entry.offset, f"item {item} is described twice")
        items.types[item] = part.code() if version >= 2 else b""
        if flags & 1:
            items.hidden.add(item)
    if stated != len(items.types) and stated <= MAX_ITEMS:
        found.irregular(Damage.BAD_BOX, box.offset, f"iinf states {stated} items, {len(items.types)} are described")


def _read_locations(data: Content, box: Box, items: Items, found: Findings) -> None:
    fields = BoxFields(data, box)
    version, _ = fields.version_and_flags()
    sizes = fields.integer(2)
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version else 0
    if any(size not in (0, 4, 8) for size in (offset_size, length_size, base_size, index_size)):
        found.damage(Damage.BAD_BOX, box.offset, f"iloc has fields of impossible sizes ({sizes:#06x})")
        return
    wide = 4 if version == 2 else 2
    left = MAX_EXTENTS
    for _ in range(min(fields.integer(wide), MAX_ITEMS)):
        item = fields.integer(wide)
        method = fields.integer(2) & 15 if version else 0
        fields.integer(2)
        base = fields.integer(base_size)
        extents = []
        for _ in range(fields.integer(2)):
            fields.integer(index_size)
            offset, size = fields.integer(offset_size), fields.integer(length_size)
            extents.append(Extent(base + offset, size, method))
            left -= 1
            if left < 0:
                return
        if item in items.extents:
            found.damage(Damage.BAD_BOX, box.offset, f"the place of item {item} is stated twice")
        items.extents[item] = extents


def _read_properties(data: Content, box: Box, items: Items, found: Findings) -> None:
    for part in boxes(data, box.start, box.end, found):
        if part.type == b"ipco":
            items.properties = [Property(p.type, p) for p in boxes(data, part.start, part.end, found)]
        elif part.type == b"ipma":
            _read_associations(data, part, items, found)


def _read_associations(data: Content, box: Box, items: Items, found: Findings) -> None:
    fields = BoxFields(data, box)
    version, flags = fields.version_and_flags()
    if (version, flags) in items.association_forms:
        text = f"two ipma boxes of version {version} and flags {flags}"
        found.damage(Damage.BAD_BOX, box.offset, text)
    items.association_forms.append((version, flags))
    for _ in range(min(fields.integer(4), MAX_ITEMS)):
        item = fields.integer(2 if version == 0 else 4)
        associations = []
        for _ in range(fields.integer(1)):
            value = fields.integer(2 if flags & 1 else 1)
            top = 0x8000 if flags & 1 else 0x80
            associations.append((value & (top - 1), bool(value & top)))
        if item in items.associations:
            found.damage(Damage.BAD_BOX, box.offset, f"the properties of item {item} are stated twice")
        items.associations.setdefault(item, []).extend(associations)


def _read_references(data: Content, box: Box, items: Items, found: Findings) -> None:
    fields = BoxFields(data, box)
    version, _ = fields.version_and_flags()
    wide = 4 if version else 2
    for part in boxes(data, fields.position, box.end, found):
        reference = BoxFields(data, part)
        source = reference.integer(wide)
        targets = [reference.integer(wide) for _ in range(min(reference.integer(2), MAX_ITEMS))]
        items.references.append((part.type, source, targets))


_READERS = {
    b"hdlr": _read_handler,
    b"pitm": _read_primary,
    b"iinf": _read_information,
    b"iloc": _read_locations,
    b"iprp": _read_properties,
    b"iref": _read_references,
}

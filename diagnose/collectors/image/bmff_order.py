"""Order and marks of item properties that MIAF demands of AVIF (ISO/IEC 23000-22 section 7.3.6, 23008-12 section 6.5).

libavif, and with it Pillow, Chrome and Android, refuses files that break them; libheif does not look.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.image.bmff_boxes import Box
from diagnose.collectors.image.bmff_items import Items
from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

TRANSFORMS = (b"clap", b"irot", b"imir")
"""In the order in which they are to be listed, which is that in which they are applied."""

PROFILES = {b"prof": "ICC profile", b"rICC": "ICC profile", b"nclx": "coded colour description"}


def check_order(data: Content, meta: Box, items: Items, item: int, found: Findings) -> None:
    """Adds what is wrong with the order of an AVIF item's properties, their marks and their number."""
    name = f"item {item} ({items.types[item].decode('latin-1')})"
    for text in (*_transforms(items, item), *_colours(data, items, item)):
        found.damage(Damage.BAD_PROPERTY, meta.offset, f"{name}: {text}")


def _transforms(items: Items, item: int) -> Iterator[str]:
    kinds = []
    for index, essential in items.associations.get(item, []):
        if not 0 < index <= len(items.properties):
            continue
        kind = items.properties[index - 1].type
        if kind in TRANSFORMS:
            kinds.append(kind)
            if not essential:
                yield f"the transform {kind.decode()} is not marked as essential"
        elif kind == b"ispe" and kinds:
            yield f"the size (ispe) is listed after the transform {kinds[0].decode()}"
    if kinds != sorted(kinds, key=TRANSFORMS.index):
        yield f"the transforms are listed as {', '.join(kind.decode() for kind in kinds)} instead of clap, irot, imir"


def _colours(data: Content, items: Items, item: int) -> Iterator[str]:
    seen: list[str] = []
    for colour in items.properties_of(item):
        if colour.type != b"colr":
            continue
        words = PROFILES.get(bytes(data[colour.box.start : colour.box.start + 4]))
        if words and words in seen:
            yield f"two properties of type colr hold a {words}"
        elif words:
            seen.append(words)

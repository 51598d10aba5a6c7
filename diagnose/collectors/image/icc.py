"""ICC colour profiles (ICC.1:2022): header, name, and whether a decoder that ignores one shows other colours."""

from __future__ import annotations

import re
import struct

from diagnose.collectors.image.findings import Damage, Findings

HEADER_BYTES = 128
MAX_TAGS = 100
MAX_NAME = 80

_WORD = struct.Struct(">I")
_TAG = struct.Struct(">4sII")
_LOCALISED = struct.Struct(">IIHHII")
_SRGB = re.compile(r"sRGB|IEC[ -]?61966|\bc2\b", re.IGNORECASE)
"""How sRGB profiles call themselves: HP's, ICC's, Pillow's, and the compact one of web pictures (c2)."""


def read_icc(profile: bytes, offset: int, found: Findings) -> None:
    """A profile whose bytes came from `offset` on: header, signature, stated size, name."""
    found.know("image.has_icc", True, offset)
    if len(profile) < HEADER_BYTES or profile[36:40] != b"acsp":
        found.metadata_damage(Damage.BAD_HEADER, offset, "the ICC profile does not have the header of one")
        return
    (stated,) = _WORD.unpack_from(profile)
    if stated > len(profile):
        text = f"the ICC profile states {stated} bytes, {len(profile)} are there"
        found.metadata_damage(Damage.TRUNCATED, offset, text)
    name = _name(profile) or "without a name"
    found.know("image.icc_profile", name, offset)
    if profile[16:20] == b"RGB " and not _SRGB.search(name):
        found.feature("colour-profile", f"the colours are those of the profile {name!r}; most loaders ignore it")


def _name(profile: bytes) -> str:
    """The description tag, or an empty string where there is none to read."""
    try:
        (count,) = _WORD.unpack_from(profile, HEADER_BYTES)
        for number in range(min(count, MAX_TAGS)):
            kind, start, size = _TAG.unpack_from(profile, HEADER_BYTES + 4 + number * _TAG.size)
            if kind == b"desc":
                return _text(profile[start : start + size])
    except struct.error:
        pass
    return ""


def _text(content: bytes) -> str:
    """Text of a `desc` (version 2: ASCII) or `mluc` (version 4: UTF-16 by language) element."""
    if content[:4] == b"desc":
        (length,) = _WORD.unpack_from(content, 8)
        text = content[12 : 12 + min(length, MAX_NAME)].decode("ascii", "replace")
    elif content[:4] == b"mluc":
        *_, length, start = _LOCALISED.unpack_from(content, 8)
        text = content[start : start + min(length, 2 * MAX_NAME)].decode("utf-16-be", "replace")
    else:
        return ""
    return text.partition("\0")[0].strip()

"""libheif, through pillow-heif: HEIC and HEIF, and AVIF where its build has an AV1 decoder."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.decoders.outcome import Outcome, Reaction
from diagnose.collectors.image.decoders.pillow import describe

DECODER = "libheif"
_MISSING = re.compile(r"has not been built in|[Nn]o decoding plugin")
_UNSUPPORTED = re.compile(r"[Uu]nsupported (feature|codec|image type|data version|essential)|not implemented")
_LIMIT = re.compile(r"[Ss]ecurity limit|Maximum allowed|exceeds")


def decode(data: Content) -> Outcome:
    """Decodes every image of the file."""
    try:
        import pillow_heif
    except ImportError:
        return Outcome(DECODER, Reaction.MISSING, "pillow-heif is not installed")
    decoded, first = 0, ("", 0, 0)
    try:
        images = pillow_heif.open_heif(bytes(data), convert_hdr_to_8bit=False)
        for image in images:
            image.load()
            decoded += 1
            first = first if first[0] else (image.mode, *image.size)
    except MemoryError:
        return Outcome(DECODER, Reaction.LIMIT, "MemoryError: not enough memory for the pixels")
    except Exception as error:  # libheif's errors come as RuntimeError, ValueError, EOFError or SyntaxError
        return Outcome(DECODER, _reaction(str(error)), describe(error), frames_decoded=decoded)
    mode, width, height = first
    return Outcome(DECODER, Reaction.ACCEPTED, "", (), mode, width, height, decoded)


def decodes_av1() -> bool:
    """Whether this build of libheif has an AV1 decoder."""
    try:
        import pillow_heif
    except ImportError:
        return False
    names = " ".join(pillow_heif.libheif_info().get("decoders", {}))
    return any(name in names for name in ("aom", "dav1d"))


def _reaction(message: str) -> Reaction:
    if _LIMIT.search(message):
        return Reaction.LIMIT
    if _MISSING.search(message):
        return Reaction.MISSING
    return Reaction.UNSUPPORTED if _UNSUPPORTED.search(message) else Reaction.REFUSED

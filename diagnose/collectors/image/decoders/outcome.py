"""What a decoder did with an image."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Reaction(Enum):
    """How a decoder reacted.

    ACCEPTED     all pixels, without a word
    WARNED       all pixels, and a complaint about something beside the pixels
    REFUSED      an error, or a complaint about the pixel data
    LIMIT        more pixels than it may decode
    UNSUPPORTED  a variant that it does not know
    MISSING      the decoder, or a part of it, is not installed
    """

    ACCEPTED = "accepted"
    WARNED = "warned"
    REFUSED = "refused"
    LIMIT = "limit"
    UNSUPPORTED = "unsupported"
    MISSING = "missing"


class Outcome(Struct, frozen=True):
    """`frames_decoded` counts whole frames; `more_frames` says that the budget ended before the frames did."""

    decoder: str
    reaction: Reaction
    message: str = ""
    warnings: tuple[str, ...] = ()
    mode: str = ""
    width: int = 0
    height: int = 0
    frames_decoded: int = 0
    more_frames: bool = False

    @property
    def delivers(self) -> bool:
        return self.reaction in (Reaction.ACCEPTED, Reaction.WARNED)

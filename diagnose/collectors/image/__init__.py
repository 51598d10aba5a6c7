"""The collector of still images: structural readers per format, and full decode verification."""

from diagnose.collectors.image.collect import PIXEL_LIMIT, collect
from diagnose.collectors.image.facts import FACTS

__all__ = ["FACTS", "PIXEL_LIMIT", "collect"]

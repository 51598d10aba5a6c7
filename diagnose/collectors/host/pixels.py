"""Comparing what a decoder gave with the known pixels of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.collectors.host.samples import Sample

if TYPE_CHECKING:
    from PIL.Image import Image

Pixel = tuple[int, ...]


def fault_in_image(image: Image, sample: Sample) -> str:
    """What is wrong with an image of Pillow, or nothing. An animation's second frame has its halves swapped."""
    frames = getattr(image, "n_frames", 1)
    if frames != sample.frames:
        return f"{frames} frames were seen where there are {sample.frames}"
    for frame in range(frames):
        if frames > 1:
            image.seek(frame)
        left, right = centres(image)
        fault = fault_in_pixels((right, left) if frame % 2 else (left, right), sample)
        if fault:
            return fault
    return ""


def fault_in_array(pixels: Any, sample: Sample) -> str:
    """What is wrong with an array of height x width x channels bytes, or nothing."""
    height, width = pixels.shape[:2]
    left, right = pixels[height // 2, width // 4], pixels[height // 2, width * 3 // 4]
    return fault_in_pixels((channels(left), channels(right)), sample)


def centres(image: Image) -> tuple[Pixel, Pixel]:
    """The pixels in the centre of the left and of the right half, palettes and opaque images as RGB."""
    image.load()
    picture = image.convert("RGB") if image.mode in ("P", "RGBA") else image
    left, right = (picture.width // 4, picture.height // 2), (picture.width * 3 // 4, picture.height // 2)
    return channels(picture.getpixel(left)), channels(picture.getpixel(right))


def channels(pixel: Any) -> Pixel:
    return (int(pixel),) if isinstance(pixel, int | float) else tuple(int(channel) for channel in pixel)


def fault_in_pixels(seen: tuple[Pixel, Pixel], sample: Sample) -> str:
    for pixel, expected in zip(seen, (sample.left, sample.right), strict=True):
        near = all(abs(a - b) <= sample.tolerance for a, b in zip(pixel, expected, strict=False))
        if len(pixel) != len(expected) or not near:
            return f"wrong pixels: {pixel} where the sample has {expected}"
    return ""

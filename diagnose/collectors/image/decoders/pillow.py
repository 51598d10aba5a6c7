"""Pillow, the decoder of most data sets: opens the image and loads every frame."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.decoders.outcome import Outcome, Reaction
from diagnose.collectors.image.formats import MANGLED, UNKNOWN

if TYPE_CHECKING:
    from PIL import Image

DECODER = "Pillow"
MAX_FRAMES = 10_000
MAX_PIXELS_OF_ALL_FRAMES = 1 << 31
"""Two gigapixels: enough for a long animation, seconds rather than hours for a crafted one."""

FORMATS = {
    "jpeg": ("JPEG",),
    "png": ("PNG",),
    "apng": ("PNG",),
    "gif": ("GIF",),
    "bmp": ("BMP", "DIB"),
    "dib": ("DIB",),
    "tiff": ("TIFF",),
    "bigtiff": ("TIFF",),
    "webp": ("WEBP",),
    "avif": ("AVIF",),
    "jxl": ("JXL",),
    "jp2": ("JPEG2000",),
    "jpx": ("JPEG2000",),
    "jph": ("JPEG2000",),
    "j2k": ("JPEG2000",),
    "ico": ("ICO",),
    "cur": ("CUR",),
    "icns": ("ICNS",),
    "pbm": ("PPM",),
    "pgm": ("PPM",),
    "ppm": ("PPM",),
    "pfm": ("PPM",),
    "tga": ("TGA",),
    "psd": ("PSD",),
    "dds": ("DDS",),
    "qoi": ("QOI",),
    "pcx": ("PCX",),
    "dcx": ("DCX",),
    "sgi": ("SGI",),
    "ras": ("SUN",),
    "fits": ("FITS",),
    "fli": ("FLI",),
    "flc": ("FLI",),
    "blp": ("BLP",),
    "msp": ("MSP",),
    "xv-thumb": ("XVTHUMB",),
    "ftex": ("FTEX",),
    "im": ("IM",),
    "imt": ("IMT",),
    "spider": ("SPIDER",),
    "xbm": ("XBM",),
    "xpm": ("XPM",),
    "eps": ("EPS",),
}
"""Our names of formats, and Pillow's. A format that is not in the table is offered to all of Pillow's plugins."""

_REACTIONS = (
    (
        re.compile(r"Unable to locate Ghostscript|cannot find loader for this|decoder \S+ not available"),
        Reaction.MISSING,
    ),
    (re.compile(r"support not installed|is not installed"), Reaction.MISSING),
    (
        re.compile(
            r"[Uu]nsupported|[Uu]nimplemented|[Nn]ot implemented|unknown PCX mode|Unknown pixel format"
            r"|unknown BLP|not supported|unknown (pixel|raw|photometric) mode|[Uu]nrecognized (image )?mode"
        ),
        Reaction.UNSUPPORTED,
    ),
)


def decode(data: Content, image_format: str, pixel_limit: int, load: bool = True) -> Outcome:
    """Opens the image and, with `load`, decodes all its frames. `pixel_limit` is what one frame may have."""
    from PIL import Image, UnidentifiedImageError

    formats = _plugins(image_format)
    with _watched(pixel_limit) as caught:
        try:
            with Image.open(_file(data), formats=formats) as image:
                decoded, more = _load_frames(image) if load else (0, False)
                said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
                width, height = image.size
                reaction = Reaction.WARNED if said else Reaction.ACCEPTED
                return Outcome(DECODER, reaction, "", said, image.mode, width, height, decoded, more)
        except UnidentifiedImageError:
            return _unidentified(data, image_format, formats, [str(warning.message) for warning in caught])
        except Image.DecompressionBombError as error:
            return Outcome(DECODER, Reaction.LIMIT, str(error))
        except MemoryError:
            return Outcome(DECODER, Reaction.LIMIT, "MemoryError: not enough memory for the pixels")
        except Exception as error:  # plugins raise whatever their parser meets: struct.error, KeyError, IndexError ...
            return Outcome(DECODER, _reaction(error), describe(error))


def _plugins(image_format: str) -> tuple[str, ...] | None:
    """Pillow's names of a format, None where it has no plugin of that name."""
    if image_format != "jxl":
        return FORMATS.get(image_format)
    try:
        import pillow_jxl  # noqa: F401 - registers itself with Pillow
    except ImportError:
        return None
    return FORMATS[image_format]


def highest_index(data: Content) -> int:
    """The highest palette index among the pixels of a palette image that decodes; -1 for any other image."""
    from PIL import Image

    with Image.open(_file(data)) as image:
        # Pillow widens indices of less than 8 bits, and makes grey of a two-colour palette in black and white.
        extremes = image.getextrema() if image.mode == "P" else None
    return int(extremes[1]) if extremes else -1  # type: ignore[arg-type]


@contextmanager
def _watched(pixel_limit: int) -> Iterator[list[warnings.WarningMessage]]:
    """Collects warnings, and lets Pillow refuse images above the limit (it refuses above twice MAX_IMAGE_PIXELS)."""
    from PIL import Image

    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = max(1, pixel_limit // 2)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", ResourceWarning)
            yield caught
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _file(data: Content) -> io.BytesIO:
    return io.BytesIO(data)


def _load_frames(image: Image.Image) -> tuple[int, bool]:
    """Loads frame after frame. Returns how many, and whether there are more than the budget allows."""
    pixels, frame = 0, image.tell()
    for decoded in range(1, MAX_FRAMES + 1):
        image.load()
        pixels += image.width * image.height
        frame += 1
        try:
            image.seek(frame)
        except EOFError:
            return decoded, False
        if pixels > MAX_PIXELS_OF_ALL_FRAMES:
            return decoded, True
    return MAX_FRAMES, True


def _unidentified(data: Content, image_format: str, formats: tuple[str, ...] | None, said: list[str]) -> Outcome:
    """Asks the plugin itself why it did not take the file, since `Image.open` does not pass the reason on."""
    from PIL import Image

    if formats is None and image_format in UNKNOWN | MANGLED:
        return Outcome(DECODER, Reaction.REFUSED, "cannot identify image file: no known signature")
    if formats is None:
        return Outcome(DECODER, Reaction.MISSING, f"no plugin of Pillow knows the format {image_format}")
    if any("support not installed" in message for message in said):
        return Outcome(DECODER, Reaction.MISSING, "; ".join(said))
    factory, accept = Image.OPEN[formats[0]]
    if accept and not accept(bytes(data[:16])):
        return Outcome(DECODER, Reaction.REFUSED, f"cannot identify image file: not a {formats[0]} signature")
    try:
        factory(_file(data), "")
    except Exception as error:  # as above
        return Outcome(DECODER, _reaction(error), f"cannot identify image file: {describe(error)}")
    return Outcome(DECODER, Reaction.REFUSED, "cannot identify image file")


def _reaction(error: Exception) -> Reaction:
    if isinstance(error, NotImplementedError):
        return Reaction.UNSUPPORTED
    for pattern, reaction in _REACTIONS:
        if pattern.search(str(error)):
            return reaction
    return Reaction.REFUSED


def describe(error: Exception) -> str:
    """The error's class and message, without the addresses of objects in it."""
    message = re.sub(r" ?<_io\.BytesIO object at 0x[0-9a-f]+>", "", str(error))
    return f"{type(error).__name__}: {message}"

"""What small and hardware decoders lack is a fact: odd sizes, restart markers, profiles, grids, pictures beside one."""

from __future__ import annotations

from typing import Any

import pytest
from image_samples import jpeg, picture, saved
from PIL import ImageCms

from diagnose.collectors.image import collect
from diagnose.evidence import Value

FORMS = [("JPEG", "jpeg"), ("PNG", "png"), ("WEBP", "webp"), ("TIFF", "tiff")]


def seen(data: bytes, image_format: str) -> dict[str, Value | None]:
    return {fact.name: fact.value for fact in collect(data, image_format, len(data))}


def features(data: bytes, image_format: str) -> list[str]:
    value = seen(data, image_format).get("image.features", [])
    assert isinstance(value, list)
    return value


@pytest.mark.parametrize(
    ("size", "subsampling", "odd"),
    [
        ((63, 48), "4:2:0", True),
        ((64, 47), "4:2:0", True),
        ((64, 48), "4:2:0", False),
        ((63, 48), "4:2:2", True),
        ((64, 47), "4:2:2", False),
        ((63, 47), "4:4:4", False),
    ],
)
def test_odd_sizes_matter_where_chroma_is_subsampled(size: tuple[int, int], subsampling: str, odd: bool) -> None:
    data = saved("JPEG", picture(*size), subsampling=subsampling)
    assert ("odd-size" in features(data, "jpeg")) is odd


def test_a_grey_jpeg_has_no_chroma_to_subsample() -> None:
    assert "odd-size" not in features(saved("JPEG", picture(63, 47, "L")), "jpeg")


@pytest.mark.parametrize(("blocks", "there"), [(4, True), (0, False)])
def test_restart_markers_are_a_fact(blocks: int, there: bool) -> None:
    facts = seen(jpeg(restart_marker_blocks=blocks), "jpeg")
    assert ("jpeg.restart_interval" in facts) is there
    assert ("restart-interval" in features(jpeg(restart_marker_blocks=blocks), "jpeg")) is there


def profile(name: str | None = None) -> bytes:
    """Pillow's sRGB profile (version 4), under another name of the same length where one is given."""
    content = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    if name is None:
        return content
    assert len(name) == len("sRGB built-in")
    return content.replace("sRGB built-in".encode("utf-16-be"), name.encode("utf-16-be"))


@pytest.mark.parametrize(("form", "image_format"), FORMS)
@pytest.mark.parametrize(("name", "remarkable"), [(None, False), ("Display P3   ", True)])
def test_a_profile_is_named_and_remarkable_where_it_is_not_srgb(
    form: str, image_format: str, name: str | None, remarkable: bool
) -> None:
    data = saved(form, icc_profile=profile(name))
    assert seen(data, image_format)["image.icc_profile"] == (name or "sRGB built-in").strip()
    assert ("colour-profile" in features(data, image_format)) is remarkable


@pytest.mark.parametrize("spoiled", [lambda p: p[:140], lambda p: p[:128] + b"\xff" * 200, lambda p: p[:-40]])
def test_a_profile_that_is_no_use_gives_a_fact_and_no_error(spoiled: Any) -> None:
    facts = seen(saved("JPEG", icc_profile=spoiled(profile())), "jpeg")
    assert facts["image.has_icc"] is True and facts["image.decodes"] is True


def test_webp_of_the_extended_form_is_told_from_the_simple_one() -> None:
    assert seen(saved("WEBP"), "webp")["webp.extended"] is False
    assert seen(saved("WEBP", icc_profile=profile()), "webp")["webp.extended"] is True


def test_an_alpha_picture_beside_the_primary_one_is_named() -> None:
    see_through = picture(mode="RGBA")
    see_through.putalpha(picture(mode="L"))
    facts = seen(saved("AVIF", see_through), "avif")
    assert facts["bmff.auxiliary"] == ["alpha"]
    assert "bmff.auxiliary" not in seen(saved("AVIF"), "avif")


def box(kind: bytes, content: bytes) -> bytes:
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def full_box(kind: bytes, content: bytes, version: int = 0) -> bytes:
    return box(kind, bytes((version, 0, 0, 0)) + content)


def numbers(width: int, *values: int) -> bytes:
    return b"".join(value.to_bytes(width, "big") for value in values)


def found_box(data: bytes, kind: bytes) -> bytes:
    at = data.index(kind) - 4
    return data[at : at + int.from_bytes(data[at : at + 4], "big")]


def avif_grid(rows: int, columns: int, side: int = 64) -> bytes:
    """An AVIF put together from tiles that all show the same picture (ISO/IEC 23008-12 section 6.6.2.3)."""
    tile = saved("AVIF", picture(side, side))
    count, pixels = rows * columns, found_box(tile, b"mdat")[8:]
    tiles = range(2, 2 + count)
    described = [(1, b"grid"), *((number, b"av01") for number in tiles)]
    infe = b"".join(full_box(b"infe", numbers(2, item, 0) + kind + b"\0", 2) for item, kind in described)
    grid = bytes((0, 0, rows - 1, columns - 1)) + numbers(2, columns * side, rows * side)
    whole = full_box(b"ispe", numbers(4, columns * side, rows * side))
    parts = full_box(b"ispe", numbers(4, side, side))
    properties = [whole, parts, found_box(tile, b"av1C"), found_box(tile, b"pixi")]
    owned = [(1, (1, 4)), *((number, (2, 0x83, 4)) for number in tiles)]
    ipma = numbers(4, len(owned)) + b"".join(numbers(2, item) + bytes((len(own), *own)) for item, own in owned)

    def meta(start: int) -> bytes:
        places = [(1, 1, 0, len(grid)), *((number, 0, start, len(pixels)) for number in tiles)]
        iloc = bytes((0x44, 0)) + numbers(2, len(places))
        iloc += b"".join(numbers(2, item, method, 0, 1) + numbers(4, at, size) for item, method, at, size in places)
        return full_box(
            b"meta",
            full_box(b"hdlr", numbers(4, 0) + b"pict" + bytes(13))
            + full_box(b"pitm", numbers(2, 1))
            + full_box(b"iloc", iloc, 1)
            + full_box(b"iinf", numbers(2, len(described)) + infe)
            + full_box(b"iref", box(b"dimg", numbers(2, 1, count, *tiles)))
            + box(b"iprp", box(b"ipco", b"".join(properties)) + full_box(b"ipma", ipma))
            + box(b"idat", grid),
        )

    head = box(b"ftyp", b"avif" + bytes(4) + b"avifmif1miaf")
    start = len(head) + len(meta(0)) + 8
    return head + meta(start) + box(b"mdat", pixels)


def test_a_picture_put_together_from_tiles_states_how_many() -> None:
    facts = seen(avif_grid(2, 3), "avif")
    assert (facts["bmff.codec"], facts["bmff.tiles"]) == ("grid", 6)
    assert (facts["image.width"], facts["image.height"], facts["image.decodes"]) == (192, 128, True)
    assert "bmff.tiles" not in seen(saved("AVIF"), "avif")

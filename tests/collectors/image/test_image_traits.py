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

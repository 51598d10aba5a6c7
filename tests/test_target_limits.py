"""Real pictures against the shipped targets: what trips a limit, what does not, and what a plain scan notes of it."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageCms

import diagnose
from diagnose.collectors.host.samples import SAMPLES
from diagnose.pipelines.targets import targets

UPRIGHT, TURNED = 1, 6


def picture(mode: str = "RGB", size: tuple[int, int] = (64, 48)) -> Image.Image:
    return Image.radial_gradient("L").resize(size).convert(mode)


def saved(form: str, image: Image.Image | None = None, **options: Any) -> bytes:
    stream = BytesIO()
    (image or picture()).save(stream, form, **options)
    return stream.getvalue()


def animated(form: str, **options: Any) -> bytes:
    return saved(form, save_all=True, append_images=[picture().rotate(90)], **options)


def turned(form: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = TURNED
    return saved(form, exif=exif)


def framed(process: int) -> bytes:
    """A JPEG whose frame header says another process: baseline data are valid in an extended frame (C1)."""
    return saved("JPEG").replace(b"\xff\xc0", bytes((0xFF, process)), 1)


def sampled(factors: int, width: int, height: int) -> bytes:
    """A sound JPEG of one MCU with four luminance blocks, laid out by other sampling factors than 2x2."""
    data = bytearray(saved("JPEG", picture(size=(16, 16)), subsampling="4:2:0"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    data[at + 11] = factors
    return bytes(data)


def display_p3() -> bytes:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return profile.replace("sRGB built-in".encode("utf-16-be"), "Display P3   ".encode("utf-16-be"))


def see_through() -> Image.Image:
    image = picture("RGBA")
    image.putalpha(picture("L"))
    return image


def heic(**options: Any) -> bytes:
    pillow_heif = pytest.importorskip("pillow_heif")
    stream = BytesIO()
    pillow_heif.from_pillow(picture(size=(64, 64))).save(stream, **options)
    return stream.getvalue()


PICTURES = {
    "baseline.jpg": lambda: saved("JPEG"),
    "progressive.jpg": lambda: saved("JPEG", progressive=True),
    "extended.jpg": lambda: framed(0xC1),
    "arithmetic.jpg": lambda: b64decode(SAMPLES["pillow.jpeg-arithmetic"].data),
    "cmyk.jpg": lambda: saved("JPEG", picture("CMYK")),
    "grey.jpg": lambda: saved("JPEG", picture("L")),
    "411.jpg": lambda: sampled(0x41, 32, 8),
    "odd.jpg": lambda: saved("JPEG", picture(size=(65, 48))),
    "restart.jpg": lambda: saved("JPEG", restart_marker_blocks=4),
    "turned.jpg": lambda: turned("JPEG"),
    "p3.jpg": lambda: saved("JPEG", icc_profile=display_p3()),
    "tiny.jpg": lambda: saved("JPEG", picture(size=(16, 16))),
    "wide.jpg": lambda: saved("JPEG", picture(size=(8208, 16))),
    "plain.png": lambda: saved("PNG"),
    "deep.png": lambda: saved("PNG", picture("I;16")),
    "alpha.png": lambda: saved("PNG", see_through()),
    "palette.png": lambda: saved("PNG", picture("P"), transparency=3),
    "animated.png": lambda: animated("PNG"),
    "plain.webp": lambda: saved("WEBP"),
    "animated.webp": lambda: animated("WEBP"),
    "profile.webp": lambda: saved("WEBP", icc_profile=display_p3()),
    "plain.gif": lambda: saved("GIF", picture("P")),
    "animated.gif": lambda: animated("GIF"),
    "plain.bmp": lambda: saved("BMP"),
    "palette.bmp": lambda: saved("BMP", picture("P")),
    "bits.bmp": lambda: saved("BMP", picture("1")),
    "plain.tif": lambda: saved("TIFF"),
    "pages.tif": lambda: animated("TIFF"),
    "plain.avif": lambda: saved("AVIF"),
    "full-chroma.avif": lambda: saved("AVIF", subsampling="4:4:4"),
    "phone.heic": lambda: heic(format="HEIF"),
}


def judged(name: str, *names: str) -> dict[str, str]:
    """Rule and severity of what is told of a picture."""
    found = diagnose.check_bytes(PICTURES[name](), name, targets=names)
    assert len({each.rule for each in found}) == len(found)
    return {each.rule: each.severity.value for each in found}


def limits(name: str, target: str) -> set[str]:
    return {rule.rpartition("/")[2] for rule in judged(name, target) if rule.startswith(f"target/{target}/")}


@pytest.mark.parametrize(
    ("target", "tripped"),
    [
        (
            "rockchip-mpp",
            {
                "baseline.jpg": set(),
                "restart.jpg": set(),
                "progressive.jpg": {"not-baseline"},
                "extended.jpg": {"not-baseline"},
                "arithmetic.jpg": {"not-baseline"},
                "cmyk.jpg": {"four-components"},
                "grey.jpg": {"grey"},
                "411.jpg": set(),
                "odd.jpg": {"odd-size"},
                "plain.png": {"no-jpeg"},
                "phone.heic": {"no-jpeg"},
            },
        ),
        (
            "jetson",
            {
                "baseline.jpg": set(),
                "grey.jpg": set(),
                "progressive.jpg": {"not-baseline"},
                "411.jpg": {"sampling"},
                "cmyk.jpg": {"four-components"},
                "plain.webp": {"no-jpeg"},
            },
        ),
        (
            "nvjpeg",
            {"progressive.jpg": set(), "cmyk.jpg": set(), "411.jpg": set(), "arithmetic.jpg": {"process"}},
        ),
        (
            "nvjpeg-hardware",
            {"baseline.jpg": set(), "progressive.jpg": {"not-baseline"}, "411.jpg": {"sampling"}},
        ),
        (
            "dali",
            {
                "baseline.jpg": set(),
                "plain.webp": set(),
                "plain.tif": set(),
                "progressive.jpg": {"slow-path"},
                "profile.webp": {"webp-container"},
                "animated.webp": {"webp-container", "animated"},
                "plain.gif": {"format"},
                "plain.avif": {"format"},
                "pages.tif": {"animated"},
            },
        ),
        (
            "amd-rocjpeg",
            {
                "tiny.jpg": {"too-small"},
                "wide.jpg": {"too-small", "too-large-for-mi200"},
                "progressive.jpg": {"not-baseline", "too-small"},
                "411.jpg": {"sampling", "too-small"},
            },
        ),
        ("intel-vaapi", {"baseline.jpg": set(), "progressive.jpg": {"not-baseline"}, "cmyk.jpg": {"four-components"}}),
        (
            "ascend-jpegd",
            {
                "baseline.jpg": set(),
                "extended.jpg": set(),
                "plain.png": set(),
                "progressive.jpg": {"not-sequential"},
                "tiny.jpg": {"jpeg-size"},
                "wide.jpg": {"jpeg-size"},
                "turned.jpg": {"orientation"},
                "plain.bmp": {"format"},
            },
        ),
        ("sophgo-bm1684", {"baseline.jpg": set(), "progressive.jpg": {"software"}, "411.jpg": {"sampling", "size"}}),
        ("nxp-imx8-jpeg", {"extended.jpg": {"size"}, "odd.jpg": {"alignment", "size"}}),
        ("raspberry-pi-4", {"progressive.jpg": set(), "wide.jpg": {"size"}, "plain.png": {"no-jpeg"}}),
        (
            "android",
            {
                "progressive.jpg": set(),
                "plain.bmp": set(),
                "plain.tif": {"format"},
                "phone.heic": {"heic"},
                "plain.avif": {"avif"},
                "full-chroma.avif": {"avif", "avif-profile"},
                "turned.jpg": {"orientation"},
            },
        ),
        (
            "browsers",
            {
                "progressive.jpg": set(),
                "animated.png": set(),
                "plain.webp": set(),
                "phone.heic": {"safari-only"},
                "plain.tif": {"safari-only"},
                "plain.avif": {"avif"},
                "arithmetic.jpg": {"arithmetic"},
            },
        ),
        (
            "tensorflow",
            {
                "progressive.jpg": set(),
                "cmyk.jpg": set(),
                "plain.bmp": set(),
                "palette.png": set(),
                "palette.bmp": {"bmp-palette"},
                "bits.bmp": {"bmp-layout"},
                "plain.webp": {"new-formats"},
                "animated.webp": {"animated-webp"},
                "plain.gif": {"four-dimensions"},
                "animated.png": {"first-frame"},
                "deep.png": {"deep-samples"},
                "turned.jpg": {"orientation"},
                "p3.jpg": {"colour-profile"},
                "plain.tif": {"format"},
                "phone.heic": {"format"},
            },
        ),
        (
            "torchvision",
            {
                "progressive.jpg": set(),
                "plain.gif": set(),
                "cmyk.jpg": {"cmyk"},
                "plain.bmp": {"format"},
                "plain.avif": {"heic-avif"},
                "plain.webp": {"webp"},
                "deep.png": {"deep-samples"},
                "animated.gif": {"first-frame"},
            },
        ),
        (
            "opencv",
            {
                "progressive.jpg": set(),
                "plain.tif": set(),
                "phone.heic": {"format"},
                "plain.avif": {"build"},
                "plain.gif": {"gif"},
                "alpha.png": {"alpha"},
                "palette.png": {"alpha"},
                "deep.png": {"deep-samples"},
                "pages.tif": {"first-frame"},
                "turned.jpg": {"orientation"},
            },
        ),
        (
            "pillow",
            {
                "progressive.jpg": set(),
                "plain.webp": set(),
                "arithmetic.jpg": set(),
                "phone.heic": {"heic"},
                "plain.avif": {"avif"},
                "deep.png": {"deep-grey"},
                "pages.tif": {"first-frame"},
            },
        ),
        (
            "llama-cpp",
            {
                "progressive.jpg": set(),
                "palette.png": set(),
                "plain.gif": set(),
                "plain.webp": {"format"},
                "plain.tif": {"format"},
                "arithmetic.jpg": {"jpeg-process"},
                "animated.gif": {"first-frame"},
                "deep.png": {"deep-samples"},
            },
        ),
        ("ollama", {"plain.webp": set(), "animated.webp": {"animated-webp"}, "plain.bmp": {"format"}}),
        ("sharp", {"plain.tif": set(), "plain.bmp": {"format"}, "phone.heic": {"heic"}}),
        ("imagemagick", {"wide.jpg": set(), "plain.webp": set(), "plain.avif": {"delegate"}}),
        ("libvips", {"wide.jpg": set(), "plain.avif": set(), "phone.heic": {"build"}}),
        ("image-rs", {"progressive.jpg": set(), "phone.heic": {"format"}, "plain.avif": {"avif"}}),
        ("horizon-x3", {"tiny.jpg": set(), "411.jpg": {"size"}, "plain.png": {"no-jpeg"}}),
        ("ffmpeg", {"progressive.jpg": set(), "animated.webp": {"animated-webp"}, "odd.jpg": {"odd-size"}}),
    ],
)
def test_a_picture_trips_the_limits_of_a_consumer_and_no_others(target: str, tripped: dict[str, set[str]]) -> None:
    assert {name: limits(name, target) for name in tripped} == tripped


def test_every_target_is_tried_on_pictures_here() -> None:
    [marker] = test_a_picture_trips_the_limits_of_a_consumer_and_no_others.pytestmark  # type: ignore[attr-defined]
    assert {target for target, _ in marker.args[1]} == {target.name for target in targets()}


@pytest.mark.parametrize(
    ("name", "rule", "severity"),
    [
        ("progressive.jpg", "image/jpeg-not-baseline", "note"),
        ("411.jpg", "image/jpeg-not-baseline", "note"),
        ("arithmetic.jpg", "image/jpeg-process-rarely-decoded", "warning"),
        ("cmyk.jpg", "image/cmyk", "warning"),
        ("odd.jpg", "image/traits-for-edge-decoders", "note"),
        ("restart.jpg", "image/traits-for-edge-decoders", "note"),
        ("turned.jpg", "numerics/image-orientation", "note"),
        ("p3.jpg", "numerics/image-colour-profile", "note"),
        ("wide.jpg", "image/size-over-limits", "note"),
        ("deep.png", "numerics/image-deep-samples", "note"),
        ("palette.png", "image/unusual-layout", "note"),
        ("animated.png", "image/several-pictures", "note"),
        ("animated.gif", "image/several-pictures", "note"),
        ("animated.webp", "image/several-pictures", "note"),
        ("phone.heic", "image/uncommon-format", "note"),
    ],
)
def test_a_plain_scan_notes_what_edge_decoders_lack_once(name: str, rule: str, severity: str) -> None:
    assert judged(name) == {rule: severity}


@pytest.mark.parametrize("name", ["baseline.jpg", "grey.jpg", "plain.png", "plain.webp", "plain.bmp", "plain.tif"])
def test_a_plain_picture_is_not_noted_and_trips_nothing_of_the_common_loaders(name: str) -> None:
    assert judged(name) == {}
    assert judged(name, "pillow", "opencv") == {}


def test_several_consumers_tell_each_their_own() -> None:
    found = judged("progressive.jpg", "rockchip-mpp", "jetson", "tensorflow")
    assert found == {"target/rockchip-mpp/not-baseline": "error", "target/jetson/not-baseline": "error"}


def test_damage_comes_before_what_a_consumer_lacks() -> None:
    cut = saved("JPEG", progressive=True)[:-200]
    first, *others = diagnose.check_bytes(cut, "cut.jpg", targets=["rockchip-mpp"])
    assert first.rule == "transport/image-cut-short"
    assert "target/rockchip-mpp/not-baseline" in {each.rule for each in others}

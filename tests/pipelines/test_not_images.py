"""What stands under the name of an image and is none, or no longer one: each is named, with its most likely cause."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

import diagnose

NOISE = Image.effect_noise((300, 200), 60).convert("RGB")


def saved(image_format: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    NOISE.save(buffer, image_format, **options)
    return buffer.getvalue()


JPEG, PNG, WEBP, GIF = saved("JPEG", quality=95), saved("PNG"), saved("WEBP"), saved("GIF")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"
S3 = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n"
APPLE_DOUBLE = b"\0\5\x16\7\0\2\0\0Mac OS X        " + bytes(4072)
THUMBS = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4088)


def as_text(data: bytes, encoding: str) -> bytes:
    return data.decode(encoding, "replace").encode()


@pytest.mark.parametrize(
    ("name", "data", "rule", "cause"),
    [
        ("a.jpg", b"<!DOCTYPE html><title>Sign in</title>", "transport/image-is-web-answer", "sign-in-or-block-page"),
        ("a.png", b"\n <html><head>403</head></html>", "transport/image-is-web-answer", "sign-in-or-block-page"),
        ("a.jpg", b'{"error": "not found"}', "transport/image-is-web-answer", "api-error"),
        ("a.jpg", S3, "transport/image-is-web-answer", "object-store-refused"),
        ("a.jpg", b"404: Not Found", "transport/image-is-web-answer", "image-moved"),
        ("a.png", POINTER, "transport/image-is-lfs-pointer", "lfs-not-installed"),
        ("._a.jpg", APPLE_DOUBLE, "transport/image-is-sidecar", "copied-from-macos"),
        ("Thumbs.jpg", THUMBS, "image/content-is-not-an-image", "archive-or-document"),
        ("a.jpg", b"[.ShellClassInfo]\r\nIconResource=x\r\n", "transport/image-is-sidecar", "copied-from-windows"),
        ("a.jpg", base64.b64encode(JPEG), "text/image-written-as-text", "base64-not-decoded"),
        ("a.jpg", base64.urlsafe_b64encode(JPEG), "text/image-written-as-text", "base64-not-decoded"),
        (
            "a.png",
            b"data:image/png;base64," + base64.b64encode(PNG),
            "text/image-written-as-text",
            "base64-not-decoded",
        ),
        ("a.jpg", repr(JPEG).encode(), "text/image-written-as-text", "bytes-as-string"),
        ("a.jpg", repr(bytearray(JPEG)).encode(), "text/image-written-as-text", "bytes-as-string"),
        ("a.png", PNG.hex().encode(), "text/image-written-as-text", "hexadecimal-not-decoded"),
        ("a.png", PNG.replace(b"\n", b"\r\n"), "text/image-bytes-converted", "line-ends-converted"),
        ("a.png", PNG.replace(b"\r\n", b"\n"), "text/image-bytes-converted", "line-ends-converted"),
        ("a.jpg", JPEG.replace(b"\n", b"\r\n"), "text/image-bytes-converted", "line-ends-converted"),
        ("a.webp", WEBP.replace(b"\n", b"\r\n"), "text/image-bytes-converted", "line-ends-converted"),
        ("a.gif", GIF.replace(b"\n", b"\r\n"), "text/image-bytes-converted", "line-ends-converted"),
        ("a.jpg", as_text(JPEG, "utf-8"), "text/image-bytes-converted", "decoded-as-utf8"),
        ("a.png", as_text(PNG, "utf-8"), "text/image-bytes-converted", "decoded-as-utf8"),
        ("a.webp", as_text(WEBP, "utf-8"), "text/image-bytes-converted", "decoded-as-utf8"),
        ("a.gif", as_text(GIF, "utf-8"), "text/image-bytes-converted", "decoded-as-utf8"),
        ("a.png", as_text(PNG, "latin-1"), "text/image-bytes-converted", "encoded-twice"),
        ("a.jpg", b"\xef\xbb\xbf" + JPEG, "transport/image-has-bytes-before-it", "byte-order-mark-added"),
        ("a.jpg", HTTP + JPEG, "transport/image-has-bytes-before-it", "transfer-headers-saved"),
        ("a.jpg", b"", "transport/image-empty", "download-failed"),
        ("a.jpg", bytes(50_000), "transport/image-zero-filled", "sparse-copy"),
        ("a.jpg", b"\xff" * 50_000, "transport/image-has-hole", "erased-flash"),
        ("a.jpg", JPEG[:8192], "transport/image-cut-short", "cut-at-block"),
        ("a.png", PNG[:4096], "transport/image-cut-short", "cut-at-block"),
        ("a.jpg", JPEG[:8192] + bytes(len(JPEG) - 8192), "transport/image-cut-short", "rest-not-filled"),
        ("a.jpg.part", JPEG[:9000], "transport/image-cut-short", "download-broke-off"),
        ("a.jpg.crdownload", JPEG[:9000], "transport/image-cut-short", "download-broke-off"),
        (
            "a.png.aria2",
            b"\0\1\0\0\0\0\0\0\0\x14" + bytes(60),
            "transport/download-control-file",
            "download-unfinished",
        ),
        ("a.jpg", b"%PDF-1.4\n" + bytes(100), "image/content-is-not-an-image", "archive-or-document"),
        ("a.jpg", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(99), "image/content-is-not-an-image", "video-or-audio"),
    ],
)
def test_what_is_no_image_is_named_as_an_error(name: str, data: bytes, rule: str, cause: str) -> None:
    found = diagnose.check_bytes(data, name)[0]
    assert (found.severity.value, found.rule, found.causes[0].id) == ("error", rule, cause)


@pytest.mark.parametrize(
    ("name", "data", "true_format"),
    [
        ("a.jpg", PNG, "png"),
        ("a.png", JPEG, "jpeg"),
        ("a.jpg", WEBP, "webp"),
        ("a.heic", JPEG, "jpeg"),
        ("a.bmp", GIF, "gif"),
    ],
)
def test_a_wrong_extension_is_a_warning_that_names_the_true_format(name: str, data: bytes, true_format: str) -> None:
    found = diagnose.check_bytes(data, name)[0]
    assert (found.severity.value, found.rule) == ("warning", "image/wrong-extension")
    assert true_format in {str(evidence.value) for evidence in found.evidence}


@pytest.mark.parametrize("name", ["Thumbs.db", "desktop.ini", ".DS_Store", "labels.txt"])
def test_what_claims_to_be_no_image_is_left_alone(name: str) -> None:
    data = {"Thumbs.db": THUMBS, ".DS_Store": b"\0\0\0\1Bud1" + bytes(6000)}.get(name, b"[.ShellClassInfo]\r\nx=1\r\n")
    assert diagnose.check_bytes(data, name) == []

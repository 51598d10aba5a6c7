"""Facts on files: what they are, what their name claims, and what was done to them on the way."""

from __future__ import annotations

import struct
import sys

import pytest

from diagnose.collectors import signature
from diagnose.evidence import Fact, Value

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1" + bytes(range(256)) * 16
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 16
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def facts_of(name: str, content: bytes, **options: bool) -> dict[str, Fact]:
    facts = signature.collect(name, content[:65536], content[-4096:], len(content), **options)
    assert len({fact.name for fact in facts}) == len(facts)
    return {fact.name: fact for fact in facts}


def value(name: str, content: bytes, fact: str) -> Value | None:
    found = facts_of(name, content).get(fact)
    return found.value if found else None


@pytest.mark.parametrize(
    ("name", "content", "matches"),
    [
        ("a.jpg", JPEG, True),
        ("A.JPEG", JPEG, True),
        ("a.jpg", PNG, False),
        ("a.heic", JPEG, False),
        ("a.onnx", POINTER, False),
        ("a.json", b"[1, 2", True),
        ("a.json", b"<html>", False),
        ("a.json", '{"a": 1}'.encode("utf-16"), True),
        ("a.txt", b"<html>", True),
        ("a.gguf.part", b"GGUF\3\0\0\0", True),
        ("a.pt", b"\x80\x02}q\0.", True),
        ("a.jpg", b"", None),
        ("a.jpg", bytes(100), None),
        ("a.tga", b"\xf7\x01\x02\x03", None),
        ("a", JPEG, None),
        (".jpg", JPEG, None),
        ("a.xyz", JPEG, None),
        ("dir.jpg/a", PNG, None),
    ],
)
def test_extension_is_compared_with_content(name: str, content: bytes, matches: bool | None) -> None:
    assert value(name, content, "file.extension_matches") is matches


@pytest.mark.parametrize(
    ("name", "extension", "claimed"),
    [
        ("photos/a.JPG", "jpg", "jpeg"),
        ("m.tar.gz", "gz", "gzip"),
        ("m.gguf.crdownload", "crdownload", "gguf"),
        ("C:\\x.y\\weights", "", None),
        ("pytorch_model.bin", "bin", None),
    ],
)
def test_extension_and_its_claim_are_reported(name: str, extension: str, claimed: str | None) -> None:
    assert value(name, JPEG, "file.extension") == extension
    assert value(name, JPEG, "file.extension_format") == claimed


@pytest.mark.parametrize(
    ("name", "content", "kind", "title"),
    [
        ("a.jpg", b"<!DOCTYPE html><title>404 Not\n Found</title>", "html", "404 Not Found"),
        ("m.bin", b"\n<html><h1>Sign in</h1>", "html", "Sign in"),
        ("m.onnx", b'{"error": "rate limit"}', "json", "rate limit"),
        ("m.onnx", b'{"errors": [], "error": {"message": "gone"}}', "json", "gone"),
        ("m.gguf", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "s3-xml", "AccessDenied"),
        ("m.zip", b"Entry not found", "text", "Entry not found"),
        ("m.bin", b"Invalid username or password.", "text", "Invalid username or password."),
        ("tokenizer.json", b"<!doctype html><title>App</title>", "html", "App"),
        ("a.html", b"<!doctype html><title>App</title>", None, ""),
        ("a.txt", b"<!doctype html><title>App</title>", None, ""),
        ("a.svg", b"<svg xmlns='x'/>", None, ""),
        ("a.ppm", b"P632 358888888632!", None, ""),
        ("m.bin", b"a long plain text that a program wrote by intent " * 40, None, ""),
        ("a.jpg", JPEG, None, ""),
        ("a.onnx", POINTER, None, ""),
    ],
)
def test_error_page_under_another_name_is_found(name: str, content: bytes, kind: str | None, title: str) -> None:
    found = facts_of(name, content).get("file.error_page")
    assert (found.value if found else None) == kind
    assert (found.text if found else "") == title


ONNX_BODY = b"\x08\x07\x12\x07pytorch" + bytes(range(256)) * 40
GGUF_BODY = b"GGUF\3\0\0\0" + bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("content", "damage"),
    [
        (PNG.replace(b"\n", b"\r\n"), "crlf-mangled"),
        (PNG.replace(b"\r\n", b"\n"), "crlf-mangled"),
        (JPEG.replace(b"\n", b"\r\n"), "crlf-mangled"),
        (GGUF_BODY.replace(b"\n", b"\r\n"), "crlf-mangled"),
        (PNG.decode("utf-8", "replace").encode(), "utf8-replacement"),
        (JPEG.decode("utf-8", "replace").encode(), "utf8-replacement"),
        (GGUF_BODY.decode("utf-8", "replace").encode(), "utf8-replacement"),
        (ONNX_BODY.decode("latin-1").encode(), "utf8-reencoded"),
        (JPEG.decode("latin-1").encode(), "utf8-reencoded"),
        (bytes(byte & 0x7F for byte in PNG), "bit-7-stripped"),
        (PNG.decode("cp437").encode("utf-16"), "utf16-reencoded"),
        (PNG, None),
        (JPEG, None),
        (GGUF_BODY, None),
        ("中文 \ufffd text\r\n".encode() * 50, None),
        (b"P3\r\n2 2\r\n255\r\n" + b"1 2 3\r\n" * 50, None),
    ],
)
def test_damage_by_text_conversion_is_named(content: bytes, damage: str | None) -> None:
    assert value("x", content, "file.text_damage") == damage


def test_xmp_text_with_crlf_in_a_photo_is_no_damage() -> None:
    photo = b"\xff\xd8\xff\xe1\x20\0" + b"<x:xmpmeta>\r\n" * 600 + bytes(range(256)) * 32
    assert value("a.jpg", photo, "file.text_damage") is None


@pytest.mark.parametrize(
    ("size_bytes", "block"),
    [(4096, 4096), (36864, 4096), (1 << 20, 1 << 20), (3 << 20, 1 << 20), (4095, None), (2048, None), (0, None)],
)
def test_largest_power_of_two_that_divides_the_size(size_bytes: int, block: int | None) -> None:
    facts = signature.collect("x", JPEG[:size_bytes], b"", size_bytes)
    assert [f.value for f in facts if f.name == "file.size_multiple_of_block"] == ([block] if block else [])


def test_lfs_pointer_tells_which_object_is_missing() -> None:
    found = facts_of("m.onnx", POINTER)
    assert found["file.lfs_pointer_oid"].value == "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
    assert found["file.lfs_pointer_oid"].where == "byte 43"
    assert found["file.lfs_pointer_size_bytes"].value == 12345


@pytest.mark.parametrize(
    ("content", "empty", "zeros"), [(b"", True, False), (bytes(512), False, True), (bytes(512) + b"x", False, False)]
)
def test_empty_and_zero_filled_are_told_apart(content: bytes, empty: bool, zeros: bool) -> None:
    assert value("x", content, "file.is_empty") is empty
    assert value("x", content, "file.is_zero_filled") is zeros


def test_first_bytes_are_the_first_sixteen_in_hexadecimal() -> None:
    assert value("x", struct.pack(">4I", 1, 2, 3, 4) + b"more", "file.first_bytes") == (
        "00000001000000020000000300000004"
    )


@pytest.mark.parametrize(("name", "suffix"), [("m.gguf.part", "part"), ("m.aria2", "aria2"), ("part", None)])
def test_unfinished_download_is_told_by_its_suffix(name: str, suffix: str | None) -> None:
    assert value(name, JPEG, "file.partial_download") == suffix


def test_libmagic_is_asked_only_for_a_second_opinion() -> None:
    assert "file.libmagic_type" not in facts_of("a.jpg", JPEG)


def test_second_opinion_is_given_or_the_reason_why_not() -> None:
    fact = facts_of("a.jpg", JPEG, second_opinion=True)["file.libmagic_type"]
    assert fact.value == "image/jpeg" or "libmagic" in fact.not_checked


def test_missing_libmagic_is_a_reason_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "magic", None)
    fact = facts_of("a.jpg", JPEG, second_opinion=True)["file.libmagic_type"]
    assert fact.value is None
    assert "not installed" in fact.not_checked


@pytest.mark.parametrize(
    "content",
    [
        b"import os; exec('x')\n",
        b"# written by a tool\nimport os\n",
        b"/home/user/project/src\n",
        b"C:\\work\\project\n",
        b"../relative/path\n",
    ],
)
def test_path_files_of_python_are_no_answers_of_a_server(content: bytes) -> None:
    assert value("site-packages/a.pth", content, "file.error_page") is None
    assert value("a.pth", b"Access denied\n", "file.error_page") == "text"


@pytest.mark.parametrize(("zeros", "told"), [(511, None), (512, 512), (9000, 4096)])
def test_zeros_at_the_end_are_counted_as_far_as_the_tail_goes(zeros: int, told: int | None) -> None:
    assert value("a.gguf", b"GGUF\3\0\0\0x" + bytes(zeros), "file.zero_tail_bytes") == told


@pytest.mark.parametrize(
    ("name", "extension"), [("(.)", ""), ("1. Introduction", ""), ("a.", ""), ("a.tar.gz", "gz"), ("a.c++", "c++")]
)
def test_what_is_behind_the_last_dot_is_not_always_an_extension(name: str, extension: str) -> None:
    assert value(name, b"x", "file.extension") == extension


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        ("set/.gitkeep", True),
        ("pkg/__init__.py", True),
        ("out/_SUCCESS", True),
        ("download.lock", True),
        ("weights.gguf", False),
        ("labels.txt", False),
        ("_", False),
        ("data", False),
    ],
)
def test_names_that_are_empty_by_custom_are_known(name: str, may_be: bool) -> None:
    assert value(name, b"", "file.may_be_empty") is may_be

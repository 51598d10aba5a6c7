"""Compressed files: cut, damaged, with something behind them, and with a tar inside."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import time
import tracemalloc
import zlib

import pytest
from artefact_builders import WHOLE, mat, seven_zip, tar_of, tfrecord, zip_of, zstd_frame

from diagnose.collectors import artefact
from diagnose.evidence import Fact, Value

CONTENT = bytes(range(256)) * 40


def fact_of(format_: str, content: bytes, name: str) -> Fact | None:
    facts = artefact.collect(io.BytesIO(content), len(content), format_)
    return next((fact for fact in facts if fact.name == f"artefact.{name}"), None)


def value(format_: str, content: bytes, name: str) -> Value | None:
    found = fact_of(format_, content, name)
    return found.value if found else None


@pytest.mark.parametrize(
    ("format_", "content"),
    [
        ("gzip", gzip.compress(CONTENT, mtime=0) + gzip.compress(CONTENT, mtime=0)),
        ("gzip", gzip.compress(CONTENT, mtime=0) + bytes(700)),
        ("gzip", gzip.compress(b"", mtime=0)),
        ("bzip2", bz2.compress(CONTENT) * 2),
        ("xz", lzma.compress(CONTENT) + bytes(8)),
        ("zstd", zstd_frame(CONTENT[:500], checksum=False) + b"\x50\x2a\x4d\x18\3\0\0\0abc" + zstd_frame(b"z")),
        ("mat", mat(packed=True)),
        ("7z", seven_zip(b"", b"")),
    ],
)
def test_streams_one_after_the_other_and_padding_are_whole(format_: str, content: bytes) -> None:
    assert value(format_, content, "truncated") is False
    assert value(format_, content, "damage") is None
    assert value(format_, content, "surplus_bytes") is None


@pytest.mark.parametrize(
    ("format_", "whole"),
    [
        ("gzip", gzip.compress(CONTENT, mtime=0)),
        ("bzip2", bz2.compress(CONTENT)),
        ("xz", lzma.compress(CONTENT)),
        ("zstd", zstd_frame(b"x" * 9, b"y" * 9)),
        ("7z", seven_zip()),
    ],
)
def test_what_follows_the_end_is_counted(format_: str, whole: bytes) -> None:
    found = fact_of(format_, whole + b"<html>", "surplus_bytes")
    assert found and (found.value, found.where) == (6, f"byte {len(whole)}")


@pytest.mark.parametrize(
    ("format_", "content", "kind"),
    [
        ("gzip", gzip.compress(CONTENT, mtime=0)[:-8] + b"\xff" * 4 + gzip.compress(CONTENT, mtime=0)[-4:], "bad-crc"),
        ("gzip", gzip.compress(CONTENT, mtime=0)[:10] + b"\xff" * 8 + gzip.compress(CONTENT, mtime=0)[18:], "bad-data"),
        ("zlib", zlib.compress(CONTENT)[:-1] + b"\0", "bad-crc"),
        ("bzip2", bz2.compress(CONTENT)[:10] + b"\xff" * 4 + bz2.compress(CONTENT)[14:], "bad-data"),
        ("xz", lzma.compress(CONTENT)[:40] + b"\xff" * 8 + lzma.compress(CONTENT)[48:], "bad-data"),
        ("zstd", b"\x28\xb5\x2f\xfd\xa0\4\0\0\0\x27\0\0abcd", "bad-block"),
        ("7z", seven_zip()[:-1] + b"x", "bad-crc"),
        ("7z", seven_zip()[:12] + b"\x09" + seven_zip()[13:], "bad-crc"),
        ("tfrecord", tfrecord(b"one")[:19] + b"x" * 30, "bad-crc"),
        ("mat", mat((-1, 2)), "bad-shape"),
        ("mat", mat(name_type=16), "bad-element"),
        ("mat", mat(packed=True)[:150] + b"\xff\xff" + mat(packed=True)[152:], "bad-data"),
    ],
)
def test_damage_is_told_apart_from_a_cut(format_: str, content: bytes, kind: str) -> None:
    assert value(format_, content, "damage") == kind
    assert value(format_, content, "truncated") is not True


def test_tar_inside_is_read_too() -> None:
    tar = tar_of({"a.txt": b"hello" * 200})
    assert value("gzip", gzip.compress(tar), "member_count") == 1
    assert value("gzip", gzip.compress(tar[:900]), "truncated") is False, "the gzip itself is whole"
    cut = [fact.value for fact in _facts("gzip", gzip.compress(tar[:900])) if fact.name == "artefact.truncated"]
    assert True in cut
    assert value("bzip2", bz2.compress(tar[:140] + b"99999999" + tar[148:]), "damage") == "bad-checksum"


def _facts(format_: str, content: bytes) -> list[Fact]:
    return artefact.collect(io.BytesIO(content), len(content), format_)


def test_what_unpacks_to_too_much_is_given_up_early() -> None:
    bomb = gzip.compress(bytes(1 << 20)) * 400
    started = time.monotonic()
    tracemalloc.start()
    found = fact_of("gzip", bomb, "truncated")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found and "only the first" in found.not_checked
    assert peak < 200 << 20
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(("format_", "pack"), [("bzip2", bz2.compress), ("xz", lzma.compress)])
def test_the_end_of_a_file_too_long_to_unpack_is_looked_at(format_: str, pack: object) -> None:
    assert callable(pack)
    long = pack(bytes(130 << 20))
    assert value(format_, long, "truncated") is False
    assert value(format_, long[:-20], "truncated") is True


def test_a_dictionary_larger_than_the_memory_is_not_called_damage() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}]
    huge = lzma.compress(b"a" * 100, filters=filters)
    assert value("xz", huge, "damage") is None
    assert fact_of("xz", huge, "damage") is not None


@pytest.mark.parametrize(("method", "objects"), [(0, True), (8, True), (0, None)])
def test_arrays_of_objects_in_an_npz_are_told(method: int, objects: bool | None) -> None:
    descr = b"'|O'" if objects else b"'<f4'"
    header = b"{'descr': " + descr + b", 'fortran_order': False, 'shape': (2,), }\n"
    array = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(8)
    found = fact_of("npz", zip_of({"x.npy": WHOLE["npy"], "y.npy": array}, method), "object_array")
    assert (found.value, found.text) == (True, "y.npy") if found else objects is None


def test_zip_names_without_an_encoding_are_shown() -> None:
    marked = zip_of({"größe.txt": b"a", "b.txt": b"b"})
    assert value("zip", marked, "unmarked_names") is None
    unmarked = marked.replace(b"\0\x08\0\0", b"\0\0\0\0")
    found = fact_of("zip", unmarked, "unmarked_names")
    assert found and (found.value, found.text) == (["größe.txt"], "1 of 2 names")


def test_bytes_before_a_zip_are_counted() -> None:
    assert value("zip", b"#!/bin/sh\n" + zip_of({"a": b"b"}), "leading_bytes") == 10
    assert value("zip", zip_of({"a": b"b"}), "leading_bytes") is None


def test_a_part_of_a_zip_of_several_files_is_not_called_cut() -> None:
    whole = zip_of({"a": b"b"})
    at = whole.rindex(b"PK\5\6")
    part = whole[: at + 4] + b"\2\0" + whole[at + 6 :]
    assert value("zip", part, "disk_number") == 2
    assert value("zip", part, "truncated") is False
    assert value("zip", whole, "disk_number") is None


def test_what_follows_a_bare_zlib_stream_is_left_to_the_format_that_holds_it() -> None:
    assert value("zlib", zlib.compress(CONTENT) + b"koly", "surplus_bytes") is None
    assert value("zlib", zlib.compress(CONTENT) + b"koly", "truncated") is False


@pytest.mark.parametrize(("comment_bytes", "kind"), [(1000, None), (1 << 20, "pax-header-too-large")])
def test_a_pax_header_longer_than_readers_take_is_damage(comment_bytes: int, kind: str | None) -> None:
    content = io.BytesIO()
    info = tarfile.TarInfo("a")
    info.pax_headers = {"comment": "x" * comment_bytes}
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    assert value("tar", content.getvalue(), "damage") == kind


def test_tar_names_that_are_not_utf_8_and_sparse_members_are_told() -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT, encoding="cp1252") as archive:
        archive.addfile(tarfile.TarInfo("größe.txt"))
        sparse = tarfile.TarInfo("holes")
        sparse.type = tarfile.GNUTYPE_SPARSE
        archive.addfile(sparse)
    assert value("tar", content.getvalue(), "unmarked_names") == [r"gr\xf6\xdfe.txt"]
    assert value("tar", content.getvalue(), "sparse_members") == 1
    assert value("tar", tar_of({"größe.txt": b""}, tarfile.GNU_FORMAT), "unmarked_names") is None
    assert value("tar", tar_of({"a" + "ö" * 80: b""}, tarfile.GNU_FORMAT), "unmarked_names") is None, "cut at 100 bytes"

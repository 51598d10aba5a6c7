"""Compressed answers as Go's readers take them. The errors here were printed by those readers."""

from __future__ import annotations

import gzip
import zlib

import pytest

from diagnose.collectors.oci.content_encoding import undo

TEXT = b'{"manifests":[]}' * 50
PACKED = gzip.compress(TEXT, mtime=0)
RAW = zlib.compress(TEXT)[2:-4]


@pytest.mark.parametrize(
    ("encoding", "body", "error", "at_start"),
    [
        ("", TEXT, "", False),
        ("identity", TEXT, "", False),
        ("gzip", PACKED, "", False),
        ("GZIP", PACKED, "", False),
        ("gzip", gzip.compress(TEXT[:90], mtime=0) + gzip.compress(TEXT[90:], mtime=0), "", False),
        ("gzip, gzip", gzip.compress(PACKED, mtime=0), "", False),
        ("deflate", RAW, "", False),
        ("gzip", b"", "EOF", True),
        ("gzip", PACKED[:5], "unexpected EOF", True),
        ("gzip", TEXT, "gzip: invalid header", True),
        ("gzip", PACKED[:2] + b"\x00" + PACKED[3:], "gzip: invalid header", True),
        ("br", TEXT, "unsupported Content-Encoding algorithm: br", True),
        ("gzip", PACKED[:30], "unexpected EOF", False),
        ("gzip", PACKED[:-8] + b"\0" * 8, "gzip: invalid checksum", False),
        ("gzip", PACKED + b"<html></html>", "gzip: invalid header", False),
        ("gzip", PACKED + b"\0", "unexpected EOF", False),
        ("gzip", PACKED[:10] + b"\xff" * 30, "flate: corrupt input", False),
        ("deflate", zlib.compress(TEXT), "flate: corrupt input", False),
        ("deflate", RAW[:-1], "unexpected EOF", False),
    ],
)
def test_the_readers_error_is_told(encoding: str, body: bytes, error: str, at_start: bool) -> None:
    decoded = undo(body, encoding, 10_000)

    assert (decoded.error, decoded.at_start) == (error, at_start)
    assert error or decoded.body == TEXT


def test_what_stands_before_damage_is_kept() -> None:
    noise = bytes(range(256)) * 40
    packed = bytearray(gzip.compress(noise + b"the end" * 1000, compresslevel=0, mtime=0))
    packed[-4000] ^= 0xFF

    assert undo(bytes(packed[:-100]), "gzip", 100_000).body.startswith(noise)


def test_a_bomb_is_unpacked_no_further_than_the_limit() -> None:
    assert len(undo(gzip.compress(b"\0" * 50_000_000, mtime=0), "gzip", 1000).body) == 1000


def test_zstd_is_not_undone_and_says_so() -> None:
    assert undo(b"\x28\xb5\x2f\xfd", "zstd", 100).not_decoded

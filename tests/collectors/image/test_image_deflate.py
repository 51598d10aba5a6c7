"""Inflating in pieces gives the same answers with isal and with zlib."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator

import pytest

from diagnose.collectors.image import deflate

CONTENT = bytes(range(256)) * 4000
STREAM = zlib.compress(CONTENT)


@pytest.fixture(params=["as installed", "without isal"], autouse=True)
def _backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "without isal":
        monkeypatch.setitem(sys.modules, "isal", None)
    deflate._backend.cache_clear()
    yield
    deflate._backend.cache_clear()


@pytest.mark.parametrize("piece", [1, 100, len(STREAM)])
def test_pieces_of_any_size_yield_the_content_and_its_end(piece: int) -> None:
    inflater = deflate.Inflater()
    parts = [STREAM[i : i + piece] for i in range(0, len(STREAM), piece)]
    assert b"".join(output for part in parts for output in inflater.feed(part)) == CONTENT
    assert inflater.finished


def test_a_bomb_comes_in_small_portions() -> None:
    bomb = zlib.compress(bytes(50 << 20))
    sizes = [len(output) for output in deflate.Inflater().feed(bomb)]
    assert sum(sizes) == 50 << 20
    assert max(sizes) <= deflate.PIECE


def test_a_wrong_checksum_is_told_from_broken_data() -> None:
    for stream, is_checksum in ((STREAM[:-1] + bytes([STREAM[-1] ^ 1]), True), (STREAM[:2] + b"\xff" * 50, False)):
        with pytest.raises(deflate.BrokenStreamError) as caught:
            list(deflate.Inflater().feed(stream))
        assert caught.value.checksum is is_checksum


def test_bytes_behind_the_stream_are_counted() -> None:
    inflater = deflate.Inflater()
    list(inflater.feed(STREAM + b"abc"))
    list(inflater.feed(b"de"))
    assert inflater.spare == 5


def test_the_checksum_of_the_standard() -> None:
    assert deflate.crc32(b"123456789") == 0xCBF43926

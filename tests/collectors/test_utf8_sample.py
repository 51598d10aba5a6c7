"""The beginning of a file is UTF-8 even where it is cut within a character."""

from __future__ import annotations

import pytest

from diagnose.collectors.utf8_sample import is_utf8_so_far

TEXT = "解码 🙂".encode()


@pytest.mark.parametrize("length", range(len(TEXT) + 1))
def test_a_text_cut_anywhere_is_utf8(length: int) -> None:
    assert is_utf8_so_far(TEXT[:length])


@pytest.mark.parametrize("sample", [b"\xff\xd8\xff\xe0\0\x10JFIF", "解码失败".encode("gbk"), b"\x89PNG\r\n\x1a\n"])
def test_other_bytes_are_not(sample: bytes) -> None:
    assert not is_utf8_so_far(sample)

"""Logs of any size, encoding and shape are read in one pass; hits carry their lines."""

from __future__ import annotations

from io import BytesIO

import pytest

from diagnose.collectors import log
from diagnose.collectors.log import ahead as log_ahead
from diagnose.collectors.log import blocks as log_blocks
from diagnose.evidence import Evidence, Subject
from diagnose.patterns import PatternSet


def collect(data: bytes, *expressions: str) -> Evidence:
    return log.collect(BytesIO(data), PatternSet(list(expressions)), Subject("log", "x"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_of_a_windows_shell_is_read_in_its_encoding(encoding: str) -> None:
    data = ("starting the pipeline\r\n" * 3 + "error: 解码失败 at frame 7\r\n").encode(encoding)
    evidence = collect(data, r"frame (?P<number>\d+)")
    assert [(hit.line, hit.captures) for hit in evidence.hits] == [(4, {"number": "7"})]
    assert evidence.hits[0].text == "error: 解码失败 at frame 7"


def test_a_line_in_gbk_is_shown_as_its_characters() -> None:
    evidence = collect("错误: cannot decode 图像\n".encode("gbk"), "cannot decode")
    assert evidence.hits[0].text == "错误: cannot decode 图像"


def test_lines_are_counted_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_blocks, "BLOCK_BYTES", 64)
    data = b"".join(b"line %d of many\n" % number for number in range(1, 101))
    evidence = collect(data, r"line (?P<number>\d+) of")
    assert [hit.line for hit in evidence.hits] == [int(hit.captures["number"]) for hit in evidence.hits]
    assert evidence.value("log.lines") == 100
    assert evidence.value("log.size_bytes") == len(data)


def test_a_repeated_error_is_kept_a_few_times_and_counted_always() -> None:
    evidence = collect(b"cannot decode\n" * 100_000, "cannot decode")
    assert len(evidence.hits) == log.HITS_KEPT + 1
    repetition = evidence.repetitions[0]
    assert (repetition.count, repetition.first_line, repetition.last_line) == (100_000, 1, 100_000)


def test_a_line_of_many_megabytes_is_looked_at_around_the_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_blocks, "BLOCK_BYTES", 1 << 20)
    data = b"x" * (3 << 20) + b" failed to decode frame " + b"y" * (2 << 20) + b"\nnext: failed to decode\n"
    evidence = collect(data, "failed to decode")
    assert [hit.line for hit in evidence.hits] == [1, 2]
    assert "failed to decode frame" in evidence.hits[0].text
    assert evidence.value("log.lines") == 2
    assert all(len(hit.text) <= 1 << 15 for hit in evidence.hits)


@pytest.mark.parametrize("data", [b"", b"\n", b"\xff\xfe", b"\0" * 100, bytes(range(256)) * 50])
def test_any_bytes_are_a_log(data: bytes) -> None:
    assert collect(data, "decode").hits == []


LARGE_LOGS = {
    "failures among lines": b"".join(b"line %d\nframe %d: cannot decode\n" % (n, n) for n in range(300)),
    "progress bars": b"10 %\r20 % cannot decode\r30 %\n" * 200,
    "a line longer than blocks": b"z" * 9000 + b"cannot decode" + b"z" * 9000 + b"\ncannot decode",
    "hits without end": b"decode " * 4000 + b"\n" + b"cannot decode\n" * 500,
    "nothing": b"all is well\n" * 1000,
}


@pytest.mark.parametrize("data", LARGE_LOGS.values(), ids=LARGE_LOGS.keys())
def test_a_log_searched_ahead_gives_the_same_hits(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expressions = [r"cannot decode", r"frame (?P<number>\d+)", r"\d{2} %", r"decode decode", r"\w{3,5} is well"]
    monkeypatch.setattr(log_blocks, "BLOCK_BYTES", 4096)
    alone = collect(data, *expressions)
    monkeypatch.setattr(log_ahead, "ALONE_BYTES", 4096)
    ahead = collect(data, *expressions)
    assert (ahead.hits, ahead.repetitions, ahead.windows) == (alone.hits, alone.repetitions, alone.windows)
    assert ahead.value("log.lines") == alone.value("log.lines")

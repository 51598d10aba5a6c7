from __future__ import annotations

import pytest

from diagnose.collectors.host import PROBES
from diagnose.evidence import Evidence, Fact, Subject
from diagnose.reports.check_table import as_table, probe_rows
from diagnose.reports.host_words import in_words, size
from diagnose.reports.width import padded, width, wrapped
from diagnose.selfcheck import Bilingual, CheckResult, ProbeResult, ProbeStatus

IMAGES, RESOURCES = Bilingual("Image decoders", "图像解码器"), Bilingual("Memory and disk", "内存与磁盘")


def row(
    name: str, group: Bilingual, title: tuple[str, str], status: ProbeStatus, reason: tuple[str, str], *facts: Fact
) -> ProbeResult:
    return ProbeResult(name, group, Bilingual(*title), status, Bilingual(*reason), 0.01, list(facts))


def result(*rows: ProbeResult) -> CheckResult:
    return CheckResult(list(rows), Evidence(Subject("host")))


SAMPLE = result(
    row("pillow.png", IMAGES, ("PNG", "PNG"), ProbeStatus.PASSED, ("", ""), Fact("host.decoder_working", "pillow.png")),
    row(
        "pillow.avif",
        IMAGES,
        ("AVIF", "AVIF"),
        ProbeStatus.FAILED,
        ("UnidentifiedImageError: cannot identify image file", "UnidentifiedImageError: cannot identify image file"),
        Fact("host.decoder_failed", "pillow.avif", text="UnidentifiedImageError: cannot identify image file"),
    ),
    row("opencv", IMAGES, ("OpenCV", "OpenCV"), ProbeStatus.NOT_CHECKED, ("not installed", "未安装")),
    row(
        "memory",
        RESOURCES,
        ("memory", "内存"),
        ProbeStatus.WARNING,
        ("the limit could not be read", "无法读取上限"),
        Fact("host.memory_total_bytes", 8 << 30),
    ),
    row(
        "disk.cwd",
        RESOURCES,
        ("current folder", "当前目录"),
        ProbeStatus.PASSED,
        ("", ""),
        Fact("host.disk_free_bytes", 3 << 29, where="/data"),
        Fact("host.disk_read_only", True, where="/data"),
    ),
)

ENGLISH = """\
Image decoders
  [✓] PNG
  [✗] AVIF            UnidentifiedImageError: cannot
                      identify image file
  [-] OpenCV          not installed

Memory and disk
  [!] memory          the limit could not be read
  [✓] current folder  1.5 GiB free, read-only

2 passed, 1 failed (pillow.avif), 1 with a warning
(memory), 1 not checked
"""

CHINESE = """\
图像解码器
  [✓] PNG
  [✗] AVIF      UnidentifiedImageError: cannot identify
                image file
  [-] OpenCV    未安装

内存与磁盘
  [!] 内存      无法读取上限
  [✓] 当前目录  空闲 1.5 GiB，只读

通过 2 项，失败 1 项（pillow.avif），警告 1 项
（memory），未检查 1 项
"""


@pytest.mark.parametrize(("language", "columns", "expected"), [("en", 54, ENGLISH), ("zh", 56, CHINESE)])
def test_the_table_is_aligned_in_both_languages(language: str, columns: int, expected: str) -> None:
    assert as_table(SAMPLE, language, columns) == expected


def test_an_ascii_output_gets_ascii_marks_and_english() -> None:
    text = as_table(SAMPLE, "zh", encoding="ascii")

    assert text.isascii()
    assert "  [+] PNG\n  [x] AVIF" in text
    assert text.startswith("Image decoders\n")


def test_an_output_that_carries_chinese_but_no_marks_gets_chinese_and_ascii_marks() -> None:
    assert as_table(SAMPLE, "zh", encoding="gbk").startswith("图像解码器\n  [+] PNG\n  [x] AVIF")


def test_color_is_put_around_the_marks_alone() -> None:
    assert "\x1b[32m[✓]\x1b[0m PNG" in as_table(SAMPLE, color=True)
    assert "\x1b" not in as_table(SAMPLE)


def test_escapes_in_what_was_seen_do_not_reach_the_terminal() -> None:
    hostile = "\x1b[2Jlibfake\x07\u202e: gone"
    text = as_table(result(row("x", IMAGES, ("X", "X"), ProbeStatus.FAILED, (hostile, hostile))))

    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "libfake" in text


def test_rows_for_machines_hold_status_reason_and_every_fact() -> None:
    rows = probe_rows(SAMPLE, "zh")

    assert [row["status"] for row in rows] == ["passed", "failed", "not-checked", "warning", "passed"]
    assert rows[4]["facts"][0] == {"name": "host.disk_free_bytes", "value": 3 << 29, "where": "/data"}
    assert rows[2]["reason"] == "未安装"


SHOWN_AS_REASON_OR_NOT_AT_ALL = {
    "host.decoder_working",
    "host.decoder_failed",
    "host.docker_engine_unreachable",
    "host.docker_command",
    "host.text_variables",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_fact_of_a_probe_has_words(language: str) -> None:
    names = {name for probe in PROBES for name in probe.facts} - SHOWN_AS_REASON_OR_NOT_AT_ALL

    assert [name for name in sorted(names) if not in_words(Fact(name, True), language)] == []


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (64 << 20, "64.0 MiB"), (252 << 30, "252 GiB")],
)
def test_sizes(size_bytes: int, expected: str) -> None:
    assert size(size_bytes) == expected


@pytest.mark.parametrize(("text", "columns"), [("ab", 2), ("内存", 4), ("Ａ", 2), ("e\u0301", 1), ("", 0)])
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(padded(text, 10)) == 10


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("", 7, [""]),
        ("无法读取上限", 5, ["无法", "读取", "上限"]),
        ("读取，上限（无）", 6, ["读取，", "上限", "（无）"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("see /a/very/long/path now", 10, ["see", "/a/very/lo", "ng/path", "now"]),
    ],
)
def test_lines_are_broken_at_blanks_and_between_wide_characters(text: str, columns: int, expected: list[str]) -> None:
    assert wrapped(text, columns) == expected

"""Where UTF-8 breaks and why, line ends, mojibake, and the syntax of JSON."""

from __future__ import annotations

import pytest

from diagnose.collectors import text
from diagnose.evidence import Fact, Value


def facts_of(data: bytes, name: str = "a.txt") -> dict[str, Fact]:
    return {fact.name.removeprefix("text."): fact for fact in text.collect(data, name)}


def value(data: bytes, fact: str, name: str = "a.txt") -> Value | None:
    found = facts_of(data, name).get(fact)
    return found.value if found else None


MANY = "Größe für alle Geräte überall, schöne Grüße\n".encode()


@pytest.mark.parametrize(
    ("data", "offset", "where"),
    [
        (b"abc\xffdef", 3, "byte 3, line 1, column 4"),
        (b"one\ntwo\nthr\xe9e", 11, "byte 11, line 3, column 4"),
        ("é\nüü".encode() + b"\xff", 7, "byte 7, line 2, column 3"),
        (b"People\x92s", 6, "byte 6, line 1, column 7"),
    ],
)
def test_first_invalid_byte_is_located(data: bytes, offset: int, where: str) -> None:
    fact = facts_of(data)["first_invalid_utf8"]
    assert (fact.value, fact.where) == (offset, where)


def test_excerpt_is_neutral_ascii() -> None:
    assert facts_of(b"a\x1b[31m\xff\nend")["first_invalid_utf8"].text == "a\\x1b[31m\\xff\\x0aend"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (MANY * 3 + "ü".encode()[:1], "cut-at-end"),
        (MANY[:20] + "ß".encode()[:1] + MANY * 3, "utf8-cut-in-middle"),
        ("Größe für alle Geräte".encode("cp1252"), "single-byte-legacy"),
        ("图像解码失败，请检查文件".encode("gbk"), "multibyte-legacy"),
        ("hello, wörld".encode("utf-16"), "utf-16"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (MANY + b"\xed\xa0\x80" + MANY, "surrogate"),
        (MANY + b"\xc0\xaf" + MANY, "overlong"),
        (MANY, None),
    ],
)
def test_kind_of_invalid_utf_8(data: bytes, kind: str | None) -> None:
    assert value(data, "invalid_utf8_kind") == kind


@pytest.mark.parametrize(
    ("data", "quotes"),
    [
        ("It’s “fine”".encode("cp1252"), True),
        (b"mostly UTF-8: \xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9\xc3\xa8 but it\x92s mixed", True),
        ("Größe".encode("cp1252"), False),
        ("It’s “fine”".encode(), None),
    ],
)
def test_quotes_of_windows_1252(data: bytes, quotes: bool | None) -> None:
    assert value(data, "cp1252_quotes") is quotes


@pytest.mark.parametrize(
    ("data", "newline", "where"),
    [
        (b"a\nb\n", "lf", ""),
        (b"a\r\nb\r\n", "crlf", ""),
        (b"a\rb\r", "cr", ""),
        (b"a\nb\nc\r\nd\n", "mixed", "line 3"),
        ("a\r\nb\r\n".encode("utf-16"), "crlf", ""),
        (b"one line", None, ""),
    ],
)
def test_line_ends(data: bytes, newline: str | None, where: str) -> None:
    fact = facts_of(data).get("newline")
    assert (fact.value if fact else None) == newline
    assert (fact.where if fact else "") == where


GERMAN, CHINESE, RUSSIAN = "Größe für alle, schöne Grüße", "已构建完成", "Не удаётся найти файл"


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (GERMAN.encode().decode("cp1252"), "utf-8 read as cp1252"),
        (GERMAN.encode().decode("latin-1"), "utf-8 read as cp1252"),
        ("it’s “so”".encode().decode("cp1252", "ignore"), "utf-8 read as cp1252"),
        (RUSSIAN.encode().decode("cp1251", "ignore"), "utf-8 read as cp1251"),
        (RUSSIAN.encode().decode("cp866"), "utf-8 read as cp866"),
        (CHINESE.encode().decode("gbk", "ignore"), "utf-8 read as gbk"),
        (GERMAN.encode().decode("cp437"), "utf-8 read as cp437"),
        ("锟斤拷锟斤拷", "U+FFFD in utf-8 read as gbk"),
        ("烫烫烫烫", "uninitialised memory (0xCC) read as gbk"),
        ("\ufeffname".encode().decode("gbk"), "utf-8 byte order mark read as gbk"),
        ("ï»¿name,size", "utf-8 byte order mark read as cp1252"),
        ("été, élève, à côté, déjà, où " * 9 + "Ã©lÃ¨ve, dÃ©jÃ\xa0, cÃ´tÃ©", "utf-8 read as cp1252"),
        (GERMAN, None),
        (CHINESE, None),
        (RUSSIAN, None),
        ("том", None),
        ("сайтов, февраля, раз, так, чем, топ, секции, танцев", None),
        ("façade, naïve, Ångström, São Paulo, 5 × 3 ± 1 µm", None),
        ("日本語のテキストは文字化けではありません。", None),
        ("한국어 텍스트는 깨지지 않았습니다", None),
    ],
)
def test_mojibake_is_proven_by_undoing_it(seen: str, kind: str | None) -> None:
    assert value(seen.encode(), "mojibake") == kind


def test_mojibake_shows_what_was_meant_and_where() -> None:
    fact = facts_of(("first line\n" + GERMAN.encode().decode("cp1252")).encode())["mojibake"]
    assert fact.where == "line 2"
    assert fact.text == "Ã¶ÃŸ is öß"


@pytest.mark.parametrize(
    ("content", "error", "where"),
    [
        (b'{"a": 1}', None, ""),
        (b'\xef\xbb\xbf{"a": 1}', None, ""),
        (b'{"a": 1,}', "trailing comma", "line 1, column 8"),
        (b"[1,\n 2,\n]", "trailing comma", "line 2, column 3"),
        (b"{'a': 1}", "single quotes are not JSON", "line 1, column 2"),
        (b'{"a": 1, // one\n"b": 2}', "comments are not JSON", "line 1, column 10"),
        (b'{"a": None}', "None is not JSON", "line 1, column 7"),
        (b'{\n "a": 1\n "b": 2}', "Expecting ',' delimiter", "line 3, column 2"),
        (b"[1, NaN]", "NaN is not JSON", "line 1, column 5"),
        (b"", "empty text", "line 1, column 1"),
        (b"[" * 200_000, "nested too deeply", "line 1, column 1"),
        (b'["\xe9"]', "not UTF-8", "byte 2, line 1, column 3"),
        (b"[" + b"9" * 10_000 + b"]", None, ""),
        ('{"a": "ö"}'.encode("utf-16"), None, ""),
        (b"<html>", "Expecting value", "line 1, column 1"),
    ],
)
def test_json_syntax(content: bytes, error: str | None, where: str) -> None:
    fact = facts_of(content, "dir/A.JSON").get("json_error")
    assert (fact.value if fact else None) == error
    assert (fact.where if fact else "") == where


def test_json_lines_are_checked_line_by_line() -> None:
    assert value(b'{"a": 1}\n\n{"a": 2}\n', "json_error", "a.jsonl") is None
    assert facts_of(b'{"a": 1}\n{"a": }\n', "a.jsonl")["json_error"].where == "line 2, column 7"


def test_only_names_of_json_are_parsed() -> None:
    assert value(b"{", "json_error", "a.txt") is None


def test_json_too_long_to_parse_is_not_checked() -> None:
    fact = facts_of(b"1\n" * 60_000, "a.jsonl")["json_error"]
    assert "lines" in fact.not_checked


@pytest.mark.parametrize(("data", "mark"), [(b"\xef\xbb\xbfa", "utf-8-sig"), (b"\xff\xfea\0", "utf-16"), (b"a", None)])
def test_byte_order_mark_is_named(data: bytes, mark: str | None) -> None:
    assert value(data, "bom") == mark


@pytest.mark.parametrize(("data", "nul"), [(b"a\0b", True), (b"ab", False)])
def test_zero_bytes_are_told(data: bytes, nul: bool) -> None:
    assert value(data, "contains_nul") is nul

"""Syntax of JSON and YAML, declared encodings, zero bytes, and texts that are too large to read whole."""

from __future__ import annotations

import time

import pytest

from diagnose.collectors import text
from diagnose.evidence import Fact, Value


def fact_of(data: bytes, fact: str, name: str) -> Fact | None:
    return next((found for found in text.collect(data, name) if found.name == f"text.{fact}"), None)


def value(data: bytes, fact: str, name: str = "a.txt") -> Value | None:
    found = fact_of(data, fact, name)
    return found.value if found else None


@pytest.mark.parametrize(
    ("content", "error", "where"),
    [
        (b"a: 1\nb: [1, 2]\n", None, ""),
        (b"%YAML 1.2\n---\na: &x 1\nb: *x\n---\nc: 3\n", None, ""),
        ("names: [猫, 犬]\n".encode(), None, ""),
        (b"\xef\xbb\xbfa: 1\n", None, ""),
        ("a: 1\n".encode("utf-16"), None, ""),
        (b"run: echo ${{ github.ref }}\n", None, ""),
        (b"a: 1\n\tb: 2\n", "found a tab character that violates indentation", "line 2, column 1"),
        (b"a: b: c\n", "mapping values are not allowed in this context", "line 1, column 5"),
        (b"a: [1, 2\nb: 3\n", "did not find expected ',' or ']'", "line 2, column 2"),
        (b"a: &x 1\n---\nb: *x\n", "found undefined alias", "line 3, column 4"),
        (b"a: \x1b[31mred\n", "character #x001b: control characters are not allowed", "line 1, column 4"),
        ("größe: 1\n".encode("cp1252"), "not UTF-8", "byte 2, line 1, column 3"),
    ],
)
def test_yaml_syntax(content: bytes, error: str | None, where: str) -> None:
    found = fact_of(content, "yaml_error", "data.yaml")
    assert (found.value, found.where) == (error, where) if found else error is None


def test_a_template_of_yaml_is_not_judged() -> None:
    found = fact_of(b"{% for n in names %}\n- {{ n }}\n  {{- end }}\n", "yaml_error", "chart.yaml")
    assert found and found.value is None and "template" in found.not_checked


def test_only_files_named_yaml_are_parsed_as_yaml() -> None:
    assert fact_of(b"a: b: c\n", "yaml_error", "notes.txt") is None


@pytest.mark.parametrize(
    "hostile", [b"[" * 1_000_000, b"{a: " * 300_000, b"- " * 500_000, b"a: &b b\n" * 100_000, b"? " * 500_000]
)
def test_hostile_yaml_is_read_in_bounded_time(hostile: bytes) -> None:
    started = time.monotonic()
    text.collect(hostile, "a.yaml")
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("content", "ambiguities"),
    [
        (b'{"a": 1, "b": 1.5e300}', None),
        (b'{"a": 1, "a": 2}', ["duplicate-key"]),
        (b'[{"a": {"b": 1, "c": 2, "b": 3}}]', ["duplicate-key"]),
        (b"[9007199254740992, -9007199254740992]", None),
        (b"[9007199254740993]", ["integer-beyond-double"]),
        (b"[-12345678901234567890]", ["integer-beyond-double"]),
        (b"[1e400]", ["number-out-of-range"]),
        (b"[" + b"9" * 400 + b".5]", ["number-out-of-range"]),
        (b"[1e-400]", ["number-out-of-range"]),
        (b"[0e-400, 0.0E5, -0.0e-9]", None),
        (b"[" * 128 + b"]" * 128, None),
        (b"[" * 129 + b"]" * 129, ["deep-nesting"]),
        (b'["' + b"[" * 400 + b'"]', None),
        (rb'["\ud83d\ude00"]', None),
        (rb'["\\ud83d"]', None),
        (rb'["\ud83d"]', ["lone-surrogate"]),
        (rb'["\ud83d \ude00"]', ["lone-surrogate"]),
        (rb'["\ude00"]', ["lone-surrogate"]),
        (rb'["\uD83D\u0041"]', ["lone-surrogate"]),
    ],
)
def test_what_readers_of_valid_json_disagree_about(content: bytes, ambiguities: list[str] | None) -> None:
    assert value(content, "json_ambiguities", "a.json") == ambiguities


def test_json_lines_are_read_one_by_one() -> None:
    assert value(b'{"a": 1}\n{"a": 2}\n', "json_ambiguities", "a.jsonl") is None
    assert value(b'{"a": 1}\n{"a": 2, "a": 3}\n', "json_ambiguities", "a.jsonl") == ["duplicate-key"]


@pytest.mark.parametrize(
    ("content", "name", "ends_early"),
    [
        (b'{"a": [1, 2', "a.json", True),
        (b'{"a": "unfinis', "a.json", True),
        (b'{"a": \n\n', "a.json", True),
        (b'{"a": 1,}', "a.json", False),
        (b'{"a" 1}', "a.json", False),
        (b"a: [1, 2", "a.yaml", True),
        (b'a: "unfinis', "a.yaml", True),
        (b"a: b: c\nd: 1\n", "a.yaml", False),
        (b'{"a": 1}', "a.json", None),
    ],
)
def test_a_text_that_ends_early_is_told_from_other_errors(content: bytes, name: str, ends_early: bool | None) -> None:
    assert value(content, "syntax_ends_early", name) is ends_early


@pytest.mark.parametrize(
    ("content", "name", "holds"),
    [
        (b'<?xml version="1.0" encoding="utf-8"?><a/>', "a.xml", True),
        ('<?xml version="1.0" encoding="utf-8"?><a>é</a>'.encode(), "a.xml", True),
        ('<?xml version="1.0" encoding="utf-8"?><a>é</a>'.encode("latin-1"), "a.xml", False),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode("latin-1"), "a.xml", True),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode(), "a.xml", False),
        (b'<?xml version="1.0" encoding="utf-16"?><a/>', "a.xml", False),
        ("# coding: gbk\nname = '图像解码'\n".encode("gbk"), "a.py", True),
        ("# coding: gbk\nname = '图像解码'\n".encode(), "a.py", False),
        (b"#!/usr/bin/python\n# -*- coding: utf-8-unix -*-\n", "a.py", True),
        (b"# coding: utf-7x\n", "a.txt", None),
        (b'x = \'<?xml version="1.0" encoding="utf-16"?>\'\n', "a.py", None),
    ],
)
def test_whether_a_declared_encoding_holds(content: bytes, name: str, holds: bool | None) -> None:
    assert value(content, "declaration_holds", name) is holds


def test_a_declared_encoding_that_does_not_exist_is_named() -> None:
    found = fact_of(b"# -*- coding: uft-8 -*-\n", "declared_unknown", "a.py")
    assert found and (found.value, found.where) == ("uft-8", "byte 14")


def test_zero_bytes_are_located_and_counted_at_the_end() -> None:
    first = fact_of(b"a,b\n1,2\n" + bytes(24), "contains_nul", "a.csv")
    assert first and (first.value, first.where) == (True, "byte 8")
    assert value(b"a,b\n1,2\n" + bytes(24), "zero_tail_bytes") == 24
    assert value(b"a\0b", "zero_tail_bytes") is None


@pytest.mark.parametrize("part", ["größe"[:3].encode()[:-1], b'{"a": [1, 2', b"a: [1, 2"])
def test_the_first_part_of_a_large_file_is_not_taken_for_a_cut_one(part: bytes) -> None:
    facts = [fact for name in ("a.txt", "a.json", "a.yaml") for fact in text.collect(part, name, is_whole=False)]
    known = {fact.name: fact.value for fact in facts if not fact.not_checked}
    assert known["text.valid_utf8"] is True
    assert not known.keys() & {"text.json_error", "text.yaml_error", "text.invalid_utf8_kind"}

"""Both backends find the same lines; what takes more than linear time is refused."""

from __future__ import annotations

import re
from functools import cache
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.collectors import log
from diagnose.evidence import Subject
from diagnose.patterns import PatternSet
from diagnose.patterns.linear import complaint, complaint_of_line_pattern
from diagnose.patterns.literals import required_literals
from diagnose.patterns.search import search_for

EXPRESSIONS = [
    r"failed to decode (?P<what>\w+)",
    r"^error: (?P<code>-?\d+)$",
    r"invalid character '(?P<char>.)'",
    r"codec can.?t decode byte 0x(?P<byte>[0-9a-f]{2}) in position (?P<position>\d+)",
    r"out of memory|cannot allocate",
    r"解码失败",
    r"\b(tensor|layer) \S+ .{0,20}not supported",
    r"magic: \w($|[^!])",
    r"\b9\d[%]",
]


@cache
def patterns(backend: str) -> PatternSet:
    return PatternSet(EXPRESSIONS, backend=backend)


def hits(backend: str, text: bytes) -> list[tuple[int, int, dict[str, str]]]:
    evidence = log.collect(BytesIO(text), patterns(backend), Subject("log", "x"))
    return [(hit.pattern, hit.line, hit.captures) for hit in evidence.hits]


LOG = (
    "start\n"
    "ERROR: failed to DECODE referrers index: invalid character '<' looking for value\r\n"
    "error: -12\n"
    "not an error: -12 here\n"
    "\x1b[31mUnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0\x1b[0m\n"
    "progress 10%\rprogress 20%\rCannot allocate memory\n"
    "第3张图片解码失败\n"
    "layer conv_3 of type X not supported"
).encode()


@pytest.mark.parametrize("backend", ["hyperscan", "python"])
def test_lines_and_captures_are_found(backend: str) -> None:
    pytest.importorskip("hyperscan") if backend == "hyperscan" else None
    assert sorted(hits(backend, LOG), key=lambda hit: (hit[1], hit[0])) == [
        (0, 2, {"what": "referrers"}),
        (2, 2, {"char": "<"}),
        (1, 3, {"code": "-12"}),
        (3, 5, {"byte": "ff", "position": "0"}),
        (4, 6, {}),
        (5, 7, {}),
        (6, 8, {}),
    ]


WORDS = ["failed", " to ", "decode", "error: ", "-7", "\n", "\r\n", "invalid character '", "<", "'", "\x1b[1m",
         "0xff", "codec can't decode byte ", " in position ", "4", "解码失败", "layer x", "magic: x", "!", "99%",
         " not supported", "\r", "é"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60).map("".join))
def test_both_backends_give_the_same_hits(text: str) -> None:
    pytest.importorskip("hyperscan")
    found = [sorted(hits(backend, text.encode()), key=str) for backend in ("hyperscan", "python")]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (r"(a+)+b", "inside a repeat"),
        (r"(?=x)y", "look-around"),
        (r"(a)\1", "back-reference"),
        (r"x*", "nothing at all"),
        (r"[", "not a regular expression"),
        (r"a.*b.*c.*d.*e", "unbounded repeats"),
        (r"(?:(?:ab){2,5})+c", "inside a repeat"),
    ],
)
def test_what_can_take_long_is_refused_with_the_reason(expression: str, reason: str) -> None:
    assert reason in (complaint(expression) or "")


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (r"not a [“”] quote", "several bytes"),
        (r"[^]“]x", "several bytes"),
        ("café+s", "several bytes"),
        (r"\u201cquoted", "for bytes"),
        (r"a\[“quoted”\]", ""),
        (r"(?:“|”)? quoted", ""),
        (r"\xef\xbb\xbfkey", ""),
    ],
)
def test_a_pattern_of_lines_takes_no_character_apart(expression: str, reason: str) -> None:
    assert reason in (complaint_of_line_pattern(expression) or "")
    assert bool(complaint_of_line_pattern(expression)) == bool(reason)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_ordinary_messages_are_of_the_subset(expression: str) -> None:
    assert complaint(expression) is None


@pytest.mark.parametrize(
    ("expression", "literals"),
    [
        (r"failed to (decode|load) the index", [b"failed to decode the index", b"failed to load the index"]),
        (r"Foo\d+barbaz", [b"barbaz"]),
        (r"(?P<what>failed|unable) to \w+ it", [b"failed to ", b"unable to "]),
        (r"can.?t decode", [b"t decode"]),
        (r"(load|open).{0,20}(model|file)", [b"file", b"load", b"model", b"open"]),
        (r"x{2}yyz?", [b"xxyy", b"xxyyz"]),
        (r"解码失败", ["解码失败".encode()]),
        (r"\xef\xbb\xbfkey", [b"\xef\xbb\xbfkey"]),
        (r"!{24,}", [b"!" * 14]),
        (
            r"(<unk>|<pad>){7}",
            [a + b for a in (b"<pad>", b"<unk>") for b in (b"<pad><pad>", b"<pad><unk>", b"<unk><pad>", b"<unk><unk>")],
        ),
        (r"\d{4}", []),
        (r"windows|[A-Z]:", []),
    ],
)
def test_every_match_holds_one_of_the_literals(expression: str, literals: list[bytes]) -> None:
    found = required_literals(expression)
    assert found == [literal for literal in literals if literal in found] and bool(found) == bool(literals)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_string_that_matches_holds_a_literal(data: st.DataObject) -> None:
    expression = data.draw(st.sampled_from([e for e in EXPRESSIONS if required_literals(e)]))
    text = data.draw(st.from_regex(re.compile(expression, re.ASCII))).encode("utf-8", "replace")
    assert any(literal in text.lower() for literal in required_literals(expression))


def test_a_database_of_another_kind_is_ignored() -> None:
    pytest.importorskip("hyperscan")
    patterns = PatternSet(["abcdefg"], databases=(b"no database at all", b""))
    found: list[int] = []
    patterns.scan(b"xxabcdefgxx", lambda _pattern, end: found.append(end))
    assert found == [9]


def test_of_a_long_literal_the_rarest_part_is_looked_for() -> None:
    common = [b"failed to load the model"] * 20
    search = search_for(range(21), [[literal] for literal in [*common, b"failed to load the kwyjibo"]])
    assert len(search.literals) == 2
    assert all(len(literal) <= 12 for literal in search.literals)
    assert search.literals[1].endswith(b"kwyjibo")
    assert search.owners == [list(range(20)), [20]]

"""What is wrong with a rule file is told with its place and the nearest right name; nothing ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.engine.load import load
from diagnose.engine.problems import RuleError
from diagnose.evidence import FactSpec

FACTS = [
    FactSpec("image.truncated", "bool", "the file ends early"),
    FactSpec("image.width", "int", "width", "pixels"),
    FactSpec("text.encoding", "str", "encoding"),
]

RULE = r"""
rules:
- id: image/cut
  layer: image
  severity: error
  title:
    en: Cut
    zh: 被截断
  match:
    any:
    - log: 'image file is truncated \((?P<left>\d+) bytes'
    - fact: {image.truncated: true}
  causes:
  - id: download
    title:
      en: The download broke off
      zh: 下载中断
    prior: 0.8
    for:
    - capture: {left|lt: 100}
      weight: 3
  steps:
  - id: again
    repair:
      en: Download it again
      zh: 重新下载
    run: curl -C - -O {left}
    fixes: {download: 0.9}
    minutes: 5
  sources: [Pillow ImageFile.py]
  examples:
  - log: 'OSError: image file is truncated (12 bytes not processed)'
    cause: download
"""


def problems(tmp_path: Path, text: str) -> str:
    path = tmp_path / "family.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuleError) as caught:
        load([path], FACTS)
    return str(caught.value)


def test_a_right_rule_loads_with_its_texts_patterns_and_place(tmp_path: Path) -> None:
    path = tmp_path / "family.yaml"
    path.write_text(RULE, encoding="utf-8")
    rules, remarks = load([path], FACTS)
    assert not remarks
    (rule,) = rules.rules
    assert (rule.id, rule.line, rule.title["zh"], rule.causes[0].prior) == ("image/cut", 3, "被截断", 0.8)
    assert rules.patterns == [r"image file is truncated \((?P<left>\d+) bytes"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("prior: 0.8", "prio: 0.8", "18:5: a cause has no key 'prio'; did you mean 'prior'?"),
        (
            "image.truncated",
            "image.trunkated",
            "no collector declares the fact 'image.trunkated'; did you mean 'image.tr",
        ),
        ("image.truncated: true", "image.truncated: 3", "image.truncated is of type bool; |is wants true or false"),
        ("left|lt: 100", "left|less: 100", "there is no comparison |less"),
        ("left|lt: 100", "lift|lt: 100", "has a group 'lift'; did you mean 'left'?"),
        ("severity: error", "severity: eror", "'eror' is none of error, warning, note; did you mean 'error'?"),
        ("layer: image", "layer: picture", "'picture' is none of transport, container"),
        ("fixes: {download: 0.9}", "fixes: {downlod: 0.9}", "no cause 'downlod'; did you mean 'download'?"),
        ("prior: 0.8", "prior: 8", "must be at most 1"),
        ("weight: 3", "weight: high", "wanted int or float, found text"),
        (r"truncated \((", "truncated ((", "the pattern is not a regular expression"),
        (r"(?P<left>\d+)", r"(?P<left>(\d+)+)", "the pattern holds a repeat inside a repeat"),
        ("-O {left}", "-O '{left}'", "a placeholder stands inside quotes"),
        ("-O {left}", "-O {lefft}", "{lefft} is neither a capture of `match` nor a fact; did you mean 'left'?"),
        ("  sources: [Pillow ImageFile.py]\n", "", "a rule lacks the key 'sources'"),
        ("    cause: download\n", "    cause: upload\n", "this rule has no cause 'upload'"),
        ("  - id: again\n", "  - id: again\n    after: backup\n", "this rule has no step 'backup'"),
        (
            "    - fact: {image.truncated",
            "    - capture: {left: 1}\n    - fact: {image.truncated",
            "once `match` holds",
        ),
        ("id: image/cut", "id: cut", "no id of the form"),
        ("  - id: again\n", "  - id: again\n    after: again\n", "wait for"),
        ("    repair:", "    repair_:", "needs exactly one of check, repair"),
        ("  match:\n", "   match:\n", "is not YAML"),
        ("rules:", "rules: &a", "anchors and aliases are not allowed"),
        ("- id: image/cut", "- {id: [}", "is not YAML"),
        ("layer: image", "layer: [image]", "wanted str, found a list"),
        ("  - id: download\n", "  - download\n  - id: download\n", "wanted a cause, a mapping, found text"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in RULE
    message = problems(tmp_path, RULE.replace(old, new))
    assert told in message
    assert f"{tmp_path / 'family.yaml'}:" in message


def test_a_caret_stands_below_the_mistake(tmp_path: Path) -> None:
    lines = problems(tmp_path, RULE.replace("prior: 0.8", "prio: 0.8")).splitlines()
    told = next(number for number, line in enumerate(lines) if "no key 'prio'" in line)
    assert lines[told + 1].index("prio") == lines[told + 2].index("^")


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    message = problems(tmp_path, RULE.replace("prior: 0.8", "prio: 0.8").replace("severity: error", "severity: bad"))
    assert "prio" in message and "'bad'" in message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"", "is empty"),
        (b"- a\n- b\n", "wanted a rule file, a mapping, found a list"),
        (b"[" * 100, "is not YAML"),
        (b"rules: " + b"[" * 60 + b"]" * 60, "is nested too deeply"),
        (b"rules:\n- ? [a]\n  : b\n", "a key must be a word"),
        (b"rules:\n\t- id: x\n", "is not YAML"),
    ],
)
def test_any_bytes_end_in_a_message(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "family.yaml"
    path.write_bytes(content)
    with pytest.raises(RuleError, match=told):
        load([path], FACTS)


def test_a_missing_translation_is_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "family.yaml"
    path.write_text(RULE.replace("      zh: 下载中断\n", ""), encoding="utf-8")
    _, remarks = load([path], FACTS)
    assert [remark.message for remark in remarks] == ["lacks the text in zh"]


def test_two_rules_of_one_id_are_refused(tmp_path: Path) -> None:
    assert "another rule is called 'image/cut'" in problems(tmp_path, RULE + RULE.replace("\nrules:\n", ""))


def test_explains_that_names_no_rule_is_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "family.yaml"
    path.write_text(RULE + "  explains: [image/cat]\n", encoding="utf-8")
    _, remarks = load([path], FACTS)
    assert [r.message for r in remarks] == ["no rule is called 'image/cat'; did you mean 'image/cut'?"]


def test_a_text_that_a_comment_cuts_is_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "family.yaml"
    path.write_text(RULE.replace("minutes: 5", "minutes: 5  # measured"), "utf-8")
    assert load([path], FACTS)[1] == []
    path.write_text(RULE.replace("en: Download it again", "en: Fetch it again, see #12 there"), encoding="utf-8")
    _, remarks = load([path], FACTS)
    assert [(r.message, r.place.line, r.place.column) for r in remarks] == [
        ("the text ends before this '#', which begins a comment: quote it", 25, 31)
    ]


def test_a_weight_beyond_what_ranking_uses_is_refused(tmp_path: Path) -> None:
    assert "must be at most 100" in problems(tmp_path, RULE.replace("weight: 3", "weight: 200"))

"""Targets: what is wrong in their files is told with its place; a limit is raised beside the rules, after them."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.engine.judge import Judge
from diagnose.engine.problems import RuleError
from diagnose.engine.rule import RuleSet, rule_set
from diagnose.engine.target import Target, with_targets
from diagnose.engine.target_load import load_targets
from diagnose.evidence import Evidence, Fact, FactSpec, Subject

FACTS = [
    FactSpec("jpeg.process", "str", "coding process"),
    FactSpec("image.width", "int", "width", "pixels"),
]

FILE = r"""
remedies:
- id: shrink
  title:
    en: Make it smaller
    zh: 缩小
  run: magick {file} -resize '64x64>' OUT.jpg
  minutes: 2
targets:
- name: toy-camera
  aliases: [toy]
  title:
    en: Toy camera
    zh: 玩具相机
  summary:
    en: A camera for tests.
    zh: 测试用相机。
  limits:
  - id: too-wide
    severity: error
    title:
      en: wider than 64 pixels
      zh: 宽度超过 64 像素
    match:
      fact: {image.width|gt: 64}
    happens:
      en: It hangs.
      zh: 它会卡住。
    do: [shrink]
    since: "1.0"
    until: "2.0"
    sources: [its manual]
    examples:
    - facts: {image.width: 65}
    - facts: {image.width: 64}
      raises: nothing
"""
NO_RULES: RuleSet = rule_set([], [], [], [])


def loaded(tmp_path: Path, text: str = FILE) -> list[Target]:
    path = tmp_path / "toy.yaml"
    path.write_text(text, encoding="utf-8")
    return load_targets([path], FACTS)[0]


def evidence(path: str = "a b.jpg", **facts: int | str) -> Evidence:
    found = Evidence(Subject("file", path))
    found.extend(Fact(name.replace("_", "."), value) for name, value in facts.items())
    return found


def test_a_limit_names_its_consumer_the_versions_and_a_command_with_the_quoted_path(tmp_path: Path) -> None:
    judge = Judge(with_targets(NO_RULES, loaded(tmp_path)))
    [diagnosis] = judge.diagnoses(evidence(image_width=100))
    assert diagnosis.rule == "target/toy-camera/too-wide"
    assert diagnosis.title == "Toy camera · wider than 64 pixels"
    assert diagnosis.causes[0].title == "It hangs. From 1.0 on. Before 2.0."
    assert diagnosis.checklist[0].commands == ["magick 'a b.jpg' -resize '64x64>' OUT.jpg"]
    assert judge.diagnoses(evidence(image_width=64)) == []


def test_texts_come_in_the_language_asked_for(tmp_path: Path) -> None:
    judge = Judge(with_targets(NO_RULES, loaded(tmp_path)), "zh")
    [diagnosis] = judge.diagnoses(evidence(image_width=100))
    assert diagnosis.title == "玩具相机 · 宽度超过 64 像素"


@pytest.mark.parametrize(
    ("written", "instead", "complaint"),
    [
        (
            "image.width|gt",
            "image.widht|gt",
            "the fact 'image.widht'; did you mean 'image.width'?",
        ),
        ("image.width|gt", "image.width|gtt", "there is no comparison |gtt; did you mean 'gt'?"),
        ("do: [shrink]", "do: [shrnk]", "no remedy is called 'shrnk'; did you mean 'shrink'?"),
        ("do: [shrink]", "do: [shrink, shrink]", "'shrink' stands here twice"),
        ("severity: error", "severity: note", "'note' is none of error, warning"),
        ("happens:", "hapens:", "a limit has no key 'hapens'; did you mean 'happens'?"),
        ("fact: {image.width|gt: 64}", "log: too wide", "a condition on facts has no key 'log'"),
        ("fact: {image.width|gt: 64}", "not: {fact: {image.width|gt: 64}}", "it says only what is not there"),
        ("name: toy-camera", "name: Toy Camera", "'Toy Camera' is no name of small letters, digits, hyphens and dots"),
        ("aliases: [toy]", "aliases: [toy-camera]", "another target is called 'toy-camera'"),
        ("{image.width: 65}", "{image.size: 65}", "no collector declares the fact 'image.size'"),
        ("      raises: nothing\n", "", "a limit needs an example that has it, and one with `raises: nothing`"),
        ("{file} -resize '64x64>'", "'{file}'", "a placeholder stands inside quotes in '{file}'"),
        ("{file} -resize", "{flie} -resize", "{flie} is neither a capture of `match` nor a fact; did you mean 'file'?"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, written: str, instead: str, complaint: str) -> None:
    assert written in FILE
    with pytest.raises(RuleError) as caught:
        loaded(tmp_path, FILE.replace(written, instead, 1))
    told = str(caught.value)
    assert complaint in told
    assert "toy.yaml:" in told and "^" in told


def test_two_limits_of_a_target_need_two_ids(tmp_path: Path) -> None:
    limit = FILE[FILE.index("  - id: too-wide") :]
    with pytest.raises(RuleError, match="another limit of this target is called 'too-wide'"):
        loaded(tmp_path, FILE + limit)


def test_a_missing_translation_and_an_unknown_rule_are_remarks(tmp_path: Path) -> None:
    path = tmp_path / "toy.yaml"
    text = FILE.replace("      zh: 它会卡住。\n", "")
    text = text.replace("    sources:", "    explains: [image/nothing]\n    sources:", 1)
    path.write_text(text, encoding="utf-8")
    _, remarks = load_targets([path], FACTS, ["image/something"])
    assert [remark.message for remark in remarks] == [
        "lacks the text in zh",
        "no rule is called 'image/nothing'; did you mean 'image/something'?",
    ]

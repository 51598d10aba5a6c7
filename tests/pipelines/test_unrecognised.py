"""What no rule knows is told by template, with what is closest, and becomes the first example of a rule."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

import pytest

from diagnose.pipelines.explain import explain, suggested_rule
from diagnose.pipelines.rulebook import Rulebook, rulebook

LINES = "".join(
    f"W{number:04} pipe[{number * 7}]: failed to decode frob block {number} of /data/{number}.qqz\n"
    for number in range(40)
)
LOG = (LINES + "E0001 fizz: codec error: bad frob header at 0x12\n").encode()


@pytest.mark.parametrize("with_drain", [True, False])
def test_lines_of_one_template_are_one_piece_of_evidence_with_its_count(
    book: Rulebook, with_drain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_drain:
        pytest.importorskip("drain3")
    else:
        monkeypatch.setitem(sys.modules, "drain3", None)
    (diagnosis,) = explain(BytesIO(LOG), "x.log", book).diagnoses
    assert diagnosis.rule == "general/unrecognised"
    told = [(item.where, item.count) for item in diagnosis.evidence if item.fact == "log"]
    assert told == [("x.log:1", 40), ("x.log:41", 1)]


def test_the_general_checklist_is_offered(book: Rulebook) -> None:
    (diagnosis,) = explain(BytesIO(LOG), "x.log", book).diagnoses
    assert {"earliest-error", "input-whole"} <= {step.id for step in diagnosis.checklist}


def test_a_suggested_rule_is_a_rule_that_recognises_its_line(
    book: Rulebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DECODEDOCTOR_CACHE", str(tmp_path / "cache"))
    text = suggested_rule(BytesIO(LOG), "x.log", book)
    assert text is not None
    own = tmp_path / "own"
    own.mkdir()
    (own / "new.yaml").write_text(text, encoding="utf-8")
    report = explain(BytesIO(LOG), "x.log", rulebook([own]))
    assert report.diagnoses[0].rule.startswith("runtime/") and "frob" in text


def test_nothing_is_suggested_for_what_is_known(book: Rulebook) -> None:
    known = b"failed to decode referrers index: invalid character '<' looking for beginning of value\n"
    assert suggested_rule(BytesIO(b"all is well\n"), "x.log", book) is None
    report = explain(BytesIO(known), "x.log", book)
    assert report.diagnoses[0].rule != "general/unrecognised"

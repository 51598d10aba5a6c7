"""Generated pages are current; every shipped rule is complete, in both languages, and does what its examples say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from diagnose.engine.load import load
from diagnose.engine.target_load import load_targets
from diagnose.pipelines.rule_tests import run_examples, run_target_examples
from diagnose.pipelines.rulebook import Rulebook, rule_files, shipped_rules
from diagnose.pipelines.targets import target_files, targets
from diagnose.pipelines.vocabulary import vocabularies

PAGES = ["facts.md", "rules-list.md", "rules.schema.json", "targets-list.md", "targets.schema.json"]
ROOT = Path(__file__).resolve().parent.parent


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name: str) -> None:
    current = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert current == generator().pages()[name], "run `python docs/generate.py`"


def test_outputs_in_the_readme_are_current() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8") == generator().readme(), "run `python docs/generate.py`"


def test_no_text_lacks_its_translation() -> None:
    declared = [spec for vocabulary in vocabularies() for spec in vocabulary]
    rules, remarks = load(rule_files([shipped_rules()]), declared)
    _, of_targets = load_targets(target_files([shipped_rules()]), declared, [rule.id for rule in rules.rules])
    assert [remark.render() for remark in [*remarks, *of_targets]] == []


def test_every_rule_does_what_its_examples_say(book: Rulebook) -> None:
    scores = [*run_examples(book), *run_target_examples(book, targets())]
    misses = [miss for score in scores for miss in score.misses]
    assert [f"{m.file}:{m.line}: {m.rule}: wanted {m.wanted}, got {m.got}" for m in misses] == []


def test_every_rule_has_positive_and_negative_examples(book: Rulebook) -> None:
    lacking = [score.rule for score in run_examples(book) if not score.positives or not score.negatives]
    assert lacking == []


@pytest.mark.parametrize("path", rule_files([shipped_rules()]), ids=lambda path: path.name)
def test_the_published_schema_accepts_every_rule_file(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "rules.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("path", target_files([shipped_rules()]), ids=lambda path: path.name)
def test_the_published_schema_accepts_every_target_file(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "targets.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), schema)

"""Writes the generated pages: facts, rules, targets, the schemas of their files, and README.md's outputs.

    python docs/generate.py

A test fails where one of them is not what this would write.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from diagnose.diagnosis import Layer
from diagnose.engine.rule import RuleSet
from diagnose.engine.rule_form import json_schema
from diagnose.engine.target import Limit, Target
from diagnose.engine.target_form import json_schema as target_schema
from diagnose.evidence import FactSpec
from diagnose.pipelines.rulebook import load_rules, rule_files, shipped_rules
from diagnose.pipelines.targets import read_targets, target_files
from diagnose.pipelines.vocabulary import vocabularies

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
OUTPUT = re.compile(r"<!-- run: (?P<arguments>[^|\n]+) \| (?P<lines>\d+) -->\n```\n.*?```", re.DOTALL)
NOTICE = "<!-- Written by docs/generate.py. Edit the declarations, not this page. -->"


def main() -> None:
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}")
    README.write_text(readme(), encoding="utf-8")
    print("README.md")


def pages() -> dict[str, str]:
    """The generated pages by name."""
    rules = load_rules(rule_files([shipped_rules()]))
    return {
        "facts.md": facts_page(rules),
        "rules-list.md": rules_page(rules),
        "rules.schema.json": json.dumps(json_schema(), indent=2) + "\n",
        "targets-list.md": targets_page(read_targets(target_files([shipped_rules()]))),
        "targets.schema.json": json.dumps(target_schema(), indent=2) + "\n",
    }


def readme() -> str:
    """README.md with the first lines that each of its commands prints now."""
    return OUTPUT.sub(_output, README.read_text(encoding="utf-8"))


def _output(block: re.Match[str]) -> str:
    arguments, lines = block["arguments"], int(block["lines"])
    done = subprocess.run(
        [sys.executable, "-m", "diagnose", *arguments.split()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=DOCS.parent,
        env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "COLUMNS": "80"},
        check=False,
    )
    shown = done.stdout.splitlines()
    cut = [*shown[:lines], "..."] if len(shown) > lines else shown
    text = "\n".join(line.rstrip() for line in cut).strip()
    return f"<!-- run: {arguments} | {lines} -->\n```\n$ decodedoctor {arguments}\n{text}\n```"


def facts_page(rules: RuleSet) -> str:
    parts = [
        "# Facts",
        NOTICE,
        "What collectors can yield, and what rules may name. `decodedoctor inspect` shows the facts of a file.\n"
        "Types: `strs` is a list of texts; a `version` compares by its numeric parts.",
    ]
    for vocabulary in vocabularies():
        parts.append(f"## {vocabulary.collector}\n\n{_table(vocabulary)}")
    stated = (extraction.fact for extraction in rules.extractions)
    parts.append(f"## Stated by lines of a log (`rules/context/`)\n\n{_table(stated)}")
    return "\n\n".join(parts) + "\n"


def _table(specs: Iterable[FactSpec]) -> str:
    rows = [
        f"| `{spec.name}` | {spec.type} | {spec.unit} | {_cell(spec.meaning)} |"
        for spec in sorted(specs, key=lambda spec: spec.name)
    ]
    return "\n".join(["| fact | type | unit | meaning |", "| --- | --- | --- | --- |", *rows])


def rules_page(rules: RuleSet) -> str:
    parts = ["# Rules", NOTICE, f"{len(rules.rules)} rules with {sum(len(r.causes) for r in rules.rules)} causes."]
    for layer in Layer:
        of_layer = sorted((rule for rule in rules.rules if rule.layer is layer), key=lambda rule: rule.id)
        if of_layer:
            rows = [
                f"| `{rule.id}` | {rule.severity.value} | {_cell(rule.title['en'])} | "
                f"{', '.join(cause.id for cause in rule.causes)} |"
                for rule in of_layer
            ]
            head = ["| rule | severity | what | causes |", "| --- | --- | --- | --- |"]
            parts.append("\n".join([f"## {layer.value}", "", *head, *rows]))
    return "\n\n".join(parts) + "\n"


def targets_page(targets: list[Target]) -> str:
    limits = sum(len(target.limits) for target in targets)
    parts = ["# Targets", NOTICE, f"{len(targets)} targets with {limits} limits: what each cannot read."]
    for target in targets:
        rows = [
            f"| `{limit.id}` | {limit.rule.severity.value} | {_cell(limit.title['en'])}: {_cell(limit.happens['en'])}"
            f"{_versions(limit)} | {_cell('; '.join(limit.sources))} |"
            for limit in target.limits
        ]
        names = ", ".join(f"`{name}`" for name in [target.name, *target.aliases])
        known = f" Known from: {'; '.join(target.sources)}." if target.sources else ""
        head = ["| limit | severity | what happens | source |", "| --- | --- | --- | --- |"]
        parts.append(f"## {target.title['en']}\n\n{names}\n\n{target.summary['en']}{known}")
        parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts) + "\n"


def _versions(limit: Limit) -> str:
    told = [f"from {limit.since} on"] * bool(limit.since) + [f"before {limit.until}"] * bool(limit.until)
    return f" ({', '.join(told)})" if told else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()

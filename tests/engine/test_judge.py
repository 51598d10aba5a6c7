"""From evidence to diagnoses: three-valued conditions, root causes and consequences, steps, quoting."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from diagnose.collectors import log
from diagnose.diagnosis import Diagnosis
from diagnose.engine.commands import filled
from diagnose.engine.judge import Judge
from diagnose.engine.load import load
from diagnose.engine.operators import compare
from diagnose.engine.rule import RuleSet
from diagnose.evidence import Evidence, Fact, FactSpec, Subject, Value
from diagnose.patterns import PatternSet

FACTS = [
    FactSpec("registry.status", "int", "status"),
    FactSpec("registry.html", "bool", "body is HTML"),
    FactSpec("disk.free_bytes", "int", "free", "bytes"),
    FactSpec("disk.needed_bytes", "int", "needed", "bytes"),
]


def rule(rule_id: str, match: str, extra: str = "", causes: str = "", steps: str = "") -> str:
    causes = causes or "  - {id: only, title: {en: Only}, prior: 0.9}\n"
    steps = steps or "  - {id: mend, repair: {en: Mend}, fixes: {only: 0.9}, minutes: 5}\n"
    return (
        f"- id: {rule_id}\n  layer: container\n  severity: error\n  title: {{en: Title of {rule_id}}}\n"
        f"  match: {match}\n  causes:\n{causes}  steps:\n{steps}  sources: [s]\n  examples: [{{log: x}}]\n{extra}"
    )


@pytest.fixture
def rules(tmp_path: Path, request: pytest.FixtureRequest) -> RuleSet:
    return made(tmp_path, *request.param)


def made(folder: Path, *texts: str) -> RuleSet:
    path = folder / "rules.yaml"
    path.write_text("rules:\n" + "".join(texts), encoding="utf-8")
    return load([path], FACTS)[0]


def judged(rules: RuleSet, text: str) -> list[Diagnosis]:
    evidence = log.collect(
        BytesIO(text.encode()),
        PatternSet(rules.patterns, rules.scan, rules.by_pattern, rules.kept),
        Subject("log", "x.log"),
    )
    return Judge(rules).diagnoses(evidence)


def judged_facts(rules: RuleSet, looked_for: tuple[str, ...] = (), **facts: Value) -> list[Diagnosis]:
    evidence = Evidence(Subject("file", "x"))
    for name, value in facts.items():
        evidence.add(Fact(name.replace("__", "."), value))
    evidence.looked_for(frozenset(looked_for))
    return Judge(rules).diagnoses(evidence)


CAUSES = """\
  - {id: html, title: {en: HTML}, prior: 0.3, for: [{fact: {registry.html: true}, weight: 30}]}
  - {id: disk, title: {en: Disk}, prior: 0.3,
     for: [{fact: {disk.free_bytes|lt: {fact: disk.needed_bytes}}, weight: 30}]}
"""
STEPS = """\
  - {id: fix-html, repair: {en: Fix proxy}, fixes: {html: 0.9}, minutes: 10}
  - {id: free-disk, repair: {en: Free disk}, fixes: {disk: 0.9}, minutes: 10}
"""


def test_known_absent_and_unchecked_evidence_give_three_posteriors(tmp_path: Path) -> None:
    rules = made(tmp_path, rule("container/x", "{fact: {registry.status: 200}}", causes=CAUSES, steps=STEPS))

    def probability(looked_for: tuple[str, ...] = (), **facts: Value) -> float:
        (diagnosis,) = judged_facts(rules, looked_for, registry__status=200, **facts)
        return next(cause.probability for cause in diagnosis.causes if cause.id == "html")

    seen, absent, unobserved = probability(registry__html=True), probability(("registry.html",)), probability()
    assert seen > 0.85 > unobserved > absent > 0


def test_the_order_of_steps_follows_the_evidence(tmp_path: Path) -> None:
    rules = made(tmp_path, rule("container/x", "{fact: {registry.status: 200}}", causes=CAUSES, steps=STEPS))
    (html,) = judged_facts(rules, registry__status=200, registry__html=True)
    (disk,) = judged_facts(rules, registry__status=200, disk__free_bytes=1, disk__needed_bytes=5)
    assert html.checklist[0].id == "fix-html"
    assert disk.checklist[0].id == "free-disk"


def test_a_fact_that_was_not_checked_raises_nothing_and_is_told(tmp_path: Path) -> None:
    rules = made(tmp_path, rule("container/x", "{fact: {registry.status: 200}}", causes=CAUSES, steps=STEPS))
    evidence = Evidence(Subject("image", "x"))
    evidence.add(Fact("registry.status", None, not_checked="timed out"))
    assert Judge(rules).diagnoses(evidence) == []
    evidence.add(Fact("registry.status", 200))
    evidence.add(Fact("registry.html", None, not_checked="no permission"))
    (diagnosis,) = Judge(rules).diagnoses(evidence)
    assert [item.not_checked for item in diagnosis.evidence if item.not_checked] == ["no permission"]


def test_what_a_root_cause_explains_becomes_its_consequence(tmp_path: Path) -> None:
    rules = made(
        tmp_path,
        rule("container/pull-failed", "{log: 'pull failed'}"),
        rule("container/disk-full", "{log: 'no space left'}", "  explains: [container/*]\n"),
    )
    (diagnosis,) = judged(rules, "pull failed: exit 1\n" + "\n" * 10 + "write: no space left on device\n")
    assert diagnosis.rule == "container/disk-full"
    assert diagnosis.consequences == ["container/pull-failed"]


def test_far_apart_failures_are_two_incidents(tmp_path: Path) -> None:
    rules = made(
        tmp_path,
        rule("container/pull-failed", "{log: 'pull failed'}"),
        rule("container/disk-full", "{log: 'no space left'}", "  explains: [container/*]\n"),
    )
    found = judged(rules, "pull failed\n" + "ok\n" * 500 + "no space left\n")
    assert [d.rule for d in found] == ["container/pull-failed", "container/disk-full"]


def test_a_generic_rule_yields_to_a_specific_one(tmp_path: Path) -> None:
    rules = made(
        tmp_path,
        rule("container/any", "{log: 'failed to decode'}", "  generic: true\n"),
        rule("container/index", "{log: 'failed to decode referrers'}"),
    )
    assert [d.rule for d in judged(rules, "failed to decode referrers index")] == ["container/index"]
    assert [d.rule for d in judged(rules, "failed to decode something")] == ["container/any"]


def test_of_a_wrapped_error_the_deepest_part_comes_first(tmp_path: Path) -> None:
    rules = made(
        tmp_path, rule("container/outer", "{log: 'outer failed'}"), rule("container/inner", "{log: 'inner bad'}")
    )
    assert [d.rule for d in judged(rules, "outer failed: copying: inner bad")] == ["container/inner", "container/outer"]


def test_a_repeated_error_is_one_diagnosis_with_its_count(tmp_path: Path) -> None:
    rules = made(tmp_path, rule("container/x", "{log: 'cannot decode'}"))
    (diagnosis,) = judged(rules, ("cannot decode\n" + "ok\n" * 200) * 30)
    assert diagnosis.evidence[0].count == 30
    assert diagnosis.evidence[0].where == "x.log:1"


@pytest.mark.parametrize("name", ["a; rm -rf ~", "$(id)", "`id`", "x' || true '", "\x1b[2Jx", "a\\u202eb"])
def test_a_captured_value_cannot_become_a_command(tmp_path: Path, name: str) -> None:
    import shlex

    steps = "  - {id: look, repair: {en: Look}, run: 'ls -- {path}', fixes: {only: 0.9}, minutes: 1}\n"
    rules = made(tmp_path, rule("container/x", "{log: 'cannot decode <(?P<path>[^>]+)>'}", steps=steps))
    (diagnosis,) = judged(rules, f"cannot decode <{name}>")
    (command,) = diagnosis.checklist[0].commands
    words = shlex.split(command)
    assert words[:2] == ["ls", "--"] and len(words) == 3
    assert "\x1b" not in command and "\u202e" not in command


def test_what_is_not_known_stands_in_capitals(tmp_path: Path) -> None:
    steps = "  - {id: look, repair: {en: Look}, run: 'echo {registry.status}', fixes: {only: 0.9}, minutes: 1}\n"
    rules = made(tmp_path, rule("container/x", "{log: 'cannot decode'}", steps=steps))
    (diagnosis,) = judged(rules, "cannot decode")
    assert diagnosis.checklist[0].commands == ["echo STATUS"]


def test_a_step_is_not_offered_where_its_condition_is_known_to_fail(tmp_path: Path) -> None:
    steps = (
        "  - {id: old, repair: {en: Old}, fixes: {only: 0.9}, minutes: 1,\n"
        "     when: {capture: {version|version_lt: '2.0'}}}\n"
        "  - {id: new, repair: {en: New}, fixes: {only: 0.9}, minutes: 2}\n"
    )
    rules = made(tmp_path, rule("container/x", r"{log: 'cannot decode with v(?P<version>[\d.]+)'}", steps=steps))
    assert judged(rules, "cannot decode with v1.9")[0].checklist[0].id == "old"
    assert judged(rules, "cannot decode with v2.1")[0].checklist[0].id == "new"


def test_a_fact_is_read_from_a_line_far_from_the_incident(tmp_path: Path) -> None:
    path = tmp_path / "context.yaml"
    path.write_text(
        "facts:\n- {name: log.engine, type: version, meaning: m, log: 'Engine (?P<value>[0-9.]+)'}\n", encoding="utf-8"
    )
    causes = (
        "  - {id: old, title: {en: Old}, prior: 0.3, for: [{fact: {log.engine|version_lt: '23.0'}, weight: 30}]}\n"
        "  - {id: other-side, title: {en: Other}, prior: 0.6}\n"
    )
    steps = "  - {id: update, repair: {en: Update}, fixes: {old: 0.9}, minutes: 1}\n"
    own = tmp_path / "rules.yaml"
    own.write_text(
        "rules:\n" + rule("container/x", "{log: 'cannot decode'}", causes=causes, steps=steps), encoding="utf-8"
    )
    rules, _ = load([path, own], FACTS)
    assert judged(rules, "Engine 20.10.5\n" + "ok\n" * 3000 + "cannot decode\n")[0].causes[0].id == "old"
    assert judged(rules, "Engine 24.0.0\n" + "ok\n" * 3000 + "cannot decode\n")[0].causes[0].id == "other-side"


@pytest.mark.parametrize(
    ("operator", "value", "operand", "holds"),
    [
        ("is", "GBK", "gbk", True),
        ("is", True, 1, False),
        ("is", "12", 12, True),
        ("in", "<", ["<", "{"], True),
        ("has", ["a", "b"], "B", True),
        ("gt", "0x1fff", 8190, True),
        ("gte", "1,024", 1024, True),
        ("lt", "many", 3, None),
        ("multiple_of", 36864, 4096, True),
        ("multiple_of", 0, 4096, False),
        ("version_lt", "19.03.4", "19.03.5", True),
        ("version_lt", "v29.1.0-rc1", "29.1", False),
        ("version_gte", "1.10", "1.9", True),
        ("version_is", "19.03.4", "19.03", True),
        ("version_is", "none", "1", None),
        ("startswith", "text/html; charset", "TEXT/html", True),
        ("matches", "abc-123", r"\d{3}", True),
        ("ne", 3, 3, False),
    ],
)
def test_comparisons(operator: str, value: Value, operand: Value, holds: bool | None) -> None:
    assert compare(operator, value, operand) is holds


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("curl -w %{http_code} https://{host}/v2/", "curl -w %{http_code} https://'a b'/v2/"),
        ("docker version -f '{{.Server.Arch}}'", "docker version -f '{{.Server.Arch}}'"),
        ("curl -w '%{{http_code}}'", "curl -w '%{http_code}'"),
        ("echo ${HOME} {unknown.name}", "echo ${HOME} NAME"),
        ("ls {files}", "ls a 'b c'"),
    ],
)
def test_braces_of_other_programs_stay(command: str, result: str) -> None:
    assert filled(command, {"host": "a b", "files": ["a", "b c"]}.get) == result


def test_a_secret_in_the_log_reaches_neither_evidence_nor_command(tmp_path: Path) -> None:
    steps = "  - {id: look, repair: {en: Look}, run: 'ffprobe {url}', fixes: {only: 0.9}, minutes: 1}\n"
    rules = made(tmp_path, rule("container/x", r"{log: 'cannot decode (?P<url>\S+)'}", steps=steps))
    (diagnosis,) = judged(rules, "cannot decode rtsp://cam:S3cretPw@10.0.0.5/live")
    assert "S3cretPw" not in diagnosis.evidence[0].text + diagnosis.checklist[0].commands[0]
    assert "10.0.0.5/live" in diagnosis.checklist[0].commands[0]


def test_what_follows_caused_by_is_the_root(tmp_path: Path) -> None:
    context = tmp_path / "context.yaml"
    context.write_text(
        "facts:\n- {name: log.deeper_cause, type: str, meaning: m, log: '^(?P<value>Caused by.{0,80})'}\n",
        encoding="utf-8",
    )
    own = tmp_path / "rules.yaml"
    names = ("container/outer", "container/middle", "container/inner")
    texts = [rule(name, f"{{log: '{name[10:]} failed'}}") for name in names]
    own.write_text("rules:\n" + "".join(texts), encoding="utf-8")
    rules, _ = load([context, own], FACTS)
    log_text = "outer failed\n  at a.b\nCaused by: middle failed\n  at c.d\nCaused by: inner failed\n"
    assert [d.rule for d in judged(rules, log_text)] == list(reversed(names))


def test_facts_and_lines_can_be_wanted_together(tmp_path: Path) -> None:
    context = tmp_path / "context.yaml"
    context.write_text(
        "facts:\n- {name: log.speed, type: float, meaning: m, log: 'decoded at (?P<value>[0-9.]+) t/s'}\n",
        encoding="utf-8",
    )
    own = tmp_path / "rules.yaml"
    match = "{all: [{fact: {log.speed|lt: 5}}, {log: 'on the gpu'}]}"
    own.write_text("rules:\n" + rule("container/slow", match), encoding="utf-8")
    rules, _ = load([context, own], FACTS)
    assert [d.rule for d in judged(rules, "running on the GPU\ndecoded at 2.5 t/s\n")] == ["container/slow"]
    assert judged(rules, "running on the GPU\ndecoded at 25.0 t/s\n") == []
    assert judged(rules, "decoded at 2.5 t/s\n") == []


def test_the_order_of_steps_is_that_of_the_rule_in_force_even_where_another_of_its_name_was_used_before(
    tmp_path: Path,
) -> None:
    step = "  - {{id: {}, repair: {{en: Mend}}, fixes: {{only: 0.9}}, minutes: {}}}\n"
    firsts = []
    for steps in (step.format("a", 1) + step.format("b", 9), step.format("a", 9) + step.format("b", 1)):
        rules = made(tmp_path, rule("container/x", "{log: boom}", steps=steps))
        firsts += [judged(rules, "boom")[0].checklist[0].id, judged(rules, "boom")[0].checklist[0].id]
    assert firsts == ["a", "a", "b", "b"]

"""decodedoctor rules: for those who read rules and those who write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.cli import options, output

if TYPE_CHECKING:
    from diagnose.pipelines.rule_tests import RuleScore


@click.group("rules")
def command() -> None:
    """List, show, lint and test the rules."""


@command.command("list")
@click.option("--layer", help="Only rules of this layer.")
@options.format_option("text", "json")
@options.rules_option
@options.language_option
def list_rules(layer: str | None, form: str, own_rules: tuple[Path, ...], lang: str | None) -> None:
    """List the rules in force, a line each."""
    language = output.language(lang)
    rules = [r for r in output.open_rulebook(own_rules).rules.rules if layer in (None, r.layer.value)]
    if form == "json":
        rows = [
            {"id": r.id, "layer": r.layer.value, "severity": r.severity.value, "title": r.title, "file": r.file}
            for r in rules
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    widest = max((len(rule.id) for rule in rules), default=0)
    for rule in sorted(rules, key=lambda rule: rule.id):
        click.echo(f"{rule.id:{widest}}  {rule.title.get(language) or rule.title['en']}")


@command.command("show")
@click.argument("rule_id")
@options.rules_option
def show(rule_id: str, own_rules: tuple[Path, ...]) -> None:
    """Show the rule RULE_ID as its author wrote it."""
    from diagnose.engine.problems import nearest
    from diagnose.pipelines.rulebook import shipped_rules

    rules = {rule.id: rule for rule in output.open_rulebook(own_rules).rules.rules}
    rule = rules.get(rule_id)
    if rule is None:
        hint = nearest(rule_id, rules)
        if rule_id.startswith("target/"):
            hint = f"; limits of targets: decodedoctor targets show {rule_id.split('/')[1]}"
        raise output.CommandError(f"no rule is called {rule_id!r}{hint}")
    later = [r.line for r in rules.values() if r.file == rule.file and r.line > rule.line]
    lines = (shipped_rules() / rule.file).read_text(encoding="utf-8").splitlines()
    end = min(later) - 1 if later else len(lines)
    click.echo(f"# {rule.file}:{rule.line}")
    click.echo("\n".join(lines[rule.line - 1 : end]).rstrip())


@command.command("lint")
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--strict", is_flag=True, help="Missing translations count as errors.")
def lint(folders: tuple[Path, ...], strict: bool) -> int:
    """Check the shipped rules and targets, and those in FOLDERS; exit status 1 if something is wrong."""
    from diagnose.engine.load import load
    from diagnose.engine.problems import RuleError
    from diagnose.engine.target_load import load_targets
    from diagnose.pipelines.rulebook import rule_files, shipped_rules
    from diagnose.pipelines.targets import target_files
    from diagnose.pipelines.vocabulary import vocabularies

    declared = [spec for vocabulary in vocabularies() for spec in vocabulary]
    files = rule_files([shipped_rules(), *folders])
    of_targets = target_files([shipped_rules(), *folders])
    try:
        rules, remarks = load(files, declared)
        targets, more = load_targets(of_targets, declared, [rule.id for rule in rules.rules])
        remarks += more
    except RuleError as error:
        click.echo(str(error))
        click.echo(f"{len(error.problems)} problems")
        return 1
    for remark in remarks:
        click.echo(remark.render())
    click.echo(
        f"{len(rules.rules)} rules in {len(files)} files, {len(rules.patterns)} patterns, {len(targets)} targets: "
        + (f"{len(remarks)} remarks" if remarks else "nothing to complain of")
    )
    return int(strict and bool(remarks))


@command.command("test")
@click.argument("rule_ids", nargs=-1)
@click.option("--verbose", "-v", is_flag=True, help="A row for every rule, not only for those with misses.")
@options.rules_option
def test(rule_ids: tuple[str, ...], verbose: bool, own_rules: tuple[Path, ...]) -> int:
    """Run the examples of rules and targets (of those whose ids begin with RULE_IDS); exit status 1 on a miss."""
    from diagnose.pipelines.rule_tests import run_examples, run_target_examples

    book = output.open_rulebook(own_rules)
    scores = run_examples(book, rule_ids)
    scores += run_target_examples(book, output.open_targets(own_rules), rule_ids)
    if not scores:
        raise output.CommandError("no rule has an id that begins so")
    _print_scores(scores, verbose)
    return int(any(score.misses for score in scores))


def _print_scores(scores: list[RuleScore], verbose: bool) -> None:
    shown = [score for score in scores if verbose or score.misses]
    widest = max([len(score.rule) for score in shown] + [len("all rules")])
    click.echo(f"{'':{widest}}  {'raised':>9}  {'not raised':>10}")
    for score in shown:
        click.echo(
            f"{score.rule:{widest}}  {f'{score.positives_right}/{score.positives}':>9}"
            f"  {f'{score.negatives_right}/{score.negatives}':>10}"
        )
    total: dict[str, Any] = {
        name: sum(getattr(score, name) for score in scores)
        for name in ("positives", "positives_right", "negatives", "negatives_right")
    }
    click.echo(
        f"{'all rules':{widest}}  {'{positives_right}/{positives}'.format(**total):>9}"
        f"  {'{negatives_right}/{negatives}'.format(**total):>10}"
    )
    for score in scores:
        for miss in score.misses:
            click.echo(f"{miss.file}:{miss.line}: {miss.rule}: wanted {miss.wanted}, got {miss.got}")


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of rule files, for editors."""
    from diagnose.engine.rule_form import json_schema

    click.echo(json.dumps(json_schema(), indent=2))

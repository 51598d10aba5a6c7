"""What no rule knows: its lines by template, the closest known rules, and a skeleton for a rule of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from diagnose.diagnosis import Diagnosis, Step
from diagnose.engine.rule import Rule, RuleSet
from diagnose.evidence import Evidence, Hit

RULE_ID = "general/unrecognised"
TEMPLATES_SHOWN = 5
CLOSEST_SHOWN = 3
LINE_LENGTH = 1000
LEAST_LIKENESS = 0.25
SIMILARITY = 0.5
"""Share of equal words above which Drain puts a line into a cluster (He et al., ICWS 2017, section III)."""

_WORDS = re.compile(r"[A-Za-z]{3,}")
_MASKS = (
    (r"0x[0-9a-fA-F]+", "HEX"),
    (r"(?<![\w.])\d+(?:\.\d+)*(?![\w.])", "NUM"),
    (r"(?:/|[A-Za-z]:\\)[^\s'\":,]+", "PATH"),
)


class Template(Struct, frozen=True):
    """Lines that differ only in their variable parts: the template, the first of them, and how many there are."""

    text: str
    first: Hit
    count: int


def templates(hits: Sequence[Hit]) -> list[Template]:
    """The hits' lines by template, the most frequent first; each line counts once."""
    lines = list({hit.line: hit for hit in hits}.values())
    texts = _drained(lines)
    if texts is None:
        texts = [_masked_line(hit.text) for hit in lines]
    grouped: dict[str, list[Hit]] = {}
    for text, hit in zip(texts, lines, strict=True):
        grouped.setdefault(text, []).append(hit)
    found = [Template(text, members[0], len(members)) for text, members in grouped.items()]
    return sorted(found, key=lambda template: (-template.count, template.first.line))


def _drained(lines: Sequence[Hit]) -> list[str] | None:
    """Each line's template by Drain, or None where drain3 is not installed."""
    try:
        from drain3 import TemplateMiner
        from drain3.masking import MaskingInstruction
        from drain3.template_miner_config import TemplateMinerConfig
    except ImportError:
        return None
    config = TemplateMinerConfig()
    config.drain_sim_th = SIMILARITY
    config.masking_instructions = [MaskingInstruction(pattern, name) for pattern, name in _MASKS]
    miner = TemplateMiner(config=config)
    clusters = [miner.add_log_message(hit.text.strip()[:LINE_LENGTH])["cluster_id"] for hit in lines]
    texts = {cluster.cluster_id: str(cluster.get_template()) for cluster in miner.drain.clusters}
    return [texts[cluster] for cluster in clusters]


def _masked_line(text: str) -> str:
    text = text.strip()[:LINE_LENGTH]
    for pattern, name in _MASKS:
        text = re.sub(pattern, f"<{name}>", text)
    return re.sub(r"\d+", "<NUM>", text)


def closest_rules(line: str, rules: RuleSet) -> list[Rule]:
    """The rules whose examples share most words with the line, the closest first; none that share too few."""
    words = {word.lower() for word in _WORDS.findall(line)}
    scored = []
    for rule in rules.rules:
        likeness = max((_likeness(words, e.log) for e in rule.examples if e.raised and e.log), default=0.0)
        if likeness >= LEAST_LIKENESS and rule.id != RULE_ID:
            scored.append((likeness, rule))
    scored.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [rule for _, rule in scored[:CLOSEST_SHOWN]]


def _likeness(words: set[str], text: str) -> float:
    """Jaccard's index of two sets of words."""
    others = {word.lower() for word in _WORDS.findall(text)}
    return len(words & others) / max(1, len(words | others))


def enriched(diagnosis: Diagnosis, evidence: Evidence, rules: RuleSet, language: str) -> Diagnosis:
    """The diagnosis with a line per template as its evidence, and a step that names the closest known rules."""
    hits = _hits(evidence, rules)
    found = templates(hits)[:TEMPLATES_SHOWN]
    shown = {item.where.rpartition(":")[2]: item for item in diagnosis.evidence if item.fact == "log"}
    items = []
    for template in found:
        known = shown.get(str(template.first.line))
        if known is not None:
            items.append(msgspec.structs.replace(known, count=template.count))
    closest = closest_rules(found[0].first.text, rules) if found else []
    steps = [*diagnosis.checklist, _closest_step(closest, language)] if closest else diagnosis.checklist
    others = [item for item in diagnosis.evidence if item.fact != "log"]
    return msgspec.structs.replace(diagnosis, evidence=[*(items or diagnosis.evidence[:1]), *others], checklist=steps)


def _closest_step(rules: Sequence[Rule], language: str) -> Step:
    names = ", ".join(rule.id for rule in rules)
    titles = {
        "en": f"Compare with the closest known failures: {names}",
        "zh": f"与最接近的已知故障比较：{names}",
    }
    return Step(
        id="closest-rules",
        kind="check",
        title=titles.get(language, titles["en"]),
        commands=[f"decodedoctor rules show {rule.id}" for rule in rules],
        minutes=2,
    )


def _hits(evidence: Evidence, rules: RuleSet) -> list[Hit]:
    """The hits of the patterns that raise the unrecognised rule."""
    mine = {
        pattern
        for pattern, indices in rules.by_pattern.items()
        if any(rules.rules[index].id == RULE_ID for index in indices)
    }
    return [hit for hit in evidence.hits if hit.pattern in mine]


def skeleton(evidence: Evidence, rules: RuleSet) -> str | None:
    """A rule file to fill in, its first example the line that no rule knows most often; None where there is none."""
    found = templates(_hits(evidence, rules))
    if not found:
        return None
    line = found[0].first.text.strip()
    parts = re.split(r"<(?:HEX|NUM|PATH|\*)>", found[0].text)
    pattern = r"\S{1,80}".join(re.escape(part).replace("\\ ", " ") for part in parts)
    return _SKELETON.format(
        word="-".join(word.lower() for word in _WORDS.findall(line)[:4]) or "new",
        pattern=_quoted(pattern),
        example=_quoted(line),
    )


def _quoted(text: str) -> str:
    """A single-quoted YAML scalar."""
    from diagnose.quoting import printable
    from diagnose.secrets import masked

    return "'" + printable(masked(text), 400).replace("'", "''") + "'"


_SKELETON = """\
# Fill in what stands in capitals; docs/rules.md explains every key. Then: decodedoctor rules lint DIR
rules:
- id: runtime/{word}
  layer: runtime
  severity: error
  title:
    en: WHAT FAILED
    zh: WHAT FAILED
  match:
    log: {pattern}
  causes:
  - id: first-cause
    title:
      en: WHY
      zh: WHY
    prior: 0.6
  steps:
  - id: first-step
    repair:
      en: WHAT TO DO
      zh: WHAT TO DO
    fixes: {{first-cause: 0.8}}
    minutes: 5
  sources:
  - WHERE THE KNOWLEDGE COMES FROM
  examples:
  - log: {example}
  - log: 'THE NEAREST LINE THAT MUST NOT RAISE IT'
    raises: nothing
"""

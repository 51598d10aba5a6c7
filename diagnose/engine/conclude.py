"""One raised rule becomes a diagnosis: causes weighed, steps ordered, texts and commands filled."""

from __future__ import annotations

from collections.abc import Iterable

from diagnose.diagnosis import Cause, Diagnosis, EvidenceItem, Layer, Step
from diagnose.engine.actions import actions
from diagnose.engine.commands import FILE_PLACEHOLDER, filled
from diagnose.engine.evaluate import Outcome, View, evaluate
from diagnose.engine.ranking import WeighedEvidence, plan, posterior
from diagnose.engine.rule import Rule, RuleCause, RuleStep, Text
from diagnose.evidence import Fact, Hit
from diagnose.quoting import printable
from diagnose.secrets import masked

OTHER_TITLE: Text = {"en": "another cause", "zh": "其他原因"}
ESCALATION_MINUTES = 240.0
"""What it costs to give up and ask somebody: it bounds the length of a checklist."""

LEAST_WORTH = 0.005
"""A step that helps in fewer cases than this only makes the list longer."""

LEAST_TOLD = 0.02
"""Probability of a cause from which on a check says how one sees it."""

EVIDENCE_SHOWN = 12
ORDERS_KEPT = 1000
"""Rules whose planned orders are kept, and orders of each."""


def conclude(rule: Rule, view: View, outcome: Outcome, consequences: list[str], language: str) -> Diagnosis:
    """The diagnosis of a rule on the evidence that raised it."""
    clues = [[evaluate(clue.condition, view) for clue in cause.clues] for cause in rule.causes]
    weights = posterior(
        [cause.prior for cause in rule.causes],
        [
            [
                WeighedEvidence(weight=clue.weight, seen=seen.holds, sensitivity=clue.sensitivity)
                for clue, seen in zip(cause.clues, outcomes, strict=True)
            ]
            for cause, outcomes in zip(rule.causes, clues, strict=True)
        ],
        rule.other,
    )
    best = max(range(len(rule.causes)), key=lambda index: weights[index])
    leading = rule.causes[best] if weights[best] >= weights[-1] else None
    decisive = [outcome for clue, outcome in zip(rule.causes[best].clues, clues[best], strict=True) if clue.weight > 1]
    return Diagnosis(
        rule=rule.id,
        layer=_layer(rule, leading),
        severity=rule.severity,
        title=said(rule.title, language),
        summary=said((leading and leading.detail) or rule.summary or rule.title, language),
        subject=view.evidence.subject,
        causes=_causes(rule, weights, language),
        evidence=list(_evidence([outcome, *decisive], view)),
        checklist=_checklist(rule, weights, view, language),
        consequences=consequences,
    )


def said(text: Text, language: str) -> str:
    """The text in the language, or in English where it is not translated."""
    return text.get(language) or text["en"]


def _layer(rule: Rule, leading: RuleCause | None) -> Layer:
    return leading.layer if leading is not None and leading.layer is not None else rule.layer


def _causes(rule: Rule, weights: list[float], language: str) -> list[Cause]:
    causes = [
        Cause(cause.id, said(cause.title, language), round(weight, 4))
        for cause, weight in zip(rule.causes, weights, strict=False)
    ]
    causes.append(Cause("other", said(OTHER_TITLE, language), round(weights[-1], 4)))
    return sorted(causes, key=lambda cause: (-cause.probability, cause.id == "other"))


def _evidence(outcomes: Iterable[Outcome], view: View) -> Iterable[EvidenceItem]:
    """The hits and facts behind the diagnosis, each once: a pattern that was found often with its count."""
    told: set[object] = set()
    for outcome in outcomes:
        for item in outcome.seen:
            key = item.pattern if isinstance(item, Hit) else (item.name, item.where, str(item.value))
            line = ("line", item.line) if isinstance(item, Hit) else key
            if key in told or line in told or len(told) > 2 * EVIDENCE_SHOWN:
                continue
            told.update((key, line))
            yield _hit_item(item, view) if isinstance(item, Hit) else _fact_item(item)


def _hit_item(hit: Hit, view: View) -> EvidenceItem:
    repetition = view.evidence.repetitions.get(hit.pattern)
    name = view.evidence.subject.path or "-"
    return EvidenceItem(
        fact="log",
        where=f"{printable(name)}:{hit.line}",
        text=shown(_around(hit)).strip(),
        count=repetition.count if repetition else 1,
    )


def _around(hit: Hit, width: int = 400) -> str:
    """The line, or of a long one the part around the hit."""
    if len(hit.text) <= width:
        return hit.text
    start = max(0, min(hit.start - width // 4, len(hit.text) - width))
    return hit.text[start : start + width]


def _fact_item(fact: Fact) -> EvidenceItem:
    return EvidenceItem(
        fact=fact.name,
        value=shown(fact.value) if isinstance(fact.value, str) else fact.value,
        where=shown(fact.where),
        text=printable(masked(fact.text), 400),
        not_checked=printable(fact.not_checked),
    )


def _checklist(rule: Rule, weights: list[float], view: View, language: str) -> list[Step]:
    offered = {
        step.id: step for step in rule.steps if step.when is None or evaluate(step.when, view).holds is not False
    }
    order = _order(rule, offered, weights)
    causes = [*(cause.id for cause in rule.causes), "other"]
    probability = dict(zip(causes, weights, strict=True))
    likely = {cause for cause in causes if probability[cause] >= LEAST_TOLD}
    return [
        _step(offered[step_id], likely, view, language)
        for step_id in order
        if _worth(offered[step_id], probability) >= LEAST_WORTH
    ]


_Key = tuple[tuple[str, ...], tuple[float, ...]]
_orders: dict[int, tuple[Rule, dict[_Key, list[str]]]] = {}
"""By rule (which is kept, so that its identity stays its own): what was planned for which steps and weights."""


def _order(rule: Rule, offered: dict[str, RuleStep], weights: list[float]) -> list[str]:
    """The ids of the offered steps in their order. A data set has the same finding thousands of times: plan it once."""
    if len(_orders) > ORDERS_KEPT:
        _orders.clear()
    _, orders = _orders.setdefault(id(rule), (rule, {}))
    if len(orders) > ORDERS_KEPT:
        orders.clear()
    key = (tuple(offered), tuple(weights))
    if key not in orders:
        planned = plan(weights, actions(list(offered.values()), rule.causes), ESCALATION_MINUTES)
        orders[key] = list(planned.order)
    return orders[key]


def _worth(step: RuleStep, probability: dict[str, float]) -> float:
    """The probability that the step repairs it, or of the causes that it tells apart."""
    if step.kind == "check":
        return sum(probability[cause] for cause in step.tells)
    return sum(probability[cause] * chance for cause, chance in step.fixes.items())


def _step(step: RuleStep, likely: set[str], view: View, language: str) -> Step:
    stop = "。" if language == "zh" else ". "
    told = [f"{said(text, language)} → {cause}" for cause, text in step.tells.items() if cause in likely]
    parts = [said(step.detail, language)] if step.detail else []
    if told:
        parts.append("; ".join(told))
    return Step(
        id=step.id,
        kind=step.kind,
        title=said(step.title, language),
        detail=(stop if parts and not parts[0].endswith((".", "。")) else " ").join(parts).strip(),
        commands=[filled(command, lambda name: _lookup(name, view)) for command in step.commands],
        minutes=step.minutes,
        risk=step.risk,
        verify=filled(step.verify, lambda name: _lookup(name, view)),
    )


def shown(text: str) -> str:
    """What was read, fit for a report: without secrets and control characters."""
    return printable(masked(text))


def _lookup(name: str, view: View) -> object | None:
    value: object | None = view.captures.get(name)
    if value is None and name == FILE_PLACEHOLDER:
        subject = view.evidence.subject
        return masked(subject.path) if subject.kind == "file" else None
    if value is None:
        value = view.evidence.value(name)
    return masked(value) if isinstance(value, str) else value

"""The self-check: runs the probes of the host, each with a time-out and unable to stop the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from difflib import get_close_matches
from itertools import groupby

from diagnose.collectors.host import FACTS, PROBES, Probe
from diagnose.diagnosis import NotChecked, Report, summary_of
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence, Subject
from diagnose.pipelines.check_child import Children
from diagnose.pipelines.check_judgement import judge
from diagnose.pipelines.rulebook import Rulebook
from diagnose.selfcheck import CheckResult, ProbeResult, ProbeStatus

OnResult = Callable[[ProbeResult], None]


class UnknownProbeError(LookupError):
    """A name that is no probe and no family of probes."""


def check(
    names: Sequence[str] | None = None,
    timeout_seconds: float = 10.0,
    on_result: OnResult | None = None,
    probes: Sequence[Probe] = PROBES,
) -> CheckResult:
    """What works on this machine.

    `names` selects probes: a name such as `pillow.avif`, or a family such as `pillow` or `disk`; None or nothing is
    all of them. Each probe has `timeout_seconds`. `on_result` is called once for each result as soon as it is there,
    never by two threads at a time. Raises UnknownProbeError before anything runs.
    """
    chosen = select(names, probes)
    lock = threading.Lock()

    def tell(result: ProbeResult) -> None:
        if on_result is not None:
            with lock:
                on_result(result)

    results = {result.name: result for result in run_all(chosen, timeout_seconds, tell)}
    rows = [results[probe.name] for probe in chosen]
    return CheckResult(rows, join(chosen, rows))


def select(names: Sequence[str] | None, probes: Sequence[Probe]) -> list[Probe]:
    """The probes that bear one of the names or belong to a family of that name, in the order of declaration."""
    for name in names or ():
        if not any(belongs(probe, name) for probe in probes):
            near = get_close_matches(name, [probe.name for probe in probes], n=1)
            raise UnknownProbeError(f"there is no probe {name!r}" + (f": did you mean {near[0]!r}?" if near else ""))
    return [probe for probe in probes if not names or any(belongs(probe, name) for name in names)]


def belongs(probe: Probe, name: str) -> bool:
    return probe.name == name or probe.name.startswith(f"{name}.")


def run_all(probes: Sequence[Probe], timeout_seconds: float, tell: OnResult) -> Iterator[ProbeResult]:
    """Each group that may crash runs in a child process of its own, side by side with the others."""
    children = Children(timeout_seconds)

    def lane(group: list[Probe]) -> list[ProbeResult]:
        results = []
        run = children.run_here if group[0].here else children.run
        for probe, answer in run(group):
            results.append(judge(probe, answer))
            tell(results[-1])
        return results

    lanes = [list(group) for _, group in groupby(probes, key=lambda probe: (probe.group.en, probe.here))]
    with ThreadPoolExecutor(max_workers=max(1, len(lanes))) as executor:
        try:
            futures: list[Future[list[ProbeResult]]] = [executor.submit(lane, group) for group in lanes]
            for future in futures:
                yield from future.result()
        except BaseException:
            children.stop()
            raise


def join(probes: Sequence[Probe], rows: Sequence[ProbeResult]) -> Evidence:
    """All facts as the evidence on the host; what a probe looked for and did not find counts as absent."""
    evidence = Evidence(Subject("host"))
    for probe, row in zip(probes, rows, strict=True):
        evidence.extend(row.facts)
        evidence.looked_for(FACTS.names & frozenset(probe.facts))
    return evidence


def report_of(result: CheckResult, book: Rulebook, language: str = "en") -> Report:
    """What the rules make of the probes' facts, and what could not be checked."""
    diagnoses = Judge(book.rules, language).diagnoses(result.evidence)
    not_checked = [
        NotChecked(row.name, row.reason.words(language)) for row in result.rows if row.status is ProbeStatus.NOT_CHECKED
    ]
    summary = summary_of(diagnoses, scanned=len(result.rows), not_checked=len(not_checked))
    return Report(result.evidence.subject, summary, diagnoses, not_checked=not_checked)

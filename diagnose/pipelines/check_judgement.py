"""From a probe's answer to passed, failed, warning or not checked. Thresholds are for rules, not for this table."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from diagnose.collectors.host import FACTS, Probe
from diagnose.collectors.host.run_probe import Answer
from diagnose.evidence import Fact, Value
from diagnose.selfcheck import Bilingual, ProbeResult, ProbeStatus


class Judgement(Struct, frozen=True):
    """A fact that decides on the status of its probe when `holds` is true of its value.

    `reason` may hold `{value}` and `{text}`, which are replaced by those of the fact.
    """

    fact: str
    status: ProbeStatus
    holds: Callable[[Value], bool]
    reason: Bilingual


def _always(_value: Value) -> bool:
    return True


def _not_utf8(value: Value) -> bool:
    return value not in ("utf-8", "utf-8-sig")


JUDGEMENTS = (
    Judgement("host.decoder_failed", ProbeStatus.FAILED, _always, Bilingual("{text}", "{text}")),
    Judgement(
        "host.preferred_encoding",
        ProbeStatus.FAILED,
        _not_utf8,
        Bilingual(
            "open() takes {value} ({text}) where no encoding is named: UTF-8 text fails or is misread",
            "未指定编码时 open() 使用 {value}（{text}）：UTF-8 文本会解码失败或被误读",
        ),
    ),
    Judgement(
        "host.filesystem_encoding",
        ProbeStatus.FAILED,
        _not_utf8,
        Bilingual(
            "file names are decoded as {value} ({text}): others become surrogates that cannot be printed or encoded",
            "文件名按 {value}（{text}）解码：其他字节会变成无法打印或编码的代理字符",
        ),
    ),
    Judgement(
        "host.stdout_encoding",
        ProbeStatus.WARNING,
        _not_utf8,
        Bilingual(
            "standard output takes {value} ({text}): printing other characters raises UnicodeEncodeError",
            "标准输出使用 {value}（{text}）：打印其他字符会引发 UnicodeEncodeError",
        ),
    ),
    Judgement(
        "host.docker_engine_unreachable",
        ProbeStatus.WARNING,
        _always,
        Bilingual("the engine does not answer: {value}", "引擎没有应答：{value}"),
    ),
)

REASONS = {
    " is not installed": " 未安装",
    ": No such file or directory": "：不存在",
    ": Permission denied": "：没有权限",
    "ffmpeg is not on the PATH": "PATH 中没有 ffmpeg",
    "no docker command and no engine is set up here": "未安装 docker 命令，也没有设置引擎",
    "standard output is closed or takes no text": "标准输出已关闭或不接受文本",
}
"""How a reason of a collector ends, and the same in Chinese."""

NO_REASON = Bilingual("", "")


def judge(probe: Probe, answer: Answer) -> ProbeResult:
    """The row of a probe. A probe that raised, hung or crashed leaves facts that say so."""
    facts = unanswered(probe, answer.error) if answer.error else answer.facts
    status, reason = verdict(facts)
    return ProbeResult(probe.name, probe.group, probe.title, status, reason, round(answer.seconds, 3), facts)


def unanswered(probe: Probe, error: str) -> list[Fact]:
    if probe.failure_fact:
        return [FACTS.known(probe.failure_fact, probe.name, text=error)]
    return [FACTS.not_checked(name, error) for name in probe.facts]


def verdict(facts: list[Fact]) -> tuple[ProbeStatus, Bilingual]:
    """The first judgement that holds; else not checked when nothing is known, a warning when a part is not."""
    for judgement in JUDGEMENTS:
        for fact in facts:
            if fact.name == judgement.fact and fact.value is not None and judgement.holds(fact.value):
                return judgement.status, filled(judgement.reason, fact)
    reasons = [fact.not_checked for fact in facts if fact.not_checked]
    if not reasons:
        return ProbeStatus.PASSED, NO_REASON
    partly = len(reasons) < len(facts)
    return ProbeStatus.WARNING if partly else ProbeStatus.NOT_CHECKED, bilingual(reasons[0])


def bilingual(reason: str) -> Bilingual:
    """A collector's reason for not looking, with the usual ones in Chinese too."""
    for ending, chinese in REASONS.items():
        if reason.endswith(ending):
            return Bilingual(reason, reason.removesuffix(ending) + chinese)
    return Bilingual(reason, reason)


def filled(reason: Bilingual, fact: Fact) -> Bilingual:
    parts = {"{value}": str(fact.value), "{text}": fact.text}

    def fill(words: str) -> str:
        return re.sub(r"\{value\}|\{text\}", lambda place: parts[place[0]], words)

    return Bilingual(fill(reason.en), fill(reason.zh))

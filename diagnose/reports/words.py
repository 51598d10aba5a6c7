"""The fixed words of text reports, by language."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "cause": {"en": "cause", "zh": "原因"},
    "evidence": {"en": "seen", "zh": "依据"},
    "steps": {"en": "do", "zh": "步骤"},
    "how": {"en": "how", "zh": "详情"},
    "consequences": {"en": "leads to", "zh": "后果"},
    "not_checked": {"en": "not checked", "zh": "未检查"},
    "check": {"en": "check", "zh": "检查"},
    "repair": {"en": "repair", "zh": "修复"},
    "verify": {"en": "verify", "zh": "验证"},
    "minutes": {"en": "min", "zh": "分钟"},
    "times": {"en": "times", "zh": "次"},
    "error": {"en": "error", "zh": "错误"},
    "warning": {"en": "warning", "zh": "警告"},
    "note": {"en": "note", "zh": "提示"},
    "nothing": {"en": "Nothing that fails to decode was found", "zh": "未发现解码失败"},
    "scanned": {"en": "scanned", "zh": "已扫描"},
    "files": {"en": "files", "zh": "个文件"},
    "file": {"en": "file", "zh": "个文件"},
    "errors": {"en": "errors", "zh": "错误"},
    "warnings": {"en": "warnings", "zh": "警告"},
    "notes": {"en": "notes", "zh": "提示"},
    "more": {"en": "more; --format json lists all", "zh": "更多；用 --format json 列出全部"},
    "ignored": {"en": "ignored", "zh": "已忽略"},
    "no_reason": {"en": "no reason given", "zh": "未说明原因"},
    "unused_ignores": {"en": "ignore entries that match nothing", "zh": "未匹配任何文件的忽略条目"},
    "sample": {"en": "sample", "zh": "抽样"},
    "interrupted": {"en": "interrupted: this report is partial", "zh": "已中断：报告不完整"},
    "also": {"en": "also found", "zh": "另外发现"},
    "target": {"en": "target", "zh": "目标"},
    "limits": {"en": "limits", "zh": "限制"},
    "what": {"en": "what it is", "zh": "说明"},
    "also_called": {"en": "also called", "zh": "别名"},
    "known_from": {"en": "known from", "zh": "来源"},
    "since": {"en": "from {} on", "zh": "自 {} 起"},
    "until": {"en": "before {}", "zh": "{} 之前"},
    "risk.restart": {"en": "restarts a service", "zh": "会重启服务"},
    "risk.slow": {"en": "slows things down", "zh": "会变慢"},
    "risk.destroys-cache": {"en": "destroys a cache", "zh": "会清除缓存"},
    "risk.destroys-data": {"en": "DESTROYS DATA", "zh": "会销毁数据"},
}


def word(key: str, language: str) -> str:
    """The word in the language, or in English where it is not translated."""
    texts = WORDS[key]
    return texts.get(language, texts["en"])

"""Facts on the host in a few words each."""

from __future__ import annotations

from diagnose.evidence import Fact
from diagnose.selfcheck import Bilingual

_VERSION = "host.version."

_WORDS = {
    "host.preferred_encoding": Bilingual("{}", "{}"),
    "host.stdout_encoding": Bilingual("{}", "{}"),
    "host.filesystem_encoding": Bilingual("{}", "{}"),
    "host.utf8_mode": Bilingual("UTF-8 mode", "UTF-8 模式"),
    "host.locale": Bilingual("locale {}", "区域 {}"),
    "host.memory_total_bytes": Bilingual("{} in all", "共 {}"),
    "host.memory_available_bytes": Bilingual("{} available", "可用 {}"),
    "host.memory_limit_bytes": Bilingual("limit {}", "上限 {}"),
    "host.memory_usable_bytes": Bilingual("{} usable", "可使用 {}"),
    "host.swap_total_bytes": Bilingual("swap {}", "交换 {}"),
    "host.address_space_limit_bytes": Bilingual("address space {}", "地址空间 {}"),
    "host.shm_total_bytes": Bilingual("{} in all", "共 {}"),
    "host.shm_free_bytes": Bilingual("{} free", "空闲 {}"),
    "host.disk_free_bytes": Bilingual("{} free", "空闲 {}"),
    "host.disk_total_bytes": Bilingual("of {}", "共 {}"),
    "host.disk_read_only": Bilingual("read-only", "只读"),
    "host.inodes_free": Bilingual("{} inodes", "{} 个 inode"),
    "host.open_files_limit": Bilingual("up to {}", "最多 {}"),
    "host.cpu_count": Bilingual("{}", "{}"),
    "host.cpu_usable": Bilingual("{} usable", "可使用 {}"),
    "host.python_version": Bilingual("{}", "{}"),
    "host.python_implementation": Bilingual("{}", "{}"),
    "host.bits": Bilingual("{} bits", "{} 位"),
    "host.system": Bilingual("{}", "{}"),
    "host.system_release": Bilingual("{}", "{}"),
    "host.machine": Bilingual("{}", "{}"),
    "host.libc": Bilingual("{}", "{}"),
    "host.container": Bilingual("in a container ({})", "在容器中（{}）"),
    "host.docker_engine_version": Bilingual("engine {}", "引擎 {}"),
    "host.device_nodes": Bilingual("{}", "{}"),
    "host.device_nodes_denied": Bilingual("no permission: {}", "无权限：{}"),
}
"""What stands in a table; other facts stand in JSON only. A fact that is true or false stands there when it is true."""


def in_words(fact: Fact, language: str) -> str:
    """The fact as a table shows it, or nothing."""
    if fact.value is None or fact.value is False:
        return ""
    if fact.name.startswith(_VERSION):
        return f"{fact.name.removeprefix(_VERSION)} {fact.value}"
    words = _WORDS.get(fact.name)
    return words.words(language).replace("{}", _value(fact)) if words else ""


def _value(fact: Fact) -> str:
    value = fact.value
    if fact.name.endswith("_bytes") and isinstance(value, int):
        return size(value)
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def size(size_bytes: int) -> str:
    """A size in the largest binary unit that leaves at least one.

    >>> size(1_610_612_736)
    '1.5 GiB'
    """
    amount, unit = float(size_bytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"

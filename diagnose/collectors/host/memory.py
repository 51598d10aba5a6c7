"""Memory, open files and processors, each against the limits of this very process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from diagnose.collectors import cgroup
from diagnose.collectors.host.facts import FACTS, OPEN_FILES, SHARED_MEMORY, not_checked
from diagnose.evidence import Fact

SHM = Path("/dev/shm")  # noqa: S108  (looked at, never written)


def look_at_memory(_probe: str) -> list[Fact]:
    """Memory in bytes: of the machine, available, and what the control group and RLIMIT_AS allow."""
    import psutil

    memory = psutil.virtual_memory()
    facts = [
        FACTS.known("host.memory_total_bytes", memory.total),
        FACTS.known("host.memory_available_bytes", memory.available),
        FACTS.known("host.swap_total_bytes", psutil.swap_memory().total),
    ]
    usable = memory.available
    limit = cgroup.memory_limit_bytes()
    if limit is not None:
        facts.append(FACTS.known("host.memory_limit_bytes", int(limit.value), where=limit.where))
        usable = min(usable, max(0, int(limit.value) - (cgroup.memory_used_bytes(limit) or 0)))
    facts.append(FACTS.known("host.memory_usable_bytes", usable))
    address_space = resource_limit("RLIMIT_AS")
    if address_space is not None:
        facts.append(FACTS.known("host.address_space_limit_bytes", address_space, where="RLIMIT_AS"))
    return facts


def look_at_shared_memory(_probe: str) -> list[Fact]:
    """The size of /dev/shm in bytes and what is free in it."""
    if not SHM.is_dir():
        return not_checked(SHARED_MEMORY, f"this system has no {SHM}")
    space = os.statvfs(SHM)
    return [
        FACTS.known("host.shm_total_bytes", space.f_blocks * space.f_frsize, where=str(SHM)),
        FACTS.known("host.shm_free_bytes", space.f_bavail * space.f_frsize, where=str(SHM)),
    ]


def look_at_open_files(_probe: str) -> list[Fact]:
    """The soft limit of open files; nothing when there is none."""
    if sys.platform == "win32":
        return not_checked(OPEN_FILES, "Windows has no such limit")
    limit = resource_limit("RLIMIT_NOFILE")
    return [] if limit is None else [FACTS.known("host.open_files_limit", limit, where="RLIMIT_NOFILE")]


def look_at_processors(_probe: str) -> list[Fact]:
    """Processors of the machine, and how many of them affinity and the control group's quota leave."""
    count = os.cpu_count() or 1
    usable = float(len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else float(count)
    quota = cgroup.cpu_quota()
    where = "affinity"
    if quota is not None and quota.value < usable:
        usable, where = quota.value, quota.where
    return [FACTS.known("host.cpu_count", count), FACTS.known("host.cpu_usable", round(usable, 2), where=where)]


def resource_limit(name: str) -> int | None:
    """The soft limit of this process, or None when it is unlimited or the system has none."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(getattr(resource, name))
    return None if soft == resource.RLIM_INFINITY else int(soft)

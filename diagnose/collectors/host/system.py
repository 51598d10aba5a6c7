"""Python, the operating system and the processor."""

from __future__ import annotations

import os
import platform
import struct
from pathlib import Path

from diagnose.collectors.host.facts import FACTS
from diagnose.evidence import Fact

CONTAINER_MARKS = (
    ("/.dockerenv", "docker"),
    ("/run/.containerenv", "podman"),
    ("/var/run/secrets/kubernetes.io", "kubernetes"),
)
"""Files that a container engine puts into each container."""


def look_at_python(_probe: str) -> list[Fact]:
    """Version, implementation and width (in bits) of this Python."""
    return [
        FACTS.known("host.python_version", platform.python_version()),
        FACTS.known("host.python_implementation", platform.python_implementation()),
        FACTS.known("host.bits", struct.calcsize("P") * 8),
    ]


def look_at_system(_probe: str) -> list[Fact]:
    """Operating system, processor, C library, and whether this is inside a container."""
    facts = [
        FACTS.known("host.system", platform.system()),
        FACTS.known("host.system_release", platform.release()),
        FACTS.known("host.machine", platform.machine()),
    ]
    library = " ".join(part for part in platform.libc_ver() if part)
    if library:
        facts.append(FACTS.known("host.libc", library))
    facts.extend(container())
    return facts


def container() -> list[Fact]:
    named = os.environ.get("container")  # noqa: SIM112  (systemd and podman write it so)
    if named:
        return [FACTS.known("host.container", named, where="the variable container")]
    for mark, kind in CONTAINER_MARKS:
        if Path(mark).exists():
            return [FACTS.known("host.container", kind, where=mark)]
    return []

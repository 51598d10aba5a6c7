"""Which of an image's platforms this host can run.

Names and fallbacks: containerd/platforms, database.go and compare.go.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence

from diagnose.collectors.oci.document import Descriptor, Platform

_ARCHITECTURES = {
    "x86_64": ("amd64", ""),
    "amd64": ("amd64", ""),
    "aarch64": ("arm64", ""),
    "arm64": ("arm64", ""),
    "armv8l": ("arm", "v8"),
    "armv7l": ("arm", "v7"),
    "armv6l": ("arm", "v6"),
    "i686": ("386", ""),
    "i386": ("386", ""),
    "ppc64le": ("ppc64le", ""),
    "s390x": ("s390x", ""),
    "riscv64": ("riscv64", ""),
    "loongarch64": ("loong64", ""),
    "mips64": ("mips64le", ""),
}
_VARIANTS = {"arm": ("v8", "v7", "v6", "v5"), "arm64": ("v9", "v8"), "amd64": ("v4", "v3", "v2", "v1")}
_DEFAULT_VARIANT = {"arm": "v7", "arm64": "v8", "amd64": "v1"}
_ALSO_RUNS = {"amd64": "386", "arm64": "arm"}


def parse_platform(text: str) -> Platform:
    """`os/architecture[/variant]`, or an architecture alone, as a Platform in Docker's names."""
    parts = [part.strip().lower() for part in text.split("/")][:3]
    if len(parts) == 1:
        parts = ["linux", parts[0]]
    architecture, variant = _ARCHITECTURES.get(parts[1], (parts[1], ""))
    return Platform(parts[0], architecture, parts[2] if len(parts) > 2 else variant)


def host_platform() -> Platform:
    """What this host asks for. A 32-bit user land under a 64-bit ARM kernel asks for linux/arm/v8, as Docker does."""
    machine = platform.machine().lower()
    architecture, variant = _ARCHITECTURES.get(machine, (machine, ""))
    if architecture == "arm64" and struct.calcsize("P") == 4:
        architecture, variant = "arm", "v8"
    return Platform("linux", architecture, variant)


def runs(host: Platform, offered: Platform) -> bool:
    """True if `host` takes `offered`: an image of its own platform, of an older variant, or of its 32-bit sibling."""
    return _normal(offered) in _preferences(host)


def choose(children: Sequence[Descriptor], host: Platform) -> Descriptor | None:
    """The entry of an index that `host` would pull: the nearest platform that it runs, or None."""
    order = _preferences(host)
    best: tuple[int, Descriptor] | None = None
    for child in children:
        if child.platform is None or child.is_attestation or _normal(child.platform) not in order:
            continue
        rank = order.index(_normal(child.platform))
        if best is None or rank < best[0]:
            best = rank, child
    return best[1] if best else None


def _preferences(host: Platform) -> list[Platform]:
    """All platforms that `host` runs, the best first."""
    own = _normal(host)
    variants = _VARIANTS.get(own.architecture, ())
    start = variants.index(own.variant) if own.variant in variants else len(variants)
    order = [own, *(Platform(own.os, own.architecture, variant) for variant in variants[start:])]
    sibling = _ALSO_RUNS.get(own.architecture)
    if sibling:
        order += [Platform(own.os, sibling, variant) for variant in _VARIANTS.get(sibling, ("",))]
    return order


def _normal(found: Platform) -> Platform:
    architecture, variant = _ARCHITECTURES.get(found.architecture, (found.architecture, ""))
    return Platform(found.os, architecture, found.variant or variant or _DEFAULT_VARIANT.get(architecture, ""))

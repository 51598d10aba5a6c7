"""hosts.toml: where an engine asks instead of the registry, and whether the referrers query takes the same way.

Format: containerd docs/hosts.md. Docker reads it below /etc/docker/certs.d, containerd below /etc/containerd/certs.d.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.text import neutral, shown_url
from diagnose.evidence import Evidence, Fact

HOSTS_FOLDERS = (Path("/etc/docker/certs.d"), Path("/etc/containerd/certs.d"))
_SIZE_LIMIT_BYTES = 256 * 1024
_HOST_LIMIT = 50
_LOOKED_AT = frozenset(name for name in FACTS.names if name.startswith("oci.hosts."))


def collect_hosts_file(evidence: Evidence, domain: str) -> None:
    """Adds the facts of the first hosts.toml for `domain` (as written in a reference), if there is one."""
    evidence.looked_for(_LOOKED_AT)
    for folder in HOSTS_FOLDERS:
        path = folder / domain / "hosts.toml"
        try:
            if not path.is_file():
                continue
            content = path.read_bytes()[:_SIZE_LIMIT_BYTES]
        except OSError as error:
            evidence.add(FACTS.not_checked("oci.hosts.file", f"it cannot be read ({error.strerror})", str(path)))
            return
        evidence.add(FACTS.known("oci.hosts.file", str(path), f"file {path}"))
        evidence.extend(_facts(content, f"file {path}"))
        return


def _facts(content: bytes, where: str) -> Iterator[Fact]:
    import tomllib

    try:
        value = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        yield FACTS.known("oci.hosts.valid", False, where, neutral(str(error), 200))
        return
    yield FACTS.known("oci.hosts.valid", True, where)
    server = value.get("server")
    if isinstance(server, str):
        yield FACTS.known("oci.hosts.server", shown_url(server), where)
    if isinstance(value.get("capabilities"), list):
        yield FACTS.known("oci.hosts.server_asked_for_referrers", "referrers" in value["capabilities"], where)
    yield from _mirror_facts(value.get("host"), where)


def _mirror_facts(hosts: Any, where: str) -> Iterator[Fact]:
    if not isinstance(hosts, dict) or not hosts:
        return
    mirrors = list(hosts.items())[:_HOST_LIMIT]
    yield FACTS.known("oci.hosts.mirrors", [shown_url(address) for address, _ in mirrors], where)
    without = [shown_url(address) for address, settings in mirrors if not _is_asked_for_referrers(settings)]
    if without:
        yield FACTS.known("oci.hosts.mirrors_without_referrers", without, where)


def _is_asked_for_referrers(settings: Any) -> bool:
    """A host without the key has all capabilities."""
    capabilities = settings.get("capabilities") if isinstance(settings, dict) else None
    return not isinstance(capabilities, list) or "referrers" in capabilities

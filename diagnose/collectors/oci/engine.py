"""The local container engine, if one answers: which it is, how it stores images, and for what platform."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.platforms import parse_platform
from diagnose.collectors.oci.text import neutral
from diagnose.evidence import Evidence

if TYPE_CHECKING:
    import docker

_SNAPSHOTTER = "io.containerd.snapshotter.v1"
_ENGINE_FACTS = frozenset(name for name in FACTS.names if name.startswith("oci.engine."))


def collect_engine(evidence: Evidence, reference: str, timeout_seconds: float) -> None:
    """Adds the facts of the engine that the environment points to. No engine is a reason, not an error."""
    import docker

    where = f"engine at {_address()}"
    try:
        client = docker.from_env(timeout=max(1, int(timeout_seconds)))
    except (docker.errors.DockerException, OSError, ValueError) as error:
        evidence.add(FACTS.not_checked("oci.engine.version", _why(error), where))
        return
    try:
        evidence.looked_for(_ENGINE_FACTS)
        _add_version(evidence, client.version(), where)
        _add_info(evidence, client.info(), where)
        _add_image(evidence, client, reference, where)
    except (docker.errors.DockerException, OSError, ValueError) as error:
        evidence.add(FACTS.not_checked("oci.engine.version", _why(error), where))
    finally:
        client.close()


def _address() -> str:
    address = os.environ.get("DOCKER_HOST", "the default address")
    return neutral(address.rpartition("@")[2])


def _why(error: Exception) -> str:
    """The kind of trouble in a word: the texts of the library repeat whole chains of exceptions."""
    text = str(error)
    if "Permission denied" in text or isinstance(error, PermissionError):
        return "the engine's socket may not be opened by this user"
    if "FileNotFoundError" in text or "Connection refused" in text or "ConnectionRefused" in text:
        return "no engine answers there"
    if "timed out" in text:
        return "the engine does not answer in time"
    return f"the engine cannot be asked ({type(error).__name__})"


def _add_version(evidence: Evidence, version: dict[str, Any], where: str) -> None:
    where = f"{where}, /version"
    for name, key in (("version", "Version"), ("api_version", "ApiVersion"), ("min_api_version", "MinAPIVersion")):
        value = version.get(key)
        if isinstance(value, str) and value:
            evidence.add(FACTS.known(f"oci.engine.{name}", neutral(value, 60), where))
    system, architecture = version.get("Os"), version.get("Arch")
    if isinstance(system, str) and isinstance(architecture, str):
        platform = parse_platform(neutral(f"{system}/{architecture}", 60))
        evidence.add(FACTS.known("oci.engine.platform", str(platform), where))


def _add_info(evidence: Evidence, info: dict[str, Any], where: str) -> None:
    where = f"{where}, /info"
    driver = info.get("Driver")
    if isinstance(driver, str):
        evidence.add(FACTS.known("oci.engine.driver", neutral(driver, 60), where))
    status = info.get("DriverStatus")
    rows = [row for row in status if isinstance(row, list)] if isinstance(status, list) else []
    evidence.add(FACTS.known("oci.engine.snapshotter", ["driver-type", _SNAPSHOTTER] in rows, where))
    registries = info.get("RegistryConfig")
    mirrors = registries.get("Mirrors") if isinstance(registries, dict) else None
    if isinstance(mirrors, list) and mirrors:
        shown = [neutral(str(mirror).rpartition("@")[2]) for mirror in mirrors[:20]]
        evidence.add(FACTS.known("oci.engine.mirrors", shown, where))
    _add_free_space(evidence, info.get("DockerRootDir"))


def _add_free_space(evidence: Evidence, root: object) -> None:
    """How full the engine's disk is, where the engine runs on this host rather than in a virtual machine."""
    if not isinstance(root, str) or not hasattr(os, "statvfs"):
        return
    try:
        found = os.statvfs(Path(root))
    except (OSError, ValueError) as error:
        reason = f"{neutral(root)} cannot be looked at from here ({type(error).__name__})"
        evidence.add(FACTS.not_checked("oci.engine.data_root_free", reason))
        return
    evidence.add(FACTS.known("oci.engine.data_root_free", found.f_bavail * found.f_frsize, neutral(root)))
    if found.f_files:
        evidence.add(FACTS.known("oci.engine.data_root_free_inodes", found.f_favail, neutral(root)))


def _add_image(evidence: Evidence, client: docker.DockerClient, reference: str, where: str) -> None:
    import docker

    where = f"{where}, /images"
    try:
        attributes = client.images.get(reference).attrs or {}
    except docker.errors.NotFound:
        evidence.add(FACTS.known("oci.engine.has_image", False, where))
        return
    evidence.add(FACTS.known("oci.engine.has_image", True, where))
    digests = attributes.get("RepoDigests")
    if isinstance(digests, list) and digests:
        evidence.add(FACTS.known("oci.engine.repo_digests", [neutral(str(entry)) for entry in digests[:50]], where))

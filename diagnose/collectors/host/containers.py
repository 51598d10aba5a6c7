"""Whether a container engine is there and answers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from diagnose.collectors.host.facts import CONTAINERS, FACTS, not_checked
from diagnose.evidence import Fact

ENGINE_SECONDS = 2
SOCKET = Path("/var/run/docker.sock")


def look_at_docker(_probe: str) -> list[Fact]:
    """The docker command and the engine's version, or why the engine does not answer."""
    command = shutil.which("docker")
    if command is None and not SOCKET.exists() and "DOCKER_HOST" not in os.environ:
        return not_checked(CONTAINERS, "no docker command and no engine is set up here")
    facts = [FACTS.known("host.docker_command", command)] if command else []
    return [*facts, engine()]


def engine() -> Fact:
    import docker
    from docker.errors import DockerException

    where = os.environ.get("DOCKER_HOST") or str(SOCKET)
    if where == str(SOCKET) and not SOCKET.exists():
        return FACTS.known("host.docker_engine_unreachable", f"there is no socket {SOCKET}", where=where)
    try:
        client = docker.from_env(timeout=ENGINE_SECONDS)
        version = client.version().get("Version")
        client.close()
    except (DockerException, OSError, ValueError) as error:
        return FACTS.known("host.docker_engine_unreachable", str(error), where=where)
    if not isinstance(version, str):
        return FACTS.known("host.docker_engine_unreachable", "the engine's answer names no version", where=where)
    return FACTS.known("host.docker_engine_version", version, where=where)

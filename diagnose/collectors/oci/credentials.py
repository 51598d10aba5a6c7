"""Credentials for a registry, as the engine's own configuration holds them. They never become facts or text."""

from __future__ import annotations

import base64
from typing import Any

from msgspec import Struct


class Credentials(Struct, frozen=True):
    """What was found for a registry. `origin` is none, config, or unreadable; only `origin` may be shown."""

    origin: str
    username: str = ""
    password: str = ""
    identity_token: str = ""

    def __repr__(self) -> str:
        return f"Credentials(origin={self.origin!r})"

    @property
    def basic(self) -> str:
        """The value of an Authorization header, empty if there is no name and password."""
        if not self.username:
            return ""
        return "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


def credentials_for(registry: str) -> Credentials:
    """The credentials in `$DOCKER_CONFIG` or `~/.docker/config.json`, or of the credential helper named there."""
    from docker import auth, errors

    key = auth.INDEX_NAME if registry.endswith(".docker.io") else registry
    try:
        found: dict[str, Any] | None = auth.load_config().resolve_authconfig(key)
    except (errors.DockerException, OSError, ValueError, AttributeError, TypeError):
        # The exception's text may quote the secret it stumbled over, so it goes no further.
        return Credentials("unreadable")
    if not found:
        return Credentials("none")
    values = {name.lower(): value for name, value in found.items() if isinstance(value, str)}
    return Credentials(
        "config", values.get("username", ""), values.get("password", ""), values.get("identitytoken", "")
    )

"""Image references, parsed as Docker does.

Grammar and defaults: distribution/reference, regexp.go and normalize.go (`docker.io`, `library/`, `latest`).
"""

from __future__ import annotations

import re

from msgspec import Struct

from diagnose.collectors.oci.errors import UnusableImageError
from diagnose.collectors.oci.text import neutral

DOCKER_HUB = "docker.io"
DOCKER_HUB_REGISTRY = "registry-1.docker.io"
"""Docker Hub's registry does not live at the name that references bear; docker.io itself serves a web site."""

_REFERENCE_LIMIT = 1024
_NAME_LIMIT = 255
_DOMAIN = re.compile(
    r"(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])"
    r"(?::[0-9]+)?"
)
_COMPONENT = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}")


class Reference(Struct, frozen=True):
    """A whole reference. `domain` is as written (`docker.io`); one of `tag` and `digest` is always there."""

    domain: str
    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def registry(self) -> str:
        """The host (and port) that serves the registry API of this reference."""
        return DOCKER_HUB_REGISTRY if self.domain in (DOCKER_HUB, "index.docker.io") else self.domain

    @property
    def identifier(self) -> str:
        """What to ask the manifest of: the digest if the reference pins one, else the tag."""
        return self.digest or self.tag

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.domain}/{self.repository}{tag}{'@' + self.digest if self.digest else ''}"


def parse_reference(text: str) -> Reference:
    """The reference in `text`. Raises UnusableImageError which says what is wrong with it and how to write it."""
    _refuse_what_is_no_reference(text)
    rest, _, digest = text.partition("@")
    if digest and not _DIGEST.fullmatch(digest):
        raise _invalid(text, f"{digest!r} is not a digest", "Write it as sha256: and 64 lower-case hexadecimal digits.")
    rest, tag = _split_tag(text, rest)
    domain, repository = _split_domain(rest)
    _check_name(text, domain, repository)
    if not tag and not digest:
        tag = "latest"
    return Reference(domain, repository, tag, digest)


def _refuse_what_is_no_reference(text: str) -> None:
    if not text or len(text) > _REFERENCE_LIMIT:
        raise _invalid(
            text, "an image reference has 1 to 1024 characters", "Write it like registry.example/team/app:1."
        )
    scheme, separator, rest = text.partition("://")
    if separator:
        raise _invalid(text, f"an image reference bears no {scheme}://", f"Write {rest or 'the name'} without it.")
    if re.fullmatch(r"[0-9a-f]{64}", text):
        raise _invalid(text, "64 hexadecimal digits are an image id, not a name", "Use NAME@sha256:DIGEST.")


def _split_tag(text: str, rest: str) -> tuple[str, str]:
    """Name and tag. A colon before the last slash belongs to the port."""
    head, colon, tail = rest.rpartition(":")
    if not colon or "/" in tail:
        return rest, ""
    if not _TAG.fullmatch(tail):
        remedy = "A tag has up to 128 letters, digits, _, . and -, and begins with none of the last two."
        raise _invalid(text, f"{tail!r} is not a tag", remedy)
    return head, tail


def _split_domain(name: str) -> tuple[str, str]:
    first, slash, rest = name.partition("/")
    is_domain = "." in first or ":" in first or first == "localhost" or first.lower() != first
    if not slash or not is_domain:
        return DOCKER_HUB, name if slash else f"library/{name}"
    if first in (DOCKER_HUB, "index.docker.io"):
        return DOCKER_HUB, rest if "/" in rest else f"library/{rest}"
    return first, rest


def _check_name(text: str, domain: str, repository: str) -> None:
    if not _DOMAIN.fullmatch(domain):
        raise _invalid(text, f"{domain!r} is not a host name", "Write HOST[:PORT]/NAME[:TAG].")
    if repository != repository.lower():
        raise _invalid(text, "the repository name must be lower case", f"Write {repository.lower()}.")
    if not all(_COMPONENT.fullmatch(component) for component in repository.split("/")):
        remedy = "Parts between slashes are lower-case letters and digits, separated by ., _, __ or -."
        raise _invalid(text, f"{repository!r} is not a repository name", remedy)
    if len(domain) + 1 + len(repository) > _NAME_LIMIT:
        raise _invalid(text, "the name is longer than 255 characters", "Use a shorter repository name.")


def _invalid(text: str, what: str, remedy: str) -> UnusableImageError:
    return UnusableImageError(neutral(what), f"image reference {neutral(text, 100)!r}", neutral(remedy))

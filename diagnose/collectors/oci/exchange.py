"""One HTTP exchange with a registry: what was asked, what came back, and over which redirects."""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors.oci.failure import Failure
from diagnose.collectors.oci.media_types import without_parameters
from diagnose.collectors.oci.text import shown_url


class Hop(Struct, frozen=True):
    """A redirect that was followed: the address that gave it, and its status."""

    url: str
    status: int


class Exchange(Struct, frozen=True):
    """`body` is what came over the wire, still in its Content-Encoding, and at most as long as was allowed.

    `status` is 0 if there was no answer; then `failure` says why. `cut` is true if the connection ended before the
    promised length; `too_large` if there was more than was allowed.
    """

    method: str
    url: str
    status: int = 0
    headers: dict[str, str] = {}
    body: bytes = b""
    hops: tuple[Hop, ...] = ()
    cut: bool = False
    too_large: bool = False
    failure: Failure | None = None

    @property
    def where(self) -> str:
        """`GET https://host/v2/name/manifests/tag -> 302 -> https://host/login -> 200`, without any secret."""
        asked = [part for hop in self.hops for part in (shown_url(hop.url), str(hop.status))]
        outcome = str(self.status) if self.status else (self.failure.kind.value if self.failure else "no answer")
        return f"{self.method} " + " -> ".join([*asked, shown_url(self.url), outcome])

    @property
    def ok(self) -> bool:
        return 200 <= self.status <= 299

    @property
    def media_type(self) -> str:
        return without_parameters(self.headers.get("content-type", ""))

    @property
    def content_encoding(self) -> str:
        return self.headers.get("content-encoding", "").strip().lower()

    @property
    def content_length(self) -> int | None:
        """The Content-Length header, None if it is missing or no number."""
        declared = self.headers.get("content-length", "")
        return int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 19 else None

    @property
    def reason(self) -> str:
        """Why there is no usable answer, as one sentence; empty if there was an answer."""
        return self.failure.reason if self.failure else ""

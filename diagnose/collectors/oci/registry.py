"""A registry, asked as engines ask it: OCI distribution-spec, "Endpoints"."""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors.oci import media_types
from diagnose.collectors.oci.challenge import Grant, answer, read_challenge
from diagnose.collectors.oci.client import Client, is_local
from diagnose.collectors.oci.containerd import INDEX_LIMIT_BYTES
from diagnose.collectors.oci.content_encoding import ACCEPT_ENCODING
from diagnose.collectors.oci.credentials import Credentials, credentials_for
from diagnose.collectors.oci.digest import fallback_tag
from diagnose.collectors.oci.document import MANIFEST_LIMIT_BYTES
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.reference import Reference

BLOB_START_BYTES = 512
_PAGE_LIMIT_BYTES = 64 * 1024
_CHALLENGE_LIMIT = 3


class Authentication(Struct):
    """How the registry let us in. `scheme` is none, basic, bearer, or another that it demanded."""

    scheme: str = "none"
    grant: Grant = Grant()
    credentials: Credentials | None = None


class Registry:
    """The registry of one reference. Credentials are looked up only if it asks for them."""

    def __init__(self, reference: Reference, *, insecure: bool, timeout_seconds: float) -> None:
        self.host = reference.registry
        self.repository = reference.repository
        self._may_be_plain = insecure or is_local(self.host)
        self._client = Client(self.host, timeout_seconds, verify=not self._may_be_plain)
        self.url = f"https://{self.host}"
        self.authentication = Authentication()
        self._challenges = 0

    def connect(self) -> Exchange:
        """`GET /v2/` over TLS, and over plain HTTP where that is allowed and TLS does not answer."""
        exchange = self._get("/v2/", {}, _PAGE_LIMIT_BYTES)
        if exchange.failure and self._may_be_plain:
            self.url = f"http://{self.host}"
            exchange = self._get("/v2/", {}, _PAGE_LIMIT_BYTES)
        return exchange

    def head_manifest(self, identifier: str) -> Exchange:
        headers = {"Accept": media_types.MANIFEST_ACCEPT}
        return self._ask("HEAD", self._path("manifests", identifier), headers, 0)

    def manifest(self, identifier: str) -> Exchange:
        """The manifest of a tag or digest, at most 4 MiB of it."""
        headers = {"Accept": media_types.MANIFEST_ACCEPT}
        return self._get(self._path("manifests", identifier), headers, MANIFEST_LIMIT_BYTES)

    def head_blob(self, digest: str) -> Exchange:
        return self._ask("HEAD", self._path("blobs", digest), {"Accept": "*/*"}, 0)

    def blob(self, digest: str, limit_bytes: int = MANIFEST_LIMIT_BYTES) -> Exchange:
        """A blob, meant for the small ones (configurations)."""
        return self._get(self._path("blobs", digest), {"Accept": "*/*"}, limit_bytes)

    def blob_start(self, digest: str) -> Exchange:
        """The first 512 bytes of a blob, enough to recognise what it is."""
        headers = {"Accept": "*/*", "Range": f"bytes=0-{BLOB_START_BYTES - 1}"}
        return self._get(self._path("blobs", digest), headers, BLOB_START_BYTES)

    def referrers(self, digest: str, *, compressed: bool = True) -> Exchange:
        """The referrers query as containerd sends it. `compressed` false asks for the bare answer instead."""
        encoding = {"Accept-Encoding": ACCEPT_ENCODING} if compressed else {}
        headers = {"Accept": media_types.REFERRERS_ACCEPT, **encoding}
        return self._get(self._path("referrers", digest), headers, INDEX_LIMIT_BYTES)

    def fallback_referrers(self, digest: str) -> Exchange:
        """The index that the referrers tag schema puts where there is no API."""
        headers = {"Accept": media_types.REFERRERS_ACCEPT, "Accept-Encoding": ACCEPT_ENCODING}
        return self._get(self._path("manifests", fallback_tag(digest)), headers, INDEX_LIMIT_BYTES)

    def unknown_route(self) -> Exchange:
        """A path that no registry has. A 200 shows that something in between answers everything."""
        return self._get(self._path("no-such-endpoint", "probe"), {"Accept": "*/*"}, _PAGE_LIMIT_BYTES)

    def _path(self, kind: str, name: str) -> str:
        return f"/v2/{self.repository}/{kind}/{name}"

    def _get(self, path: str, headers: dict[str, str], limit_bytes: int) -> Exchange:
        return self._ask("GET", path, headers, limit_bytes)

    def _ask(self, method: str, path: str, headers: dict[str, str], limit_bytes: int) -> Exchange:
        exchange = self._send(method, path, headers, limit_bytes)
        if exchange.status != 401 or self._challenges >= _CHALLENGE_LIMIT:
            return exchange
        challenge = read_challenge(exchange.headers.get("www-authenticate", ""))
        if challenge is None:
            return exchange
        self._challenges += 1
        found = self.authentication
        if found.credentials is None:
            found.credentials = credentials_for(self.host)
        found.scheme = challenge.scheme
        found.grant = answer(challenge, self._client, found.credentials, self.repository)
        return self._send(method, path, headers, limit_bytes) if found.grant.authorization else exchange

    def _send(self, method: str, path: str, headers: dict[str, str], limit_bytes: int) -> Exchange:
        authorization = self.authentication.grant.authorization
        return self._client.ask(
            method, self.url + path, headers=headers, limit_bytes=limit_bytes, authorization=authorization
        )

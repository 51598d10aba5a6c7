"""From a 401 to an Authorization header: the token flow of registries.

Source: distribution/distribution docs/content/spec/auth (token.md, oauth.md); RFC 7235 for the challenge's form.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from diagnose.collectors.oci.client import Client, is_local
from diagnose.collectors.oci.credentials import Credentials
from diagnose.collectors.oci.document import decode_json
from diagnose.collectors.oci.exchange import Exchange

_TOKEN_LIMIT_BYTES = 64 * 1024
_PARAMETER = re.compile(r'([a-zA-Z]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))')
_TOKEN = re.compile(r"[\x21-\x7e]+")


class Challenge(Struct, frozen=True):
    """A WWW-Authenticate header. `scheme` is bearer, basic, or whatever else was asked for, in lower case."""

    scheme: str
    realm: str = ""
    service: str = ""
    scope: str = ""


class Grant(Struct, frozen=True):
    """What the flow gave: the Authorization header (empty if none) and the exchange with the token service, if any."""

    authorization: str = ""
    exchange: Exchange | None = None


def read_challenge(header: str) -> Challenge | None:
    """The challenge in a WWW-Authenticate header, None if there is none."""
    scheme, _, rest = header.strip()[:4096].partition(" ")
    if not scheme:
        return None
    found = {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(rest)}
    return Challenge(scheme.lower(), found.get("realm", ""), found.get("service", ""), found.get("scope", ""))


def answer(challenge: Challenge, client: Client, credentials: Credentials, repository: str) -> Grant:
    """Answers a challenge with the credentials at hand, or anonymously."""
    if challenge.scheme == "basic":
        return Grant(credentials.basic)
    if challenge.scheme != "bearer" or not challenge.realm.startswith(("http://", "https://")):
        return Grant()
    query = {"service": challenge.service, "scope": challenge.scope or f"repository:{repository}:pull"}
    exchange = _ask(challenge.realm, {name: value for name, value in query.items() if value}, client, credentials)
    return Grant(_bearer(exchange), _without_secrets(exchange))


def _ask(realm: str, query: dict[str, str], client: Client, credentials: Credentials) -> Exchange:
    may_show = realm.startswith("https://") or is_local(urlsplit(realm).netloc)
    if credentials.identity_token and may_show:
        form = {**query, "grant_type": "refresh_token", "client_id": "decodedoctor"}
        body = urlencode({**form, "refresh_token": credentials.identity_token}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return client.ask("POST", realm, headers=headers, limit_bytes=_TOKEN_LIMIT_BYTES, body=body)
    separator = "&" if "?" in realm else "?"
    url = f"{realm}{separator}{urlencode(query)}"
    basic = credentials.basic if may_show else ""
    return client.ask("GET", url, headers={}, limit_bytes=_TOKEN_LIMIT_BYTES, authorization=basic)


def _bearer(exchange: Exchange) -> str:
    if not exchange.ok:
        return ""
    value = decode_json(exchange.body)
    if not isinstance(value, dict):
        return ""
    token = value.get("token") or value.get("access_token")
    return f"Bearer {token}" if isinstance(token, str) and _TOKEN.fullmatch(token) else ""


def _without_secrets(exchange: Exchange) -> Exchange:
    """The exchange without its body and headers: they hold the token."""
    return Exchange(
        exchange.method, exchange.url, exchange.status, hops=exchange.hops, cut=exchange.cut, failure=exchange.failure
    )

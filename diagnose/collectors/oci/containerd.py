"""What containerd 2.2 and later make of a registry's answers to the referrers query.

This reproduces one consumer, so that its message can be matched with an answer. Source: containerd v2.2.0
core/remotes/docker/referrers.go (`FetchReferrers`) and fetcher.go (`open`). Of the OCI rules that it does not follow
(an answer that is no index means "no referrers"), none is applied here.
"""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors.oci.content_encoding import Decoded, undo
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.go_index import TRAILING_DATA, decode_error, has_trailing_data
from diagnose.collectors.oci.go_json import EOF, UNEXPECTED_EOF

INDEX_LIMIT_BYTES = 4 * 1048 * 1048
"""containerd's own limit, which was meant to be 4 MiB."""

DECODE_PREFIX = "failed to decode referrers index"


class Outcome(Struct, frozen=True):
    """What containerd would do.

    `error` is the whole text with which it fails, empty if it goes on. `decode_error` is the part after
    `failed to decode referrers index`, empty if it fails otherwise or not at all. `not_checked` says why it cannot be
    told.
    """

    error: str = ""
    decode_error: str = ""
    not_checked: str = ""

    @property
    def fails_to_decode(self) -> bool:
        return bool(self.decode_error)


def outcome(api: Exchange, tag: Exchange | None, plain: Exchange | None = None) -> Outcome:
    """The outcome for the API's answer and, where that made the client ask it, the fallback tag's.

    `plain` is the same query asked without compression, for answers in an encoding that cannot be undone here.
    """
    if not is_host_error(api):
        return _read_index(api, plain)
    if tag is None:
        return Outcome(not_checked="the fallback tag was not asked")
    if not is_host_error(tag):
        return _read_index(tag, None)
    if tag.status == 404:
        return Outcome()
    return Outcome(_host_error(api) if api.status != 404 else _host_error(tag))


def is_host_error(exchange: Exchange) -> bool:
    """True if containerd gives up on this answer before it reads the body, and asks elsewhere."""
    return not exchange.ok or undone(exchange).at_start


def undone(exchange: Exchange) -> Decoded:
    """The answer's body without its Content-Encoding."""
    return undo(exchange.body, exchange.content_encoding, INDEX_LIMIT_BYTES)


def _read_index(exchange: Exchange, plain: Exchange | None) -> Outcome:
    declared = exchange.content_length
    if declared is not None and declared > INDEX_LIMIT_BYTES:
        return Outcome(f"referrers index size {declared} exceeds maximum allowed {INDEX_LIMIT_BYTES}: not found")
    decoded = undone(exchange)
    if decoded.not_decoded:
        if plain is None or not plain.ok or plain.content_encoding:
            return Outcome(not_checked=decoded.not_decoded)
        decoded = Decoded(plain.body)
    return _decode(decoded, exchange, INDEX_LIMIT_BYTES if declared is None else declared)


def _decode(decoded: Decoded, exchange: Exchange, limit_bytes: int) -> Outcome:
    """Decodes what is left of a body after containerd has cut it to its compressed length."""
    body, ending = decoded.body, decoded.error or (UNEXPECTED_EOF if exchange.cut and not decoded.ended else EOF)
    if len(body) >= limit_bytes:
        body, ending = body[:limit_bytes], EOF
    error = decode_error(body, ending)
    if error:
        return Outcome(f"{DECODE_PREFIX}: {error}", error)
    return Outcome(TRAILING_DATA if has_trailing_data(body, ending) else "")


def _host_error(exchange: Exchange) -> str:
    if exchange.failure:
        return f"failed to do request: {exchange.failure.reason}"
    if exchange.ok:
        return undone(exchange).error
    return f"unexpected status from GET request to {exchange.url}: {exchange.status}"

"""The referrers query: what the registry answers, and what container engines make of the answer.

Sources: OCI distribution-spec, "Listing Referrers" and "Unavailable Referrers API"; for the consumer: containerd.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.oci import containerd
from diagnose.collectors.oci.document import Document, read_document
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.registry import Registry
from diagnose.collectors.oci.text import body_start, neutral, page_title, shown_url
from diagnose.evidence import Evidence, Fact

_LOOKED_AT = frozenset(name for name in FACTS.names if name.startswith("oci.referrers."))


def collect_referrers(evidence: Evidence, registry: Registry, digest: str) -> None:
    """Adds the facts on the referrers of `digest`."""
    api = registry.referrers(digest)
    evidence.add(FACTS.known("oci.referrers.digest", digest))
    if api.failure:
        evidence.add(FACTS.not_checked("oci.referrers.status", api.reason, api.where))
        evidence.add(FACTS.known("oci.referrers.failure", api.failure.kind.value, api.where, api.reason))
        return
    evidence.looked_for(_LOOKED_AT)
    plain = registry.referrers(digest, compressed=False) if containerd.undone(api).not_decoded else None
    tag = registry.fallback_referrers(digest) if containerd.is_host_error(api) else None
    evidence.extend(_answer_facts(api, plain))
    evidence.extend(_fallback_facts(tag))
    evidence.extend(_outcome_facts(api, tag, plain))
    if api.ok and not evidence.value("oci.referrers.is_index"):
        evidence.extend(_unknown_route_facts(registry.unknown_route()))


def _answer_facts(api: Exchange, plain: Exchange | None) -> Iterator[Fact]:
    yield FACTS.known("oci.referrers.status", api.status, api.where)
    yield FACTS.known("oci.referrers.media_type", neutral(api.media_type, 100), api.where)
    yield FACTS.known("oci.referrers.cut", api.cut, api.where)
    if api.content_encoding:
        yield FACTS.known("oci.referrers.content_encoding", neutral(api.content_encoding, 60), api.where)
    if api.content_length is not None:
        yield FACTS.known("oci.referrers.content_length", api.content_length, api.where)
    if api.headers.get("server"):
        yield FACTS.known("oci.referrers.server", neutral(api.headers["server"], 100), api.where)
    if api.hops:
        yield FACTS.known("oci.referrers.redirected_to", shown_url(api.url), api.where)
    body = _readable(api, plain)
    document = read_document(body)
    yield FACTS.known("oci.referrers.kind", document.kind, api.where)
    yield FACTS.known("oci.referrers.body_start", body_start(body), api.where)
    if page_title(body):
        yield FACTS.known("oci.referrers.title", page_title(body), api.where)
    if api.ok:
        yield FACTS.known("oci.referrers.is_index", document.kind == "index", api.where, body_start(body))


def _fallback_facts(tag: Exchange | None) -> Iterator[Fact]:
    if tag is None:
        return
    if tag.failure:
        yield FACTS.not_checked("oci.referrers.fallback_status", tag.reason, tag.where)
        return
    yield FACTS.known("oci.referrers.fallback_status", tag.status, tag.where)
    yield FACTS.known("oci.referrers.fallback_kind", read_document(_readable(tag, None)).kind, tag.where)


def _outcome_facts(api: Exchange, tag: Exchange | None, plain: Exchange | None) -> Iterator[Fact]:
    source, exchange, document = _answered_by(api, tag, plain)
    yield FACTS.known("oci.referrers.answered_by", source, exchange.where)
    if document:
        yield FACTS.known("oci.referrers.count", len(document.children), exchange.where)
    result = containerd.outcome(api, tag, plain)
    if result.not_checked:
        yield FACTS.not_checked("oci.referrers.containerd_fails", result.not_checked, exchange.where)
        return
    yield FACTS.known("oci.referrers.containerd_fails", result.fails_to_decode, exchange.where)
    if result.decode_error:
        yield FACTS.known("oci.referrers.decode_error", neutral(result.decode_error), exchange.where)
    if result.error:
        yield FACTS.known("oci.referrers.containerd_error", neutral(result.error), exchange.where)


def _answered_by(api: Exchange, tag: Exchange | None, plain: Exchange | None) -> tuple[str, Exchange, Document | None]:
    for source, exchange in (("api", api), ("fallback-tag", tag)):
        if exchange is None or not exchange.ok:
            continue
        document = read_document(_readable(exchange, plain if source == "api" else None))
        if document.kind == "index":
            return source, exchange, document
    return "none", tag or api, None


def _unknown_route_facts(exchange: Exchange) -> Iterator[Fact]:
    if exchange.failure:
        yield FACTS.not_checked("oci.registry.unknown_route_status", exchange.reason, exchange.where)
        return
    yield FACTS.known("oci.registry.unknown_route_status", exchange.status, exchange.where)
    yield FACTS.known("oci.registry.unknown_route_media_type", neutral(exchange.media_type, 100), exchange.where)


def _readable(exchange: Exchange, plain: Exchange | None) -> bytes:
    """The body without its compression, from the answer that had none if this library cannot undo it."""
    decoded = containerd.undone(exchange)
    if decoded.not_decoded:
        return plain.body if plain else b""
    return decoded.body if decoded.body or not exchange.content_encoding else exchange.body

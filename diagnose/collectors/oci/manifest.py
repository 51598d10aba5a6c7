"""The manifest (or index) that a reference names, as the registry serves it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from diagnose.collectors.oci import digest as digests
from diagnose.collectors.oci.document import Document, read_document
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.reference import Reference
from diagnose.collectors.oci.registry import Registry
from diagnose.collectors.oci.text import body_start, neutral, page_title, shown_url
from diagnose.evidence import Evidence, Fact

_LOOKED_AT = frozenset(name for name in FACTS.names if name.startswith("oci.manifest."))
_READABLE = ("index", "manifest", "artifact", "attestation", "schema1")


class Manifest(Struct, frozen=True):
    """A manifest that could be read, its digest by its bytes, and where it came from."""

    document: Document
    digest: str
    where: str


def collect_manifest(evidence: Evidence, registry: Registry, reference: Reference) -> Manifest | None:
    """Adds the facts on the manifest; the manifest if there is one to go on with."""
    evidence.looked_for(_LOOKED_AT)
    head = registry.head_manifest(reference.identifier)
    evidence.extend(_head_facts(head))
    exchange = registry.manifest(reference.identifier)
    if exchange.failure:
        evidence.add(FACTS.not_checked("oci.manifest.status", exchange.reason, exchange.where))
        return None
    document = read_document(exchange.body)
    evidence.extend(_answer_facts(exchange, document))
    if not exchange.ok:
        return None
    evidence.extend(_content_facts(exchange, head, reference))
    if document.kind not in _READABLE:
        return None
    found = reference.digest if reference.digest and digests.is_digest(reference.digest) else ""
    digest = found or digests.digest_of(exchange.body)
    evidence.add(FACTS.known("oci.digest", digest, exchange.where))
    return Manifest(document, digest, exchange.where)


def _head_facts(head: Exchange) -> Iterator[Fact]:
    if head.failure:
        yield FACTS.not_checked("oci.manifest.head_status", head.reason, head.where)
        return
    yield FACTS.known("oci.manifest.head_status", head.status, head.where)
    if head.ok and head.content_length is not None:
        yield FACTS.known("oci.manifest.head_content_length", head.content_length, head.where)


def _answer_facts(exchange: Exchange, document: Document) -> Iterator[Fact]:
    where = exchange.where
    yield FACTS.known("oci.manifest.status", exchange.status, where)
    yield FACTS.known("oci.manifest.media_type", neutral(exchange.media_type, 100), where)
    yield FACTS.known("oci.manifest.kind", document.kind, where, body_start(exchange.body))
    if exchange.hops:
        yield FACTS.known("oci.manifest.redirected_to", shown_url(exchange.url), where)
    if document.media_type:
        yield FACTS.known("oci.manifest.body_media_type", document.media_type, where)
    if document.error_code:
        yield FACTS.known("oci.manifest.error_code", document.error_code, where)
    if exchange.headers.get("retry-after"):
        yield FACTS.known("oci.manifest.retry_after", neutral(exchange.headers["retry-after"], 60), where)
    if document.kind not in _READABLE:
        yield FACTS.known("oci.manifest.body_start", body_start(exchange.body), where)
    if page_title(exchange.body):
        yield FACTS.known("oci.manifest.title", page_title(exchange.body), where)


def _content_facts(exchange: Exchange, head: Exchange, reference: Reference) -> Iterator[Fact]:
    """Whether the body is what was announced and asked for. Nothing is said where nothing was announced."""
    if exchange.too_large:
        yield FACTS.not_checked("oci.manifest.digest_matches", "it is larger than 4 MiB", exchange.where)
        return
    header = exchange.headers.get("docker-content-digest", "")
    if header:
        yield FACTS.known("oci.manifest.digest_header", neutral(header, 150), exchange.where)
    expected = [digest for digest in (header, reference.digest) if digest]
    if expected:
        matches = all(digests.matches(exchange.body, digest) for digest in expected)
        text = digests.digest_of(exchange.body)
        yield FACTS.known("oci.manifest.digest_matches", matches, exchange.where, f"the body is {text}")
    if exchange.content_length is not None:
        yield FACTS.known("oci.manifest.content_length", exchange.content_length, exchange.where)
    # A HEAD of length zero is a defect of its own (oci.manifest.head_content_length) and announces nothing.
    announced = [ask.content_length for ask in (exchange, head) if ask.ok and ask.content_length]
    if announced or exchange.cut:
        matches = not exchange.cut and all(length == len(exchange.body) for length in announced)
        yield FACTS.known("oci.manifest.size_matches", matches, exchange.where, f"{len(exchange.body)} bytes came")

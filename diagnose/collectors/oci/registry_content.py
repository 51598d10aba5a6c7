"""An image's content as a registry has it: asked for by digest, and moved only where it is small."""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors.oci.content import Blob, Body
from diagnose.collectors.oci.digest import is_digest
from diagnose.collectors.oci.document import Descriptor
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.registry import Registry

_NO_DIGEST = "its digest is not in a form that may be asked for"


class RegistryContent(Struct, frozen=True):
    """`Content` behind a registry. Layers are asked for their length and first bytes alone."""

    registry: Registry

    def manifest(self, descriptor: Descriptor) -> Body:
        return self._body(descriptor, "manifests")

    def has_manifest(self, descriptor: Descriptor) -> Body:
        if not is_digest(descriptor.digest):
            return Body("", not_checked=_NO_DIGEST)
        exchange = self.registry.head_manifest(descriptor.digest)
        return Body(exchange.where, b"") if exchange.ok else _absent(exchange)

    def config(self, descriptor: Descriptor) -> Body:
        return self._body(descriptor, "blobs")

    def blob(self, descriptor: Descriptor) -> Blob:
        if not is_digest(descriptor.digest):
            return Blob(descriptor.digest, "", not_checked=_NO_DIGEST)
        head = self.registry.head_blob(descriptor.digest)
        if head.failure:
            return Blob(descriptor.digest, head.where, not_checked=head.reason)
        if head.status == 404:
            return Blob(descriptor.digest, head.where, missing=True)
        if not head.ok:
            return Blob(descriptor.digest, head.where, refused=f"HTTP {head.status}")
        start = self.registry.blob_start(descriptor.digest)
        if start.ok and not start.body and not start.cut and descriptor.size_bytes > 0:
            return Blob(descriptor.digest, start.where, size_bytes=0)
        return Blob(
            descriptor.digest,
            head.where,
            size_bytes=head.content_length,
            start=start.body if start.ok and not start.content_encoding else b"",
        )

    def _body(self, descriptor: Descriptor, kind: str) -> Body:
        if not is_digest(descriptor.digest):
            return Body("", not_checked=_NO_DIGEST)
        ask = self.registry.manifest if kind == "manifests" else self.registry.blob
        exchange = ask(descriptor.digest)
        if not exchange.ok:
            return _absent(exchange)
        if exchange.too_large:
            return Body(exchange.where, not_checked="it is larger than 4 MiB")
        return Body(exchange.where, exchange.body)


def _absent(exchange: Exchange) -> Body:
    if exchange.status == 404:
        return Body(exchange.where)
    return Body(exchange.where, not_checked=exchange.reason or f"the registry answered HTTP {exchange.status}")

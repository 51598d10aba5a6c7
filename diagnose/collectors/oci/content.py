"""What a registry and a layout have in common: documents and blobs that can be asked for by descriptor."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from diagnose.collectors.oci.document import Descriptor


class Body(Struct, frozen=True):
    """A small piece of content, whole. `bytes_` is None if it is missing or could not be looked at (`not_checked`)."""

    where: str
    content: bytes | None = None
    not_checked: str = ""

    @property
    def missing(self) -> bool:
        return self.content is None and not self.not_checked


class Blob(Struct, frozen=True):
    """A blob as it was seen, `start` being its first bytes. What is None was not looked at.

    `refused` says that there is an answer which is neither the blob nor "not found"; `not_checked` that there is none.
    """

    digest: str
    where: str
    missing: bool = False
    refused: str = ""
    size_bytes: int | None = None
    digest_matches: bool | None = None
    start: bytes = b""
    not_checked: str = ""


class Content(Protocol):
    """Where an image's content is."""

    def manifest(self, descriptor: Descriptor) -> Body:
        """The manifest (or index) that a descriptor points to."""

    def has_manifest(self, descriptor: Descriptor) -> Body:
        """The same, with empty content where asking for less tells that it is there."""

    def config(self, descriptor: Descriptor) -> Body:
        """The configuration that a descriptor points to."""

    def blob(self, descriptor: Descriptor) -> Blob:
        """A blob, looked at as closely as this source allows without moving it whole over a network."""

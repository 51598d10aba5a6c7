"""Manifests and indexes read from their bytes, without judging them and without trusting them.

Formats: OCI image-spec manifest.md and image-index.md, descriptor.md; Docker image manifest v2 schemas 1 and 2.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from diagnose.collectors.oci import media_types
from diagnose.collectors.oci.text import neutral

MANIFEST_LIMIT_BYTES = 4 * 1024 * 1024
"""Manifests above this are not portable (distribution-spec, "Pushing Manifests")."""

DESCRIPTOR_LIMIT = 1000
_REFERENCE_TYPE = "vnd.docker.reference.type"
_REFERENCE_DIGEST = "vnd.docker.reference.digest"
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_REF_NAME = "org.opencontainers.image.ref.name"


class Platform(Struct, frozen=True):
    os: str = ""
    architecture: str = ""
    variant: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.os, self.architecture, self.variant) if part)


class Descriptor(Struct, frozen=True):
    """What a descriptor says of the content it points to. `size_bytes` is -1 where it says nothing usable."""

    digest: str
    size_bytes: int = -1
    media_type: str = ""
    platform: Platform | None = None
    is_attestation: bool = False
    attests: str = ""
    ref_name: str = ""


class Document(Struct, frozen=True):
    """A body that was asked for as a manifest.

    `kind` is index, manifest, artifact, attestation, schema1, errors (a registry's error answer), json (none of
    these), cut-json, html, xml, empty, byte-order-mark, gzip, zstd or not-json.
    """

    kind: str
    media_type: str = ""
    artifact_type: str = ""
    schema_version: int = 0
    children: tuple[Descriptor, ...] = ()
    config: Descriptor | None = None
    layers: tuple[Descriptor, ...] = ()
    error_code: str = ""

    @property
    def platforms(self) -> list[str]:
        """The platforms that an index offers, without attestations, in their order."""
        offered = [str(child.platform) for child in self.children if child.platform and not child.is_attestation]
        return list(dict.fromkeys(offered))

    @property
    def attestations(self) -> list[Descriptor]:
        return [child for child in self.children if child.is_attestation]


def read_document(body: bytes) -> Document:
    """What `body` is, and what it points to. Nothing is raised: an unreadable body is a Document of its kind."""
    value = decode_json(body)
    if value is None and body.strip() != b"null":
        return Document(_kind_of_unreadable(body))
    if not isinstance(value, dict):
        return Document("json")
    kind = _kind_of_object(value)
    return Document(
        kind=kind,
        media_type=_text(value.get("mediaType")),
        artifact_type=_text(value.get("artifactType")),
        schema_version=_integer(value.get("schemaVersion"), 0),
        children=_descriptors(value.get("manifests")),
        config=read_descriptor(value.get("config")),
        layers=_descriptors(value.get("layers")),
        error_code=_error_code(value),
    )


def decode_json(body: bytes) -> Any:
    """The JSON value in `body`, or None if it holds none (or one nested too deep to be meant seriously)."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def read_descriptor(value: Any) -> Descriptor | None:
    """The descriptor in a decoded JSON value, or None if it has no digest."""
    if not isinstance(value, dict) or not isinstance(value.get("digest"), str):
        return None
    annotations = value.get("annotations")
    notes = annotations if isinstance(annotations, dict) else {}
    platform = read_platform(value.get("platform"))
    is_attestation = notes.get(_REFERENCE_TYPE) == "attestation-manifest"
    return Descriptor(
        digest=_text(value["digest"]),
        size_bytes=_integer(value.get("size"), -1),
        media_type=_text(value.get("mediaType")),
        platform=platform,
        is_attestation=is_attestation,
        attests=_text(notes.get(_REFERENCE_DIGEST)),
        ref_name=_text(notes.get(_REF_NAME)),
    )


def read_platform(value: Any) -> Platform | None:
    """The platform in an index entry or in an image configuration, which use the same names."""
    if not isinstance(value, dict) or not value.get("os") or not value.get("architecture"):
        return None
    return Platform(_text(value["os"]), _text(value["architecture"]), _text(value.get("variant")))


def _kind_of_object(value: dict[str, Any]) -> str:
    if value.get("schemaVersion") == 1 or "fsLayers" in value:
        return "schema1"
    if isinstance(value.get("manifests"), list):
        return "index"
    if isinstance(value.get("errors"), list):
        return "errors"
    if "layers" not in value and "config" not in value:
        return "json"
    layers = _descriptors(value.get("layers"))
    if layers and all(layer.media_type == media_types.IN_TOTO for layer in layers):
        return "attestation"
    config = read_descriptor(value.get("config"))
    is_image = config is not None and config.media_type in media_types.IMAGE_CONFIGS and not value.get("artifactType")
    return "manifest" if is_image else "artifact"


def _kind_of_unreadable(body: bytes) -> str:
    marked = body.startswith(_BYTE_ORDER_MARKS)
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text:
        return "empty"
    if text.startswith(b"<"):
        return "xml" if text.startswith(b"<?xml") and b"<html" not in text[:1024].lower() else "html"
    if marked:
        return "byte-order-mark"
    if text.startswith(b"{") and not text.rstrip().endswith(b"}"):
        return "cut-json"
    kind = media_types.recognise(text[:512])
    return kind if kind in ("gzip", "zstd") else "not-json"


def _descriptors(value: Any) -> tuple[Descriptor, ...]:
    if not isinstance(value, list):
        return ()
    found = (read_descriptor(entry) for entry in value[:DESCRIPTOR_LIMIT])
    return tuple(descriptor for descriptor in found if descriptor)


def _error_code(value: dict[str, Any]) -> str:
    errors = value.get("errors")
    if not isinstance(errors, list) or not errors or not isinstance(errors[0], dict):
        return ""
    return _text(errors[0].get("code"))


def _text(value: Any) -> str:
    return neutral(value, 200) if isinstance(value, str) else ""


def _integer(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else otherwise

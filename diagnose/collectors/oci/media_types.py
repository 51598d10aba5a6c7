"""Media types of container images, and the first bytes that content of a media type must have.

Sources: OCI image-spec media-types.md; Docker image manifest v2 schema 2 and schema 1 specifications.
"""

from __future__ import annotations

OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
SCHEMA1 = "application/vnd.docker.distribution.manifest.v1+json"
SCHEMA1_SIGNED = "application/vnd.docker.distribution.manifest.v1+prettyjws"
IN_TOTO = "application/vnd.in-toto+json"

INDEXES = frozenset({OCI_INDEX, DOCKER_LIST})
IMAGE_CONFIGS = frozenset({OCI_CONFIG, DOCKER_CONFIG})
MANIFEST_ACCEPT = ", ".join((DOCKER_MANIFEST, DOCKER_LIST, OCI_MANIFEST, OCI_INDEX, "*/*"))
REFERRERS_ACCEPT = f"{OCI_INDEX}, */*"

MAGIC = (
    ("gzip", b"\x1f\x8b\x08"),
    ("zstd", b"\x28\xb5\x2f\xfd"),
    ("xz", b"\xfd7zXZ\x00"),
    ("bzip2", b"BZh"),
    ("html", b"<!"),
    ("html", b"<h"),
    ("html", b"<H"),
    ("xml", b"<?xml"),
    ("json", b"{"),
    ("utf-16-text", b"\xff\xfe"),
    ("utf-16-text", b"\xfe\xff"),
)
"""First bytes by which content of a layer or an archive is recognised, in the order in which they are tried."""

_COMPRESSION = (("+gzip", "gzip"), (".gzip", "gzip"), ("+zstd", "zstd"))
_LAYER_MARKS = ("image.layer", "image.rootfs", "layer.v1", "rootfs.diff")


def without_parameters(content_type: str) -> str:
    """`text/html; charset=utf-8` as `text/html`."""
    return content_type.partition(";")[0].strip().lower()


def compression_of_layer(media_type: str) -> str | None:
    """`gzip`, `zstd` or `tar` (not compressed) as a layer's media type promises; None if it is no image layer."""
    if not any(mark in media_type for mark in _LAYER_MARKS):
        return None
    for suffix, name in _COMPRESSION:
        if media_type.endswith(suffix):
            return name
    return "tar"


def recognise(start: bytes) -> str:
    """What the first bytes (512 tell a tar) are: a name of `MAGIC`, `tar`, `empty` or `unknown`."""
    if not start:
        return "empty"
    if start[257:262] == b"ustar":
        return "tar"
    for name, magic in MAGIC:
        if start.startswith(magic):
            return name
    return "unknown"

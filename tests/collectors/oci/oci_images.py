"""Tiny images made by hand, and the pushing of them: what `docker buildx build --push` leaves in a registry."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import json
import tarfile
from dataclasses import dataclass, field

OCI = "application/vnd.oci.image"
INDEX = f"{OCI}.index.v1+json"
MANIFEST = f"{OCI}.manifest.v1+json"
CONFIG = f"{OCI}.config.v1+json"
LAYER = f"{OCI}.layer.v1.tar+gzip"
IN_TOTO = "application/vnd.in-toto+json"


def digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def encode(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


def tar(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@dataclass
class Image:
    """Blobs and manifests by digest, `top` being what a tag points to."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    top: str = ""

    def blob(self, media_type: str, content: bytes) -> dict[str, object]:
        self.blobs[digest(content)] = content
        return {"mediaType": media_type, "digest": digest(content), "size": len(content)}

    def manifest(self, media_type: str, value: dict[str, object]) -> dict[str, object]:
        content = encode({"schemaVersion": 2, "mediaType": media_type, **value})
        self.manifests[digest(content)] = (media_type, content)
        self.top = digest(content)
        return {"mediaType": media_type, "digest": digest(content), "size": len(content)}

    @property
    def body(self) -> bytes:
        return self.manifests[self.top][1]


def add_platform(image: Image, architecture: str, variant: str = "") -> dict[str, object]:
    """A one-layer image for a platform; its descriptor as it stands in an index."""
    unpacked = tar("hello.txt", f"for {architecture}".encode())
    layer = image.blob(LAYER, gzip.compress(unpacked, mtime=0))
    platform = {"os": "linux", "architecture": architecture, **({"variant": variant} if variant else {})}
    config = image.blob(CONFIG, encode({**platform, "rootfs": {"type": "layers", "diff_ids": [digest(unpacked)]}}))
    return {**image.manifest(MANIFEST, {"config": config, "layers": [layer]}), "platform": platform}


def add_attestation(image: Image, of: str) -> dict[str, object]:
    """What buildx adds with provenance: a manifest for the platform unknown/unknown that names what it attests."""
    statement = image.blob(IN_TOTO, encode({"predicateType": "https://slsa.dev/provenance/v0.2", "subject": of}))
    config = image.blob(CONFIG, encode({"os": "unknown", "architecture": "unknown"}))
    annotations = {"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": of}
    found = image.manifest(MANIFEST, {"config": config, "layers": [statement]})
    return {**found, "platform": {"os": "unknown", "architecture": "unknown"}, "annotations": annotations}


def single_image() -> Image:
    image = Image()
    add_platform(image, "amd64")
    return image


def buildx_image() -> Image:
    """An index for two platforms with an attestation of each."""
    image = Image()
    platforms = [add_platform(image, "amd64"), add_platform(image, "arm64", "v8")]
    attestations = [add_attestation(image, str(platform["digest"])) for platform in platforms]
    image.manifest(INDEX, {"manifests": [*platforms, *attestations]})
    return image


def attestations_of(image: Image) -> list[str]:
    entries = json.loads(image.body)["manifests"]
    return [entry["digest"] for entry in entries if "annotations" in entry]


def push(image: Image, port: int, repository: str, tag: str) -> None:
    """Pushes blobs, then manifests in the order in which they were made (children before their index)."""
    for content in image.blobs.values():
        location = _request(port, "POST", f"/v2/{repository}/blobs/uploads/", b"", {}, 202)["location"]
        path = location.partition(f":{port}")[2]
        path += ("&" if "?" in path else "?") + f"digest={digest(content)}"
        _request(port, "PUT", path, content, {"Content-Type": "application/octet-stream"}, 201)
    for name, (media_type, content) in image.manifests.items():
        _request(port, "PUT", f"/v2/{repository}/manifests/{name}", content, {"Content-Type": media_type}, 201)
    media_type, content = image.manifests[image.top]
    _request(port, "PUT", f"/v2/{repository}/manifests/{tag}", content, {"Content-Type": media_type}, 201)


def _request(port: int, method: str, path: str, body: bytes, headers: dict[str, str], expected: int) -> dict[str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        answer = response.read()
        assert response.status == expected, (method, path, response.status, answer[:300])
        return {name.lower(): value for name, value in response.getheaders()}
    finally:
        connection.close()

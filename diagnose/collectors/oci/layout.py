"""OCI image layouts, as folders and archives, and the older archives of `docker save`.

Formats: OCI image-spec image-layout.md; moby image/spec/v1.2.md, "Combined Image JSON + Filesystem Changeset Format".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from diagnose.collectors.oci.content import Blob, Body
from diagnose.collectors.oci.digest import digest_of, is_digest
from diagnose.collectors.oci.document import Descriptor, Document, Platform, decode_json, read_document
from diagnose.collectors.oci.errors import UnusableImageError
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.files import File, Files, Folder, read_archive
from diagnose.collectors.oci.saved import look_into_saved
from diagnose.collectors.oci.text import body_start
from diagnose.collectors.oci.walk import Walk
from diagnose.evidence import Evidence

_MARKER = "oci-layout"
_INDEX = "index.json"
_SAVED = "manifest.json"


class LayoutContent(Struct, frozen=True):
    """`Content` of a layout, where everything is read and hashed."""

    files: Files

    def manifest(self, descriptor: Descriptor) -> Body:
        file, where = self._file(descriptor)
        if file is None:
            return Body(where)
        too_large = "" if file.content is not None else "it is larger than 4 MiB"
        return Body(file.where, file.content, file.not_checked or too_large)

    def has_manifest(self, descriptor: Descriptor) -> Body:
        return self.manifest(descriptor)

    def config(self, descriptor: Descriptor) -> Body:
        return self.manifest(descriptor)

    def blob(self, descriptor: Descriptor) -> Blob:
        file, where = self._file(descriptor)
        if file is None:
            return Blob(descriptor.digest, where, missing=True)
        if file.not_checked:
            return Blob(descriptor.digest, file.where, not_checked=file.not_checked)
        algorithm, _, encoded = descriptor.digest.partition(":")
        matches = file.sha256 == encoded if algorithm == "sha256" else None
        return Blob(descriptor.digest, file.where, size_bytes=file.size_bytes, digest_matches=matches, start=file.start)

    def _file(self, descriptor: Descriptor) -> tuple[File | None, str]:
        if not is_digest(descriptor.digest):
            return None, f"descriptor {descriptor.digest}"
        name = "blobs/" + descriptor.digest.replace(":", "/")
        return self.files.file(name), self.files.place(name)


def collect_folder(evidence: Evidence, folder: Path, host: Platform) -> None:
    """Adds the facts of an OCI layout folder. Raises UnusableImageError if it is none."""
    files = Folder(folder)
    if not (folder / _MARKER).is_file() and not (folder / _INDEX).is_file():
        raise UnusableImageError(
            f"there is neither a file {_MARKER} nor {_INDEX} in this folder",
            str(folder),
            "Name the folder that holds them and blobs/, or an archive of `docker save`",
        )
    _collect(evidence, files, host)


def collect_archive(evidence: Evidence, path: Path, host: Platform) -> None:
    """Adds the facts of an archive. A file that is no archive, or a damaged one, is a finding."""
    archive = read_archive(path)
    evidence.looked_for(frozenset({"oci.archive.cut"}))
    evidence.add(FACTS.known("oci.archive.format", archive.format, "byte 0", archive.damage))
    if archive.damage:
        evidence.add(FACTS.known("oci.archive.cut", archive.cut, archive.damage_where, archive.damage))
    if archive.file(_INDEX):
        _collect(evidence, archive, host)
    elif saved := archive.file(_SAVED):
        look_into_saved(evidence, archive, saved, host)
    else:
        reason = archive.damage or f"there is neither {_INDEX} nor {_SAVED} in the archive"
        evidence.add(FACTS.not_checked("oci.manifest.kind", reason, str(path)))


def _collect(evidence: Evidence, files: Files, host: Platform) -> None:
    marker, index = files.file(_MARKER), files.file(_INDEX)
    evidence.looked_for(frozenset({"oci.layout.version", "oci.layout.tags"}))
    version = _version(marker)
    if version and marker:
        evidence.add(FACTS.known("oci.layout.version", version, marker.where))
    if index is None or index.content is None:
        reason = "there is no index.json" if index is None else index.not_checked or "index.json is larger than 4 MiB"
        evidence.add(FACTS.not_checked("oci.manifest.kind", reason, files.place(_INDEX)))
        return
    document = read_document(index.content)
    tags = list(dict.fromkeys(child.ref_name for child in document.children if child.ref_name))
    if tags:
        evidence.add(FACTS.known("oci.layout.tags", tags, index.where))
    _add_document_facts(evidence, files, document, index)
    Walk(evidence, LayoutContent(files), host, everything=True).run(
        document, where=index.where, digest=digest_of(index.content)
    )


def _add_document_facts(evidence: Evidence, files: Files, document: Document, index: File) -> None:
    """The facts on what index.json leads to: where it lists one thing, that thing is what people call the image."""
    content = index.content or b""
    only = document.children[0] if document.kind == "index" and len(document.children) == 1 else None
    body = LayoutContent(files).manifest(only) if only else None
    if only and body and body.content is not None:
        evidence.add(FACTS.known("oci.digest", only.digest, index.where))
        document, content = read_document(body.content), body.content
        where = body.where
    else:
        where = index.where
    evidence.add(FACTS.known("oci.manifest.kind", document.kind, where, body_start(content)))
    if document.media_type:
        evidence.add(FACTS.known("oci.manifest.body_media_type", document.media_type, where))


def _version(marker: File | None) -> str:
    value: Any = decode_json(marker.content) if marker and marker.content else None
    version = value.get("imageLayoutVersion") if isinstance(value, dict) else None
    return version[:40] if isinstance(version, str) else ""

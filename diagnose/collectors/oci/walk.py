"""From a manifest or index down to its layers: which content is there, whole, and what it claims to be."""

from __future__ import annotations

from typing import Any

from diagnose.collectors.oci import media_types
from diagnose.collectors.oci.content import Body, Content
from diagnose.collectors.oci.document import Descriptor, Document, Platform, decode_json, read_document, read_platform
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.findings import Findings
from diagnose.collectors.oci.platforms import choose, runs
from diagnose.evidence import Evidence

CHILD_LIMIT = 64
LAYER_LIMIT = 127
"""Engines stack no more layers than this."""

MANIFEST_LIMIT = 2000
_MANIFESTS = ("manifest", "artifact", "attestation")


class Walk:
    """Visits an image's content and adds its facts.

    Of an index, the manifest for `host` is visited, and with `everything` all others, too. A digest is visited once,
    so that an index which contains itself comes to an end.
    """

    def __init__(self, evidence: Evidence, content: Content, host: Platform, *, everything: bool) -> None:
        self.platform_digest = ""
        self._evidence = evidence
        self._content = content
        self._host = host
        self._everything = everything
        self._findings = Findings()
        self._visited: set[str] = set()
        self._chosen: set[str] = set()

    def run(self, document: Document, *, where: str, digest: str) -> None:
        """Visits all below `document`, which was found at `where` and has `digest`."""
        looked_at = ("oci.blob.", "oci.layer.", "oci.index.", "oci.platforms")
        self._evidence.looked_for(frozenset(name for name in FACTS.names if name.startswith(looked_at)))
        self._chosen.add(digest)
        self._visit(document, where, digest)
        if not self._evidence.known("oci.attestations"):
            self._add("oci.attestations", 0, where)
        if document.kind == "index" and not self._evidence.known("oci.host_platform_offered"):
            self._add("oci.host_platform_offered", False, where, str(self._host))
        self._evidence.extend(self._findings.facts())

    def _visit(self, document: Document, where: str, digest: str) -> None:
        """Visits a document, the manifest for the host first; a list of what is still to do instead of recursion."""
        waiting = [(document, where, digest)]
        while waiting:
            document, where, digest = waiting.pop()
            if document.kind in _MANIFESTS:
                self._visit_manifest(document, where, digest)
            elif document.kind == "index":
                waiting += self._visit_index(document, where, digest)

    def _visit_index(self, index: Document, where: str, digest: str) -> list[tuple[Document, str, str]]:
        """The children that are to be visited, read; those that are only listed are asked for."""
        found: list[tuple[Document, str, str]] = []
        chosen = self._choose(index, where) if digest in self._chosen else None
        children = index.children if self._everything else index.children[:CHILD_LIMIT]
        for child in children:
            is_chosen = chosen is not None and child.digest == chosen.digest
            if child.digest in self._visited or len(self._visited) >= MANIFEST_LIMIT:
                continue
            self._visited.add(child.digest)
            if not is_chosen and not self._everything:
                self._note_absence(child, self._content.has_manifest(child))
                continue
            body = self._content.manifest(child)
            self._note_absence(child, body)
            if body.content is not None:
                self._findings.note_body(child, body.content, body.where)
                found.append((read_document(body.content), body.where, child.digest))
        return found

    def _choose(self, index: Document, where: str) -> Descriptor | None:
        if index.platforms and not self._evidence.known("oci.platforms"):
            self._add("oci.platforms", index.platforms, where)
            self._add("oci.attestations", len(index.attestations), where)
        chosen = choose(index.children, self._host)
        if chosen is None and len(index.children) == 1 and index.children[0].platform is None:
            chosen = index.children[0]
        if chosen:
            self._chosen.add(chosen.digest)
        if chosen and chosen.platform:
            self._add("oci.host_platform_offered", True, where, str(chosen.platform))
        return chosen

    def _note_absence(self, child: Descriptor, body: Body) -> None:
        if body.missing:
            self._findings.note("oci.index.missing", child.digest, body.where, str(child.platform or ""))
        elif body.not_checked:
            self._findings.note_not_checked("oci.index.missing", body.not_checked, body.where)

    def _visit_manifest(self, manifest: Document, where: str, digest: str) -> None:
        is_chosen = digest in self._chosen
        layers = manifest.layers[:LAYER_LIMIT]
        if is_chosen:
            self.platform_digest = digest
            self._add("oci.platform_digest", digest, where)
            self._add("oci.layer.media_types", list(dict.fromkeys(layer.media_type for layer in layers)), where)
        if manifest.config:
            self._visit_config(manifest, manifest.config, is_chosen=is_chosen)
        for layer in layers:
            if layer.digest not in self._visited:
                self._visited.add(layer.digest)
                self._findings.note_blob(layer, self._content.blob(layer))

    def _visit_config(self, manifest: Document, config: Descriptor, *, is_chosen: bool) -> None:
        body = self._content.config(config)
        if body.content is None:
            if body.missing:
                self._findings.note("oci.blob.missing", config.digest, body.where)
            else:
                self._findings.note_not_checked("oci.blob.missing", body.not_checked, body.where)
            return
        self._findings.note_body(config, body.content, body.where)
        if is_chosen:
            self._add("oci.config.media_type", config.media_type, body.where)
        if is_chosen and config.media_type in media_types.IMAGE_CONFIGS:
            self._add_config_facts(decode_json(body.content), len(manifest.layers), body.where)

    def _add_config_facts(self, config: Any, layers: int, where: str) -> None:
        rootfs = config.get("rootfs") if isinstance(config, dict) else None
        diff_ids = rootfs.get("diff_ids") if isinstance(rootfs, dict) else None
        count = len(diff_ids) if isinstance(diff_ids, list) else 0
        self._add("oci.config.diff_ids_match", count == layers, where, f"{count} diff_ids, {layers} layers")
        platform = read_platform(config)
        if platform is None:
            return
        if not self._evidence.known("oci.platforms"):
            self._add("oci.platforms", [str(platform)], where)
        if not self._evidence.known("oci.host_platform_offered"):
            self._add("oci.host_platform_offered", runs(self._host, platform), where, str(platform))

    def _add(self, name: str, value: bool | int | str | list[str], where: str, text: str = "") -> None:
        self._evidence.add(FACTS.known(name, value, where, text))

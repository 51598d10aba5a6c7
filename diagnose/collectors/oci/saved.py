"""Archives of `docker save` from before they became OCI layouts: manifest.json, one configuration, plain tar layers."""

from __future__ import annotations

from typing import Any

from diagnose.collectors.oci.document import Platform, decode_json, read_platform
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.files import File, Files
from diagnose.collectors.oci.findings import Findings
from diagnose.collectors.oci.platforms import runs
from diagnose.collectors.oci.text import neutral
from diagnose.evidence import Evidence

_IMAGE_LIMIT = 200
_LAYER_LIMIT = 127


def look_into_saved(evidence: Evidence, files: Files, manifest: File, host: Platform) -> None:
    """Adds the facts of an archive whose manifest.json is `manifest`. Layers are named by their diff ids."""
    images = decode_json(manifest.content or b"")
    if not isinstance(images, list):
        evidence.add(FACTS.known("oci.manifest.kind", "not-json", manifest.where))
        return
    evidence.add(FACTS.known("oci.manifest.kind", "manifest", manifest.where))
    evidence.looked_for(frozenset(name for name in FACTS.names if name.startswith("oci.blob.")))
    findings = Findings()
    for image in images[:_IMAGE_LIMIT]:
        if isinstance(image, dict):
            _look_into_image(evidence, files, image, findings, host)
    evidence.extend(findings.facts())


def _look_into_image(
    evidence: Evidence, files: Files, image: dict[str, Any], findings: Findings, host: Platform
) -> None:
    names = image.get("Layers")
    layers = [name for name in names if isinstance(name, str)][:_LAYER_LIMIT] if isinstance(names, list) else []
    config_name = image.get("Config")
    config = files.file(config_name) if isinstance(config_name, str) else None
    value = decode_json(config.content) if config and config.content else None
    diff_ids = _diff_ids(value)
    _check_config(files, str(config_name), config, findings)
    for position, name in enumerate(layers):
        _check_layer(files, name, diff_ids[position] if position < len(diff_ids) else "", findings)
    if config is None or not isinstance(value, dict):
        return
    text = f"{len(diff_ids)} diff_ids, {len(layers)} layers"
    evidence.add(FACTS.known("oci.config.diff_ids_match", len(diff_ids) == len(layers), config.where, text))
    platform = read_platform(value)
    if platform:
        evidence.add(FACTS.known("oci.platforms", [str(platform)], config.where))
        evidence.add(FACTS.known("oci.host_platform_offered", runs(host, platform), config.where, str(platform)))


def _check_config(files: Files, name: str, config: File | None, findings: Findings) -> None:
    findings.checked += 1
    if config is None:
        findings.note("oci.blob.missing", neutral(name), files.place(neutral(name)))
        return
    expected = name.rpartition("/")[2].removesuffix(".json")
    if len(expected) == 64 and expected != config.sha256:
        findings.note("oci.blob.digest_mismatch", f"sha256:{expected}", config.where, f"it is sha256:{config.sha256}")


def _check_layer(files: Files, name: str, diff_id: str, findings: Findings) -> None:
    findings.checked += 1
    layer = files.file(name)
    if layer is None:
        findings.note("oci.blob.missing", neutral(name), files.place(neutral(name)))
    elif diff_id and diff_id != f"sha256:{layer.sha256}" and layer.start[257:262] == b"ustar":
        findings.note("oci.blob.digest_mismatch", diff_id, layer.where, f"it is sha256:{layer.sha256}")


def _diff_ids(config: Any) -> list[str]:
    rootfs = config.get("rootfs") if isinstance(config, dict) else None
    found = rootfs.get("diff_ids") if isinstance(rootfs, dict) else None
    return [neutral(entry) for entry in found if isinstance(entry, str)] if isinstance(found, list) else []

"""The way through a container image: reference, registry, manifest, content, referrers, and the local engine."""

from __future__ import annotations

import time
from pathlib import Path

from diagnose.collectors.oci.client import proxy_of
from diagnose.collectors.oci.document import Document, Platform
from diagnose.collectors.oci.engine import collect_engine
from diagnose.collectors.oci.errors import UnusableImageError
from diagnose.collectors.oci.exchange import Exchange
from diagnose.collectors.oci.facts import FACTS
from diagnose.collectors.oci.hosts_file import collect_hosts_file
from diagnose.collectors.oci.layout import collect_archive, collect_folder
from diagnose.collectors.oci.manifest import collect_manifest
from diagnose.collectors.oci.platforms import host_platform, parse_platform
from diagnose.collectors.oci.reference import Reference, parse_reference
from diagnose.collectors.oci.referrers import collect_referrers
from diagnose.collectors.oci.registry import Registry
from diagnose.collectors.oci.registry_content import RegistryContent
from diagnose.collectors.oci.text import neutral
from diagnose.collectors.oci.walk import Walk
from diagnose.evidence import Evidence, Subject

_ARCHIVE_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".oci")


def look_at_image(
    reference: str, *, platform: str | None, insecure: bool, timeout_seconds: float, use_engine: bool
) -> Evidence:
    """The evidence on an image, as `diagnose.collectors.oci.collect` promises it."""
    evidence = Evidence(Subject("image", reference))
    path = _path_of(reference)
    if path is not None:
        host = parse_platform(platform) if platform else host_platform()
        _collect_layout(evidence, path, host)
        return evidence
    parsed = parse_reference(reference)
    if use_engine:
        collect_engine(evidence, reference, timeout_seconds)
        collect_hosts_file(evidence, parsed.domain)
    _collect_registry(evidence, parsed, _platform(evidence, platform), insecure, timeout_seconds)
    return evidence


def _path_of(reference: str) -> Path | None:
    """The path that `reference` is meant to be, None if it is meant to be a name in a registry."""
    looks_like_path = (
        reference.startswith((".", "/", "~")) or reference.endswith(_ARCHIVE_SUFFIXES) or "\\" in reference
    )
    try:
        path = Path(reference).expanduser()
        if path.is_file() or (path / "oci-layout").is_file() or (looks_like_path and path.is_dir()):
            return path
    except (OSError, ValueError, RuntimeError):
        # No system has a path like this, so it can only be a reference, or nothing.
        return None
    if not looks_like_path:
        return None
    raise UnusableImageError(
        "there is no such folder or archive", neutral(reference), "Name an image reference, a layout or an archive"
    )


def _collect_layout(evidence: Evidence, path: Path, host: Platform) -> None:
    evidence.add(FACTS.known("oci.source", "layout", str(path)))
    evidence.add(FACTS.known("oci.host_platform", str(host)))
    try:
        if path.is_dir():
            collect_folder(evidence, path, host)
        else:
            collect_archive(evidence, path, host)
    except OSError as error:
        raise UnusableImageError(
            f"it cannot be read ({error.strerror})", str(path), "Check that it exists and that you may read it"
        ) from error


def _platform(evidence: Evidence, platform: str | None) -> Platform:
    engine = evidence.value("oci.engine.platform")
    host = parse_platform(platform or str(engine)) if platform or engine else host_platform()
    where = "as asked for" if platform else "the engine" if engine else "this host"
    evidence.add(FACTS.known("oci.host_platform", str(host), where))
    return host


def _collect_registry(
    evidence: Evidence, reference: Reference, host: Platform, insecure: bool, timeout_seconds: float
) -> None:
    registry = Registry(reference, insecure=insecure, timeout_seconds=timeout_seconds)
    connected = registry.connect()
    _add_reference(evidence, reference, registry)
    _add_connection(evidence, connected)
    if connected.failure:
        _add_unreached(evidence, connected)
        return
    evidence.add(FACTS.known("oci.source", "registry", connected.where))
    manifest = collect_manifest(evidence, registry, reference)
    _add_authentication(evidence, registry)
    if manifest is None:
        return
    walk = Walk(evidence, RegistryContent(registry), host, everything=False)
    walk.run(manifest.document, where=manifest.where, digest=manifest.digest)
    collect_referrers(evidence, registry, _asked_for(manifest.document, walk.platform_digest or manifest.digest))


def _asked_for(document: Document, platform_digest: str) -> str:
    """The digest whose referrers an engine asks for: that of the platform's attestation manifest, if there is one."""
    attestations = document.attestations
    own = [attestation for attestation in attestations if attestation.attests == platform_digest]
    return next((attestation.digest for attestation in [*own, *attestations]), platform_digest)


def _add_reference(evidence: Evidence, reference: Reference, registry: Registry) -> None:
    evidence.add(FACTS.known("oci.reference", str(reference)))
    evidence.add(FACTS.known("oci.registry_url", registry.url))
    evidence.add(FACTS.known("oci.registry.host", reference.domain))
    evidence.add(FACTS.known("oci.repository", reference.repository))
    if reference.tag:
        evidence.add(FACTS.known("oci.tag", reference.tag))
    if proxy_of(registry.url):
        evidence.add(FACTS.known("oci.registry.proxy", neutral(proxy_of(registry.url), 100), "environment"))


def _add_connection(evidence: Evidence, connected: Exchange) -> None:
    names = ("status", "failure", "api_version", "server", "clock_difference")
    evidence.looked_for(frozenset(f"oci.registry.{name}" for name in names))
    if connected.failure:
        kind = connected.failure.kind.value
        evidence.add(FACTS.known("oci.registry.failure", kind, connected.where, connected.reason))
        return
    evidence.add(FACTS.known("oci.registry.status", connected.status, connected.where))
    evidence.add(FACTS.known("oci.registry.media_type", neutral(connected.media_type, 100), connected.where))
    headers = (("api_version", "docker-distribution-api-version"), ("server", "server"))
    for name, header in headers:
        if connected.headers.get(header):
            value = neutral(connected.headers[header], 100)
            evidence.add(FACTS.known(f"oci.registry.{name}", value, connected.where))
    difference = _clock_difference(connected)
    if difference is not None:
        evidence.add(FACTS.known("oci.registry.clock_difference", difference, connected.where))


def _clock_difference(exchange: Exchange) -> int | None:
    from email.utils import parsedate_to_datetime

    try:
        return round(parsedate_to_datetime(exchange.headers.get("date", "")).timestamp() - time.time())
    except (ValueError, OverflowError, TypeError):
        return None


def _add_unreached(evidence: Evidence, connected: Exchange) -> None:
    """Says what was not looked at because there was no registry to look at."""
    for name in ("oci.registry.status", "oci.manifest.status", "oci.blob.missing", "oci.referrers.status"):
        evidence.add(FACTS.not_checked(name, connected.reason, connected.where))
    has_image = evidence.value("oci.engine.has_image") is True
    evidence.add(FACTS.known("oci.source", "engine" if has_image else "registry"))
    digests = evidence.value("oci.engine.repo_digests")
    if isinstance(digests, list) and digests:
        evidence.add(FACTS.known("oci.digest", digests[0].rpartition("@")[2], "the engine's copy"))


def _add_authentication(evidence: Evidence, registry: Registry) -> None:
    found = registry.authentication
    evidence.add(FACTS.known("oci.registry.auth", neutral(found.scheme, 40)))
    if found.credentials is not None:
        evidence.add(FACTS.known("oci.registry.credentials", found.credentials.origin))
    token = found.grant.exchange
    if token is None:
        return
    if token.failure:
        evidence.add(FACTS.not_checked("oci.registry.token_status", token.reason, token.where))
    else:
        evidence.add(FACTS.known("oci.registry.token_status", token.status, token.where))

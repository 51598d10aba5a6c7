"""From a misbehaving registry to the cause: the collector's facts and the shipped rules together."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from oci_images import INDEX, attestations_of, buildx_image, encode, single_image
from oci_proxy import Answer, FaultProxy, free_port

from diagnose.collectors.oci import collect
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence
from diagnose.pipelines.rulebook import Rulebook

Look = Callable[..., Evidence]

PAGE = b"<!DOCTYPE html><html><head><title>Artifact browser</title></head></html>"
SIGN_IN = b"<!DOCTYPE html><html><head><title>Sign in to continue</title></head></html>"
HTML = {"Content-Type": "text/html"}
OCI = {"Content-Type": INDEX}
LONG_INDEX = encode({"schemaVersion": 2, "mediaType": INDEX, "manifests": [], "annotations": {"a": "b" * 500}})
SCHEMA1 = encode({"schemaVersion": 1, "name": "old", "tag": "1", "fsLayers": []})
AMD64 = next(iter(buildx_image().manifests))
LAYER = json.loads(single_image().body)["layers"][0]["digest"]


@pytest.fixture(scope="module")
def judge(book: Rulebook) -> Judge:
    return Judge(book.rules)


CASES = [
    ("app", {"/referrers/": Answer(200, PAGE, HTML)}, "referrers-not-an-index", "html-from-catch-all"),
    ("app", {"/referrers/": Answer(200, b"404 page not found")}, "referrers-not-an-index", "not-found-with-status-200"),
    ("app", {"/referrers/": Answer(204)}, "referrers-not-an-index", "empty-answer"),
    (
        "app",
        {"/referrers/": Answer(200, gzip.compress(LONG_INDEX), {**OCI, "Content-Encoding": "gzip"})},
        "referrers-not-an-index",
        "compressed-with-length",
    ),
    (
        "app",
        {"/referrers/": Answer(200, gzip.compress(LONG_INDEX))},
        "referrers-not-an-index",
        "compressed-with-length",
    ),
    (
        "app",
        {"/referrers/": Answer(200, LONG_INDEX, OCI, cut_at=50)},
        "referrers-not-an-index",
        "answer-cut-or-damaged",
    ),
    ("app", {"/referrers/": Answer(200, b"\xef\xbb\xbf{}")}, "referrers-not-an-index", "other-encoding"),
    (
        "app",
        {"/referrers/": Answer(404), "/manifests/sha256-": Answer(200, PAGE, HTML)},
        "referrers-not-an-index",
        "fallback-tag-not-an-index",
    ),
    (
        "app",
        {"/referrers/": Answer(403), "/manifests/sha256-": Answer(403)},
        "referrers-query-fails",
        "registry-refuses-the-query",
    ),
    ("plain", {"/manifests/1": Answer(200, PAGE, HTML)}, "web-page-instead-of-manifest", "catch-all-of-web-interface"),
    (
        "plain",
        {"/manifests/1": Answer(302, b"", {"Location": "/login"}), "/login": Answer(200, SIGN_IN, HTML)},
        "web-page-instead-of-manifest",
        "sign-in-or-captive-portal",
    ),
    ("plain", {"/manifests/1": Answer(200, SCHEMA1)}, "schema1-no-longer-supported", "image-of-schema1"),
    (
        "plain",
        {"/manifests/1": Answer(200, single_image().body, {"Content-Type": "application/octet-stream"})},
        "missing-signature-key",
        "wrong-content-type",
    ),
    ("plain", {"HEAD /manifests/1": Answer(200)}, "head-says-size-zero", "mirror-computes-length-of-empty-body"),
    ("plain", {"/manifests/1": Answer(404)}, "manifest-unknown", "wrong-name-or-tag"),
    ("plain", {"/manifests/1": Answer(401)}, "access-denied", None),
    ("plain", {"/manifests/1": Answer(429)}, "rate-limited", "anonymous-limit"),
    ("plain", {"/manifests/1": Answer(503)}, "registry-error-status", "registry-or-gateway-down"),
    ("app", {f"/manifests/{AMD64}": Answer(404)}, "manifest-unknown", "children-deleted"),
    ("plain", {f"/blobs/{LAYER}": Answer(404)}, "blob-missing", "hole-in-registry"),
    ("plain", {f"/blobs/{LAYER}": Answer(200, PAGE, HTML)}, "blob-size-mismatch", "page-instead-of-blob"),
]


@pytest.mark.parametrize(
    ("name", "faults", "rule", "cause"), CASES, ids=[f"{rule}-{cause}" for _, _, rule, cause in CASES]
)
def test_a_fault_of_the_registry_is_traced_to_its_cause(
    look: Look, proxy: FaultProxy, judge: Judge, name: str, faults: dict[str, Answer], rule: str, cause: str | None
) -> None:
    proxy.faults.update(faults)

    first = judge.diagnoses(look(f"team/{name}:1"))[0]

    assert first.rule.partition("/")[2] == rule
    assert cause is None or first.causes[0].id == cause
    assert first.checklist


@pytest.mark.parametrize("name", ["team/app:1", "team/plain:1"])
def test_a_healthy_image_raises_nothing(look: Look, judge: Judge, name: str) -> None:
    assert judge.diagnoses(look(name)) == []


def test_an_answer_that_engines_get_over_raises_nothing(look: Look, proxy: FaultProxy, judge: Judge) -> None:
    proxy.faults["/referrers/"] = Answer(500, PAGE, HTML)

    assert judge.diagnoses(look("team/app:1")) == []


def test_commands_name_the_registry_that_was_asked(look: Look, proxy: FaultProxy, judge: Judge) -> None:
    proxy.faults["/referrers/"] = Answer(200, PAGE, HTML)

    steps = judge.diagnoses(look("team/app:1"))[0].checklist

    commands = " ".join(command for step in steps for command in step.commands)
    assert f"http://{proxy.host}/v2/team/app/referrers/{attestations_of(buildx_image())[0]}" in commands


def test_a_pinned_attestation_is_named_before_its_consequences(look: Look, judge: Judge) -> None:
    first = judge.diagnoses(look(f"team/app@{attestations_of(buildx_image())[0]}"))[0]

    assert (first.rule, first.causes[0].id) == ("container/attestation-instead-of-image", "attestation-digest-pinned")


def test_a_refused_connection_is_a_matter_of_transport(judge: Judge) -> None:
    first = judge.diagnoses(collect(f"127.0.0.1:{free_port()}/team/app:1", use_engine=False, timeout_seconds=2))[0]

    assert (first.rule, first.causes[0].id) == ("transport/registry-unreachable", "nobody-listens")


def test_a_file_that_powershell_re_encoded_is_recognised(tmp_path: Path, judge: Judge) -> None:
    archive = tmp_path / "app.tar"
    archive.write_bytes("manifest.json".encode("utf-16"))

    first = judge.diagnoses(collect(str(archive), use_engine=False))[0]

    assert (first.rule, first.causes[0].id) == ("container/saved-archive-not-tar", "re-encoded-by-shell")

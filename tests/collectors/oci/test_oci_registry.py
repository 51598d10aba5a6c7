"""Manifests and blobs from a real registry, healthy and damaged on the way."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from oci_images import INDEX, LAYER, MANIFEST, attestations_of, buildx_image, digest, encode, push, single_image
from oci_proxy import Answer, FaultProxy

from diagnose.collectors.oci import collect
from diagnose.evidence import Evidence, State

Look = Callable[..., Evidence]

PAGE = b"<html><head><title>Welcome to nginx!</title></head></html>"
HTML = {"Content-Type": "text/html"}
SCHEMA1 = encode({"schemaVersion": 1, "name": "old", "tag": "1", "fsLayers": [], "signatures": []})
DENIED = encode({"errors": [{"code": "DENIED", "message": "requested access to the resource is denied"}]})


def layer_of(image_body: bytes) -> str:
    found: str = json.loads(image_body)["layers"][0]["digest"]
    return found


def test_a_healthy_index_is_found_whole(look: Look) -> None:
    evidence = look("team/app:1")

    image = buildx_image()
    wanted = {
        "oci.source": "registry",
        "oci.repository": "team/app",
        "oci.tag": "1",
        "oci.digest": image.top,
        "oci.registry.status": 200,
        "oci.registry.auth": "none",
        "oci.manifest.head_status": 200,
        "oci.manifest.status": 200,
        "oci.manifest.media_type": INDEX,
        "oci.manifest.body_media_type": INDEX,
        "oci.manifest.kind": "index",
        "oci.manifest.digest_header": image.top,
        "oci.manifest.digest_matches": True,
        "oci.manifest.size_matches": True,
        "oci.platforms": ["linux/amd64", "linux/arm64/v8"],
        "oci.attestations": 2,
        "oci.host_platform_offered": True,
        "oci.platform_digest": next(iter(image.manifests)),
        "oci.layer.media_types": [LAYER],
        "oci.layer.compressions": ["gzip"],
        "oci.config.diff_ids_match": True,
    }
    assert {name: evidence.value(name) for name in wanted} == wanted
    for name in ("missing", "refused", "size_mismatch", "digest_mismatch"):
        assert evidence.state(f"oci.blob.{name}") is State.ABSENT
    assert evidence.state("oci.index.missing") is State.ABSENT
    assert evidence.state("oci.layer.magic_mismatch") is State.ABSENT


def test_a_single_manifest_tells_its_platform_by_its_configuration(look: Look) -> None:
    evidence = look("team/plain:1")

    assert evidence.value("oci.manifest.kind") == "manifest"
    assert evidence.value("oci.platforms") == ["linux/amd64"]
    assert evidence.value("oci.host_platform_offered") is True


def test_a_platform_that_is_not_offered_is_told(look: Look) -> None:
    evidence = look("team/app:1", platform="linux/arm/v8")

    assert evidence.value("oci.host_platform") == "linux/arm/v8"
    assert evidence.value("oci.host_platform_offered") is False


def test_an_attestation_asked_for_by_digest_is_recognised(look: Look) -> None:
    evidence = look(f"team/app@{attestations_of(buildx_image())[0]}")

    assert evidence.value("oci.manifest.kind") == "attestation"
    assert evidence.value("oci.layer.media_types") == ["application/vnd.in-toto+json"]
    assert evidence.value("oci.config.diff_ids_match") is False


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        (
            Answer(200, PAGE, HTML),
            {"kind": "html", "media_type": "text/html", "title": "Welcome to nginx!", "body_start": PAGE.decode()},
        ),
        (
            Answer(200, SCHEMA1, {"Content-Type": "application/vnd.docker.distribution.manifest.v1+prettyjws"}),
            {"kind": "schema1", "media_type": "application/vnd.docker.distribution.manifest.v1+prettyjws"},
        ),
        (Answer(403, DENIED), {"status": 403, "kind": "errors", "error_code": "DENIED"}),
        (Answer(429, b"", {"Retry-After": "60"}), {"status": 429, "retry_after": "60"}),
        (Answer(200, b""), {"kind": "empty"}),
        (Answer(200, b"404 page not found"), {"kind": "not-json"}),
        (Answer(200, buildx_image().body[:-30]), {"kind": "cut-json"}),
        (Answer(200, b"[" * 100_000), {"kind": "not-json"}),
        (
            Answer(200, buildx_image().body, {"Content-Type": "application/octet-stream"}),
            {"kind": "index", "media_type": "application/octet-stream", "body_media_type": INDEX},
        ),
        (
            Answer(200, buildx_image().body, {"Docker-Content-Digest": "sha256:" + "0" * 64}),
            {"digest_matches": False, "digest_header": "sha256:" + "0" * 64},
        ),
        (Answer(200, buildx_image().body, {"Content-Length": "99999"}, cut_at=None), {"size_matches": False}),
    ],
    ids=lambda value: None if isinstance(value, Answer) else " ".join(value),
)
def test_what_comes_instead_of_a_manifest_is_named(
    look: Look, proxy: FaultProxy, answer: Answer, facts: dict[str, object]
) -> None:
    cut = "Content-Length" in answer.headers
    proxy.faults["GET /manifests/1"] = Answer(answer.status, answer.body, answer.headers, cut_at=10**6 if cut else None)

    evidence = look("team/app:1")

    assert {name: evidence.value(f"oci.manifest.{name}") for name in facts} == facts


def test_a_manifest_other_than_its_digest_is_told(look: Look, proxy: FaultProxy) -> None:
    image = buildx_image()
    proxy.faults[f"GET /manifests/{image.top}"] = Answer(200, image.body + b" ", {"Content-Type": INDEX})

    evidence = look(f"team/app@{image.top}")

    assert evidence.value("oci.manifest.digest_matches") is False
    assert evidence.value("oci.manifest.size_matches") is False


def test_a_missing_tag_is_told_with_the_registrys_code(look: Look) -> None:
    evidence = look("team/app:none")

    fact = evidence.known("oci.manifest.status")[0]
    assert (fact.value, evidence.value("oci.manifest.error_code")) == (404, "MANIFEST_UNKNOWN")
    assert fact.where.endswith("/v2/team/app/manifests/none -> 404")


def test_a_head_of_length_zero_is_told(look: Look, proxy: FaultProxy) -> None:
    proxy.faults["HEAD /manifests/1"] = Answer(200, b"", {"Content-Type": MANIFEST})

    assert look("team/plain:1").value("oci.manifest.head_content_length") == 0


def test_manifests_that_an_index_lists_and_nobody_has_are_named(look: Look, proxy: FaultProxy) -> None:
    amd64, arm64 = list(buildx_image().manifests)[:2]
    proxy.faults[f"/manifests/{amd64}"] = Answer(404)
    proxy.faults[f"/manifests/{arm64}"] = Answer(404)

    assert look("team/app:1").value("oci.index.missing") == [amd64, arm64]


@pytest.mark.parametrize(
    ("fault", "answer", "fact", "text"),
    [
        ("/blobs/{layer}", Answer(404), "oci.blob.missing", ""),
        ("/blobs/{layer}", Answer(500), "oci.blob.refused", "HTTP 500"),
        ("/blobs/{layer}", Answer(200, PAGE, HTML), "oci.blob.size_mismatch", f"{len(PAGE)} bytes instead of"),
        ("/blobs/{layer}", Answer(200, PAGE, HTML), "oci.layer.magic_mismatch", "html instead of gzip"),
        ("GET /blobs/{layer}", Answer(200), "oci.blob.size_mismatch", "0 bytes instead of"),
        ("/blobs/{config}", Answer(404), "oci.blob.missing", ""),
        ("/blobs/{config}", Answer(200, b"{}"), "oci.blob.digest_mismatch", f"it is {digest(b'{}')}"),
        ("/blobs/{config}", Answer(200, b"{}"), "oci.blob.size_mismatch", "2 bytes instead of"),
    ],
)
def test_damaged_blobs_are_named_with_what_came(
    look: Look, proxy: FaultProxy, fault: str, answer: Answer, fact: str, text: str
) -> None:
    manifest = json.loads(single_image().body)
    names = {"layer": manifest["layers"][0]["digest"], "config": manifest["config"]["digest"]}
    proxy.faults[fault.format(**names)] = answer

    found = look("team/plain:1").known(fact)

    assert [known.value for known in found] == [[names["layer" if "{layer}" in fault else "config"]]]
    assert text in found[0].text


def test_a_hostile_index_that_lists_itself_comes_to_an_end(look: Look, registry_port: int, proxy: FaultProxy) -> None:
    entries = [{"mediaType": INDEX, "digest": "sha256:" + "1" * 64, "size": 2**63}] * 1000
    nested = encode({"schemaVersion": 2, "manifests": [*entries, {"digest": "../../etc/passwd"}, 7, None]})
    proxy.faults["GET /manifests/"] = Answer(200, nested, {"Content-Type": INDEX})

    evidence = look("team/app:1", timeout_seconds=2)

    assert evidence.value("oci.manifest.kind") == "index"
    assert not proxy.asked("passwd")
    assert len(proxy.seen) < 100


def test_a_compressed_layer_that_is_announced_as_plain_is_named(look: Look, registry_port: int) -> None:
    image = single_image()
    manifest = json.loads(image.body)
    manifest["layers"][0]["mediaType"] = "application/vnd.oci.image.layer.v1.tar+zstd"
    image.manifest(MANIFEST, {name: manifest[name] for name in ("config", "layers")})
    push(image, registry_port, "team/mislabelled", "1")

    fact = look("team/mislabelled:1").known("oci.layer.magic_mismatch")[0]

    assert "gzip instead of zstd" in fact.text


def test_facts_name_only_declared_exchanges_and_never_raise_without_engine(proxy: FaultProxy) -> None:
    evidence = collect(f"{proxy.host}/team/app:1", use_engine=False)

    exchanges = [fact.where for fact in evidence.facts if fact.where.startswith(("GET ", "HEAD "))]
    assert exchanges
    assert all(f"http://{proxy.host}/v2/" in where for where in exchanges)

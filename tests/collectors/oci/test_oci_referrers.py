"""The answers to the referrers query that were seen in the field, from a real registry behind a misbehaving proxy."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable

import pytest
from oci_images import INDEX, attestations_of, buildx_image, encode, single_image
from oci_proxy import Answer, FaultProxy

from diagnose.evidence import Evidence, State

Look = Callable[..., Evidence]

PAGE = b"<!DOCTYPE html>\n<html><head><title>Corporate gateway</title></head><body>Sign in</body></html>"
EMPTY_INDEX = encode({"schemaVersion": 2, "mediaType": INDEX, "manifests": []})
LONG_INDEX = encode({"schemaVersion": 2, "mediaType": INDEX, "manifests": [], "annotations": {"a": "b" * 500}})
DAMAGED_GZIP = gzip.compress(LONG_INDEX)[:12] + b"\xff" * 20
WRONG_CRC = gzip.compress(EMPTY_INDEX)[:-8] + b"\0" * 8
HTML = {"Content-Type": "text/html; charset=utf-8"}
OCI = {"Content-Type": INDEX}
GZIP = {**OCI, "Content-Encoding": "gzip"}

LOOKING = "looking for beginning of value"
DECODE_FAILURES = [
    ("an HTML page", Answer(200, PAGE, HTML), f"invalid character '<' {LOOKING}"),
    ("an HTML page after blank lines", Answer(200, b"\n\n  " + PAGE, HTML), f"invalid character '<' {LOOKING}"),
    ("nothing", Answer(200), "EOF"),
    ("blanks", Answer(200, b" \n\t"), "EOF"),
    ("status 204", Answer(204), "EOF"),
    ("cut JSON", Answer(200, EMPTY_INDEX[:-4], OCI), "unexpected EOF"),
    ("a connection that breaks", Answer(200, EMPTY_INDEX, OCI, cut_at=20), "unexpected EOF"),
    ("a chunked answer that breaks", Answer(200, EMPTY_INDEX, OCI, chunked=True, cut_at=20), "unexpected EOF"),
    ("gzip with its own Content-Length", Answer(200, gzip.compress(LONG_INDEX), GZIP), "unexpected EOF"),
    ("gzip that is not announced", Answer(200, gzip.compress(EMPTY_INDEX)), rf"invalid character '\x1f' {LOOKING}"),
    ("damaged gzip", Answer(200, DAMAGED_GZIP, GZIP, chunked=True), "flate: corrupt input"),
    (
        "zlib announced as deflate",
        Answer(200, zlib.compress(EMPTY_INDEX), {"Content-Encoding": "deflate"}, chunked=True),
        "flate: corrupt input",
    ),
    ("a byte-order mark", Answer(200, b"\xef\xbb\xbf" + EMPTY_INDEX), f"invalid character 'ï' {LOOKING}"),
    ("UTF-16", Answer(200, EMPTY_INDEX.decode().encode("utf-16")), f"invalid character 'ÿ' {LOOKING}"),
    (
        "404 page not found",
        Answer(200, b"404 page not found\n", {"Content-Type": "text/plain"}),
        "json: cannot unmarshal number into Go value of type v1.Index",
    ),
    ("Not Found", Answer(200, b"Not Found"), f"invalid character 'N' {LOOKING}"),
    ("not found", Answer(200, b"not found"), "invalid character 'o' in literal null (expecting 'u')"),
    ("an array", Answer(200, b"[]"), "json: cannot unmarshal array into Go value of type v1.Index"),
    ("a string", Answer(200, b'"x"'), "json: cannot unmarshal string into Go value of type v1.Index"),
    ("manifests that are an object", Answer(200, b'{"manifests":{}}'), "json: cannot unmarshal object into Go"),
]
PASSES = [
    ("an empty index", Answer(200, EMPTY_INDEX, OCI)),
    ("chunked gzip", Answer(200, gzip.compress(LONG_INDEX), GZIP, chunked=True)),
    ("an empty object", Answer(200, b"{}")),
    ("null", Answer(200, b"null")),
    ("a registry's error with status 200", Answer(200, b'{"errors":[{"code":"NAME_UNKNOWN"}]}')),
    *((f"status {status}", Answer(status, PAGE, HTML)) for status in (400, 401, 403, 404, 405, 429, 500, 501, 502)),
    ("an unknown Content-Encoding", Answer(200, EMPTY_INDEX, {**OCI, "Content-Encoding": "br"})),
    ("no gzip although announced", Answer(200, EMPTY_INDEX, GZIP)),
]


@pytest.mark.parametrize(("what", "answer", "error"), DECODE_FAILURES, ids=[row[0] for row in DECODE_FAILURES])
def test_an_answer_that_is_no_index_is_told_with_the_engines_own_error(
    look: Look, proxy: FaultProxy, what: str, answer: Answer, error: str
) -> None:
    proxy.faults["/referrers/"] = answer

    evidence = look("team/app:1")

    assert evidence.value("oci.referrers.containerd_fails") is True
    assert str(evidence.value("oci.referrers.decode_error")).startswith(error)
    assert str(evidence.value("oci.referrers.containerd_error")).startswith(
        f"failed to decode referrers index: {error}"
    )
    assert evidence.value("oci.referrers.status") == answer.status
    assert not proxy.asked("/manifests/sha256-")


@pytest.mark.parametrize(("what", "answer"), PASSES, ids=[row[0] for row in PASSES])
def test_an_answer_that_engines_get_over_is_not_called_a_failure(
    look: Look, proxy: FaultProxy, what: str, answer: Answer
) -> None:
    proxy.faults["/referrers/"] = answer

    evidence = look("team/app:1")

    assert evidence.value("oci.referrers.containerd_fails") is False
    assert evidence.state("oci.referrers.decode_error") is State.ABSENT
    assert evidence.state("oci.referrers.containerd_error") is State.ABSENT


@pytest.mark.parametrize(
    ("api", "tag", "error"),
    [
        (Answer(404), Answer(200, PAGE, HTML), f"failed to decode referrers index: invalid character '<' {LOOKING}"),
        (Answer(500), Answer(200), "failed to decode referrers index: EOF"),
        (Answer(404), Answer(500), "unexpected status from GET request to "),
        (Answer(403), Answer(403), "unexpected status from GET request to "),
        (Answer(200, EMPTY_INDEX + b"}", OCI), None, "unexpected data after JSON object"),
        (Answer(200, WRONG_CRC, GZIP, chunked=True), None, "unexpected data after JSON object"),
        (
            Answer(200, EMPTY_INDEX, {**OCI, "Content-Length": "4393217"}, cut_at=9),
            None,
            "referrers index size 4393217",
        ),
    ],
)
def test_what_the_engine_says_follows_from_both_answers(
    look: Look, proxy: FaultProxy, api: Answer, tag: Answer | None, error: str
) -> None:
    proxy.faults["/referrers/"] = api
    if tag is not None:
        proxy.faults["/manifests/sha256-"] = tag

    evidence = look("team/app:1")

    assert str(evidence.value("oci.referrers.containerd_error")).startswith(error)
    assert evidence.value("oci.referrers.containerd_fails") is error.startswith("failed to decode")


def test_a_web_page_instead_of_an_index_is_shown_with_who_sent_it(look: Look, proxy: FaultProxy) -> None:
    proxy.faults["/referrers/"] = Answer(200, PAGE, {**HTML, "Server": "gateway/3"})

    evidence = look("team/app:1")

    attestation = attestations_of(buildx_image())[0]
    url = f"http://{proxy.host}/v2/team/app/referrers/{attestation}"
    fact = evidence.known("oci.referrers.is_index")[0]
    assert (fact.value, fact.where) == (False, f"GET {url} -> 200")
    assert evidence.value("oci.referrers.media_type") == "text/html"
    assert evidence.value("oci.referrers.title") == "Corporate gateway"
    assert evidence.value("oci.referrers.server") == "gateway/3"
    assert evidence.value("oci.referrers.body_start") == PAGE.decode().replace("\n", " ")[:79] + "…"
    assert evidence.value("oci.referrers.answered_by") == "none"


def test_a_redirect_to_a_sign_in_page_is_followed_and_named_without_its_query(look: Look, proxy: FaultProxy) -> None:
    login = f"http://{proxy.host}/login?session=s3cret"
    proxy.faults["/referrers/"] = Answer(302, b"", {"Location": login})
    proxy.faults["/login"] = Answer(200, PAGE, HTML)

    evidence = look("team/app:1")

    fact = evidence.known("oci.referrers.status")[0]
    assert fact.where.endswith(f" -> 302 -> http://{proxy.host}/login -> 200")
    assert evidence.value("oci.referrers.redirected_to") == f"http://{proxy.host}/login"
    assert evidence.value("oci.referrers.containerd_fails") is True
    assert "s3cret" not in repr(evidence.facts)


def test_control_characters_of_an_answer_do_not_reach_a_terminal(look: Look, proxy: FaultProxy) -> None:
    proxy.faults["/referrers/"] = Answer(200, b"\x1b[31mred\x07\xe2\x80\xae", {"Server": "x"})

    assert str(look("team/app:1").value("oci.referrers.body_start")).isprintable()


@pytest.mark.parametrize(
    ("other_route", "status"), [(None, 404), (Answer(200, PAGE, HTML), 200)], ids=["one route", "every route"]
)
def test_a_path_that_no_registry_has_tells_a_catch_all(
    look: Look, proxy: FaultProxy, other_route: Answer | None, status: int
) -> None:
    proxy.faults["/referrers/"] = Answer(200, PAGE, HTML)
    if other_route:
        proxy.faults["/no-such-endpoint/"] = other_route

    assert look("team/app:1").value("oci.registry.unknown_route_status") == status


def test_an_image_without_attestation_is_asked_for_by_its_own_digest(look: Look, proxy: FaultProxy) -> None:
    evidence = look("team/plain:1")

    assert evidence.value("oci.referrers.digest") == single_image().top
    assert [request.path.rpartition("/")[2] for request in proxy.asked("/referrers/")] == [single_image().top]


def test_of_two_attestations_the_one_of_the_wanted_platform_is_asked_for(look: Look, proxy: FaultProxy) -> None:
    for platform, expected in zip(("linux/amd64", "linux/arm64"), attestations_of(buildx_image()), strict=True):
        assert look("team/app:1", platform=platform).value("oci.referrers.digest") == expected


def test_a_registry_without_the_api_is_answered_for_by_its_fallback_tag(look: Look, proxy: FaultProxy) -> None:
    referrer = {"mediaType": INDEX, "digest": "sha256:" + "a" * 64, "size": 1}
    index = encode({"schemaVersion": 2, "mediaType": INDEX, "manifests": [referrer]})
    proxy.faults["/manifests/sha256-"] = Answer(200, index, OCI)

    evidence = look("team/app:1")

    digest = attestations_of(buildx_image())[0]
    assert proxy.asked(f"/manifests/{digest.replace(':', '-')}")
    assert evidence.value("oci.referrers.status") == 404
    assert evidence.value("oci.referrers.fallback_status") == 200
    assert evidence.value("oci.referrers.answered_by") == "fallback-tag"
    assert evidence.value("oci.referrers.count") == 1


def test_the_query_is_sent_as_the_engine_sends_it(look: Look, proxy: FaultProxy) -> None:
    look("team/app:1")

    headers = proxy.asked("/referrers/")[0].headers
    assert headers["Accept"] == f"{INDEX}, */*"
    assert headers["Accept-Encoding"] == "zstd;q=1.0, gzip;q=0.8, deflate;q=0.5"


def test_an_answer_in_zstd_is_asked_for_again_without_compression(look: Look, proxy: FaultProxy) -> None:
    proxy.faults["/referrers/"] = Answer(200, EMPTY_INDEX, {**OCI, "Content-Encoding": "zstd", "Content-Length": "40"})

    evidence = look("team/app:1")

    assert len(proxy.asked("/referrers/")) == 2
    assert evidence.state("oci.referrers.containerd_fails") is State.NOT_CHECKED


def test_a_whole_index_is_counted(look: Look, proxy: FaultProxy) -> None:
    entry = {"mediaType": INDEX, "digest": "sha256:" + "b" * 64, "size": 1, "artifactType": "application/x"}
    index = json.dumps({"schemaVersion": 2, "manifests": [entry, entry]}).encode()
    proxy.faults["/referrers/"] = Answer(200, index, OCI)

    evidence = look("team/app:1")

    assert evidence.value("oci.referrers.is_index") is True
    assert evidence.value("oci.referrers.answered_by") == "api"
    assert evidence.value("oci.referrers.count") == 2

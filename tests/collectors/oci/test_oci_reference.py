"""Image references as Docker reads them."""

from __future__ import annotations

import pytest

from diagnose.collectors.oci import UnusableImageError, collect
from diagnose.collectors.oci.digest import fallback_tag, is_digest
from diagnose.collectors.oci.reference import Reference, parse_reference

HEX = "a" * 64


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("ubuntu", Reference("docker.io", "library/ubuntu", "latest")),
        ("ubuntu:24.04", Reference("docker.io", "library/ubuntu", "24.04")),
        ("team/app", Reference("docker.io", "team/app", "latest")),
        ("docker.io/ubuntu", Reference("docker.io", "library/ubuntu", "latest")),
        ("index.docker.io/team/app:1", Reference("docker.io", "team/app", "1")),
        ("localhost/app", Reference("localhost", "app", "latest")),
        ("localhost:5000/app:1", Reference("localhost:5000", "app", "1")),
        ("host:5000/app", Reference("host:5000", "app", "latest")),
        ("registry.example/a/b/c", Reference("registry.example", "a/b/c", "latest")),
        ("Registry/app", Reference("Registry", "app", "latest")),
        ("[fd00::1]:5000/app", Reference("[fd00::1]:5000", "app", "latest")),
        ("a__b/c-_d".replace("-_", "--"), Reference("docker.io", "a__b/c--d", "latest")),
        (f"app@sha256:{HEX}", Reference("docker.io", "library/app", "", f"sha256:{HEX}")),
        (f"r.io/app:1@sha256:{HEX}", Reference("r.io", "app", "1", f"sha256:{HEX}")),
    ],
)
def test_defaults_are_filled_in_as_docker_does(text: str, reference: Reference) -> None:
    assert parse_reference(text) == reference


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "1 to 1024 characters"),
        ("https://registry.example/app", "bears no https://"),
        ("docker://app", "bears no docker://"),
        (HEX, "an image id"),
        ("app:", "is not a tag"),
        ("app:-x", "is not a tag"),
        ("app:" + "x" * 129, "is not a tag"),
        ("Team/App", "must be lower case"),
        ("registry.example/Team/app", "must be lower case"),
        ("a..b", "is not a repository name"),
        ("a//b", "is not a repository name"),
        ("a b", "is not a repository name"),
        ("-host.example/app", "is not a host name"),
        ("app@sha256:xyz", "is not a digest"),
        ("x/" * 200 + "app", "longer than 255"),
        ("app\x1b[31m", "is not a repository name"),
        ("a" * 2000, "1 to 1024 characters"),
        ("./no-such-layout", "no such folder or archive"),
        ("no-such-archive.tar", "no such folder or archive"),
    ],
)
def test_what_is_no_image_is_refused_with_what_to_do(text: str, what: str) -> None:
    with pytest.raises(UnusableImageError) as raised:
        collect(text, use_engine=False)

    assert what in raised.value.what
    assert raised.value.where
    assert raised.value.remedy
    assert str(raised.value).isprintable()


def test_docker_hub_is_asked_where_its_registry_is() -> None:
    assert parse_reference("ubuntu").registry == "registry-1.docker.io"
    assert parse_reference("ghcr.io/a/b").registry == "ghcr.io"


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        (f"sha256:{HEX}", True),
        (f"sha256:{HEX.upper()}", False),
        ("sha256:" + "a" * 63, False),
        ("sha512:" + "b" * 128, True),
        ("md5:" + "a" * 32, False),
        ("sha256:../../etc/passwd", False),
        ("", False),
    ],
)
def test_only_registered_digests_in_lower_case_are_legal(text: str, legal: bool) -> None:
    assert is_digest(text) is legal


def test_a_fallback_tag_fits_the_limits_of_tags() -> None:
    assert fallback_tag(f"sha256:{HEX}") == f"sha256-{HEX}"
    assert fallback_tag("sha512:" + "b" * 128) == "sha512-" + "b" * 64

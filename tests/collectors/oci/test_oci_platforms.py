"""Which of the platforms of an image a host runs."""

from __future__ import annotations

import pytest

from diagnose.collectors.oci.document import Descriptor
from diagnose.collectors.oci.platforms import choose, host_platform, parse_platform, runs


@pytest.mark.parametrize(
    ("host", "offered", "fits"),
    [
        ("linux/amd64", "linux/amd64", True),
        ("linux/amd64", "linux/386", True),
        ("linux/amd64", "linux/arm64", False),
        ("linux/amd64", "windows/amd64", False),
        ("linux/amd64/v2", "linux/amd64", True),
        ("linux/amd64", "linux/amd64/v3", False),
        ("linux/arm64", "linux/arm64/v8", True),
        ("linux/arm64/v8", "linux/arm64", True),
        ("linux/arm64", "linux/arm/v7", True),
        ("linux/arm/v7", "linux/arm64", False),
        ("linux/arm/v7", "linux/arm/v6", True),
        ("linux/arm/v6", "linux/arm/v7", False),
        ("linux/arm/v8", "linux/arm64", False),
        ("linux/arm/v8", "linux/arm/v7", True),
        ("aarch64", "linux/arm64/v8", True),
        ("x86_64", "linux/amd64", True),
        ("linux/riscv64", "linux/riscv64", True),
    ],
)
def test_a_host_takes_its_own_platform_older_variants_and_its_32_bit_sibling(
    host: str, offered: str, fits: bool
) -> None:
    assert runs(parse_platform(host), parse_platform(offered)) is fits


def test_the_nearest_platform_is_chosen_and_attestations_are_skipped() -> None:
    offered = ["linux/386", "linux/arm/v6", "linux/arm/v7", "linux/amd64"]
    entries = [Descriptor(name, platform=parse_platform(name)) for name in offered]
    entries.insert(0, Descriptor("attestation", platform=parse_platform("linux/amd64"), is_attestation=True))

    chosen = {host: choose(entries, parse_platform(host)) for host in ("linux/amd64", "linux/arm64", "linux/s390x")}

    assert {host: entry and entry.digest for host, entry in chosen.items()} == {
        "linux/amd64": "linux/amd64",
        "linux/arm64": "linux/arm/v7",
        "linux/s390x": None,
    }


def test_this_host_asks_for_a_linux_platform() -> None:
    assert host_platform().os == "linux"
    assert host_platform().architecture

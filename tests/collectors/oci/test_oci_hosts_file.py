"""hosts.toml: what an engine asks instead of the registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.collectors.oci import hosts_file
from diagnose.evidence import Evidence, State, Subject

MIRROR_WITHOUT_REFERRERS = """
server = "https://hub.test"
[host."http://user:secret@10.0.0.5:5000"]
  capabilities = ["pull", "resolve"]
[host."https://second.test"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hosts_file, "HOSTS_FOLDERS", (tmp_path / "docker", tmp_path / "containerd"))
    return tmp_path


def look(folder: Path, content: bytes | None, engine: str = "docker") -> Evidence:
    if content is not None:
        path = folder / engine / "hub.test" / "hosts.toml"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    evidence = Evidence(Subject("image", "hub.test/app:1"))
    hosts_file.collect_hosts_file(evidence, "hub.test")
    return evidence


def test_mirrors_that_the_referrers_query_passes_by_are_named_without_their_credentials(folder: Path) -> None:
    evidence = look(folder, MIRROR_WITHOUT_REFERRERS.encode())

    assert evidence.value("oci.hosts.server") == "https://hub.test"
    assert evidence.value("oci.hosts.mirrors") == ["http://10.0.0.5:5000", "https://second.test"]
    assert evidence.value("oci.hosts.mirrors_without_referrers") == ["http://10.0.0.5:5000"]
    assert evidence.state("oci.hosts.server_asked_for_referrers") is State.ABSENT


def test_root_level_capabilities_tell_whether_the_api_is_skipped(folder: Path) -> None:
    content = b'server = "https://hub.test"\ncapabilities = ["pull", "resolve", "push"]\n'

    assert look(folder, content, "containerd").value("oci.hosts.server_asked_for_referrers") is False


@pytest.mark.parametrize(
    "content", [b"server = ", b"\xff\xfe", b"[" * 5000, b"[host]\nx=1", b'host="x"', b"capabilities=1"]
)
def test_a_broken_file_is_a_finding(folder: Path, content: bytes) -> None:
    assert look(folder, content).state("oci.hosts.valid") is State.KNOWN


def test_no_file_is_told_as_absent(folder: Path) -> None:
    assert look(folder, None).state("oci.hosts.file") is State.ABSENT

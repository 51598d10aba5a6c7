"""The local engine, a real one on a socket of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oci_proxy import FaultProxy, free_port

from diagnose.collectors.oci import collect
from diagnose.evidence import State


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an engine that has its own folders and neither network nor firewall rules."""
    program = shutil.which("dockerd")
    if program is None:
        pytest.skip("dockerd is not installed")
    if os.geteuid() != 0:
        pytest.skip("dockerd wants root")
    folder = tmp_path_factory.mktemp("engine")
    address = f"unix://{folder / 'd.sock'}"
    roots = [f"--data-root={folder / 'data'}", f"--exec-root={folder / 'exec'}", f"--pidfile={folder / 'pid'}"]
    options = ["--storage-driver=vfs", "--iptables=false", "--bridge=none", f"--host={address}"]
    mirrors = ["--registry-mirror=http://127.0.0.1:5"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, *roots, *options, *mirrors], stdout=log, stderr=log)
    try:
        _wait_for(folder / "d.sock", process, folder / "log")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(socket_path: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(200):
        if process.poll() is not None:
            lines = log.read_text(errors="replace").splitlines()
            pytest.skip(f"dockerd does not start here: {lines[-1][-300:] if lines else 'no log'}")
        if "API listen on" in log.read_text(errors="replace") and socket_path.exists():
            return
        time.sleep(0.05)
    process.terminate()
    process.wait(20)
    pytest.skip("dockerd did not come up within 10 s")


def test_a_running_engine_is_described(engine: str, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine)

    evidence = collect(f"{proxy.host}/team/app:1", timeout_seconds=5)

    told = subprocess.run(["docker", "version", "-f", "{{.Server.Version}} {{.Server.Arch}}"], capture_output=True)
    version, architecture = told.stdout.decode().split()
    assert evidence.value("oci.engine.version") == version
    assert evidence.value("oci.engine.platform") == f"linux/{architecture}"
    assert evidence.value("oci.host_platform") == f"linux/{architecture}"
    assert evidence.value("oci.engine.driver") == "vfs"
    assert evidence.value("oci.engine.snapshotter") is False
    assert evidence.value("oci.engine.mirrors") == ["http://127.0.0.1:5/"]
    assert evidence.value("oci.engine.has_image") is False
    assert int(str(evidence.value("oci.engine.data_root_free"))) > 0
    assert evidence.value("oci.manifest.status") == 200


def test_a_pulled_image_is_known_by_its_digest_when_the_registry_is_gone(
    engine: str, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine)
    reference = f"{proxy.host}/team/plain:1"
    pulled = subprocess.run(["docker", "pull", "--platform=linux/amd64", reference], capture_output=True)
    assert pulled.returncode == 0, pulled.stderr.decode()
    proxy.server.shutdown()
    proxy.server.server_close()

    evidence = collect(reference, timeout_seconds=2)

    assert evidence.value("oci.source") == "engine"
    assert evidence.value("oci.engine.has_image") is True
    assert evidence.value("oci.registry.failure") == "refused"
    assert evidence.value("oci.engine.repo_digests") == [f"{proxy.host}/team/plain@{evidence.value('oci.digest')}"]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (lambda folder: f"unix://{folder / 'none.sock'}", "no engine answers there"),
        (lambda _: f"tcp://127.0.0.1:{free_port()}", "no engine answers there"),
        (lambda _: "nonsense://x", "the engine cannot be asked"),
    ],
    ids=["no socket", "no port", "no address"],
)
def test_no_engine_is_a_reason_and_not_an_error(
    proxy: FaultProxy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: Callable[[Path], str],
    reason: str,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address(tmp_path))

    evidence = collect(f"{proxy.host}/team/plain:1", platform="linux/amd64", timeout_seconds=2)

    assert evidence.state("oci.engine.version") is State.NOT_CHECKED
    assert any(fact.not_checked.startswith(reason) for fact in evidence.facts)
    assert evidence.value("oci.manifest.status") == 200

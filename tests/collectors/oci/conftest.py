"""A real registry on a free port of 127.0.0.1, and a proxy in front of it that can be made to misbehave."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oci_images import buildx_image, push, single_image
from oci_proxy import FaultProxy, free_port, running

from diagnose.collectors.oci import collect
from diagnose.evidence import Evidence

_CONFIG = """\
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage:
  filesystem: {{rootdirectory: {root}}}
  cache: {{blobdescriptor: inmemory}}
http: {{addr: 127.0.0.1:{port}, secret: for-tests-only}}
"""


@pytest.fixture(scope="session")
def registry_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a registry that has team/app:1 (as of buildx) and team/plain:1 (one manifest)."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not installed")
    folder = tmp_path_factory.mktemp("registry")
    port = free_port()
    config = folder / "config.yml"
    config.write_text(_CONFIG.format(root=folder / "storage", port=port))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "serve", str(config)], stdout=log, stderr=log)
    try:
        _wait_for(port, folder / "log")
        push(buildx_image(), port, "team/app", "1")
        push(single_image(), port, "team/plain", "1")
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int, log: Path) -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the registry did not start: {log.read_text()[-2000:]}")


@pytest.fixture
def proxy(registry_port: int) -> Iterator[FaultProxy]:
    with running(FaultProxy(registry_port)) as started:
        yield started


@pytest.fixture(autouse=True)
def _no_configuration_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "no-docker-config"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def look(proxy: FaultProxy) -> Callable[..., Evidence]:
    """Collects the evidence on an image behind the proxy, for linux/amd64 unless told otherwise."""

    def look_at(name: str, platform: str = "linux/amd64", timeout_seconds: float = 5) -> Evidence:
        return collect(f"{proxy.host}/{name}", platform=platform, timeout_seconds=timeout_seconds, use_engine=False)

    return look_at

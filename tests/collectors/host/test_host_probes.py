from __future__ import annotations

import os
import shutil
import stat
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from diagnose.collectors.host import FACTS, PROBES, Probe, containers, devices, disk, resolve
from diagnose.collectors.host.other_decoders import look_at_ffmpeg
from diagnose.collectors.host.run_probe import run
from diagnose.collectors.host.samples import SAMPLES

DECODERS = [probe for probe in PROBES if probe.failure_fact]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_probe_yields_only_what_it_declares(probe: Probe) -> None:
    answer = run(probe.name, probe.look)

    assert answer.error == ""
    assert {fact.name for fact in answer.facts} <= set(probe.facts)
    assert set(probe.facts) <= FACTS.names


def test_probes_have_distinct_names_and_every_fact_has_a_probe() -> None:
    names = [probe.name for probe in PROBES]

    assert len(names) == len(set(names))
    assert {name for probe in PROBES for name in probe.facts} == FACTS.names


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("pillow.")])
def test_a_decoder_of_pillow_that_gives_other_pixels_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = SAMPLES[name]
    changed = tuple(channel + sample.tolerance + 8 for channel in sample.right)
    monkeypatch.setitem(SAMPLES, name, msgspec.structs.replace(sample, right=changed))

    (fact,) = resolve("diagnose.collectors.host.image_decoders:look_at_pillow")(name)

    assert (fact.name, fact.value) == ("host.decoder_failed", name)
    assert fact.text.startswith("wrong pixels: ")


@pytest.mark.parametrize("probe", [p for p in DECODERS if p.name in SAMPLES], ids=lambda probe: probe.name)
def test_a_damaged_sample_fails_with_a_reason(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = SAMPLES[probe.name]
    half = b64decode(sample.data)[: len(b64decode(sample.data)) // 3]
    monkeypatch.setitem(SAMPLES, probe.name, msgspec.structs.replace(sample, data=b64encode(half).decode()))

    facts = resolve(probe.look)(probe.name)

    if any(fact.not_checked for fact in facts):
        pytest.skip(facts[0].not_checked)
    assert [fact.name for fact in facts] == ["host.decoder_failed"]
    assert facts[0].text


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("cat >/dev/null; echo libx264.so: cannot open >&2; exit 127", "libx264.so: cannot open"),
        ("cat >/dev/null; exit 1", "no picture came, and it ended with 1"),
        ("cat >/dev/null; head -c 12288 /dev/zero", "wrong pixels: (0, 0, 0) where the sample has (200, 80, 40)"),
    ],
)
def test_an_ffmpeg_that_gives_no_picture_fails(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "ffmpeg", script)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    (fact,) = look_at_ffmpeg("ffmpeg.h264")

    assert (fact.name, fact.text) == ("host.decoder_failed", reason)


def test_without_ffmpeg_nothing_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert {fact.not_checked for fact in look_at_ffmpeg("ffmpeg.h264")} == {"ffmpeg is not on the PATH"}


def test_space_is_what_the_system_says_and_names_the_path(tmp_path: Path) -> None:
    facts = {fact.name: fact for fact in disk.space(tmp_path)}

    assert facts["host.disk_total_bytes"].value == shutil.disk_usage(tmp_path).total
    assert facts["host.disk_free_bytes"].where == str(tmp_path)
    assert facts["host.disk_read_only"].value is False


def test_a_folder_that_is_not_there_was_not_checked(tmp_path: Path) -> None:
    facts = disk.space(tmp_path / "none")

    assert {fact.name for fact in facts} == {name for name in FACTS.names if name.startswith(("host.disk", "host.ino"))}
    assert all(fact.not_checked.endswith("No such file or directory") for fact in facts)


def test_the_cache_of_hugging_face_is_where_its_variables_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))

    assert disk.look_at_hugging_face_cache("")[0].where == str(tmp_path)


class Engine(BaseHTTPRequestHandler):
    """Answers as a container engine does (Docker Engine API, GET /version), or with a web page."""

    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_arguments: object) -> None:
        """Keeps the test quiet."""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Engine]]:
    server = HTTPServer(("127.0.0.1", 0), Engine)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
    yield Engine
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("body", "name", "value"),
    [
        (b'{"Version": "27.1.0", "ApiVersion": "1.46"}', "host.docker_engine_version", "27.1.0"),
        (b'{"ApiVersion": "1.46"}', "host.docker_engine_unreachable", "the engine's answer names no version"),
    ],
)
def test_a_container_engine_that_answers(engine: type[Engine], body: bytes, name: str, value: str) -> None:
    engine.body = body

    fact = containers.look_at_docker("docker")[-1]

    assert (fact.name, fact.value) == (name, value)


def test_a_web_page_in_place_of_a_container_engine_is_unreachable(engine: type[Engine]) -> None:
    engine.body = b"<html>sign in</html>"

    assert containers.look_at_docker("docker")[-1].name == "host.docker_engine_unreachable"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no device nodes")
def test_device_nodes_that_exist_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "NODES", ("null", "no-such-node*"))

    assert [(fact.name, fact.value) for fact in devices.look_at_device_nodes("devices")] == [
        ("host.device_nodes", ["/dev/null"])
    ]

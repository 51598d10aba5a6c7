"""Registries that cannot be reached, that want one to sign in, and that send one elsewhere."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oci_proxy import Answer, FaultProxy, free_port, running

from diagnose.collectors.oci import collect
from diagnose.collectors.oci.client import Client, is_local
from diagnose.collectors.oci.failure import FailureKind, failure_of
from diagnose.evidence import Evidence, State

Look = Callable[..., Evidence]
SECRET = "s3cret-of-the-tests"  # noqa: S105


@contextlib.contextmanager
def server(talk: Callable[[socket.socket], None], address: str = "127.0.0.1") -> Iterator[str]:
    """A server that treats each connection with `talk`; its host and port."""
    listener = socket.create_server((address, 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=treat, args=(connection,), daemon=True).start()

    def treat(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"{address}:{listener.getsockname()[1]}"
    finally:
        listener.close()


def failure_at(host: str, timeout_seconds: float = 2, *, insecure: bool = False) -> Evidence:
    return collect(f"{host}/team/app:1", use_engine=False, timeout_seconds=timeout_seconds, insecure=insecure)


def wait_long(connection: socket.socket) -> None:
    time.sleep(5)


def close_at_once(connection: socket.socket) -> None:
    connection.recv(100)


def drip(connection: socket.socket) -> None:
    connection.recv(4096)
    for _ in range(200):
        connection.sendall(b"H")
        time.sleep(0.05)


def speak_http(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")


def test_a_refused_connection_is_not_checked_and_says_so() -> None:
    host = f"127.0.0.1:{free_port()}"

    evidence = failure_at(host)

    assert evidence.value("oci.registry.failure") == "refused"
    for name in ("oci.registry.status", "oci.manifest.status", "oci.blob.missing", "oci.referrers.status"):
        assert evidence.state(name) is State.NOT_CHECKED
    missing = [fact for fact in evidence.facts if fact.not_checked]
    assert {fact.not_checked for fact in missing} == {f"{host} refuses the connection"}
    assert missing[0].where == f"GET http://{host}/v2/ -> refused"


@pytest.mark.parametrize(
    ("talk", "address", "kind"),
    [
        (wait_long, "127.0.0.1", "timeout"),
        (close_at_once, "127.0.0.1", "reset"),
        (speak_http, "127.0.0.2", "plain-http"),
    ],
    ids=["timeout", "reset", "plain-http"],
)
def test_failures_are_told_apart(talk: Callable[[socket.socket], None], address: str, kind: str) -> None:
    with server(talk, address) as host:
        assert failure_at(host, 0.3).value("oci.registry.failure") == kind


def test_plain_http_is_spoken_to_another_host_only_if_allowed(registry_port: int) -> None:
    with running(FaultProxy(registry_port, "127.0.0.2")) as proxy:
        assert failure_at(proxy.host).value("oci.registry.failure") == "plain-http"
        assert failure_at(proxy.host, insecure=True).value("oci.manifest.status") == 200


def test_a_name_that_does_not_resolve_is_told_as_such() -> None:
    try:
        socket.getaddrinfo("registry.invalid", 443, flags=socket.AI_NUMERICHOST)
    except socket.gaierror as error:
        wrapped = OSError("request failed")
        wrapped.__cause__ = error

    assert failure_of(wrapped, "registry.invalid", 1).kind is FailureKind.DNS


def test_a_server_that_drips_bytes_does_not_hold_one_up() -> None:
    with server(drip) as host:
        started = time.monotonic()
        evidence = failure_at(host, 0.2)

    assert evidence.value("oci.registry.failure") == "timeout"
    assert time.monotonic() - started < 20


def test_all_exchanges_together_have_a_limit() -> None:
    with server(wait_long) as host:
        client = Client(host, 0.05)
        started = time.monotonic()
        kinds = [client.ask("GET", f"http://{host}/{n}", headers={}).failure for n in range(40)]

    assert all(failure and failure.kind is FailureKind.TIMEOUT for failure in kinds)
    assert time.monotonic() - started < 20


AUTHORITY = """\
[ca]
default_ca = here
[here]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
x509_extensions = extensions
unique_subject = no
[names]
commonName = supplied
[extensions]
subjectAltName = IP:127.0.0.2
[req]
distinguished_name = names
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and self-signed certificates for 127.0.0.2: one that is valid, one that has expired, one for the future."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    (folder / "ca.cnf").write_text(AUTHORITY)
    (folder / "index").touch()
    (folder / "serial").write_text("01\n")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
    openssl(folder, "req", "-new", "-config", "ca.cnf", *key, "-subj", "/CN=registry.test", "-out", "request.pem")
    times = {"valid": (2020, 2049), "expired": (2001, 2002), "future": (2048, 2049)}
    for name, (start, end) in times.items():
        dates = ["-startdate", f"{start}0101000000Z", "-enddate", f"{end}0101000000Z"]
        files = ["-keyfile", "key.pem", "-in", "request.pem", "-out", f"{name}.crt"]
        openssl(folder, "ca", "-config", "ca.cnf", "-selfsign", "-batch", "-notext", *files, *dates)
    return folder


def openssl(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True)
    if done.returncode:
        pytest.skip(f"openssl cannot make a certificate: {done.stderr.decode()[-300:]}")


def test_a_certificate_that_nobody_signed_is_told_as_untrusted(certificates: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "valid.crt", certificates / "key.pem")

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(100)

    with server(talk, "127.0.0.2") as host:
        evidence = failure_at(host)

    assert evidence.value("oci.registry.failure") == "tls-untrusted"
    assert "signed by nobody" in evidence.known("oci.registry.failure")[0].text


@pytest.mark.parametrize(
    ("name", "host_in_url", "kind"),
    [
        ("expired", "127.0.0.2", "tls-expired"),
        ("future", "127.0.0.2", "tls-not-yet-valid"),
        ("valid", "127.0.0.3", "tls-wrong-host"),
    ],
)
def test_a_trusted_certificate_may_still_not_fit(
    certificates: Path, monkeypatch: pytest.MonkeyPatch, name: str, host_in_url: str, kind: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / f"{name}.crt"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.crt", certificates / "key.pem")

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(100)

    with server(talk, host_in_url) as host:
        assert failure_at(host).value("oci.registry.failure") == kind


def write_config(folder: Path, host: str) -> None:
    folder.mkdir()
    encoded = base64.b64encode(f"reader:{SECRET}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": encoded}}}))


def basic() -> str:
    return "Basic " + base64.b64encode(f"reader:{SECRET}".encode()).decode()


def test_a_token_is_fetched_with_the_configured_credentials_which_never_show(
    look: Look, proxy: FaultProxy, tmp_path: Path
) -> None:
    write_config(tmp_path / "no-docker-config", proxy.host)
    proxy.needs_authorization = "Bearer the-token"
    proxy.faults["/token"] = Answer(200, json.dumps({"token": "the-token"}).encode())

    evidence = look("team/app:1")

    asked = proxy.asked("/token")[0]
    assert asked.headers["Authorization"] == basic()
    assert "scope=repository%3Ateam%2Fapp%3Apull" in asked.path
    assert evidence.value("oci.registry.status") == 200
    assert evidence.value("oci.registry.auth") == "bearer"
    assert evidence.value("oci.registry.token_status") == 200
    assert evidence.value("oci.registry.credentials") == "config"
    assert evidence.value("oci.manifest.status") == 200
    assert SECRET not in repr(evidence.facts)
    assert "the-token" not in repr(evidence.facts)


def test_without_credentials_a_token_is_asked_for_anonymously(look: Look, proxy: FaultProxy) -> None:
    proxy.needs_authorization = "Bearer anonymous"
    proxy.faults["/token"] = Answer(200, b'{"access_token": "anonymous"}')

    evidence = look("team/app:1")

    assert "Authorization" not in proxy.asked("/token")[0].headers
    assert evidence.value("oci.registry.credentials") == "none"
    assert evidence.value("oci.manifest.status") == 200


@pytest.mark.parametrize(
    "token",
    [
        Answer(401),
        Answer(200, b"<html>"),
        Answer(200, b'{"token": "a\\r\\nX-Injected: 1"}'),
        Answer(200, b'{"token": 7}'),
    ],
)
def test_a_token_service_that_gives_none_leaves_the_refusal(look: Look, proxy: FaultProxy, token: Answer) -> None:
    proxy.needs_authorization = "Bearer never"
    proxy.faults["/token"] = token

    evidence = look("team/app:1")

    assert evidence.value("oci.registry.token_status") == token.status
    assert evidence.value("oci.manifest.status") == 401
    assert not any("X-Injected" in request.headers for request in proxy.seen)


def test_an_unreadable_configuration_is_told_without_its_text(look: Look, proxy: FaultProxy, tmp_path: Path) -> None:
    (tmp_path / "no-docker-config").mkdir()
    broken = {"auths": {proxy.host: {"auth": base64.b64encode(b"\xff" + SECRET.encode()).decode()}}}
    (tmp_path / "no-docker-config" / "config.json").write_text(json.dumps(broken))
    proxy.needs_authorization = "Bearer the-token"

    evidence = look("team/app:1")

    assert evidence.value("oci.registry.credentials") == "unreadable"
    assert SECRET not in repr(evidence.facts)


def test_authorization_does_not_follow_a_redirect_to_another_host(
    look: Look, proxy: FaultProxy, registry_port: int
) -> None:
    proxy.needs_authorization = "Bearer the-token"
    proxy.faults["/token"] = Answer(200, b'{"token": "the-token"}')
    with running(FaultProxy(registry_port)) as elsewhere:
        elsewhere.faults["/store"] = Answer(200, b"{}")
        proxy.faults["/blobs/"] = Answer(307, b"", {"Location": f"http://{elsewhere.host}/store?X-Signature={SECRET}"})
        evidence = look("team/plain:1")

    assert elsewhere.asked("/store")
    assert not any("Authorization" in request.headers for request in elsewhere.seen)
    assert SECRET not in repr(evidence.facts)


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://[", "\x00"])
def test_a_redirect_out_of_http_is_not_followed(look: Look, proxy: FaultProxy, location: str) -> None:
    proxy.faults["/referrers/"] = Answer(302, b"", {"Location": location})

    assert look("team/app:1").value("oci.referrers.status") in (302, None)


def test_redirects_in_a_circle_come_to_an_end(look: Look, proxy: FaultProxy) -> None:
    proxy.faults["/referrers/"] = Answer(302, b"", {"Location": f"http://{proxy.host}/v2/x/referrers/y"})

    assert look("team/app:1").value("oci.referrers.status") == 302
    assert len(proxy.asked("/referrers/")) == 11


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("localhost:5000", True),
        ("127.0.0.1:5000", True),
        ("[::1]:5000", True),
        ("127.0.0.1.example.com", False),
        ("registry.example", False),
    ],
)
def test_only_this_machine_counts_as_local(host: str, local: bool) -> None:
    assert is_local(host) is local

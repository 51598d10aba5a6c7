"""A reverse proxy in front of a registry that answers chosen requests wrongly, as proxies in the field do."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_PASSED_ON = ("Accept", "Range", "Authorization")
_DROPPED = frozenset({"transfer-encoding", "connection", "date", "server"})


@dataclass(frozen=True)
class Answer:
    """What to say instead of the registry. Content-Length is set unless `headers` has it or the body is chunked.

    `cut_at` closes the connection after so many bytes of the body.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    chunked: bool = False
    cut_at: int | None = None


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]


class FaultProxy:
    """Forwards to a registry on 127.0.0.1 what no fault matches. `faults` maps a part of a path to its answer."""

    def __init__(self, upstream_port: int, address: str = "127.0.0.1") -> None:
        self.upstream_port = upstream_port
        self.faults: dict[str, Answer] = {}
        self.needs_authorization = ""
        self.seen: list[Seen] = []
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self.server = ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.host = f"{address}:{self.port}"

    def fault_for(self, method: str, path: str) -> Answer | None:
        """The answer to a request; a key such as `HEAD /manifests/` is for one method alone."""
        for key, answer in self.faults.items():
            wanted, _, part = key.rpartition(" ")
            if part in path and wanted in ("", method):
                return answer
        return None

    def asked(self, part: str) -> list[Seen]:
        return [request for request in self.seen if part in request.path]


@contextlib.contextmanager
def running(proxy: FaultProxy) -> Iterator[FaultProxy]:
    thread = threading.Thread(target=proxy.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        proxy.server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    owner: FaultProxy
    protocol_version = "HTTP/1.1"
    timeout = 10
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.owner.seen.append(Seen(self.command, self.path, dict(self.headers.items())))
        answer = self.owner.fault_for(self.command, self.path)
        if answer is None and self.owner.needs_authorization not in ("", self.headers.get("Authorization")):
            challenge = f'Bearer realm="http://{self.owner.host}/token",service="registry.test"'
            answer = Answer(401, b"{}", {"WWW-Authenticate": challenge})
        self._say(answer or self._forward())

    do_HEAD = do_GET  # noqa: N815 - the base class looks for these names
    do_POST = do_GET  # noqa: N815

    def _forward(self) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.owner.upstream_port, timeout=10)
        try:
            headers = {name: ", ".join(self.headers.get_all(name, [])) for name in _PASSED_ON if name in self.headers}
            connection.request(self.command, self.path, headers=headers)
            response = connection.getresponse()
            kept = {name: value for name, value in response.getheaders() if name.lower() not in _DROPPED}
            return Answer(response.status, response.read(), kept)
        finally:
            connection.close()

    def _say(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif "Content-Length" not in answer.headers and answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if answer.chunked:
            self._say_chunked(answer)
        else:
            self.wfile.write(answer.body[: answer.cut_at])
        if answer.cut_at is not None:
            self.close_connection = True

    def _say_chunked(self, answer: Answer) -> None:
        body = answer.body[: answer.cut_at]
        self.wfile.write(f"{len(body):x}\r\n".encode() + body + b"\r\n" if body else b"")
        if answer.cut_at is None:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Says nothing: the tests read `seen`."""

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError):
            super().handle()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

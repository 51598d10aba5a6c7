"""The HTTP client: bounded in time and size, and careful with whom it shows credentials to."""

from __future__ import annotations

import threading
import time
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from diagnose.collectors.oci.exchange import Exchange, Hop
from diagnose.collectors.oci.failure import FailureKind, failure_of, make_failure

if TYPE_CHECKING:
    import ssl

    import requests

REDIRECT_LIMIT = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_EXCHANGE_FACTOR = 3
_TOTAL_FACTOR = 12
_CHUNK_BYTES = 64 * 1024
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_CERTIFICATE_FOLDERS = (Path("/etc/docker/certs.d"), Path("/etc/containerd/certs.d"))


class Client:
    """Asks one registry. Every exchange ends within three times `timeout_seconds`, all together within twelve times.

    `host` is the registry's. `verify` false accepts any certificate, as Docker does for registries declared insecure.
    """

    def __init__(self, host: str, timeout_seconds: float, *, verify: bool = True) -> None:
        self.host = host
        self.timeout_seconds = timeout_seconds
        self._verify = verify
        self._ends = time.monotonic() + _TOTAL_FACTOR * timeout_seconds
        self._session: requests.Session | None = None

    def ask(
        self,
        method: str,
        url: str,
        *,
        headers: dict[str, str],
        limit_bytes: int = 0,
        authorization: str = "",
        body: bytes = b"",
    ) -> Exchange:
        """The exchange, redirects followed. Nothing is raised: a failure stands in the Exchange.

        `authorization` goes to the host of `url` alone, and a `body` nowhere but to `url`.
        """
        host = urlsplit(url).netloc.rpartition("@")[2]
        seconds = min(_EXCHANGE_FACTOR * self.timeout_seconds, self._ends - time.monotonic())
        if seconds <= 0:
            return Exchange(method, url, failure=make_failure(FailureKind.TIMEOUT, host, self.timeout_seconds))
        answers: list[Exchange] = []

        def follow() -> None:
            if body:
                answers.append(self._once(method, url, headers, limit_bytes, (), body))
            else:
                answers.append(self._follow(method, url, headers, limit_bytes, authorization))

        # A server that sends a byte now and then never runs into a socket's time-out, so the whole exchange has one.
        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        thread.join(seconds)
        if answers:
            return answers[0]
        self._session = None
        return Exchange(method, url, failure=make_failure(FailureKind.TIMEOUT, host, seconds))

    def _follow(self, method: str, url: str, headers: dict[str, str], limit_bytes: int, authorization: str) -> Exchange:
        origin, hops = _origin(url), list[Hop]()
        while True:
            sent = {**headers, "Authorization": authorization} if authorization else dict(headers)
            exchange = self._once(method, url, sent, limit_bytes, tuple(hops))
            target = exchange.headers.get("location", "")
            if exchange.status not in _REDIRECTS or not target or len(hops) >= REDIRECT_LIMIT:
                return exchange
            following = _target(url, target)
            if not following:
                return exchange
            hops.append(Hop(url, exchange.status))
            url = following
            if _origin(url) != origin:
                authorization = ""

    def _once(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        limit_bytes: int,
        hops: tuple[Hop, ...],
        sent: bytes = b"",
    ) -> Exchange:
        host = urlsplit(url).netloc.rpartition("@")[2]
        try:
            response = self._open_session().request(
                method,
                url,
                headers=headers,
                data=sent or None,
                stream=True,
                allow_redirects=False,
                timeout=self.timeout_seconds,
                proxies=_proxies(url),
                verify=self._verify,
            )
        except (OSError, ValueError, HTTPException) as error:
            return Exchange(method, url, hops=hops, failure=failure_of(error, host, self.timeout_seconds))
        with response:
            received = {name.lower(): value for name, value in response.headers.items()}
            body, cut, too_large = _read(response, 0 if method == "HEAD" else limit_bytes)
            return Exchange(method, url, response.status_code, received, body, hops, cut, too_large)

    def _open_session(self) -> requests.Session:
        """A session that trusts what the engine trusts, and takes no credentials from .netrc on its own."""
        if self._session is None:
            import requests

            session = requests.Session()
            session.trust_env = False
            session.headers.clear()
            session.headers["User-Agent"] = "decodedoctor"
            session.headers["Accept-Encoding"] = "identity"
            if self._verify:
                session.mount("https://", _adapter(self.host))
            else:
                _accept_silently()
            self._session = session
        return self._session


def is_local(host: str) -> bool:
    """True for a host (with or without port) that plain HTTP never leaves this machine for."""
    return (urlsplit(f"//{host}").hostname or "") in _LOCAL_HOSTS


def proxy_of(url: str) -> str:
    """The proxy that the environment names for `url`, without its credentials; empty if there is none."""
    proxy = _proxies(url).get(urlsplit(url).scheme, "")
    return proxy.rpartition("@")[2].rpartition("/")[2] if proxy else ""


def _proxies(url: str) -> dict[str, str]:
    import requests

    return {} if is_local(urlsplit(url).netloc) else dict(requests.utils.get_environ_proxies(url))


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2]


def _target(url: str, location: str) -> str:
    """Where a redirect leads, or nothing if it leads out of HTTP."""
    try:
        following = urljoin(url, location)
        return following if urlsplit(following).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _adapter(host: str) -> requests.adapters.HTTPAdapter:
    """An adapter whose TLS trusts the system's certificates and those laid down for the engine and this registry."""
    import ssl

    import requests

    context = ssl.create_default_context()
    for folder in _CERTIFICATE_FOLDERS:
        _trust_folder(context, folder / host)

    class SystemTrust(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **kwargs: Any) -> None:
            super().init_poolmanager(connections, maxsize, block, **kwargs, ssl_context=context)

    return SystemTrust()


def _trust_folder(context: ssl.SSLContext, folder: Path) -> None:
    try:
        for certificate in sorted(folder.glob("*.crt"))[:20]:
            context.load_verify_locations(certificate)
    except OSError:
        return


def _accept_silently() -> None:
    import urllib3

    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)


def _read(response: requests.Response, limit_bytes: int) -> tuple[bytes, bool, bool]:
    """The body as it came, whether it was cut, and whether there was more than `limit_bytes`."""
    from urllib3.exceptions import HTTPError

    chunks, size = list[bytes](), 0
    try:
        while size <= limit_bytes:
            chunk = response.raw.read(min(_CHUNK_BYTES, limit_bytes + 1 - size), decode_content=False)
            if not chunk:
                return b"".join(chunks), False, False
            chunks.append(chunk)
            size += len(chunk)
    except (HTTPError, OSError, ValueError) as error:
        partial = next((arg.partial for arg in error.args if isinstance(getattr(arg, "partial", None), bytes)), b"")
        return b"".join([*chunks, partial])[:limit_bytes], True, False
    return b"".join(chunks)[:limit_bytes], False, True

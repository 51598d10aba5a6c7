"""Why an exchange did not happen, told apart as a person has to act differently on each."""

from __future__ import annotations

import errno
import socket
import ssl
from enum import StrEnum

from msgspec import Struct

from diagnose.collectors.oci.text import neutral


class FailureKind(StrEnum):
    DNS = "dns"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RESET = "reset"
    PROXY = "proxy"
    PLAIN_HTTP = "plain-http"
    TLS_EXPIRED = "tls-expired"
    TLS_NOT_YET_VALID = "tls-not-yet-valid"
    TLS_UNTRUSTED = "tls-untrusted"
    TLS_WRONG_HOST = "tls-wrong-host"
    TLS = "tls"
    OTHER = "other"


class Failure(Struct, frozen=True):
    """`reason` is one sentence for people."""

    kind: FailureKind
    reason: str


_SENTENCES = {
    FailureKind.DNS: "the name {host} cannot be resolved",
    FailureKind.REFUSED: "{host} refuses the connection",
    FailureKind.UNREACHABLE: "there is no route to {host}",
    FailureKind.TIMEOUT: "{host} did not answer within {seconds:g} s",
    FailureKind.RESET: "{host} closed the connection without an answer",
    FailureKind.PROXY: "the proxy between here and {host} failed",
    FailureKind.PLAIN_HTTP: "{host} does not speak TLS (a plain HTTP registry?)",
    FailureKind.TLS_EXPIRED: "the certificate of {host} has expired by this host's clock",
    FailureKind.TLS_NOT_YET_VALID: "the certificate of {host} is not yet valid by this host's clock",
    FailureKind.TLS_UNTRUSTED: "the certificate of {host} was signed by nobody whom this host trusts",
    FailureKind.TLS_WRONG_HOST: "the certificate of {host} was issued for another name",
    FailureKind.TLS: "the TLS handshake with {host} failed",
    FailureKind.OTHER: "the exchange with {host} failed",
}

_CERTIFICATE_ERRORS = {
    9: FailureKind.TLS_NOT_YET_VALID,
    10: FailureKind.TLS_EXPIRED,
    18: FailureKind.TLS_UNTRUSTED,
    19: FailureKind.TLS_UNTRUSTED,
    20: FailureKind.TLS_UNTRUSTED,
    21: FailureKind.TLS_UNTRUSTED,
    62: FailureKind.TLS_WRONG_HOST,
    64: FailureKind.TLS_WRONG_HOST,
}
"""X509_V_ERR_* of OpenSSL's x509_vfy.h."""

_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST")


def failure_of(error: BaseException, host: str, seconds: float) -> Failure:
    """The failure behind an exception of the HTTP library, whose own classes hide it in chains."""
    chain = _chain(error)
    if any(type(link).__name__ == "ProxyError" for link in chain):
        return make_failure(FailureKind.PROXY, host, seconds)
    kind = next((kind for link in chain if (kind := _kind_of(link))), FailureKind.OTHER)
    return make_failure(kind, host, seconds)


def make_failure(kind: FailureKind, host: str, seconds: float = 0) -> Failure:
    """The failure of this kind, with its sentence."""
    return Failure(kind, neutral(_SENTENCES[kind].format(host=host, seconds=seconds)))


def _chain(error: BaseException) -> list[BaseException]:
    """An exception and all that lie behind it, the deepest first."""
    found: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting and len(found) < 50:
        link = waiting.pop()
        if isinstance(link, BaseException) and link not in found:
            found.append(link)
            waiting += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
    return found[::-1]


def _kind_of(error: BaseException) -> FailureKind | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE_ERRORS.get(error.verify_code, FailureKind.TLS)
    if isinstance(error, ssl.SSLError):
        return FailureKind.PLAIN_HTTP if _is_no_tls(error) else FailureKind.TLS
    if isinstance(error, socket.gaierror):
        return FailureKind.DNS
    if isinstance(error, ConnectionRefusedError):
        return FailureKind.REFUSED
    if isinstance(error, ConnectionError):
        return FailureKind.RESET
    if isinstance(error, OSError) and error.errno in _UNREACHABLE:
        return FailureKind.UNREACHABLE
    if isinstance(error, TimeoutError) or type(error).__name__ in ("ReadTimeoutError", "ConnectTimeoutError"):
        return FailureKind.TIMEOUT
    return None


def _is_no_tls(error: ssl.SSLError) -> bool:
    return any(mark in (error.reason or "") for mark in _NOT_TLS)

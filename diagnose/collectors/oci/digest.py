"""Content digests: OCI image-spec, descriptor.md, "Digests"."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

NOTHING = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The digest of zero bytes: whoever sees it got an empty body."""

_HEX_DIGITS = {"sha256": 64, "sha384": 96, "sha512": 128}
_FORM = re.compile(r"([a-z0-9]+(?:[+._-][a-z0-9]+)*):([a-zA-Z0-9=_-]+)")


def is_digest(text: str) -> bool:
    """True for a digest of a registered algorithm in its only legal spelling (lower-case hexadecimal)."""
    found = _FORM.fullmatch(text)
    if not found or found[1] not in _HEX_DIGITS:
        return False
    return len(found[2]) == _HEX_DIGITS[found[1]] and re.fullmatch(r"[0-9a-f]+", found[2]) is not None


def digest_of(body: bytes, algorithm: str = "sha256") -> str:
    """The digest of `body`, written as in a descriptor."""
    return f"{algorithm}:{hashlib.new(algorithm, body).hexdigest()}"


def digest_of_stream(chunks: Iterable[bytes], algorithm: str = "sha256") -> tuple[str, int]:
    """The digest and the number of bytes of a stream, which is read once and never held whole."""
    state, size_bytes = hashlib.new(algorithm), 0
    for chunk in chunks:
        state.update(chunk)
        size_bytes += len(chunk)
    return f"{algorithm}:{state.hexdigest()}", size_bytes


def algorithm_of(digest: str) -> str:
    """The algorithm of a digest that `is_digest` accepted."""
    return digest.partition(":")[0]


def matches(body: bytes, digest: str) -> bool:
    """True if `digest` is legal and is the digest of `body`."""
    return is_digest(digest) and digest_of(body, algorithm_of(digest)) == digest


def fallback_tag(digest: str) -> str:
    """The tag that holds a digest's referrers where the API is missing (distribution-spec, "Referrers Tag Schema")."""
    algorithm, _, encoded = digest.partition(":")
    return re.sub(r"[^A-Za-z0-9._-]", "-", f"{algorithm[:32]}-{encoded[:64]}")

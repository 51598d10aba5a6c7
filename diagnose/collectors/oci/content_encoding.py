"""Undoing a response's Content-Encoding the way a Go HTTP client does, errors included.

Sources: containerd core/remotes/docker/fetcher.go (`open`: which encodings, and that an error in their header counts
as an error of the host); Go compress/gzip and compress/flate for the texts.
"""

from __future__ import annotations

import re
import zlib

from msgspec import Struct

ACCEPT_ENCODING = "zstd;q=1.0, gzip;q=0.8, deflate;q=0.5"
"""What containerd asks for; a proxy may compress only because of it."""

_GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP = 31
_RAW_DEFLATE = -15
_GZIP_HEADER_BYTES = 10
_CHUNK_BYTES = 4096


class Decoded(Struct, frozen=True):
    """`body` is what could be read; `error` is what the reader says then, or at once if `at_start`.

    `ended` is true if the format marks its own end, so that nothing behind it is read. `not_decoded` says why this
    library could not look, while the engine could.
    """

    body: bytes = b""
    error: str = ""
    at_start: bool = False
    ended: bool = False
    not_decoded: str = ""


def undo(body: bytes, content_encoding: str, limit_bytes: int) -> Decoded:
    """At most `limit_bytes` of `body` without its encodings, of which there may be several in a row."""
    decoded = Decoded(body[:limit_bytes])
    for name in reversed([part for part in re.split(r"[ \t,]+", content_encoding.lower()) if part][:4]):
        if name == "identity":
            continue
        if name == "zstd":
            return Decoded(not_decoded="the answer is compressed with zstd")
        if name not in ("gzip", "deflate"):
            return Decoded(error=f"unsupported Content-Encoding algorithm: {name}", at_start=True)
        read = _gunzip if name == "gzip" else _inflate
        decoded = read(decoded.body, limit_bytes)
        if decoded.error:
            return decoded
    return decoded


def _gunzip(body: bytes, limit_bytes: int) -> Decoded:
    """All members of a gzip stream, since Go reads concatenated ones as one."""
    if len(body) < _GZIP_HEADER_BYTES:
        return Decoded(error="unexpected EOF" if body else "EOF", at_start=True)
    out, rest = b"", body
    while rest and len(out) < limit_bytes:
        if len(rest) < _GZIP_HEADER_BYTES:
            return Decoded(out, "unexpected EOF")
        if not rest.startswith(_GZIP_MAGIC):
            return Decoded(out, "gzip: invalid header", at_start=rest is body)
        piece, error, rest = _drain(zlib.decompressobj(_GZIP), rest, limit_bytes - len(out))
        out += piece
        if error:
            return Decoded(out, error)
    return Decoded(out)


def _inflate(body: bytes, limit_bytes: int) -> Decoded:
    out, error, _ = _drain(zlib.decompressobj(_RAW_DEFLATE), body, limit_bytes)
    return Decoded(out, error, ended=not error)


def _drain(inflater: zlib._Decompress, body: bytes, limit_bytes: int) -> tuple[bytes, str, bytes]:
    """Up to `limit_bytes` of one stream, the error at which it stopped, and what follows the stream."""
    pieces, size = list[bytes](), 0
    for start in range(0, len(body), _CHUNK_BYTES):
        chunk, before = body[start : start + _CHUNK_BYTES], inflater.copy()
        try:
            piece = inflater.decompress(chunk, limit_bytes - size)
        except zlib.error as error:
            pieces.append(_before_damage(before, chunk, limit_bytes - size))
            return b"".join(pieces), _go_text(str(error)), b""
        pieces.append(piece)
        size += len(piece)
        if inflater.eof:
            return b"".join(pieces), "", inflater.unused_data + body[start + _CHUNK_BYTES :]
        if size >= limit_bytes:
            return b"".join(pieces), "", b""
    return b"".join(pieces), "unexpected EOF", b""


def _before_damage(inflater: zlib._Decompress, chunk: bytes, limit_bytes: int) -> bytes:
    """What comes out before the byte at which a chunk is damaged: whoever reads the stream meets that first."""
    out = b""
    for position in range(len(chunk)):
        try:
            out += inflater.decompress(chunk[position : position + 1], max(limit_bytes - len(out), 1))
        except zlib.error:
            break
    return out[:limit_bytes]


def _go_text(text: str) -> str:
    if "incorrect data check" in text or "incorrect length check" in text:
        return "gzip: invalid checksum"
    return "gzip: invalid header" if "header" in text else "flate: corrupt input"

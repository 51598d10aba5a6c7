"""A stream of bytes as blocks of plain lines: decoded, without terminal escapes, structured records as their texts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Protocol

from diagnose.collectors.log.facts import FACTS
from diagnose.evidence import Evidence

BLOCK_BYTES = 256 << 10
"""Fits a processor's second cache together with the automaton: larger blocks are slower."""

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


class ByteStream(Protocol):
    """What is read: at most `size` bytes, b"" at the end. Raises OSError."""

    def read(self, size: int, /) -> bytes: ...


def read_blocks(stream: ByteStream, evidence: Evidence) -> Iterator[tuple[bytes, int]]:
    """Blocks that end at line ends, as UTF-8, each with the bytes read so far. Adds encoding and form to `evidence`.

    A line longer than a block is cut, since no pattern looks that far. Each read gives a block of the lines that it
    completes, so that a log that is still being written is seen as it comes.
    """
    first = stream.read(BLOCK_BYTES)
    encoding = _encoding(first)
    evidence.add(FACTS.known("log.encoding", encoding, where="byte 0"))
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)(errors="replace")
    plain: Callable[[bytes], bytes] = _plain
    size, carry, data = 0, b"", first
    while data:
        if not size and decoder is None and first.lstrip()[:1] == b"{":
            plain = _records_or_plain(first, evidence)
        size += len(data)
        if decoder is not None:
            data = decoder.decode(data).encode("utf-8", "replace")
        cut = data.rfind(b"\n") + 1
        if cut == 0 and len(carry) + len(data) < BLOCK_BYTES:
            carry += data
        else:
            cut = cut or len(data)
            yield plain(carry + data[:cut] if carry else data[:cut]), size
            carry = data[cut:]
        data = stream.read(BLOCK_BYTES)
    if carry:
        yield plain(carry), size


def _encoding(first: bytes) -> str:
    """utf-16 if a byte-order mark or the zeros of ASCII in UTF-16 say so, else utf-8, as which any other log passes."""
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = first[:512]
    if len(head) >= 16 and head.count(0) * 5 > len(head) * 2:
        zeros_at_odd = head[1::2].count(0)
        return "utf-16-le" if zeros_at_odd * 4 > len(head) else "utf-16-be"
    return "utf-8"


def _records_or_plain(first: bytes, evidence: Evidence) -> Callable[[bytes], bytes]:
    from diagnose.collectors.log.records import are_json_records, texts_of_records

    if not are_json_records(first):
        return _plain
    evidence.add(FACTS.known("log.records", "json", where="line 1"))
    return lambda block: _plain(texts_of_records(block))


def _plain(block: bytes) -> bytes:
    """Looks for one byte first each time: that is far faster than looking for two."""
    if b"\x1b" in block:
        block = _ESCAPES.sub(b"", block)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\\" in block:  # quotes within quotes, as loggers of key="value" pairs write them
        block = block.replace(b'\\"', b'"')
    return block

"""Logs: one pass over any number of bytes, in bounded memory, for all patterns at once.

What the patterns mean is not known here. They come from the rules by way of the pipeline.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from diagnose.evidence import Evidence, FactSpec, Hit, Repetition, Subject, Vocabulary
from diagnose.patterns import MAX_LINE_BYTES, PatternSet

BLOCK_BYTES = 256 << 10
"""Fits a processor's second cache together with the automaton: larger blocks are slower."""

HITS_KEPT = 64
"""Hits that are kept of each pattern, from the first on; the last one is kept as well, and all are counted."""

FACTS = Vocabulary(
    "log",
    FactSpec("log.size_bytes", "int", "length of the log", "bytes"),
    FactSpec("log.lines", "int", "number of lines of the log"),
    FactSpec("log.encoding", "str", "encoding in which the log is written, by its byte-order mark: utf-8 or utf-16"),
)

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_LINE_END = re.compile(rb"[\r\n]")


def collect(
    stream: BinaryIO, patterns: PatternSet, subject: Subject, on_progress: Callable[[int], None] | None = None
) -> Evidence:
    """The hits of `patterns` in the lines of `stream`, read to its end.

    `on_progress` is called with the number of bytes read so far. Raises OSError if the stream cannot be read.
    """
    evidence = Evidence(subject)
    scan = _Scan(patterns, evidence)
    size = 0
    for block, size in _blocks(stream, evidence):
        scan.block(block)
        if on_progress is not None:
            on_progress(size)
    scan.finish()
    evidence.add(FACTS.known("log.size_bytes", size))
    evidence.add(FACTS.known("log.lines", scan.line))
    evidence.looked_for(FACTS.names)
    return evidence


def _blocks(stream: BinaryIO, evidence: Evidence) -> Iterator[tuple[bytes, int]]:
    """Blocks that end at line ends, as UTF-8 without terminal escapes, each with the bytes read so far.

    A line longer than a block is cut, since no pattern looks further than `MAX_LINE_BYTES`.
    """
    first = stream.read(BLOCK_BYTES)
    encoding = _encoding(first)
    evidence.add(FACTS.known("log.encoding", encoding, where="byte 0"))
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)(errors="replace")
    size, carry, data = 0, b"", first
    while data:
        size += len(data)
        if decoder is not None:
            data = decoder.decode(data).encode("utf-8", "replace")
        cut = data.rfind(b"\n") + 1
        if cut == 0 and len(carry) + len(data) < BLOCK_BYTES:
            carry += data
        else:
            cut = cut or len(data)
            yield _plain(carry + data[:cut] if carry else data[:cut]), size
            carry = data[cut:]
        data = stream.read(BLOCK_BYTES)
    if carry:
        yield _plain(carry), size


def _encoding(first: bytes) -> str:
    """utf-16 if a byte-order mark or the zeros of ASCII in UTF-16 say so, else utf-8, as which any other log passes."""
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = first[:512]
    if len(head) >= 16 and head.count(0) * 5 > len(head) * 2:
        zeros_at_odd = head[1::2].count(0)
        return "utf-16-le" if zeros_at_odd * 4 > len(head) else "utf-16-be"
    return "utf-8"


def _plain(block: bytes) -> bytes:
    if b"\x1b" in block:
        block = _ESCAPES.sub(b"", block)
    if b"\r" in block:  # one byte is looked up far faster than two
        block = block.replace(b"\r\n", b"\n")
    return block


class _Scan:
    """The state of one pass: the line ends behind us, and which hits were seen."""

    def __init__(self, patterns: PatternSet, evidence: Evidence) -> None:
        self.patterns = patterns
        self.evidence = evidence
        self.line = 0
        self.unfinished = False
        self.last_hits: dict[int, Hit] = {}

    def block(self, block: bytes) -> None:
        """Records the hits of one block, which ends at a line end, at the end of the log, or within a long line."""
        skip_to: dict[int, int] = {}
        has_returns = b"\r" in block
        counted_to, line = 0, self.line

        def on_candidate(pattern: int, end: int) -> None:
            nonlocal counted_to, line
            if end <= skip_to.get(pattern, -1):
                return
            start = block.rfind(b"\n", 0, end) + 1
            stop = block.find(b"\n", end)
            stop = len(block) if stop == -1 else stop
            skip_to[pattern] = stop
            if has_returns:
                found = self._verify_parts(pattern, block[start:stop])
            elif stop - start > MAX_LINE_BYTES:
                window = max(start, end - MAX_LINE_BYTES // 2)
                skip_to[pattern] = min(stop, window + MAX_LINE_BYTES)
                found = self.patterns.verify(pattern, block[window : window + MAX_LINE_BYTES])
            else:
                found = self.patterns.verify(pattern, block[start:stop])
            if found is not None:
                if start > counted_to:
                    line += block.count(b"\n", counted_to, start)
                    counted_to = start
                self._record(pattern, line + 1, found)

        self.patterns.scan(block, on_candidate)
        self.line += block.count(b"\n")
        self.unfinished = not block.endswith(b"\n")

    def _verify_parts(self, pattern: int, line: bytes) -> re.Match[bytes] | None:
        """A progress bar overwrites its line with carriage returns: each state is a line of its own."""
        for part in _LINE_END.split(line[:MAX_LINE_BYTES]):
            found = self.patterns.verify(pattern, part)
            if found is not None:
                return found
        return None

    def _record(self, pattern: int, line: int, found: re.Match[bytes]) -> None:
        seen = self.evidence.repetitions.get(pattern)
        if seen is None:
            seen = self.evidence.repetitions[pattern] = Repetition(0, line, line)
        seen.count += 1
        seen.last_line = line
        if seen.count <= HITS_KEPT:
            self.evidence.hits.append(_hit(pattern, line, found))
        else:
            self.last_hits[pattern] = _hit(pattern, line, found)

    def finish(self) -> None:
        self.line += self.unfinished
        self.evidence.hits.extend(self.last_hits.values())
        self.evidence.hits.sort(key=lambda hit: (hit.line, hit.end))


def _hit(pattern: int, line: int, found: re.Match[bytes]) -> Hit:
    text = found.string
    captures = {name: _text(value) for name, value in found.groupdict().items() if value is not None}
    return Hit(pattern, line, _text(text), captures, found.start(), found.end())


def _text(data: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")

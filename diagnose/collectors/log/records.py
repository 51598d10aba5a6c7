"""Logs of JSON lines (Docker's json-file, Kubernetes, structured loggers): each record as its texts and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

MAX_DEPTH = 6
PROOF_LINES = 3
_decode = msgspec.json.Decoder().decode


def are_json_records(first: bytes) -> bool:
    """Whether the first lines are JSON objects that hold texts."""
    lines = [line for line in first[: 1 << 16].splitlines() if line.strip()]
    complete = lines[: max(1, min(PROOF_LINES, len(lines) - 1))]
    return bool(complete) and all(_texts(line) for line in complete)


def texts_of_records(block: bytes) -> bytes:
    """Each line of the block as the texts of its record; the number of lines stays.

    Texts of one record are parted by carriage returns, as the states of a progress bar are: lines of one line.
    """
    return b"\n".join(_line(line) for line in block.split(b"\n"))


def _line(line: bytes) -> bytes:
    texts = _texts(line)
    if not texts:
        return line
    joined = "\r".join(part for text in texts for part in text.splitlines())
    return joined.encode("utf-8", "replace")


def _texts(line: bytes) -> list[str]:
    if not line.lstrip().startswith(b"{"):
        return []
    try:
        record = _decode(line)
    except (msgspec.DecodeError, RecursionError):
        return []
    return list(_leaves(record, 0)) if isinstance(record, dict) else []


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        yield bytes(value).decode("utf-8", "replace")  # journald writes a message with control characters so
    elif depth < MAX_DEPTH and isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (int, float)) and not isinstance(item, bool):
                yield f"{key}: {item}"  # an error's code, an exit status
            else:
                yield from _leaves(item, depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, list):
        for item in value:
            yield from _leaves(item, depth + 1)

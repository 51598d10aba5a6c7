"""Pickles walked opcode by opcode and never loaded: protocol, the globals they name, whether they are whole.

The table of opcodes and the sizes of their arguments is the standard library's own (`pickletools`).
"""

from __future__ import annotations

import pickletools
import re
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct, field

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.reading import Cursor, CutError
from diagnose.evidence import Fact

_OPCODE_LIMIT = 300_000
_STRING_LIMIT_BYTES = 512
_GLOBALS_LIMIT = 500
_LINE_LIMIT_BYTES = 65536

_OPCODES = {ord(opcode.code): opcode for opcode in pickletools.opcodes}
_LENGTH_BYTES = {pickletools.TAKEN_FROM_ARGUMENT1: 1, pickletools.TAKEN_FROM_ARGUMENT4: 4,
                 pickletools.TAKEN_FROM_ARGUMENT4U: 4, pickletools.TAKEN_FROM_ARGUMENT8U: 8}  # fmt: skip
_STRINGS = frozenset(("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE", "SHORT_BINSTRING", "BINSTRING"))
_MEMO_WRITES = frozenset(("BINPUT", "LONG_BINPUT", "PUT", "MEMOIZE"))
_MEMO_READS = frozenset(("BINGET", "LONG_BINGET", "GET"))
_ARRAYS_INSIDE = "joblib.numpy_pickle"
"""joblib writes the bytes of arrays between the opcodes: there the walk must end."""

_TENSOR_MODULES = re.compile(
    r"torch(\._utils|\.storage|\.nn\.parameter|\._tensor)?|collections|_codecs|numpy\..*|numpy"
)


class PickleWalk(Struct):
    """What one pickle says. `end` is the byte behind its STOP, or None; `stopped` is why the walk ended before it."""

    protocol: int = 0
    globals: set[str] = field(default_factory=set)
    end: int | None = None
    stopped: str = ""
    bad_opcode_at: int | None = None


def read_pickle(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a file that holds a pickle."""
    walk = walk_pickle(Cursor(file, size_bytes))
    yield from global_facts(walk)
    if walk.bad_opcode_at is not None:
        yield damage("bad-opcode", walk.bad_opcode_at)
    elif walk.stopped:
        yield FACTS.not_checked("artefact.truncated", walk.stopped)
    else:
        yield FACTS.known("artefact.truncated", walk.end is None, f"byte {size_bytes}")


def read_torch_legacy(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a file that torch.save wrote before 1.6: magic, protocol, system, object and list of storages.

    The storages' sizes stand only in the objects, so that a cut behind the pickles is not seen unless the very first
    element count is gone too.
    """
    cursor = Cursor(file, size_bytes)
    for part in ("magic", "protocol", "system", "object", "storages"):
        walk = walk_pickle(cursor)
        if part == "object":
            yield from global_facts(walk)
        if walk.bad_opcode_at is not None:
            yield damage("bad-opcode", walk.bad_opcode_at, part)
            return
        if walk.stopped:
            yield FACTS.not_checked("artefact.truncated", walk.stopped)
            return
        if walk.end is None:
            yield FACTS.known("artefact.truncated", True, f"byte {size_bytes}", part)
            return
        cursor.at = walk.end
    yield FACTS.not_checked("artefact.truncated", "the sizes of storages are known only to who loads the objects")


def global_facts(walk: PickleWalk) -> Iterator[Fact]:
    """The facts on a pickle's protocol and globals."""
    yield FACTS.known("artefact.pickle_protocol", walk.protocol)
    if walk.globals:
        yield FACTS.known("artefact.pickle_globals", sorted(walk.globals))
        foreign = sorted(name for name in walk.globals if not _is_tensor_global(name))
        if foreign:
            yield FACTS.known("artefact.pickle_foreign_globals", foreign)


def _is_tensor_global(name: str) -> bool:
    return _TENSOR_MODULES.fullmatch(name.rpartition(".")[0]) is not None


def walk_pickle(cursor: Cursor) -> PickleWalk:
    """Walk from the cursor to the pickle's STOP. Never raises."""
    walk = PickleWalk()
    strings = _Strings()
    try:
        for _ in range(_OPCODE_LIMIT):
            at = cursor.at
            opcode = _OPCODES.get(cursor.read(1)[0])
            if opcode is None:
                walk.bad_opcode_at = at
                return walk
            argument = _read_argument(cursor, opcode)
            if opcode.name == "STOP":
                walk.end = cursor.at
                return walk
            if opcode.name == "PROTO":
                walk.protocol = argument[0]
            named = strings.follow(opcode.name, argument)
            if named and len(walk.globals) < _GLOBALS_LIMIT:
                walk.globals.add(named)
                if named.startswith(_ARRAYS_INSIDE):
                    walk.stopped = "joblib writes arrays between the opcodes of the pickle"
                    return walk
    except CutError:
        return walk
    walk.stopped = f"more than {_OPCODE_LIMIT} opcodes"
    return walk


def _read_argument(cursor: Cursor, opcode: pickletools.OpcodeInfo) -> bytes:
    """The argument's bytes, of a long one the first; the cursor goes behind it."""
    if opcode.arg is None:
        return b""
    size = opcode.arg.n
    if size == pickletools.UP_TO_NEWLINE:
        line = _read_line(cursor)
        return line + b"\n" + _read_line(cursor) if opcode.name in ("GLOBAL", "INST") else line
    if size in _LENGTH_BYTES:
        size = int.from_bytes(cursor.read(_LENGTH_BYTES[size]), "little")
    kept = cursor.peek(min(size, _STRING_LIMIT_BYTES))
    cursor.skip(size)
    return kept


def _read_line(cursor: Cursor) -> bytes:
    window = cursor.peek(min(_LINE_LIMIT_BYTES, cursor.size_bytes - cursor.at))
    end = window.find(b"\n")
    if end < 0:
        raise CutError(cursor.at, cursor.at + len(window) + 1)
    cursor.skip(end + 1)
    return window[:end]


class _Strings:
    """The last strings on the stack and in the memo: what STACK_GLOBAL takes its module and name from."""

    def __init__(self) -> None:
        self._last: list[str] = []
        self._memo: dict[int, str] = {}
        self._memoized = 0

    def follow(self, opcode: str, argument: bytes) -> str:
        """Take note of an opcode; returns the global that it names, if it does."""
        if opcode in ("GLOBAL", "INST"):
            return argument.decode("utf-8", "replace").replace("\n", ".")
        if opcode == "STACK_GLOBAL":
            return ".".join(self._last[-2:])
        if opcode in _STRINGS:
            self._push(argument.decode("utf-8", "replace"))
        elif opcode in _MEMO_WRITES:
            self._remember(opcode, argument)
        elif opcode in _MEMO_READS and (index := _index(opcode, argument)) in self._memo:
            self._push(self._memo[index])
        return ""

    def _push(self, text: str) -> None:
        self._last = [*self._last[-1:], text]

    def _remember(self, opcode: str, argument: bytes) -> None:
        index = self._memoized if opcode == "MEMOIZE" else _index(opcode, argument)
        self._memoized += opcode == "MEMOIZE"
        if self._last:
            self._memo[index] = self._last[-1]


def _index(opcode: str, argument: bytes) -> int:
    if opcode in ("PUT", "GET"):
        return int(argument) if argument[:10].isdigit() and len(argument) <= 10 else -1
    return int.from_bytes(argument, "little")

"""PyTorch's out-of-memory message: its figures say whether the card is full, held by others, or in pieces.

The message ends with a hint at the allocator whatever the cause (pytorch#173049), so only the figures decide:
`Tried to allocate 1.69 GiB (GPU 0; 14.56 GiB total capacity; 650 MiB already allocated; 1.31 GiB free; 1.01 GiB
reserved in total by PyTorch)` leaves 12.24 GiB that are neither free nor this process's: another process holds them.
"""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.derivations.stated import GIB, MIB, add, fact_at, line_of, mib, size_bytes, text_at
from diagnose.evidence import Evidence, Fact

CONTEXT_BYTES = 768 * MIB
"""What a CUDA context and its libraries take outside PyTorch's own pools: 300 to 700 MiB on current cards."""

IDLE_RESERVE_BYTES = 500 * MIB
"""A reserve below this stands in every message of a full card; only more than this speaks for fragmentation."""


@dataclass(frozen=True)
class Shortage:
    """The figures of one message, in bytes; a figure that it does not state is 0, `total` and `free` are None."""

    asked: int
    total: int | None
    free: int | None
    allocated: int
    reserved: int
    """All of PyTorch's pools, with what is allocated in them."""
    process: int
    """All that this process holds, where newer releases state it."""

    @property
    def unused(self) -> int:
        """Reserved by PyTorch without tensors in it."""
        return max(0, self.reserved - self.allocated)

    @property
    def elsewhere(self) -> int:
        """Neither free nor this process's."""
        if self.total is None or self.free is None or not self.reserved:
            return 0
        return max(0, self.total - self.free - max(self.process, self.reserved + CONTEXT_BYTES))


def derive(evidence: Evidence) -> None:
    """Adds derived.torch_shortage for each message of the log."""
    for asked in evidence.known("log.torch_asked"):
        shortage = _shortage(evidence, asked)
        if shortage is not None:
            kind, text = kind_of(shortage)
            add(evidence, "derived.torch_shortage", kind, asked, text)


def kind_of(shortage: Shortage) -> tuple[str, str]:
    """What the figures say (beyond-device, held-elsewhere, in-pieces, full, unknown), and the sum that shows it."""
    asked, total, free = shortage.asked, shortage.total, shortage.free
    if total is not None and asked > total:
        return "beyond-device", f"{mib(asked)} asked of a device of {mib(total)}"
    if free is not None and free >= asked:
        return "in-pieces", f"{mib(free)} free, {mib(asked)} asked"
    if total is not None and shortage.elsewhere > max(GIB, total // 2):
        return "held-elsewhere", f"{mib(shortage.elsewhere)} of {mib(total)} are neither free nor this process's"
    if shortage.unused >= max(IDLE_RESERVE_BYTES, asked // 4) and shortage.unused + (free or 0) >= asked:
        return "in-pieces", f"{mib(shortage.unused)} reserved without tensors, {mib(asked)} asked"
    if total is not None and shortage.elsewhere > max(GIB, total // 4):
        return "held-elsewhere", f"{mib(shortage.elsewhere)} of {mib(total)} are neither free nor this process's"
    if shortage.allocated:
        return "full", f"{mib(shortage.allocated)} live, {mib(asked)} asked"
    return "unknown", ""


def _shortage(evidence: Evidence, fact: Fact) -> Shortage | None:
    """The figures that stand with this one, in its line or in those that belong to it."""
    asked = size_bytes(str(fact.value))
    if not asked:
        return None
    line = line_of(fact)

    def stated(name: str) -> int | None:
        near = fact_at(evidence, name, line + 5)
        return size_bytes(text_at(evidence, name, line + 5)) if near and abs(line_of(near) - line) <= 5 else None

    allocated = stated("log.torch_allocated") or 0
    reserved = stated("log.torch_reserved") or allocated + (stated("log.torch_unallocated") or 0)
    return Shortage(
        asked=asked,
        total=stated("log.torch_total"),
        free=stated("log.torch_free"),
        allocated=allocated,
        reserved=reserved,
        process=stated("log.torch_process") or 0,
    )

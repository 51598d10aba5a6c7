"""What is known of a JPEG stream at one point of its walk: frame, tables, restart interval, scans."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Findings

UNSEEN = -1


class Segment(Struct, frozen=True):
    """A marker segment: `offset` is its FF byte, its parameters lie from `start` to `end` (absolute offsets)."""

    marker: int
    offset: int
    start: int
    end: int


class Component(Struct, frozen=True):
    """A colour component of the frame header (T.81 B.2.2)."""

    id: int
    horizontal: int
    vertical: int
    quantisation: int


class Frame(Struct, frozen=True):
    """A frame header. `lossless` frames have data units of one sample instead of 8 by 8."""

    marker: int
    offset: int
    precision: int
    width: int
    height: int
    components: tuple[Component, ...]
    progressive: bool
    lossless: bool
    arithmetic: bool

    @property
    def max_horizontal(self) -> int:
        return max(component.horizontal for component in self.components)

    @property
    def max_vertical(self) -> int:
        return max(component.vertical for component in self.components)


class HuffmanTable(Struct, frozen=True):
    """`zero_symbol` is what the code of nothing but zero bits means; None where the table has no code.

    `block_runs` says that it has symbols for runs of ended blocks (EOBn, T.81 G.1.2.2).
    """

    zero_symbol: int | None
    block_runs: bool = False


class ScanComponent(Struct, frozen=True):
    component: Component
    dc_table: int
    ac_table: int


class Scan(Struct, frozen=True):
    """A scan header (T.81 B.2.3); its entropy-coded data start at `start`."""

    offset: int
    start: int
    components: tuple[ScanComponent, ...]
    spectral_start: int
    spectral_end: int
    high: int
    low: int


@dataclass
class JpegState:
    data: Content
    found: Findings
    base: int = 0
    frame: Frame | None = None
    huffman: dict[tuple[int, int], HuffmanTable] = field(default_factory=dict)
    quantisation: set[int] = field(default_factory=set)
    restart_interval: int = 0
    scans: int = 0
    scanned: set[int] = field(default_factory=set)
    approximations: dict[int, list[int]] = field(default_factory=dict)
    adobe_transform: int | None = None
    jfif: bool = False
    icc_chunks: list[tuple[int, int, int, int]] = field(default_factory=list)
    pictures: list[tuple[int, int]] = field(default_factory=list)

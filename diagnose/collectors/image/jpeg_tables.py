"""Quantisation and Huffman tables of a JPEG stream (ITU-T T.81 B.2.4)."""

from __future__ import annotations

from functools import lru_cache

from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.jpeg_state import HuffmanTable, JpegState, Segment

MAX_CODE_LENGTH = 16
DC, AC = 0, 1
EOB_RUNS = frozenset(range(0x10, 0xF0, 0x10))
"""Symbols EOB1 to EOB14 of progressive AC tables."""


def read_quantisation_tables(state: JpegState, segment: Segment) -> None:
    """DQT: any number of tables of 64 values, 8 or 16 bits wide."""
    position = segment.start
    while position < segment.end:
        precision, number = divmod(state.data[position], 16)
        size = 128 if precision else 64
        if precision > 1 or number > 3:
            _bad(state, position, f"quantisation table with precision {precision} and number {number}")
            return
        if position + 1 + size > segment.end:
            _bad(state, position, "the segment ends inside a quantisation table")
            return
        values = state.data[position + 1 : position + 1 + size]
        _check_divisors(state, position, values, precision)
        if precision:
            state.found.feature("16-bit-quantisation", "a quantisation table of 16-bit values")
        state.quantisation.add(number)
        position += 1 + size


def _check_divisors(state: JpegState, position: int, values: bytes, precision: int) -> None:
    divisors = memoryview(values).cast("H").tolist() if precision else values
    if 0 in divisors:
        _bad(state, position, f"{divisors.count(0)} of 64 quantisation values are 0, which the format forbids")


def read_huffman_tables(state: JpegState, segment: Segment) -> None:
    """DHT: any number of tables, each 16 counts of codes by length and the symbols in order."""
    tables, faults = _parsed_huffman(state.data[segment.start : segment.end])
    for place, table in tables:
        state.huffman[place] = table
    for offset, fault in faults:
        _bad(state, segment.start + offset, fault)


_Huffman = tuple[tuple[tuple[int, int], HuffmanTable], ...]


@lru_cache(maxsize=256)
def _parsed_huffman(content: bytes) -> tuple[_Huffman, tuple[tuple[int, str], ...]]:
    """Tables by class and number, and faults by offset. Most files have the tables of annex K, hence the cache."""
    tables: list[tuple[tuple[int, int], HuffmanTable]] = []
    faults: list[tuple[int, str]] = []
    position = 0
    while position < len(content):
        table_class, number = divmod(content[position], 16)
        counts = content[position + 1 : position + 1 + MAX_CODE_LENGTH]
        first = position + 1 + MAX_CODE_LENGTH
        end = first + sum(counts)
        fatal = ""
        if table_class > 1 or number > 3:
            fatal = f"Huffman table of class {table_class} and number {number}"
        elif len(counts) < MAX_CODE_LENGTH:
            fatal = "the segment ends inside a Huffman table"
        elif end - first > 256 or end > len(content):
            fatal = f"a Huffman table with {end - first} symbols does not fit its segment"
        if fatal:
            faults.append((position, fatal))
            break
        symbols = content[first:end]
        fault = _fault_of_codes(counts, symbols, table_class)
        if fault:
            faults.append((position, fault))
        zero_symbol = symbols[0] if symbols else None
        block_runs = table_class == AC and not EOB_RUNS.isdisjoint(symbols)
        tables.append(((table_class, number), HuffmanTable(zero_symbol, block_runs)))
        position = end
    return tuple(tables), tuple(faults)


def _fault_of_codes(counts: bytes, symbols: bytes, table_class: int) -> str:
    """What is wrong with a table, or an empty string."""
    code = 0
    for length, count in enumerate(counts, start=1):
        code += count
        # A code of nothing but one bits is reserved (T.81 C.2), so the next free code must still fit the length.
        if count and code >= 1 << length:
            return f"a Huffman table has more codes of {length} bits than there are"
        code <<= 1
    if table_class == DC and symbols and max(symbols) > MAX_CODE_LENGTH:
        return f"a Huffman table for DC has the symbol {max(symbols)}"
    return ""


def _bad(state: JpegState, position: int, text: str) -> None:
    state.found.damage(Damage.BAD_TABLE, position, text)

"""Application segments of a JPEG stream: JFIF, EXIF, ICC, Adobe, multi-picture format, gain maps."""

from __future__ import annotations

import struct

from diagnose.collectors.image.content import CutShort
from diagnose.collectors.image.exif import read_exif, read_xmp
from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.icc import read_icc
from diagnose.collectors.image.ifd import IfdReader
from diagnose.collectors.image.jpeg_state import JpegState, Segment

JFIF, EXIF, ICC = b"JFIF\0", b"Exif\0", b"ICC_PROFILE\0"
ADOBE, MULTI_PICTURE, XMP = b"Adobe", b"MPF\0", b"http://ns.adobe.com/xap/1.0/\0"
GAIN_MAPS = (b"urn:iso:std:iso:ts:21496:-1", b"hdrgm:Version")

_MPF_ENTRIES = 0xB002
_MPF_ENTRY_BYTES = 16
MAX_PICTURES = 64


def read_application(state: JpegState, segment: Segment) -> None:
    """APPn: keeps what matters for decoding, and checks what does not."""
    head = state.data[segment.start : min(segment.end, segment.start + 32)]
    if segment.marker == 0xE0 and head.startswith(JFIF):
        state.jfif = True
    elif segment.marker == 0xE1 and head.startswith(EXIF):
        read_exif(state.data, segment.start + 6, segment.end, state.found)
    elif segment.marker == 0xE1 and head.startswith(XMP):
        _look_for_gain_map(state, segment)
        read_xmp(state.data, segment.start, segment.end, state.found)
    elif segment.marker == 0xE2 and head.startswith(ICC):
        _keep_icc_chunk(state, segment)
    elif segment.marker == 0xE2 and head.startswith(MULTI_PICTURE):
        _read_multi_picture(state, segment)
    elif segment.marker == 0xE2:
        _look_for_gain_map(state, segment)
    elif segment.marker == 0xEE and head.startswith(ADOBE):
        _read_adobe(state, segment)


def _look_for_gain_map(state: JpegState, segment: Segment) -> None:
    if any(state.data.find(mark, segment.start, segment.end) >= 0 for mark in GAIN_MAPS):
        state.found.feature("gain-map", "the file carries an HDR gain map (Ultra HDR)")


def _keep_icc_chunk(state: JpegState, segment: Segment) -> None:
    number_at = segment.start + len(ICC)
    if segment.end - number_at < 2:
        state.found.metadata_damage(Damage.TRUNCATED, segment.offset, "an ICC segment without number")
        return
    number, count = state.data[number_at : number_at + 2]
    state.icc_chunks.append((number, count, number_at + 2, segment.end))


def _read_adobe(state: JpegState, segment: Segment) -> None:
    if segment.end - segment.start < 12:
        text = f"the Adobe segment has {segment.end - segment.start} bytes instead of 12"
        state.found.metadata_damage(Damage.TRUNCATED, segment.offset, text)
        return
    state.adobe_transform = state.data[segment.start + 11]
    state.found.know("jpeg.adobe_transform", state.adobe_transform, segment.offset)


def _read_multi_picture(state: JpegState, segment: Segment) -> None:
    base = segment.start + len(MULTI_PICTURE)
    try:
        reader = IfdReader(state.data, base, segment.end)
        entry = reader.directory(reader.first).find(_MPF_ENTRIES)
        if entry is None:
            return
        count = min(entry.count // _MPF_ENTRY_BYTES, MAX_PICTURES)
        for i in range(count):
            at = entry.value_offset + i * _MPF_ENTRY_BYTES
            if at + _MPF_ENTRY_BYTES > segment.end:
                raise CutShort(at, _MPF_ENTRY_BYTES, segment.end)
            _, size, offset = struct.unpack_from(reader.order + "III", state.data, at)
            state.pictures.append((base + offset if offset else state.base, size))
    except ValueError as error:
        state.found.metadata_damage(Damage.BAD_HEADER, base, f"the multi-picture index does not start as TIFF: {error}")
    except CutShort as cut:
        text = "the multi-picture index reaches past the end of its segment"
        state.found.metadata_damage(Damage.BAD_OFFSET, cut.offset, text)


def check_icc_chunks(state: JpegState) -> None:
    """Puts the ICC profile together from its segments (ICC.1:2022 annex B.4)."""
    if not state.icc_chunks:
        return
    chunks = sorted(state.icc_chunks)
    at = chunks[0][2]
    if [number for number, *_ in chunks] != list(range(1, chunks[0][1] + 1)):
        state.found.know("image.has_icc", True, at)
        numbers = ", ".join(str(number) for number, *_ in chunks[:16])
        text = f"of the ICC profile's {chunks[0][1]} segments there are {numbers}"
        state.found.metadata_damage(Damage.MISSING_SEGMENT, at, text)
        return
    read_icc(b"".join(state.data[start:end] for _, _, start, end in chunks), at, state.found)


def check_pictures(state: JpegState) -> None:
    """Whether each picture of the multi-picture index is where it says."""
    if len(state.pictures) < 2:
        return
    state.found.know("image.frames", len(state.pictures))
    state.found.feature(
        "multi-picture", f"{len(state.pictures)} pictures in one file (MPO); most decoders see the first"
    )
    for offset, size in state.pictures[1:]:
        if state.data[offset : offset + 2] != b"\xff\xd8":
            state.found.irregular(Damage.BAD_OFFSET, offset, "no JPEG stands where the multi-picture index says")
        elif offset + size > len(state.data):
            missing = offset + size - len(state.data)
            text = f"a further picture of the file lacks its last {missing} bytes"
            state.found.damage(Damage.TRUNCATED, len(state.data), text)
            state.found.know("image.missing_bytes", missing, len(state.data))

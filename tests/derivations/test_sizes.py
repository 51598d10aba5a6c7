"""Sizes: cut transfers, counts that are none, tensors, frames, pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.sizes import absurdity, cut_block
from diagnose.evidence import Evidence, Value

FromLog = Callable[[str], Evidence]


@pytest.mark.parametrize(
    ("text", "missing", "block"),
    [
        pytest.param("IncompleteRead(8388608 bytes read, 1611392 more expected)", 1611392, 1 << 23, id="Python, 8 MiB"),
        pytest.param("retrieval incomplete: got only 1234567 out of 5000000 bytes", 3765433, None, id="urllib"),
        pytest.param("file should be of size 4920734944 but has size 1073741824", 3846993120, 1 << 30, id="hub"),
        pytest.param("failed size validation: 131072 != 200000: failed precondition", 68928, 1 << 17, id="containerd"),
        pytest.param("expected 200000 bytes, got 200000", None, None, id="all came"),
    ],
)
def test_cut_transfers(text: str, missing: int | None, block: int | None, from_log: FromLog) -> None:
    evidence = from_log(f"error: {text}\n")
    assert evidence.value("derived.bytes_missing") == missing
    assert evidence.value("derived.cut_at_block_bytes") == block


@pytest.mark.parametrize(
    ("size", "block"), [(0, 0), (4095, 0), (4096, 4096), (12288, 4096), (65536, 65536), (1234567, 0), (-4096, 0)]
)
def test_a_transfer_ends_at_a_block_of_4096_or_more(size: int, block: int) -> None:
    assert cut_block(size) == block


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        pytest.param(4585490524328388608, "float-bits", id="bits of 0.037, onnxruntime#22702"),
        pytest.param(18446744073709551608, "negative", id="-8"),
        pytest.param(2**60 + 12345, "too-large", id="2^60"),
        pytest.param(2**70, "too-large", id="more than 64 bits"),
        pytest.param(137438953504, "", id="128 GiB are possible"),
        pytest.param(-8, "", id="negative as printed"),
    ],
)
def test_sizes_that_are_none(size: int, kind: str) -> None:
    assert absurdity(size).partition(":")[0] == kind


def test_negative_size_is_told_as_what_it_is(from_log: FromLog) -> None:
    (fact,) = from_log("failed to allocate buffer of size 18446744073709551608\n").known("derived.absurd_size")
    assert fact.text == "negative: 18446744073709551608 is -8 read as unsigned"


def test_tensor_of_tensorflow_is_the_product_of_its_shape(from_log: FromLog) -> None:
    evidence = from_log("OOM when allocating tensor with shape[64,512,112,112] and type half on /GPU:0\n")
    assert evidence.value("derived.tensor_bytes") == 64 * 512 * 112 * 112 * 2
    assert evidence.value("derived.tensor_batch") == 64


def test_pages_are_4096_bytes(from_log: FromLog) -> None:
    evidence = from_log("cma: cma_alloc: alloc failed, req-size: 2025 pages, ret: -12\n")
    assert evidence.value("derived.contiguous_bytes") == 8294400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Stream #0:0: Video: h264 (High), yuv420p, 4096x2304 [SAR 1:1], 25 fps", (4096 * 2304, 4096, False, 36864)
        ),
        pytest.param("decoder: resolution: 7681x4320 is not supported", (7681 * 4320, 7681, True, 481 * 270)),
        pytest.param("decode of 10x10 blocks failed", (None, None, None, None)),
    ],
)
def test_frames(text: str, expected: tuple[Value | None, ...], from_log: FromLog) -> None:
    evidence = from_log(text + "\n")
    names = ("frame_pixels", "frame_longest_side", "frame_sides_odd", "frame_macroblocks")
    assert tuple(evidence.value(f"derived.{name}") for name in names) == expected


def test_share_of_the_gpu_that_was_asked_for(from_log: FromLog) -> None:
    evidence = from_log("CUDA out of memory. Tried to allocate 44.00 GiB. GPU 0 has a total capacity of 22.00 GiB of\n")
    assert evidence.value("derived.allocation_share") == 2.0

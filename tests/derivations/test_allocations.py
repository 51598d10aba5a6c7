"""A failed allocation names its buffer by its size, and says what would fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.allocations import largest_context
from diagnose.evidence import Evidence, Value

MIB = 1 << 20

FromFacts = Callable[..., Evidence]
FromLog = Callable[[str], Evidence]

SHAPE: tuple[tuple[str, Value], ...] = (
    ("log.n_layer", 32),
    ("log.n_head", 32),
    ("log.n_embd_k_gqa", 1024),
    ("log.n_embd_v_gqa", 1024),
)
WEIGHTS: tuple[tuple[str, Value], ...] = (("log.model_size", "4.58 GiB"),)


def failed(size: int, *facts: tuple[str, Value]) -> tuple[tuple[str, Value], ...]:
    return (*facts, ("log.failed_allocation_bytes", size))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param(failed(1024 * MIB, *SHAPE, ("log.n_ctx", 8192)), "kv", id="whole cache"),
        pytest.param(failed(137438953504, *SHAPE, ("log.n_ctx", 1048576)), "kv", id="1M tokens + 32, llama.cpp#8101"),
        pytest.param(failed(137438953504, ("log.n_ctx", 1048576)), "kv", id="the same without a shape"),
        pytest.param(failed(384 * MIB, *SHAPE, ("log.n_ctx", 8192)), "kv", id="12 of 32 layers on this device"),
        pytest.param(failed(16384 * MIB, *SHAPE), "kv", id="context not stated, 131072 tokens"),
        pytest.param(failed(560 * MIB, *SHAPE, ("log.n_ctx", 8192)), "compute", id="scores of 512 MiB and the rest"),
        pytest.param(
            failed(139_200_000_000, ("log.n_head", 40), ("log.n_ubatch", 6500), ("log.n_ctx", 131072)),
            "compute",
            id="micro-batch of 6500, llama.cpp#10251",
        ),
        pytest.param(
            failed(9332334592, ("log.n_head", 128), ("log.n_ctx", 32768)), "compute", id="128 heads, ik_llama.cpp#235"
        ),
        pytest.param(
            failed(4_617_400_000, *WEIGHTS, *SHAPE, ("log.n_ctx", 8192)), "weights", id="4403.49 of 4689.92 MiB"
        ),
        pytest.param(failed(750 * MIB + 1, *SHAPE, ("log.n_ctx", 8192)), "unknown", id="none of them"),
        pytest.param(failed(1024 * MIB), None, id="nothing to compare it with"),
        pytest.param(failed(34359738368, ("log.n_ctx", 262144)), None, id="round size alone proves nothing"),
    ],
)
def test_buffer_is_known_by_its_size(
    facts: tuple[tuple[str, Value], ...], expected: str | None, from_facts: FromFacts
) -> None:
    assert from_facts(*facts).value("derived.failed_buffer") == expected


def test_flash_attention_leaves_no_scores_to_fail(from_facts: FromFacts) -> None:
    evidence = from_facts(*failed(560 * MIB, *SHAPE, ("log.flash_attention", "enabled"), ("log.n_ctx", 8192)))
    assert evidence.value("derived.failed_buffer") == "unknown"


def test_weights_that_were_loaded_before_are_not_what_failed(from_facts: FromFacts) -> None:
    loaded = ("log.device_weights_mib", 4403.49)
    evidence = from_facts(*failed(4480 * MIB, *WEIGHTS, *SHAPE, loaded, ("log.n_ctx", 65536)))
    assert evidence.value("derived.failed_buffer") == "compute"


def test_each_failure_is_compared_with_the_settings_that_stood_before_it(from_facts: FromFacts) -> None:
    first = failed(1024 * MIB, *SHAPE, ("log.n_ctx", 8192))
    second = failed(512 * MIB, ("log.n_ctx", 4096))
    (fact,) = from_facts(*first, *second).known("derived.failed_buffer")
    assert (fact.value, fact.where) == ("kv", "line 6")
    unlike = failed(700 * MIB + 5, ("log.n_ctx", 4096))
    assert [f.value for f in from_facts(*first, *unlike).known("derived.failed_buffer")] == ["kv", "unknown"]


CUDA = """
llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3060) - 11827 MiB free
print_info: n_layer          = 32
print_info: n_head           = 32
print_info: n_embd_k_gqa     = 1024
print_info: n_embd_v_gqa     = 1024
print_info: file size   = 4.58 GiB (4.89 BPW)
load_tensors: offloaded 33/33 layers to GPU
load_tensors:        CUDA0 model buffer size =  4403.49 MiB
load_tensors:   CPU_Mapped model buffer size =   281.81 MiB
llama_context: n_ctx         = 131072
llama_context: flash_attn    = enabled
ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc failed: out of memory
"""


def test_context_that_fits_leaves_room_for_weights_and_reserve(from_log: FromLog) -> None:
    fits = from_log(CUDA).value("derived.largest_context_that_fits")
    assert isinstance(fits, int)
    taken = 4403.49 * MIB + fits * (131072 + 512 * 2) + 512 * MIB
    assert taken <= 11827 * MIB < taken + 256 * 132096
    assert fits % 256 == 0


def test_layers_that_fit_take_their_part_of_weights_and_cache(from_log: FromLog) -> None:
    layers = from_log(CUDA).value("derived.layers_that_fit")
    assert isinstance(layers, int)
    each = (4.58 * 1024 + 16384) * MIB / 33
    assert layers * each <= 11827 * MIB - 512 * MIB - 131072 * 1024 < (layers + 1) * each


def test_macos_lets_phi_35_have_a_context_short_of_its_training_length(from_log: FromLog) -> None:
    """llama.cpp#9112: 49152 MiB for the GPU, 49152 MiB of cache, 8484 MiB of compute buffer."""
    evidence = from_log(
        "llm_load_tensors:      Metal buffer size =  3772.58 MiB\n"
        "llama_new_context_with_model: n_ctx      = 131072\n"
        "ggml_metal_init: recommendedMaxWorkingSetSize  = 51539.61 MB\n"
        "llama_new_context_with_model: KV self size  = 49152.00 MiB, K (f16): 24576.00 MiB, V (f16): 24576.00 MiB\n"
        "llama_new_context_with_model:      Metal compute buffer size =  8484.00 MiB\n"
    )
    fits = evidence.value("derived.largest_context_that_fits")
    assert isinstance(fits, int)
    assert 3772.58 + 512 + fits * (49152 + 8484) / 131072 == pytest.approx(51539.61e6 / MIB, abs=130)


def test_windowed_cache_is_counted_once(from_log: FromLog) -> None:
    """Gemma's two caches: 10 layers for the whole context, 52 for a window."""
    evidence = from_log(
        "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 4090) - 20000 MiB free\n"
        "load_tensors:        CUDA0 model buffer size =  15000.00 MiB\n"
        "llama_context: n_ctx         = 65536\n"
        "llama_context: flash_attn    = enabled\n"
        "llama_kv_cache_unified: size = 5120.00 MiB ( 65536 cells,  10 layers,  1 seqs), K (f16): 2560.00 MiB\n"
        "llama_kv_cache_unified: size =  624.00 MiB (  1536 cells,  52 layers,  1 seqs), K (f16):  312.00 MiB\n"
    )
    fits = evidence.value("derived.largest_context_that_fits")
    assert isinstance(fits, int)
    room = (20000 - 15000 - 512 - 624) * MIB
    assert fits == room // (81920 + 1024) // 256 * 256


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("n_ctx         = 131072", "n_ctx         = 4096"), id="what was asked for fits"),
        pytest.param((" - 11827 MiB free", ""), id="free memory unknown"),
        pytest.param(("11827 MiB free", "4700 MiB free"), id="not even a short one fits"),
        pytest.param(
            ("11827 MiB free", "9000 MiB free\n  CUDA0: (8000 MiB, 9000 MiB free)"), id="more free than there is"
        ),
    ],
)
def test_no_context_is_suggested(change: tuple[str, str], from_log: FromLog) -> None:
    assert from_log(CUDA.replace(*change)).value("derived.largest_context_that_fits") is None


def test_a_buffer_of_the_cpu_is_not_measured_by_the_gpu(from_log: FromLog) -> None:
    on_cpu = CUDA + "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 17179869216\n"
    assert from_log(on_cpu).value("derived.largest_context_that_fits") is None


@pytest.mark.parametrize(
    ("room", "kv", "compute", "expected"),
    [(1 << 30, 131072, 0, 8192), (1 << 30, 131072, 131072, 4096), (1000, 131072, 0, 0), (-5, 131072, 0, 0)],
)
def test_largest_context_is_a_multiple_of_256(room: int, kv: int, compute: int, expected: int) -> None:
    assert largest_context(room, kv, compute) == expected

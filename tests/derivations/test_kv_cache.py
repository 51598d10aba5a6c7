"""Bytes of the KV cache: the formulas against what real logs print, and shapes in the forms that logs state."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.kv_cache import Shape, bytes_per_token, cache_bytes
from diagnose.evidence import Evidence

MIB = 1 << 20


def shape(
    layers: int, keys: int, values: int | None = None, types: tuple[str, str] = ("f16", "f16"), **more: int
) -> Shape:
    """A shape with `keys` elements of K in each layer, and as many of V unless it is said otherwise."""
    width = keys if values is None else values
    return Shape(layers, keys * layers, width * layers, types[0], types[1], **more)


LLAMA_2_7B = shape(32, 32 * 128)
LLAMA_3_8B = shape(32, 8 * 128)
PHI_35 = shape(32, 32 * 96)
DEEPSEEK_V2 = (60, 128 * 192, 128 * 128)
DEEPSEEK_V3_LATENT = shape(61, 512 + 64, 0)


@pytest.mark.parametrize(
    ("model", "tokens", "expected"),
    [
        pytest.param(LLAMA_2_7B, 2048, 1024 * MIB, id="multi-head, Llama-2-7B"),
        pytest.param(LLAMA_3_8B, 8192, 1024 * MIB, id="grouped-query, llama.cpp#9881"),
        pytest.param(LLAMA_3_8B, 1048576, 137438953472, id="grouped-query at 1M, llama.cpp#8101 less 32 bytes"),
        pytest.param(PHI_35, 131072, 49152 * MIB, id="Phi-3.5, llama.cpp#9112"),
        pytest.param(PHI_35, 131328, 49248 * MIB, id="Phi-3.5, llama.cpp#6849"),
        pytest.param(shape(32, 4096), 7344, 3850371072, id="Qwen1.5-7B, 3.59 GiB, Qwen3#295"),
        pytest.param(DEEPSEEK_V3_LATENT, 32768, 2196 * MIB, id="latent, ik_llama.cpp#235"),
        pytest.param(shape(*DEEPSEEK_V2), 4096, 19200 * MIB, id="DeepSeek-V2 unfolded, llama.cpp#12728"),
        pytest.param(shape(*DEEPSEEK_V2, ("q8_0", "f16")), 4096, (6120 + 7680) * MIB, id="K in q8_0, llama.cpp#12728"),
        pytest.param(shape(32, 1024, 0, ("q8_0", "f16")), 2048, 68 * MIB, id="q8_0, ik_llama.cpp#92"),
        pytest.param(shape(32, 1024, 0, ("q4_0", "f16")), 2048, 36 * MIB, id="q4_0, ik_llama.cpp#92"),
    ],
)
def test_cache_takes_what_logs_print(model: Shape, tokens: int, expected: int) -> None:
    assert cache_bytes(model, tokens) == expected


def test_latent_attention_needs_70272_bytes_a_token_in_deepseek_v3() -> None:
    assert bytes_per_token(DEEPSEEK_V3_LATENT) == 70272


def test_windowed_layers_do_not_grow_with_the_context() -> None:
    full = shape(62, 16 * 128)
    windowed = shape(62, 16 * 128, window=1024, windowed=52)
    assert cache_bytes(full, 32768) / (1 << 30) == pytest.approx(15.5)
    assert cache_bytes(windowed, 32768) / (1 << 30) == pytest.approx(3.11, abs=0.005)
    assert cache_bytes(windowed, 1024) == cache_bytes(full, 1024), "a context shorter than the window is kept whole"


LLAMA_CPP = """
print_info: n_layer          = 32
print_info: n_head           = 32
print_info: n_head_kv        = 8
print_info: n_embd_head_k    = 128
print_info: n_embd_head_v    = 128
"""
LLAMA_CPP_WIDTHS = """
llm_load_print_meta: n_layer          = 60
llm_load_print_meta: n_embd_k_gqa     = 24576
llm_load_print_meta: n_embd_v_gqa     = 16384
llm_load_print_meta: n_lora_kv        = 512
llm_load_print_meta: n_rot            = 64
"""
IK_LLAMA_LATENT = """
llm_load_print_meta: n_layer          = 61
llm_load_print_meta: n_embd_k_gqa     = 24576
llama_new_context_with_model: mla_attn   = 2
llama_kv_cache_init: layer 0: n_embd_head_qk_rope = 64, kv_lora_rank = 512
"""
METADATA = """
llama_model_loader: - kv   4:                          llama.block_count u32              = 32
llama_model_loader: - kv   3:                     llama.embedding_length u32              = 4096
llama_model_loader: - kv   7:                 llama.attention.head_count u32              = 32
llama_model_loader: - kv   8:              llama.attention.head_count_kv u32              = 32
"""
HUGGING_FACE = """
  "head_dim": 128,
  "num_attention_heads": 64,
  "num_hidden_layers": 80,
  "num_key_value_heads": 8,
"""
OLD = """
llama_model_load_internal: n_embd     = 4096
llama_model_load_internal: n_head     = 32
llama_model_load_internal: n_head_kv  = 32
llama_model_load_internal: n_layer    = 32
"""
HYBRID = """
print_info: n_layer          = 6
print_info: n_head           = 16
print_info: n_head_kv        = [0, 0, 8, 0, 0, 8]
print_info: n_embd_head_k    = 64
"""
QUANTISED = (
    LLAMA_CPP
    + "llama_kv_cache: size =  544.00 MiB (  8192 cells,  32 layers), K (q8_0): 272.00 MiB, V (q8_0): 272.00 MiB"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(LLAMA_CPP, 131072, id="llama.cpp"),
        pytest.param(LLAMA_CPP_WIDTHS, 60 * (24576 + 16384) * 2, id="llama.cpp that unfolds the latent"),
        pytest.param(IK_LLAMA_LATENT, 70272, id="ik_llama.cpp that keeps the latent"),
        pytest.param(METADATA, 524288, id="GGUF metadata without a head size"),
        pytest.param(HUGGING_FACE, 80 * 8 * 128 * 4, id="configuration of Hugging Face"),
        pytest.param(OLD, 524288, id="llama.cpp of 2023"),
        pytest.param(HYBRID, 2 * 8 * 64 * 4, id="KV heads of each layer"),
        pytest.param(QUANTISED, 69632, id="quantised cache"),
    ],
)
def test_shape_is_read_in_the_forms_that_programs_print(
    text: str, expected: int, from_log: Callable[[str], Evidence]
) -> None:
    assert from_log(text).value("derived.kv_bytes_per_token") == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("print_info: n_layer          = 32\n", id="layers alone"),
        pytest.param(
            "print_info: n_layer = 32\nprint_info: n_head = 32\nprint_info: n_embd = 4096\n", id="KV heads unknown"
        ),
        pytest.param("print_info: n_layer = 4\nprint_info: n_head_kv = [8, 8]\n", id="list of another length"),
    ],
)
def test_nothing_is_said_of_a_shape_that_is_not_known(text: str, from_log: Callable[[str], Evidence]) -> None:
    assert from_log(text).value("derived.kv_bytes_per_token") is None


def test_cache_of_the_stated_context_shows_its_sum(from_log: Callable[[str], Evidence]) -> None:
    evidence = from_log(LLAMA_CPP + "llama_context: n_ctx         = 8192\n")
    (fact,) = evidence.known("derived.kv_bytes")
    assert fact.value == 1024 * MIB
    assert fact.text == "8192 tokens x 32 layers x (K 1024 f16 + V 1024 f16) = 1024.00 MiB"

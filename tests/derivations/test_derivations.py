"""The package as a whole: what it needs is stated by rules, hostile figures do no harm, idle it costs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diagnose.derivations
from diagnose.derivations import derive
from diagnose.evidence import Evidence, Fact, Subject, Value
from diagnose.pipelines.explain import explain
from diagnose.pipelines.rulebook import Rulebook

SOURCES = sorted(Path(diagnose.derivations.__file__).parent.glob("*.py"))
NEEDED = sorted({name for path in SOURCES for name in re.findall(r'"(log\.\w+)"', path.read_text(encoding="utf-8"))})


def test_every_fact_that_is_needed_is_stated_by_a_rule(book: Rulebook) -> None:
    stated = {extraction.fact.name for extraction in book.rules.extractions}
    assert [name for name in NEEDED if name not in stated] == []


FIGURES = st.sampled_from([0, 1, 2, 32, 256, 1024, 8192, 10**20, -1, 0.0, 0.5, 4403.49, float("inf"), float("nan")])
TEXTS = st.sampled_from(
    ["f16", "q4_0", "[0, 0]", "1.00 MiB (1 cells", "tg1 @ d0 | 0.00", "tg32 @ d9000 | 5.00", "0 ms / 0 tokens", "137",
     "5 ms / 900 tokens", "0.00 GiB", "4.58 GiB", "8.03 B", "Q4_K - Medium", "0x0", "x" * 5000, ""]
)  # fmt: skip
VALUES: st.SearchStrategy[Value] = st.one_of(FIGURES, TEXTS, st.integers(1, 300), st.text(max_size=20), st.booleans())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(NEEDED, VALUES)), min_size=1, max_size=2))
def test_no_figure_makes_it_fail(statements: list[dict[str, Value]]) -> None:
    evidence = Evidence(Subject("log", "x"))
    for line, facts in enumerate(statements, 1):
        for name, value in facts.items():
            evidence.add(Fact(name, value, f"line {line}"))
    derive(evidence)
    count = len(evidence.facts)
    derive(evidence)
    assert len(evidence.facts) == count, "derived again, nothing is added"


def test_nothing_is_loaded_where_nothing_is_to_derive() -> None:
    program = (
        "import sys; from diagnose.derivations import derive; from diagnose.evidence import Evidence, Subject\n"
        "derive(Evidence(Subject('log', 'x')))\n"
        "print(sorted(name for name in sys.modules if name.startswith('diagnose.derivations.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


KV_CACHE = b"""\
llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3060) - 11827 MiB free
print_info: n_layer          = 32
print_info: n_embd_k_gqa     = 1024
print_info: n_embd_v_gqa     = 1024
load_tensors:        CUDA0 model buffer size =  4403.49 MiB
llama_context: n_ctx         = 131072
llama_context: flash_attn    = enabled
ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc failed: out of memory
"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_explanation_names_the_buffer_and_the_setting_that_fits(language: str, book: Rulebook) -> None:
    first = explain(BytesIO(KV_CACHE), "x.log", book, language).diagnoses[0]
    assert first.rule == "memory/kv-cache-beyond-memory"
    (buffer,) = [item for item in first.evidence if item.fact == "derived.failed_buffer"]
    assert buffer.value == "kv"
    assert buffer.text == "131072 tokens x 32 layers x (K 1024 f16 + V 1024 f16) = 16384.00 MiB"
    assert first.checklist[0].commands[0] == "llama-server -m MODEL.gguf -c 54784"

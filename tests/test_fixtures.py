"""Each shipped log leads to its layer, cause and first step."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.pipelines.explain import explain
from diagnose.pipelines.rulebook import Rulebook

LOGS = Path(__file__).resolve().parent.parent / "fixtures" / "logs"


@pytest.mark.parametrize(
    ("name", "layer", "cause", "first_step_says"),
    [
        ("docker-pull-referrers", "container", "html-from-catch-all", "hosts.toml"),
        ("ffmpeg-no-nvcuvid", "environment", "video-capability-not-requested", "video"),
        ("kernel-oom-killer", "memory", "machine-out-of-memory", "smaller"),
        ("llama-server-kv", "memory", "n-ctx-defaults-to-training-context", "-c 8192"),
        ("ort-cuda-falls-back", "environment", "wheel-for-other-cuda-major", "CUDA 12"),
        ("pillow-html-as-image", "transport", "web-answer-instead-of-image", "Content-Type"),
        ("rknn-old-library", "environment", "library-older-than-toolkit", "librknnrt.so"),
        ("tflite-gpu-delegate", "performance", "quantised-model", "float"),
        ("tokenizer-too-new", "model", "tokenizers-older-than-pair-merges", "Upgrade"),
        ("torch-lfs-pointer", "transport", "git-lfs-pointer", "git lfs pull"),
        ("torch-out-of-memory", "memory", "device-really-full", "smaller batch"),
        ("train-labels-gbk", "text", "chinese-text-in-gbk", "gb18030"),
    ],
)
def test_a_shipped_log_is_explained(book: Rulebook, name: str, layer: str, cause: str, first_step_says: str) -> None:
    path = LOGS / f"{name}.log"
    with path.open("rb") as stream:
        first = explain(stream, str(path), book).diagnoses[0]
    step = first.checklist[0]
    assert (first.layer.value, first.causes[0].id) == (layer, cause)
    assert first_step_says in " ".join([step.title, step.detail, *step.commands])

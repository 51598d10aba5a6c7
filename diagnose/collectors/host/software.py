"""The libraries whose versions matter when something fails to decode."""

from __future__ import annotations

LIBRARIES: dict[str, tuple[str, ...]] = {
    "pillow": ("pillow",),
    "pillow_heif": ("pillow-heif",),
    "simplejpeg": ("simplejpeg",),
    "numpy": ("numpy",),
    "python_magic": ("python-magic",),
    "hyperscan": ("hyperscan",),
    "charset_normalizer": ("charset-normalizer",),
    "opencv": ("opencv-python", "opencv-python-headless", "opencv-contrib-python", "opencv-contrib-python-headless"),
    "av": ("av",),
    "torch": ("torch",),
    "torchvision": ("torchvision",),
    "torchaudio": ("torchaudio",),
    "torchcodec": ("torchcodec",),
    "onnx": ("onnx",),
    "onnxruntime": (
        "onnxruntime",
        "onnxruntime-gpu",
        "onnxruntime-directml",
        "onnxruntime-openvino",
        "onnxruntime-qnn",
        "onnxruntime-silicon",
    ),
    "tensorflow": ("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tensorflow-intel"),
    "tflite_runtime": ("tflite-runtime",),
    "ai_edge_litert": ("ai-edge-litert",),
    "tensorrt": ("tensorrt", "tensorrt-cu12", "tensorrt-cu13"),
    "openvino": ("openvino",),
    "rknn_toolkit": ("rknn-toolkit2", "rknn-toolkit-lite2", "rknn-toolkit", "rknn-toolkit-lite"),
    "transformers": ("transformers",),
    "tokenizers": ("tokenizers",),
    "sentencepiece": ("sentencepiece",),
    "safetensors": ("safetensors",),
    "gguf": ("gguf",),
    "llama_cpp_python": ("llama-cpp-python",),
    "vllm": ("vllm",),
    "huggingface_hub": ("huggingface-hub",),
    "datasets": ("datasets",),
    "protobuf": ("protobuf",),
    "docker": ("docker",),
}
"""A library, and the distributions that can bring it: the first that is installed counts."""

NATIVE_LIBRARIES = ("libjpeg_turbo", "libheif", "libwebp", "libavif", "openjpeg", "libtiff", "ffmpeg")
"""Libraries in C that are bundled in the above or installed beside them."""


def version_fact(library: str) -> str:
    """The name of the fact that bears the version of `library`."""
    return f"host.version.{library}"

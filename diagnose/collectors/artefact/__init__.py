"""Model files and archives: what their headers promise and whether the file keeps it. Nothing is loaded or executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.companions import COMPANION_FACTS, find_companions
from diagnose.collectors.artefact.compressed import BZIP2, GZIP, LZMA, XZ, ZLIB, read_compressed
from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.fixed_headers import (
    read_7z,
    read_arrow,
    read_ncnn_param,
    read_parquet,
    read_rknn,
    read_tensorrt_plan,
)
from diagnose.collectors.artefact.gguf import read_gguf
from diagnose.collectors.artefact.hdf5 import read_hdf5
from diagnose.collectors.artefact.mat import read_mat
from diagnose.collectors.artefact.npy import read_npy
from diagnose.collectors.artefact.onnx import read_onnx
from diagnose.collectors.artefact.pickle_stream import read_pickle, read_torch_legacy
from diagnose.collectors.artefact.protobuf_file import read_protobuf
from diagnose.collectors.artefact.reading import CutError, ImplausibleError
from diagnose.collectors.artefact.records import read_avro, read_orc, read_tfrecord
from diagnose.collectors.artefact.safetensors import read_safetensors
from diagnose.collectors.artefact.sentencepiece import read_sentencepiece
from diagnose.collectors.artefact.tar import read_tar
from diagnose.collectors.artefact.tflite import read_tflite
from diagnose.collectors.artefact.tokenizer import read_json
from diagnose.collectors.artefact.zip_archive import read_zip
from diagnose.collectors.artefact.zstd import read_zstd
from diagnose.evidence import Fact

__all__ = ["COMPANION_FACTS", "FACTS", "READERS", "collect", "find_companions"]

_Reader = Callable[[BinaryIO, int], Iterator[Fact]]

READERS: dict[str, _Reader] = {
    "gguf": read_gguf,
    "safetensors": read_safetensors,
    "torch-zip": read_zip,
    "npz": read_zip,
    "keras": read_zip,
    "zip": read_zip,
    "torch-legacy": read_torch_legacy,
    "pickle": read_pickle,
    "onnx": read_onnx,
    "tflite": read_tflite,
    "circle": read_tflite,
    "hdf5": read_hdf5,
    "npy": read_npy,
    "json": read_json,
    "sentencepiece": read_sentencepiece,
    "rknn": read_rknn,
    "tensorrt-plan": read_tensorrt_plan,
    "ncnn-param": read_ncnn_param,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "mat": read_mat,
    "coreml": read_protobuf,
    "tensorflow-graph": read_protobuf,
    "tensorflow-savedmodel": read_protobuf,
    "tfrecord": read_tfrecord,
    "avro": read_avro,
    "orc": read_orc,
    "tar": read_tar,
    "gzip": read_compressed(GZIP),
    "bzip2": read_compressed(BZIP2),
    "xz": read_compressed(XZ),
    "lzma": read_compressed(LZMA),
    "zlib": read_compressed(ZLIB),
    "zstd": read_zstd,
    "7z": read_7z,
}
"""The reader for each format, by the names of the signature collector's file.format."""


def collect(file: BinaryIO, size_bytes: int, format: str) -> list[Fact]:  # noqa: A002
    """Facts on the seekable `file` of `size_bytes`, which the signature collector found to be `format`.

    No facts for a format without a reader. Damage is a fact; only a failing `file` raises (OSError).
    """
    reader = READERS.get(format)
    if reader is None:
        return []
    facts = [FACTS.known("artefact.format", format)]
    try:
        for fact in reader(file, size_bytes):
            facts.append(fact)  # one by one: what was read before damage stays
    except CutError as cut:
        facts.extend(_cut_facts(cut, size_bytes))
    except ImplausibleError as error:
        facts.append(damage(error.kind, error.at, error.text))
    return facts


def _cut_facts(cut: CutError, size_bytes: int) -> Iterator[Fact]:
    """A read that would go beyond the end: a cut file, or, if by more than anyone has, a lying length."""
    if cut.end_bytes > _LARGEST_FILE_BYTES:
        yield damage("length-too-large", cut.at, f"up to byte {cut.end_bytes}")
        return
    yield FACTS.known("artefact.truncated", True, f"byte {cut.at}")
    yield FACTS.known("artefact.missing_bytes", cut.end_bytes - size_bytes, f"byte {size_bytes}")


_LARGEST_FILE_BYTES = 1 << 44

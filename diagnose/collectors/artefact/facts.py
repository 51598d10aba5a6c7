"""The facts on model files and archives, and the few ways to say them that all formats share."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.evidence import Fact, FactSpec, Vocabulary

FACTS = Vocabulary(
    "artefact",
    FactSpec("artefact.format", "str", "format whose header was read"),
    FactSpec("artefact.version", "str", "version of the format that the header states"),
    FactSpec("artefact.truncated", "bool", "whether the file ends before what its header promises"),
    FactSpec(
        "artefact.missing_bytes", "int", "bytes between the end of the file and the promised end, at least", "bytes"
    ),
    FactSpec("artefact.surplus_bytes", "int", "bytes behind the promised end", "bytes"),
    FactSpec(
        "artefact.damage",
        "str",
        "what is wrong in the structure, such as header-too-large, not-json, byte-swapped, hole, overlap, bad-crc, "
        "no-central-directory, not-protobuf, bad-offset",
    ),
    FactSpec("artefact.endianness", "str", "little or big"),
    FactSpec("artefact.header_bytes", "int", "length that the header states for itself", "bytes"),
    FactSpec("artefact.alignment", "int", "alignment of tensor data", "bytes"),
    FactSpec("artefact.tensor_count", "int", "number of tensors that the header lists"),
    FactSpec("artefact.metadata_count", "int", "number of key-value pairs of metadata"),
    FactSpec("artefact.dtypes", "strs", "element types of the tensors, sorted"),
    FactSpec("artefact.architecture", "str", "architecture that the metadata names, such as llama"),
    FactSpec(
        "artefact.tokenizer_model", "str", "tokenizer model: of a GGUF's metadata or a tokenizer.json's model.type"
    ),
    FactSpec("artefact.tokenizer_pre", "str", "pre-tokenizer that a GGUF's metadata names"),
    FactSpec("artefact.split_count", "int", "number of files that a split GGUF consists of"),
    FactSpec("artefact.split_index", "int", "which of the split GGUF's files this is, from 0"),
    FactSpec("artefact.shard_files", "strs", "files that an index of weight shards names"),
    FactSpec("artefact.ir_version", "int", "IR version of an ONNX model"),
    FactSpec("artefact.opset", "int", "version of the default operator set of an ONNX model"),
    FactSpec("artefact.opset_domains", "strs", "other operator sets, as domain:version"),
    FactSpec("artefact.producer", "str", "program that wrote the model, with its version"),
    FactSpec("artefact.operators", "strs", "operator types of an ONNX graph, sorted"),
    FactSpec("artefact.custom_operators", "strs", "operators outside the standard set, sorted"),
    FactSpec("artefact.external_data", "strs", "files beside the model that hold its tensors, as the model names them"),
    FactSpec(
        "artefact.external_data_end_bytes", "int", "size that an external file (in the text) has at least", "bytes"
    ),
    FactSpec("artefact.missing_files", "strs", "files that the model names and that do not lie beside it"),
    FactSpec("artefact.short_files", "strs", "files beside the model that end before the tensors in them"),
    FactSpec("artefact.outside_files", "strs", "files that the model names outside its own folder, not looked for"),
    FactSpec("artefact.member_count", "int", "number of members of an archive"),
    FactSpec("artefact.encrypted", "bool", "whether members of an archive are encrypted"),
    FactSpec("artefact.compression_methods", "strs", "compression methods of a zip, by name or number"),
    FactSpec("artefact.unmarked_names", "strs", "names in an archive of which the encoding is not known, some of them"),
    FactSpec("artefact.sparse_members", "int", "files of a tar that are stored without their holes, as GNU tar does"),
    FactSpec("artefact.leading_bytes", "int", "bytes before the start of a zip", "bytes"),
    FactSpec("artefact.disk_number", "int", "which part of a zip of several files this is, from 0; 0 is not told"),
    FactSpec("artefact.pickle_protocol", "int", "protocol of a pickle"),
    FactSpec("artefact.pickle_globals", "strs", "classes and functions that a pickle names, sorted"),
    FactSpec("artefact.pickle_foreign_globals", "strs", "those that loaders restricted to tensors refuse"),
    FactSpec("artefact.stored_eof", "int", "end of the file that an HDF5 superblock states", "bytes"),
    FactSpec("artefact.open_for_writing", "bool", "whether an HDF5 file was never closed by its writer"),
    FactSpec("artefact.object_array", "bool", "whether an array holds pickled Python objects"),
    FactSpec("artefact.merges_form", "str", "how a tokenizer.json writes its merges: strings or pairs"),
    FactSpec("artefact.merges_out_of_vocabulary", "int", "merges of a tokenizer.json whose token the vocabulary lacks"),
    FactSpec("artefact.metaspace_options", "strs", "add_prefix_space and prepend_scheme, as a Metaspace declares them"),
    FactSpec("artefact.piece_count", "int", "number of pieces of a sentencepiece model"),
    FactSpec("artefact.has_unknown_piece", "bool", "whether a sentencepiece model has a piece for unknown text"),
)


def damage(kind: str, at: int, text: str = "") -> Fact:
    """That the structure is wrong in the way `kind` at the byte `at`."""
    return FACTS.known("artefact.damage", kind, f"byte {at}", text)


def extent(size_bytes: int, needed_bytes: int, *, exact: bool = True) -> Iterator[Fact]:
    """Whether the file has the bytes that its header needs; `exact` where more than these are wrong too."""
    where = f"byte {size_bytes}"
    yield FACTS.known("artefact.truncated", needed_bytes > size_bytes, where)
    if needed_bytes > size_bytes:
        yield FACTS.known("artefact.missing_bytes", needed_bytes - size_bytes, where)
    elif exact and needed_bytes < size_bytes:
        yield FACTS.known("artefact.surplus_bytes", size_bytes - needed_bytes, f"byte {needed_bytes}")

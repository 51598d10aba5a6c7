"""tokenizer.json of Hugging Face tokenizers, and indexes of weight shards: what their versions disagree about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import msgspec
from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.reading import READ_LIMIT_BYTES, Cursor
from diagnose.evidence import Fact

_SNIFF_BYTES = 4096
_FILE_LIMIT = 4096
_BOM = b"\xef\xbb\xbf"


class _Model(Struct, frozen=True):
    type: str | None = None
    vocab: dict[str, msgspec.Raw] | list[msgspec.Raw] | None = None
    merges: list[str | list[str]] | None = None


class _Tokenizer(Struct, frozen=True):
    version: str | None = None
    model: msgspec.Raw = msgspec.Raw(b"null")
    pre_tokenizer: msgspec.Raw = msgspec.Raw(b"null")
    decoder: msgspec.Raw = msgspec.Raw(b"null")


class _Index(Struct, frozen=True):
    weight_map: dict[str, str]


def read_json(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a JSON file if it is a tokenizer or an index of shards; none of any other."""
    cursor = Cursor(file, size_bytes)
    start = cursor.peek(min(_SNIFF_BYTES, size_bytes), 0)
    is_tokenizer = b'"added_tokens"' in start or b'"pre_tokenizer"' in start
    is_index = b'"weight_map"' in start
    if not (is_tokenizer or is_index):
        return
    if size_bytes > READ_LIMIT_BYTES:
        yield FACTS.not_checked("artefact.damage", f"larger than {READ_LIMIT_BYTES} bytes")
        return
    content = cursor.peek(size_bytes, 0).removeprefix(_BOM)
    try:
        yield from _tokenizer_facts(content) if is_tokenizer else _index_facts(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield damage("not-json", 0, str(error))


def _index_facts(content: bytes) -> Iterator[Fact]:
    index = msgspec.json.decode(content, type=_Index)
    yield FACTS.known("artefact.tensor_count", len(index.weight_map))
    yield FACTS.known("artefact.shard_files", sorted(set(index.weight_map.values()))[:_FILE_LIMIT])


def _tokenizer_facts(content: bytes) -> Iterator[Fact]:
    tokenizer = msgspec.json.decode(content, type=_Tokenizer)
    model = _Model()
    if bytes(tokenizer.model) != b"null":
        model = msgspec.json.decode(tokenizer.model, type=_Model)
    if tokenizer.version:
        yield FACTS.known("artefact.version", tokenizer.version)
    if model.type:
        yield FACTS.known("artefact.tokenizer_model", model.type)
    if model.merges:
        yield FACTS.known("artefact.merges_form", "strings" if isinstance(model.merges[0], str) else "pairs")
        yield FACTS.known("artefact.merges_out_of_vocabulary", _out_of_vocabulary(model))
    options = _metaspace_options(bytes(tokenizer.pre_tokenizer)) | _metaspace_options(bytes(tokenizer.decoder))
    if options:
        yield FACTS.known("artefact.metaspace_options", sorted(options))


def _out_of_vocabulary(model: _Model) -> int:
    """How many merges join tokens of which one, or the result, is not in the vocabulary."""
    if not isinstance(model.vocab, dict):
        return 0
    merges = [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in model.merges or ()]
    tokens = set(chain.from_iterable(merges)) | set(map("".join, merges))
    missing = tokens - model.vocab.keys()
    return sum(1 for merge in merges if missing.intersection((*merge, "".join(merge)))) if missing else 0


def _metaspace_options(raw: bytes) -> set[str]:
    """tokenizers 0.19 replaced Metaspace's add_prefix_space by prepend_scheme; some files have both."""
    if b'"Metaspace"' not in raw:
        return set()
    return {name for name in ("add_prefix_space", "prepend_scheme") if f'"{name}"'.encode() in raw}

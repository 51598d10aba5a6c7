"""What Go says of valid JSON that does not fit the structure of an OCI index, in its own words.

Sources: Go encoding/json, decode.go (`UnmarshalTypeError`; names match regardless of case, null fits everything);
opencontainers/image-spec, specs-go/v1/index.go and descriptor.go for the structure. Go versions differ in how they
name a field deep inside; the beginning of the text up to `into Go` is the same in all of them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from diagnose.collectors.oci.go_json import EOF, scan_value

TRAILING_DATA = "unexpected data after JSON object"
_INT64 = 2**63


class _Type(Struct, frozen=True):
    """A Go type: its name in messages, and what JSON it takes. `element` is that of a slice or map."""

    name: str
    takes: str
    element: _Type | None = None
    fields: dict[str, _Type] | None = None


class _Number(str):
    """A JSON number as it was spelled."""


_STRING = _Type("string", "string")
_STRINGS = _Type("[]string", "array", _STRING)
_TEXTS_BY_NAME = _Type("map[string]string", "object", _STRING)
_PLATFORM = _Type(
    "v1.Platform",
    "object",
    fields={
        "architecture": _STRING,
        "os": _STRING,
        "os.version": _STRING,
        "os.features": _STRINGS,
        "variant": _STRING,
    },
)
_DESCRIPTOR = _Type(
    "v1.Descriptor",
    "object",
    fields={
        "mediatype": _STRING,
        "digest": _Type("digest.Digest", "string"),
        "size": _Type("int64", "number"),
        "urls": _STRINGS,
        "annotations": _TEXTS_BY_NAME,
        "data": _Type("[]uint8", "string or array"),
        "platform": _PLATFORM,
        "artifacttype": _STRING,
    },
)
_INDEX = _Type(
    "v1.Index",
    "object",
    fields={
        "schemaversion": _Type("int", "number"),
        "mediatype": _STRING,
        "artifacttype": _STRING,
        "manifests": _Type("[]v1.Descriptor", "array", _DESCRIPTOR),
        "subject": _DESCRIPTOR,
        "annotations": _TEXTS_BY_NAME,
    },
)


def decode_error(body: bytes, ending: str = EOF) -> str:
    """What Go's decoder says when it reads `body` as an OCI index; empty if it is content.

    `ending` is what the reader says behind the last byte: EOF, or an error. Data behind the first value is no error
    of the decoder: see `has_trailing_data`.
    """
    scan = scan_value(body, ending)
    if scan.error:
        return scan.error
    try:
        value = json.loads(
            body[: scan.end].decode("latin-1"),
            object_pairs_hook=_Pairs,
            parse_int=_Number,
            parse_float=_Number,
            strict=False,
        )
    except (ValueError, RecursionError):
        return ""
    return _mismatch(value, _INDEX, "", "")


def has_trailing_data(body: bytes, ending: str = EOF) -> bool:
    """True if anything but white space follows the first JSON value, or reading on failed behind it."""
    scan = scan_value(body, ending)
    return not scan.error and (ending != EOF or bool(body[scan.end :].strip(b" \t\r\n")))


class _Pairs(list[tuple[str, Any]]):
    """The members of an object in their order, repeated names included, as Go meets them."""


def _mismatch(value: Any, wanted: _Type, struct: str, path: str) -> str:
    """The first place, in the order of the document, where `value` does not fit; empty if there is none."""
    kind = _kind(value)
    if kind == "null":
        return ""
    if kind not in wanted.takes.split(" or "):
        return _message(kind, wanted, struct, path)
    if isinstance(value, _Number):
        return "" if _is_int64(value) else _message(f"number {value}", wanted, struct, path)
    if isinstance(value, _Pairs):
        return _mismatch_in_object(value, wanted, struct, path)
    if isinstance(value, list) and wanted.element:
        found = (_mismatch(element, wanted.element, struct, path) for element in value)
        return next((message for message in found if message), "")
    return ""


def _mismatch_in_object(value: _Pairs, wanted: _Type, struct: str, path: str) -> str:
    for name, member in value:
        if wanted.fields is None:
            inner, place, holder = wanted.element, path, struct
        else:
            inner = wanted.fields.get(name.lower())
            place = f"{path}.{_FIELD_NAMES.get(name.lower(), name.lower())}".lstrip(".")
            holder = wanted.name.partition(".")[2]
        message = _mismatch(member, inner, holder, place) if inner else ""
        if message:
            return message
    return ""


def _message(kind: str, wanted: _Type, struct: str, path: str) -> str:
    if not path:
        return f"json: cannot unmarshal {kind} into Go value of type {wanted.name}"
    return f"json: cannot unmarshal {kind} into Go struct field {struct}.{path} of type {wanted.name}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, _Number):
        return "number"
    if isinstance(value, _Pairs):
        return "object"
    return "array" if isinstance(value, list) else "string"


def _is_int64(number: _Number) -> bool:
    return re.fullmatch(r"-?[0-9]{1,19}", number) is not None and -_INT64 <= int(number) < _INT64


_FIELD_NAMES = {
    "schemaversion": "schemaVersion",
    "mediatype": "mediaType",
    "artifacttype": "artifactType",
}

"""What is known of a scanned file, in the form that travels between processes and lies in the ledger.

A sound file has no verdicts at all. A diagnosis is reduced to what is counted and the rest is encoded once, by the
worker, as the report's JSON: the main process moves bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from diagnose.diagnosis import Diagnosis, Severity
from diagnose.evidence import Subject


class Verdict(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A diagnosis on one file: what groups and counts it, and the whole of it as JSON (valid UTF-8)."""

    rule: str
    cause: str
    severity: Severity
    body: bytes


class FileResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What became of the file at this position of a batch: verdicts, or why it was not checked.

    It is `lasting` where nothing but the file's own bytes, the rules and the decoders decided.
    """

    position: int
    verdicts: list[Verdict] = []
    not_checked: str = ""
    lasting: bool = True


class BatchResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The first `done` files of a batch were looked at, in `seconds`; those not in `told` are sound."""

    done: int
    seconds: float
    told: list[FileResult] = []


_encoder = msgspec.json.Encoder(enc_hook=str)
_diagnoses = msgspec.json.Decoder(Diagnosis)
_packer = msgspec.msgpack.Encoder()
_batches = msgspec.msgpack.Decoder(BatchResult)
_verdicts = msgspec.msgpack.Decoder(list[Verdict])


def verdict_of(diagnosis: Diagnosis) -> Verdict:
    """The verdict of a diagnosis. A path that is not valid Unicode is escaped in its body."""
    path = diagnosis.subject.path
    if not path.isascii():
        valid = path.encode("utf-8", "backslashreplace").decode("utf-8")
        diagnosis = msgspec.structs.replace(diagnosis, subject=Subject(diagnosis.subject.kind, valid))
    return Verdict(diagnosis.rule, diagnosis.causes[0].id, diagnosis.severity, _encoder.encode(diagnosis))


def diagnosis_of(verdict: Verdict, path: str) -> Diagnosis:
    """The diagnosis again, on the file at `path`."""
    return msgspec.structs.replace(_diagnoses.decode(verdict.body), subject=Subject("file", path))


def pack_batch(result: BatchResult) -> bytes:
    """A batch's result as bytes."""
    return _packer.encode(result)


def unpack_batch(data: bytes) -> BatchResult:
    """The result that was packed."""
    return _batches.decode(data)


def pack_verdicts(verdicts: Sequence[Verdict]) -> bytes:
    """Verdicts as bytes."""
    return _packer.encode(verdicts)


def unpack_verdicts(data: bytes) -> list[Verdict]:
    """The verdicts that were packed. Raises msgspec.DecodeError or ValidationError where they are none."""
    return _verdicts.decode(data)

"""A log is read as it comes: compressed, in archives, as JSON records, with quotes within quotes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from diagnose.collectors import log
from diagnose.collectors.log.containers import DamagedLogError, parts
from diagnose.evidence import Evidence, Subject
from diagnose.patterns import PatternSet

TEXT = b"starting\n" * 20_000 + b"error: cannot decode frame 7\n"


def zstd(data: bytes) -> bytes:
    return bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(data))


def as_tar(data: bytes, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in (
            ("logs/app.log", data),
            ("logs/picture.png", b"\x89PNG\0\0\0" * 99),
            ("b.log.gz", gzip.compress(data)),
        ):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def as_zip(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/app.log", data)
        archive.writestr("b.log.gz", gzip.compress(data))
    return buffer.getvalue()


class Pipe(io.RawIOBase):
    """Bytes that come in small pieces and cannot be sought."""

    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(min(size, 1000))


def found(data: bytes, piped: bool = False) -> list[tuple[str, int, str]]:
    patterns = PatternSet([r"cannot decode frame (?P<n>\d+)"])
    stream = Pipe(data) if piped else io.BytesIO(data)
    hits = []
    for part in parts(stream, "x"):  # type: ignore[arg-type]
        evidence = log.collect(part.stream, patterns, Subject("log", part.name))
        hits += [(part.name, hit.line, hit.captures["n"]) for hit in evidence.hits]
    return hits


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, bz2.compress, zstd])
def test_a_compressed_log_is_read(compress: Callable[[bytes], bytes], piped: bool) -> None:
    assert found(compress(TEXT), piped) == [("x", 20_001, "7")]


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("pack", [as_tar, lambda data: as_tar(data, "w:gz"), lambda data: as_tar(data, "w:xz"), as_zip])
def test_each_log_of_a_bundle_is_read(pack: Callable[[bytes], bytes], piped: bool) -> None:
    assert found(pack(TEXT), piped) == [("x!logs/app.log", 20_001, "7"), ("x!b.log.gz", 20_001, "7")]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstd, as_tar, as_zip])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_a_container_that_breaks_off_is_told(pack: Callable[[bytes], bytes], share: float) -> None:
    data = pack(bytes(range(256)) * 3000 + TEXT)
    cut = data[: int(len(data) * share)]
    try:
        hits = found(cut)
    except DamagedLogError as error:
        assert str(error)
    else:
        assert len(hits) <= 2


def collected(*lines: bytes) -> Evidence:
    return log.collect(
        io.BytesIO(b"\n".join(lines)),
        PatternSet([r"invalid character '<' .{0,9}looking", r'open "/dev/x"']),
        Subject("log", "x"),
    )


@pytest.mark.parametrize(
    "record",
    [
        {"log": "failed: invalid character '<' looking for value\n", "stream": "stderr"},
        {"level": "error", "msg": "pull", "error": {"cause": "invalid character '<' looking for value"}},
        {"MESSAGE": "Traceback:\n  File x\ninvalid character '<' looking for value", "_PID": "7"},
        {"MESSAGE": list(b"\x1b[31minvalid character '<'\x1b[0m looking for value"), "_PID": "7"},
    ],
)
def test_texts_of_json_records_are_read_unescaped(record: dict[str, object]) -> None:
    line = json.dumps(record).replace("<", "\\u003c").encode()
    evidence = collected(b'{"log": "start"}', line, line)
    assert [hit.line for hit in evidence.hits] == [2, 3]
    assert evidence.value("log.records") == "json"


def test_numbers_of_json_records_are_read_with_their_names() -> None:
    line = b'{"msg": "player failed", "error": {"domain": "AVFoundation", "code": -11850}, "ok": false}'
    patterns = PatternSet([r"code: (?P<code>-\d{5})\b", r"ok: "])
    evidence = log.collect(io.BytesIO(line + b"\n"), patterns, Subject("log", "x"))
    assert [hit.captures for hit in evidence.hits] == [{"code": "-11850"}]


def test_a_line_that_is_no_record_is_read_as_it_is() -> None:
    evidence = collected(
        b'{"log": "a"}', b'{"log": "b"}', b'{"log": "c"}', b"invalid character '<' looking for", b'{"log": '
    )
    assert [hit.line for hit in evidence.hits] == [4]


def test_quotes_within_quotes_are_read() -> None:
    evidence = collected(b'time="now" level=error msg="open \\"/dev/x\\": no such file"')
    assert len(evidence.hits) == 1

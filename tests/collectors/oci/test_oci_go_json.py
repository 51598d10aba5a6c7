"""The texts of Go's JSON decoder. Those here were printed by the decoder itself."""

from __future__ import annotations

import pytest
from growth import growth

from diagnose.collectors.oci.go_index import decode_error, has_trailing_data
from diagnose.collectors.oci.go_json import UNEXPECTED_EOF

LOOKING = "looking for beginning of value"

CASES = [
    (b"", "EOF"),
    (b" \r\n\t", "EOF"),
    (b"{", "unexpected EOF"),
    (b"[1", "unexpected EOF"),
    (b'"abc', "unexpected EOF"),
    (b"tru", "unexpected EOF"),
    (b"-", "unexpected EOF"),
    (b"<html>", f"invalid character '<' {LOOKING}"),
    (b"'a'", rf"invalid character '\'' {LOOKING}"),
    (b"\\", rf"invalid character '\\' {LOOKING}"),
    (b"\x00", rf"invalid character '\x00' {LOOKING}"),
    (b"\x0b", rf"invalid character '\v' {LOOKING}"),
    (b"\x7f", rf"invalid character '\x7f' {LOOKING}"),
    (b"\x80", rf"invalid character '\u0080' {LOOKING}"),
    (b"\xa0", rf"invalid character '\u00a0' {LOOKING}"),
    (b"\xad", rf"invalid character '\u00ad' {LOOKING}"),
    (b"\xef\xbb\xbf{}", f"invalid character 'ï' {LOOKING}"),
    (b"[1,]", f"invalid character ']' {LOOKING}"),
    (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
    (b"{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
    (b'{"a" 1}', "invalid character '1' after object key"),
    (b'{"a":1 "b":2}', "invalid character '\"' after object key:value pair"),
    (b"[1 2]", "invalid character '2' after array element"),
    (b"[01]", "invalid character '1' after array element"),
    (b"[-x]", "invalid character 'x' in numeric literal"),
    (b"[1.x]", "invalid character 'x' after decimal point in numeric literal"),
    (b"[1ex]", "invalid character 'x' in exponent of numeric literal"),
    (b"[trux]", "invalid character 'x' in literal true (expecting 'e')"),
    (b"fals_", "invalid character '_' in literal false (expecting 'e')"),
    (b"not found", "invalid character 'o' in literal null (expecting 'u')"),
    (b'"\\x"', "invalid character 'x' in string escape code"),
    (b'"\\u12g4"', r"invalid character 'g' in \u hexadecimal character escape"),
    (b'"a\nb"', r"invalid character '\n' in string literal"),
    (b"[" * 10001, "invalid character '[' exceeded max depth"),
    (b"404 page", "json: cannot unmarshal number into Go value of type v1.Index"),
    (b"true", "json: cannot unmarshal bool into Go value of type v1.Index"),
    (b"[]", "json: cannot unmarshal array into Go value of type v1.Index"),
    (b'{"manifests":{}}', "json: cannot unmarshal object into Go struct field Index.manifests of type []v1.Descriptor"),
    (
        b'{"MANIFESTS":[{"Size":"3"}]}',
        "json: cannot unmarshal string into Go struct field Descriptor.manifests.size of type int64",
    ),
    (
        b'{"manifests":[{"size":1.5}]}',
        "json: cannot unmarshal number 1.5 into Go struct field Descriptor.manifests.size of type int64",
    ),
    (b'{"annotations":{"a":1}}', "json: cannot unmarshal number into Go struct field Index.annotations of type string"),
    (b"{}", ""),
    (b"null", ""),
    (b'{"errors":[{"code":"X"}],"unknown":{"deep":[1.5e-3,true]}}', ""),
    (b'{"schemaVersion":2,"manifests":[{"digest":"nonsense","size":9,"platform":null}]}', ""),
    (b'{"a":"\xff\xfe"}', ""),
]


@pytest.mark.parametrize(("body", "text"), CASES, ids=[repr(body[:24]) for body, _ in CASES])
def test_the_text_is_that_of_the_decoder(body: bytes, text: str) -> None:
    assert decode_error(body) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [(b"", UNEXPECTED_EOF), (b'{"a":', UNEXPECTED_EOF), (b"null", UNEXPECTED_EOF), (b"{}", ""), (b"<", "invalid char")],
)
def test_a_connection_that_breaks_is_never_a_plain_end(body: bytes, text: str) -> None:
    assert decode_error(body, UNEXPECTED_EOF).startswith(text)
    assert bool(decode_error(body, UNEXPECTED_EOF)) is bool(text)


def test_an_error_of_the_reader_is_told_in_its_words() -> None:
    assert decode_error(b'{"a"', "gzip: invalid checksum") == "gzip: invalid checksum"


@pytest.mark.parametrize(("body", "trailing"), [(b"{} \n", False), (b"{}x", True), (b"{}{}", True), (b"{", False)])
def test_data_behind_the_value_are_seen(body: bytes, trailing: bool) -> None:
    assert has_trailing_data(body) is trailing


@pytest.mark.parametrize("unit", [b"[", b"1,", b'{"a":', b'"\\n', b" "])
def test_hostile_bodies_cost_time_in_proportion(unit: bytes) -> None:
    assert decode_error(unit * 1000)
    assert growth(lambda body: decode_error(b"[" + body), unit, 400_000) < 10

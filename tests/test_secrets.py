"""Secrets do not reach a report; ordinary words that look like them stay."""

from __future__ import annotations

import pytest

from diagnose.secrets import masked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("rtsp://admin:S3cret!pw@10.0.0.7:554/stream", "S3cret!pw"),
        ("curl -H 'Authorization: Bearer abcdef123456789'", "abcdef123456789"),
        ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("password=hunter22 host=db", "hunter22"),
        ('{"access_token": "abc.def-ghi", "expires": 3}', "abc.def-ghi"),
        ("GET https://x.blob.core.windows.net/m.gguf?sv=2020&sig=AbC%2Fdef%3D", "AbC%2Fdef"),
        ("https://b.s3.amazonaws.com/k?X-Amz-Signature=0123456789abcdef&X-Amz-Date=1", "0123456789abcdef"),
        ("HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUv", "hf_AbCdEf"),
        ("401 for hf_AbCdEfGhIjKlMnOpQrStUv at hub", "hf_AbCdEf"),
        ("remote: ghp_0123456789abcdefghijABCDEFGHIJ denied", "ghp_0123"),
        ("using AKIAABCDEFGHIJKLMNOP in eu-west-1", "AKIAABCD"),
        ("docker login -u me --password s3cr3tpw registry", "s3cr3tpw"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", "eyJzdWIi"),
        ("OPENAI_API_KEY: sk-abcdefghijklmnopqrstuvwx", "sk-abcdef"),
        ("-----BEGIN RSA PRIVATE KEY----- MIIEowIBAAKC", "MIIEow"),
    ],
)
def test_a_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in masked(text)
    assert "***" in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "prompt eval time = 13556.62 ms / 2342 tokens (5.79 ms per token)",
        "invalid load key, 'v'.",
        "KeyError: 'model.embed_tokens.weight'",
        "tokenizer.json: unknown pre-tokenizer type: 'qwen35'",
        "size mismatch for model.embed_tokens.weight: [32001, 4096] vs [32000, 4096]",
        "failed to decode referrers index: invalid character '<' looking for beginning of value",
        "GET http://localhost:5000/v2/team/app/manifests/sha256:0123456789abcdef",
        "missing signature key",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_masking_a_long_line_is_quick() -> None:
    line = ("token" * 2000 + "password" * 1000 + "://" * 1000)[:16000]
    assert len(masked(line)) <= len(line) + 10

"""Masking secrets in what was read, before it enters a report: a report is pasted into issues and chats."""

from __future__ import annotations

import re
from functools import cache

MASK = "***"
_NAMES = (
    r"(?:api|access|auth|private|secret|session|account)[_-]?(?:key|token)|authorization|bearer|credential"
    r"|passw(?:or)?d|passwd|passphrase|pwd|secret|token|sig|signature|x-amz-(?:security-token|signature|credential)"
)
# Pattern and replacement, compiled when a line first needs them.
_PATTERNS = (
    # scheme://user:password@host
    (r"(?<=://)([^/\s:@]{0,64}):([^/\s@]{1,200})@", rf"\1:{MASK}@"),
    # Authorization: Bearer xyz, Proxy-Authorization: Basic xyz
    (r"(?i)\b(authorization\W{1,4})(?:(basic|bearer|token|digest)\s+)?[^\s'\"]{4,}", rf"\1\2 {MASK}"),
    (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/_.=~-]{12,}", rf"\1 {MASK}"),
    # password=..., "token": "...", ?sig=..., --api-key ...
    (
        rf"(?i)((?<![a-z])[\w-]{{0,32}}(?:{_NAMES})['\"]?\s{{0,2}}[=:]\s{{0,2}}['\"]?)([^\s'\"&,;)\]}}]{{4,}})",
        rf"\1{MASK}",
    ),
    (rf"(?i)(--[\w-]{{0,32}}(?:{_NAMES})[ =])([^\s'\"-][^\s'\"]{{3,}})", rf"\1{MASK}"),
    # tokens that tell themselves by their form: Hugging Face, GitHub, GitLab, AWS, Google, Slack, OpenAI, JWT, PEM
    (r"\bhf_[A-Za-z0-9]{16,}", MASK),
    (r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})", MASK),
    (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", MASK),
    (r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}", MASK),
    (r"\bxox[abprs]-[\w-]{10,}|\bsk-[A-Za-z0-9_-]{20,}|\bdckr_pat_[\w-]{16,}", MASK),
    (r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}", MASK),
    (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", MASK),
)
_HINTS = (
    *("authorization", "bearer", "basic ", "key", "token", "passw", "passphrase", "pwd", "secret", "credential", "sig"),
    *("hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "akia", "asia", "aiza", "ya29", "xox"),
    *("sk-", "dckr_pat", "eyj"),
)
"""One of these is in every text that holds a secret, or `://` and `@` are. Searching for them needs no compiling."""


def masked(text: str) -> str:
    """`text` with passwords, keys and tokens replaced by `***`.

    >>> masked("GET https://bob:hunter22@example.org/?x=1&token=abcdef")
    'GET https://bob:***@example.org/?x=1&token=***'
    """
    lowered = text.lower()
    if not (("@" in text and "://" in text) or any(hint in lowered for hint in _HINTS)):
        return text
    for pattern, replacement in _compiled():
        text = pattern.sub(replacement, text)
    return text


@cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in _PATTERNS]

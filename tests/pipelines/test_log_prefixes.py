"""What a log went through on its way (a container, a service, a phone, CI) does not change its diagnosis."""

from __future__ import annotations

import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnose.diagnosis import Diagnosis
from diagnose.pipelines.explain import explain
from diagnose.pipelines.rulebook import Rulebook

LOGS = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "logs").glob("*.log"))
STAMP = "2026-11-30T10:00:07.123456789Z"


def each(prefix: str) -> Callable[[str], bytes]:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines()).encode()


def records(name: str, **more: str) -> Callable[[str], bytes]:
    return lambda text: "".join(json.dumps({name: line + "\n", **more}) + "\n" for line in text.splitlines()).encode()


def journald_bytes(text: str) -> bytes:
    """Messages with colours, as `journalctl -o json` writes them."""
    messages = (list(f"\x1b[31m{line}\x1b[0m".encode()) for line in text.splitlines())
    return "".join(json.dumps({"MESSAGE": message, "PRIORITY": "3"}) + "\n" for message in messages).encode()


def journald_export(text: str) -> bytes:
    lines = text.splitlines()
    return "".join(f"__CURSOR=s=1\n_HOSTNAME=edge\nMESSAGE={line}\nPRIORITY=3\n\n" for line in lines).encode()


FORMS: dict[str, Callable[[str], bytes]] = {
    "kubernetes": each(f"{STAMP} stderr F "),
    "compose": each("app-1  | "),
    "docker": records("log", stream="stderr", time=STAMP),
    "github": each(f"{STAMP[:-2]}Z "),
    "journal": each("Nov 30 10:00:07 edge-7 app[1234]: "),
    "syslog": each("<30>1 2026-11-30T10:00:07Z edge app 12 - - "),
    "logcat": each("11-30 10:00:07.123  1234  1256 E app     : "),
    "python": each("2026-11-30 10:00:07,123 - worker.main - ERROR - "),
    "journald bytes": journald_bytes,
    "journald export": journald_export,
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "powershell": lambda text: ("\ufeff" + text.replace("\n", "\r\n")).encode("utf-16-le"),
    "coloured": lambda text: "".join(f"\x1b[1;31m{line[:9]}\x1b[0m{line[9:]}\n" for line in text.splitlines()).encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "xz": lambda text: lzma.compress(text.encode()),
}


def first(content: bytes, book: Rulebook) -> Diagnosis:
    return explain(io.BytesIO(content), "x.log", book).diagnoses[0]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_diagnosis_in_every_form(form: str, book: Rulebook) -> None:
    for path in LOGS:
        text = path.read_bytes().decode()
        plain, wrapped = first(text.encode(), book), first(FORMS[form](text), book)
        told = [(each.rule, each.layer, each.causes[0].id, each.checklist[0].id) for each in (plain, wrapped)]
        assert told[0] == told[1], path.name

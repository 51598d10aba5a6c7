"""--probe: lets an explanation look at this host: files that the log names, decoders, encodings, memory and disk.

Each look has a time-out and runs in a process of its own; one that fails is told, and is evidence of nothing else.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from diagnose.diagnosis import Diagnosis, NotChecked
from diagnose.evidence import Evidence, Fact

FILES_PROBED = 3
SECONDS = 10.0
HOST_SECONDS = 3.0
HOST_PROBES = ("pillow", "heif", "text", "memory", "disk", "processors", "open-files", "python", "system")
_NAMES = re.compile(r"[\"'`]([^\"'`\n]{3,400})[\"'`]|((?:[A-Za-z]:\\|\.{0,2}/)?[\w@+.~-][^\s\"'`,;:()\[\]<>|]{2,400})")


def probe(evidence: Evidence, diagnoses: Sequence[Diagnosis], log_path: str) -> list[NotChecked]:
    """Adds to `evidence` what a look at the host finds; returns what could not be looked at, and why."""
    problems: list[NotChecked] = []
    for path in named_files(evidence, diagnoses, log_path)[:FILES_PROBED]:
        facts, problem = _inspect(path)
        evidence.extend(facts)
        if problem:
            problems.append(NotChecked(path, problem))
    evidence.extend(_host().facts)
    return problems


def named_files(evidence: Evidence, diagnoses: Sequence[Diagnosis], log_path: str) -> list[str]:
    """Regular files that lines of the diagnoses name, beside the log or in this folder, in the order of mention.

    Nothing is opened. Programs and sources in a traceback count as little as the log itself.
    """
    lines = {item.where.rpartition(":")[2] for diagnosis in diagnoses for item in diagnosis.evidence}
    folders = [Path(), Path(log_path).parent] if log_path != "-" else [Path()]
    found: dict[str, None] = {}
    for hit in evidence.hits:
        if str(hit.line) in lines:
            for name in _names(hit.text):
                path = next((folder / name for folder in folders if _is_data(folder / name)), None)
                if path is not None and not _same(path, log_path):
                    found.setdefault(str(path))
    return list(found)


def _names(text: str) -> Iterator[str]:
    for match in _NAMES.finditer(text):
        name = match.group(1) or match.group(2)
        if "." in name or "/" in name or "\\" in name:
            yield name.rstrip(".")


def _is_data(path: Path) -> bool:
    try:
        return path.is_file() and path.suffix not in (".py", ".so", ".cc", ".cpp", ".c", ".h", ".rs", ".go")
    except (OSError, ValueError):
        return False


def _same(path: Path, log_path: str) -> bool:
    try:
        return os.path.samefile(path, log_path)
    except OSError:
        return False


def _inspect(path: str) -> tuple[list[Fact], str]:
    """The facts of a file, or why there are none: its decoder may crash or hang."""
    command = [sys.executable, "-m", "diagnose", "inspect", "--format", "jsonl", "--", path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        rows: list[dict[str, Any]] = json.loads(done.stdout)["facts"] if done.stdout else []
    except subprocess.TimeoutExpired:
        return [], f"no answer in {SECONDS:g} s"
    except (OSError, ValueError) as error:
        return [], str(error)
    if not rows:
        return [], done.stderr.decode(errors="replace").strip()[-200:] or f"exit status {done.returncode}"
    return [
        Fact(
            row["name"],
            row["value"],
            f"{path}, {row['where']}" if row["where"] else path,
            row.get("text", ""),
            row.get("not_checked", ""),
        )
        for row in rows
    ], ""


def _host() -> Evidence:
    from diagnose.pipelines.check import check

    return check(HOST_PROBES, HOST_SECONDS).evidence

"""The fuzz targets of tools/ run, and what they find would be told; long runs are for people and for nights."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_mutated_logs_neither_crash_nor_hang() -> None:
    command = [sys.executable, "tools/fuzz_explain.py", "--count", "300", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "300 logs, 0 failures" in done.stdout

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


def test_mutated_images_neither_raise_nor_hang() -> None:
    command = [sys.executable, "tools/fuzz_scan.py", "--count", "400", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "400 images, 0 failures" in done.stdout


def test_damage_is_seen_wherever_a_format_has_a_checksum() -> None:
    command = [sys.executable, "tools/damage_images.py", "--format", "rgb.png"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("rgb.png"))
    assert int(row[1]) > 100
    assert row[1] == row[2], "an error for each damage"

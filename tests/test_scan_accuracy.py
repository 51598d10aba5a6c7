"""The benchmark of accuracy counts what it says it counts, on a corpus of three files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent


def test_found_silent_and_alarms_are_counted_on_a_small_corpus(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((64, 64), 50).save(buffer, "BMP")
    sound = buffer.getvalue()
    files = {
        "sound.bmp": (sound, "ok"),
        "cut.bmp": (sound[:-2000], "bad"),
        "planes.bmp": (sound[:26] + b"\7" + sound[27:], "bad"),
    }
    (tmp_path / "files").mkdir()
    lines = []
    for name, (data, truth) in files.items():
        (tmp_path / "files" / name).write_bytes(data)
        lines.append(json.dumps({"path": f"files/{name}", "kind": "image", "format": "bmp", "truth": truth}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    command = [sys.executable, "benchmarks/scan_accuracy.py", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    rows = {line.split("|")[1].strip(): line for line in done.stdout.splitlines()[2:]}
    assert rows["decodedoctor scan"] == "| decodedoctor scan | 2 | 2 (100.0 %) | 0 | 0 of 1 |"
    assert rows["Pillow load()"] == "| Pillow load() | 2 | 1 (50.0 %) | 1 | 0 of 1 |"

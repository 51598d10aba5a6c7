"""Files to scan, and scans in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from PIL import Image

from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan import ScanReport, ScanRequest, scan_whole


def jpeg(path: Path) -> bytes:
    """A sound picture at `path`, and its bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.effect_noise((64, 48), 60).convert("RGB").save(path, "JPEG")
    return path.read_bytes()


def mixed_tree(root: Path, sound: int = 24, cut: int = 12) -> None:
    """Sound and cut pictures in several folders, a web page under a picture's name, and a broken link."""
    data = jpeg(root / "ok.jpg")
    for number in range(sound):
        folder = root / f"part-{number % 4}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number:03}.jpg").write_bytes(data)
    for number in range(cut):
        (root / f"part-{number % 4}" / f"cut-{number:03}.jpg").write_bytes(data[: len(data) // 2 + number])
    (root / "page.jpg").write_bytes(b"<!DOCTYPE html><html><body>not found</body></html>")
    (root / "link.jpg").symlink_to(root / "nowhere")


def scanned(book: Rulebook, *paths: Path, jobs: int = 1, **options: Any) -> ScanReport:
    """The whole report on these paths."""
    return scan_whole(ScanRequest([str(path) for path in paths], jobs=jobs, **options), book.rules)


def plain(report: ScanReport) -> Any:
    """All that a report says, to compare with another."""
    return msgspec.to_builtins(report)

"""Files are listed lazily and in order, special ones are never opened, and what cannot be listed is told."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan import walk as walking
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.selection import Selection
from diagnose.pipelines.scan.walk import walk, walk_files


def listed(*paths: Path) -> tuple[list[str], dict[str, str]]:
    entries = list(walk_files(str(path) for path in paths))
    files = [entry for entry in entries if isinstance(entry, str)]
    return files, {Path(entry.what).name: entry.reason for entry in entries if isinstance(entry, NotChecked)}


def test_files_come_in_order_and_version_control_is_left_out(tmp_path: Path) -> None:
    for name in ("b/2", "a", "b/1", ".git/config", "c/d/e/f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    files, _ = listed(tmp_path)
    assert [os.path.relpath(path, tmp_path) for path in files] == ["a", "b/1", "b/2", "c/d/e/f"]


def test_loops_special_files_and_broken_links_are_told_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "good").touch()
    (tmp_path / "link").symlink_to(tmp_path / "good")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        files, reasons = listed(tmp_path)
    assert [Path(path).name for path in files] == ["good", "link"]
    assert reasons == {
        "loop": "a link to a folder, not followed",
        "broken": "a broken link",
        "round": "a broken link",
        "zero": "a character device, never opened",
        "fifo": "a FIFO, never opened",
        "socket": "a socket, never opened",
    }


def test_a_link_that_is_named_itself_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert listed(tmp_path / "link")[0] == [str(tmp_path / "link" / "file")]


def test_a_very_deep_tree_is_walked(tmp_path: Path) -> None:
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(400):
            os.mkdir("d")
            os.chdir("d")
        Path("leaf").touch()
    finally:
        os.chdir(here)
    files, _ = listed(tmp_path)
    assert len(files) == 1 and files[0].endswith("/leaf")


def test_what_lies_deeper_than_a_path_can_say_is_told(tmp_path: Path) -> None:
    """Linux takes 4096 bytes; such trees come from programs that go down folder by folder, as we do here."""
    here, name = os.getcwd(), "d" * 200
    os.chdir(tmp_path)
    try:
        for _ in range(25):
            os.mkdir(name)
            os.chdir(name)
        Path("leaf").touch()
    finally:
        os.chdir(here)
    (tmp_path / "beside").touch()
    files, reasons = listed(tmp_path)
    assert [Path(path).name for path in files] == ["beside"]
    assert reasons == {name: "File name too long"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir(mode=0)
    assert listed(tmp_path) == ([], {"secret": "Permission denied"})


def test_a_folder_of_more_files_than_are_sorted_at_a_time_is_listed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {f"{number:03}" for number in range(50)}
    for name in names:
        (tmp_path / name).touch()
    monkeypatch.setattr(walking, "PIECE_ENTRIES", 7)
    items = list(walk(str(tmp_path), Selection()))
    assert all(isinstance(item, Listed) and len(item.names) <= 7 for item in items) and len(items) == 8
    assert {Path(path).name for path in listed(tmp_path)[0]} == names


def test_listing_starts_before_the_tree_is_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    items: Iterator[Listed | NotChecked] = walk(str(tmp_path), Selection())
    first = next(items)
    (tmp_path / "b" / "file").unlink()
    assert isinstance(first, Listed) and first.folder.endswith("/a/")
    assert list(items) == []


def test_sizes_and_times_come_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.utime(tmp_path / "file", ns=(7, 1_700_000_000_123_456_789))
    stamps = [
        (file.name, file.size_bytes, file.mtime_ns)
        for item in walk(str(tmp_path), Selection(), stamped=True)
        if isinstance(item, Listed)
        for file in item.files()
    ]
    assert stamps == [("file", 5, 1_700_000_000_123_456_789), ("link", 5, 1_700_000_000_123_456_789)]

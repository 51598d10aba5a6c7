"""Which files are looked at: patterns, ignore files with reasons, samples, lists."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from scan_samples import scanned

from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.file_list import read_file_list
from diagnose.pipelines.scan.globs import Globs
from diagnose.pipelines.scan.listing import listing
from diagnose.pipelines.scan.request import ScanRequest
from diagnose.pipelines.scan.sample import Sample, parse_sample
from diagnose.pipelines.scan.selection import Selection

TREE = ("a.jpg", "a.txt", "raw/b.jpg", "raw/deep/c.png", "train/raw/d.jpg", "train/e.jpg", "train/x/y/f.jpg")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def chosen(selection: Selection, request: ScanRequest) -> list[str]:
    items = [item for item in listing(request, selection) if isinstance(item, Listed)]
    root = str(request.paths[0]) if request.paths else os.curdir
    return sorted(os.path.relpath(item.folder + name, root) for item in items for name in item.names)


def below(tree: Path, sample: str | None = None, **options: list[str]) -> list[str]:
    drawn = parse_sample(sample) if sample else None
    return chosen(Selection(sample=drawn, **options), ScanRequest([str(tree)]))


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("*.jpg", ["a.jpg", "raw/b.jpg", "train/raw/d.jpg", "train/e.jpg", "train/x/y/f.jpg"]),
        ("/*.jpg", ["a.jpg"]),
        ("./a.jpg", ["a.jpg"]),
        ("raw", ["raw/b.jpg", "raw/deep/c.png", "train/raw/d.jpg"]),
        ("raw/", ["raw/b.jpg", "raw/deep/c.png", "train/raw/d.jpg"]),
        ("/raw/", ["raw/b.jpg", "raw/deep/c.png"]),
        ("train/*.jpg", ["train/e.jpg"]),
        ("train/**/*.jpg", ["train/e.jpg", "train/raw/d.jpg", "train/x/y/f.jpg"]),
        ("**/y/*", ["train/x/y/f.jpg"]),
        ("train/**", ["train/e.jpg", "train/raw/d.jpg", "train/x/y/f.jpg"]),
        ("[a-b].jpg", ["a.jpg", "raw/b.jpg"]),
        ("[!a].???", ["raw/b.jpg", "raw/deep/c.png", "train/e.jpg", "train/raw/d.jpg", "train/x/y/f.jpg"]),
        ("e.jpg/", []),
        ("a.jp", []),
        ("\\a.jpg", ["a.jpg"]),
        ("a[.]jpg", ["a.jpg"]),
    ],
)
def test_patterns_mean_what_they_mean_to_git(tree: Path, pattern: str, matches: list[str]) -> None:
    assert below(tree, include=[pattern]) == sorted(matches)
    assert below(tree, exclude=[pattern]) == sorted(set(TREE) - set(matches))


def test_the_first_pattern_that_matches_counts_whether_plain_or_not() -> None:
    globs = Globs([("x/*.jpg", 1), ("a.jpg", 2), ("x/b.jpg", 3), ("*.jpg", 4), ("b.jpg", 5)])
    found = [globs.find(path, is_folder=False) for path in ("x/a.jpg", "a.jpg", "y/b.jpg", "x/b.jpg", "c.txt")]
    assert found == [1, 2, 4, 1, None]


@pytest.mark.parametrize(
    ("pattern", "told"), [("[z-a]", "is no pattern"), ("!keep.jpg", "no pattern takes files back")]
)
def test_a_pattern_without_meaning_is_refused(pattern: str, told: str) -> None:
    with pytest.raises(ScanError, match=told):
        Selection(include=[pattern])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "*b", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 500 + "a"),
        ("**/*a*a*a*a/" * 12 + "b", "aaaaaaaaaa/" * 200 + "a"),
        ("**/" * 60 + "b", "a/" * 1000 + "a"),
    ],
)
def test_no_pattern_of_an_ignore_file_can_hold_up_a_scan(pattern: str, path: str) -> None:
    started = time.process_time()
    assert Globs([(pattern, 1)]).find(path, is_folder=False) is None
    assert time.process_time() - started < 10  # one that is tried at each place at each star takes for ever


def test_ignored_files_are_counted_with_the_reason_and_unused_entries_told(tree: Path, book: Rulebook) -> None:
    lines = (
        "# known", "", "raw/   # scanner output", "*.txt# no reason marked", "train/e.jpg # cut on purpose",
        "gone.png  # was bad",
    )  # fmt: skip
    (tree / ".decodedoctorignore").write_text("\n".join(lines))
    more = tree.parent / "more"
    more.write_text("y\n")
    report = scanned(book, tree, ignore_files=[more])
    assert [(each.pattern, each.reason, each.count, each.examples) for each in report.ignored] == [
        ("y", "", 1, ["train/x/y/f.jpg"]),
        ("raw/", "scanner output", 3, ["raw/b.jpg", "raw/deep/c.png", "train/raw/d.jpg"]),
        ("train/e.jpg", "cut on purpose", 1, ["train/e.jpg"]),
    ]
    assert [(each.pattern, Path(each.where).name) for each in report.unused_ignores] == [
        ("*.txt# no reason marked", ".decodedoctorignore:4"),
        ("gone.png", ".decodedoctorignore:6"),
    ]
    assert report.summary.scanned == 3


def test_a_sample_of_a_share_is_the_same_every_time_and_another_with_another_seed(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"{number:03}").touch()
    drawn = below(tmp_path, "25%")
    assert 70 < len(drawn) < 130
    assert below(tmp_path, "25%") == drawn
    other = chosen(Selection(sample=parse_sample("25%", "other")), ScanRequest([str(tmp_path)]))
    assert other != drawn
    assert set(below(tmp_path, "10%")) < set(drawn)


def test_a_sample_of_so_many_files_holds_so_many_whatever_the_place_of_the_folder(tmp_path: Path) -> None:
    for place in ("one", "two/three"):
        for number in range(60):
            path = tmp_path / place / f"{number % 3}" / f"{number:03}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    one, two = below(tmp_path / "one", "17"), below(tmp_path / "two" / "three", "17")
    assert len(one) == 17 and one == two
    assert len(below(tmp_path / "one", "1000")) == 60
    assert below(tmp_path / "one", "0") == []


@pytest.mark.parametrize("text", ["", "many", "-3", "101%", "5 %%", "1e3"])
def test_what_is_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ScanError, match="neither a number of files nor a percentage"):
        parse_sample(text)


def test_samples_are_read() -> None:
    assert parse_sample("12", "s") == Sample(12, 1.0, "s")
    assert parse_sample("0.5%") == Sample(None, 0.005, "0")


def test_a_report_on_a_sample_says_of_how_many(tmp_path: Path, book: Rulebook) -> None:
    for number in range(30):
        (tmp_path / f"{number}.bin").write_bytes(b"x")
    sampled = scanned(book, tmp_path, sample="4", seed="s").sampled
    assert sampled is not None and (sampled.taken, sampled.files, sampled.seed) == (4, 30, "s")


@pytest.mark.parametrize(
    ("content", "by_nul", "paths"),
    [
        (b"a\nb c\n\nd", False, ["a", "b c", "d"]),
        (b"a\r\nb\r\n", False, ["a", "b"]),
        (b"a\0b\nc\0", False, ["a", "b\nc"]),
        (b"a\nb", True, ["a\nb"]),
        (b"caf\xe9\n", False, ["caf\udce9"]),
        (b"", False, []),
    ],
)
def test_lists_of_files_are_read_by_line_or_nul(tmp_path: Path, content: bytes, by_nul: bool, paths: list[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(content)
    assert [each for block in read_file_list(str(path), by_nul) for each in block] == paths


def test_a_long_list_is_read_in_blocks_and_none_of_its_paths_is_cut(tmp_path: Path) -> None:
    paths = [f"folder/{number:08}.jpg" for number in range(20_000)]
    path = tmp_path / "list"
    path.write_text("\n".join(paths))
    blocks = list(read_file_list(str(path)))
    assert len(blocks) > 3
    assert [each for block in blocks for each in block] == paths


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"x" * (1 << 21))
    with pytest.raises(ScanError, match="is no list of files"):
        list(read_file_list(str(path)))
    with pytest.raises(ScanError, match="No such file"):
        list(read_file_list(str(tmp_path / "none")))


def test_listed_files_and_folders_are_chosen_by_their_paths_as_given(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    (tree.parent / "list").write_text("a.jpg\n./raw/b.jpg\ntrain\nnowhere.jpg\n")
    request = ScanRequest(files_from=str(tree.parent / "list"))
    assert chosen(Selection(), request) == ["a.jpg", "raw/b.jpg", "train/e.jpg", "train/raw/d.jpg", "train/x/y/f.jpg"]
    assert chosen(Selection(exclude=["raw/"]), request) == ["a.jpg", "train/e.jpg", "train/x/y/f.jpg"]

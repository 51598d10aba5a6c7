"""The examples of docs/scan.md do what they say: their functions here, and all of them where the library is there."""

from __future__ import annotations

import ast
import io
import re
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TRAIN = ROOT / "fixtures" / "dataset" / "train"
PHOTOS = ("cut.jpg", "hole.jpg", "ok-0.jpg", "ok-1.jpg", "ok-6.png")
DAMAGED = {"cut.jpg", "hole.jpg"}


def examples() -> dict[str, str]:
    """The code of each section."""
    text = (ROOT / "docs" / "scan.md").read_text(encoding="utf-8")
    return dict(re.findall(r"### (\S+)[^\n]*\n(?:(?!###).)*?```python\n(.*?)```", text, re.DOTALL))


def functions(library: str) -> dict[str, Any]:
    """What a section defines, without what needs its library."""
    tree = ast.parse(examples()[library])
    kept = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) or "diagnose" in ast.unparse(node) or "pathlib" in ast.unparse(node):
            kept.append(node)
    space: dict[str, Any] = {}
    exec(compile(ast.Module(kept, []), "docs/scan.md", "exec"), space)  # noqa: S102 - our own page
    return space


def run(library: str) -> dict[str, Any]:
    """Everything that a section does, in the current folder."""
    space: dict[str, Any] = {}
    exec(compile(examples()[library], "docs/scan.md", "exec"), space)  # noqa: S102 - our own page
    return space


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of images and a shard of the same, in the current folder."""
    (tmp_path / "photos").mkdir()
    with tarfile.open(tmp_path / "photos.tar", "w") as shard:
        for name in PHOTOS:
            data = (TRAIN / name).read_bytes()
            (tmp_path / "photos" / name).write_bytes(data)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            shard.addfile(entry, io.BytesIO(data))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "photos"


def test_every_library_has_its_example() -> None:
    assert set(examples()) == {"datasets", "webdataset", "Ray", "Spark"}


def test_the_function_for_datasets(photos: Path) -> None:
    verdict = functions("datasets")["verdict"]
    for name in PHOTOS:
        path = photos / name
        for image in ({"bytes": None, "path": str(path)}, {"bytes": path.read_bytes(), "path": None}):
            assert verdict({"image": image})["severity"] == ("error" if name in DAMAGED else "")


def test_the_functions_for_webdataset(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = functions("webdataset")
    samples = {name: {"__key__": name[:-4], name[-3:]: (photos / name).read_bytes()} for name in PHOTOS}
    assert {name for name, sample in samples.items() if not space["is_sound"](sample)} == DAMAGED
    error = SimpleNamespace(sample=samples["cut.jpg"], k="jpg", key="cut", url="photos.tar")
    assert space["explained"](error) is True
    assert capsys.readouterr().out.startswith("photos.tar: cut.jpg: ")


def test_the_function_for_ray(photos: Path) -> None:
    verdict = functions("Ray")["verdict"]
    rows = [verdict({"bytes": (photos / name).read_bytes(), "path": f"photos/{name}"}) for name in PHOTOS]
    assert {Path(row["path"]).name for row in rows if row["severity"] == "error" and row["cause"]} == DAMAGED


def test_the_function_for_spark(photos: Path) -> None:
    verdicts = functions("Spark")["verdicts"]
    rows = [SimpleNamespace(path=name, content=bytearray((photos / name).read_bytes())) for name in PHOTOS]
    assert {path for path, severity, _rule, _cause in verdicts(rows) if severity == "error"} == DAMAGED


def test_datasets_itself(photos: Path) -> None:
    pytest.importorskip("datasets", reason="the datasets library is not installed")
    space = run("datasets")
    assert sorted(space["rows"]["severity"]) == ["", "", "", "error", "error"]
    assert [row["image"].size for row in space["sound"]]


def test_webdataset_itself(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("webdataset", reason="the webdataset library is not installed")
    space = run("webdataset")
    assert len(list(space["strict"])) == 3
    assert len(list(space["samples"])) == 4  # Pillow takes the hole for a picture
    assert "cut.jpg: " in capsys.readouterr().out


def test_ray_itself(photos: Path) -> None:
    pytest.importorskip("ray.data", reason="Ray is not installed")
    space = run("Ray")
    rows = space["ray"].data.read_parquet("verdicts").take_all()
    assert {Path(row["path"]).name for row in rows} == DAMAGED


def test_spark_itself(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    space = run("Spark")
    rows = space["spark"].read.parquet("found").collect()
    assert {Path(row["path"]).name for row in rows} == DAMAGED
    space["spark"].stop()


def test_options_of_the_page_exist() -> None:
    page = (ROOT / "docs" / "scan.md").read_text(encoding="utf-8")
    from diagnose.cli.scan import command

    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) <= known

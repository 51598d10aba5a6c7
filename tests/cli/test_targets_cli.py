"""`targets` and `scan --target` as a user runs them, on pictures that are made here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import diagnose

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "diagnose", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, cwd=ROOT)


def picture(mode: str = "RGB", size: tuple[int, int] = (64, 48)) -> Image.Image:
    return Image.radial_gradient("L").resize(size).convert(mode)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    picture().save(folder / "plain.jpg")
    picture().save(folder / "a progressive one.jpg", progressive=True)
    picture().save(folder / "drawing.png")
    return folder


def found(folder: Path, *arguments: str | Path) -> dict[str, set[str]]:
    """The rules that a scan raises, by file name."""
    report = json.loads(run("scan", "--format", "json", *arguments, folder).stdout)
    rules: dict[str, set[str]] = {}
    for diagnosis in report["diagnoses"]:
        rules.setdefault(Path(diagnosis["subject"]["path"]).name, set()).add(diagnosis["rule"])
    return rules


def test_what_a_plain_scan_notes_is_an_error_for_a_consumer_that_lacks_it(photos: Path) -> None:
    assert found(photos) == {"a progressive one.jpg": {"image/jpeg-not-baseline"}}
    assert found(photos, "--target", "rockchip-mpp") == {
        "a progressive one.jpg": {"target/rockchip-mpp/not-baseline"},
        "drawing.png": {"target/rockchip-mpp/no-jpeg"},
    }


def test_the_report_names_the_consumer_counts_and_gives_a_command_to_copy(photos: Path) -> None:
    done = run("scan", "--target", "rk3588", photos)
    assert done.returncode == 1
    assert "Rockchip MPP · JPEG that is not baseline" in done.stdout
    assert f"jpegtran -copy all -optimize -outfile OUT.jpg '{photos}/a progressive one.jpg'" in done.stdout
    assert "3 files scanned: 2 errors, 0 warnings, 0 notes" in done.stdout


def test_a_target_and_its_alias_are_one(photos: Path) -> None:
    assert found(photos, "--target", "rk3588", "--target", "rockchip-mpp") == found(photos, "--target", "RK3568")


def test_an_unknown_target_ends_the_scan_with_the_nearest_name(photos: Path) -> None:
    done = run("scan", "--target", "rk358", photos)
    assert done.returncode == 2
    assert done.stderr == "Error: no target is called 'rk358'; did you mean 'rk3588'?\n"


def test_a_ledger_of_another_target_is_not_believed(photos: Path, tmp_path: Path) -> None:
    ledger = ("--state", tmp_path / "ledger")
    plain = found(photos, *ledger)
    aimed = found(photos, *ledger, "--target", "rockchip-mpp")
    assert aimed == found(photos, "--target", "rockchip-mpp") != plain
    assert found(photos, *ledger) == plain


def test_bytes_in_memory_are_judged_for_a_target_too(photos: Path) -> None:
    data = (photos / "drawing.png").read_bytes()
    assert diagnose.check_bytes(data, "drawing.png") == []
    [diagnosis] = diagnose.check_bytes(data, "drawing.png", targets=["rockchip-mpp"])
    assert diagnosis.rule == "target/rockchip-mpp/no-jpeg"
    with pytest.raises(LookupError, match="no target is called 'toaster'"):
        diagnose.check_bytes(data, "drawing.png", targets=["toaster"])


OWN = """
targets:
- name: our-camera
  title:
    en: Our camera
    zh: 我们的相机
  summary:
    en: The camera of the lab.
    zh: 实验室的相机。
  limits:
  - id: no-png
    severity: warning
    title:
      en: PNG is slow
      zh: PNG 较慢
    match:
      fact: {image.format: png}
    happens:
      en: It takes a second a picture.
      zh: 每张图像需要一秒。
    do: [to-jpeg]
    sources: [measured in the lab]
    examples:
    - facts: {image.format: png}
    - facts: {image.format: jpeg}
      raises: nothing
"""


def test_own_targets_stand_beside_the_shipped_ones_and_use_their_remedies(photos: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "targets").mkdir(parents=True)
    (own / "targets" / "our-camera.yaml").write_text(OWN, encoding="utf-8")
    assert found(photos, "--rules", own, "--target", "our-camera")["drawing.png"] == {"target/our-camera/no-png"}
    listed = json.loads(run("targets", "list", "--rules", own, "--format", "json").stdout)
    assert {"our-camera", "rockchip-mpp"} <= {row["name"] for row in listed}
    tested = run("rules", "test", "--rules", own, "target/our-camera")
    assert tested.returncode == 0 and "1/1" in tested.stdout
    broken = own / "targets" / "broken.yaml"
    broken.write_text(OWN.replace("name: our", "name: your").replace("image.format: png", "image.fromat: png", 1))
    linted = run("rules", "lint", own)
    assert linted.returncode == 1
    assert f"{broken}:17:14:" in linted.stdout and "did you mean 'image.format'?" in linted.stdout


def test_a_target_is_shown_with_its_limits_and_where_they_are_known_from() -> None:
    text = run("targets", "show", "rockchip-mpp").stdout
    for expected in ("error · not-baseline", "known from: rockchip-linux/mpp", "$ jpegtran"):
        assert expected in text
    shown = json.loads(run("targets", "show", "rk3588", "--format", "json").stdout)
    assert shown["name"] == "rockchip-mpp"
    assert all(limit["sources"] for limit in shown["limits"])
    assert "目标" in run("targets", "list", "--lang", "zh").stdout


@pytest.mark.parametrize(
    ("name", "limit", "tool"),
    [("progressive.jpg", "not-baseline", "jpegtran"), ("odd.jpg", "odd-size", "ffmpeg")],
)
def test_the_first_command_makes_a_file_that_the_consumer_reads(
    tmp_path: Path, name: str, limit: str, tool: str
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    path = tmp_path / f"it's; touch HACKED & {name}"
    picture(size=(65, 48) if name == "odd.jpg" else (64, 48)).save(path, progressive=name == "progressive.jpg")
    [diagnosis] = diagnose.scan(path, targets=["rk3588"], jobs=1).diagnoses
    assert diagnosis.rule == f"target/rockchip-mpp/{limit}"
    [command] = diagnosis.checklist[0].commands
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    made = (tmp_path / "OUT.jpg").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["OUT.jpg", path.name])
    assert diagnose.check_bytes(made, "OUT.jpg", targets=["rk3588"]) == []

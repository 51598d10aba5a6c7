"""The commands as a user runs them: output, exit status, languages, colour, pipes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diagnose.reports.width import width

ROOT = Path(__file__).resolve().parents[2]
REFERRERS = ROOT / "fixtures" / "logs" / "docker-pull-referrers.log"
DATASET = ROOT / "fixtures" / "dataset"


def run(*arguments: str | Path, stdin: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "LC_ALL")}
    return subprocess.run(
        [sys.executable, "-m", "diagnose", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**env, "LANG": "C.UTF-8", **environment},
        timeout=120,
        cwd=ROOT,
    )


def test_explain_puts_layer_cause_evidence_and_three_steps_on_the_first_screen() -> None:
    done = run("explain", REFERRERS)
    screen = "\n".join(done.stdout.decode().splitlines()[:24])
    assert done.returncode == 1
    assert "error · " in screen and " %" in screen
    assert f"{REFERRERS}:" in screen.replace("\n          ", "")
    assert all(f"{number}. " in screen for number in (1, 2, 3))


def test_lines_fit_eighty_columns_in_both_languages() -> None:
    for language in ("en", "zh"):
        for arguments in (("explain", REFERRERS), ("scan", DATASET)):
            text = run(*arguments, "--lang", language).stdout.decode()
            wide = [line for line in text.splitlines() if width(line) > 80 and "$ " not in line and "/" not in line]
            assert wide == []


def test_json_is_the_contract() -> None:
    done = run("explain", "--format", "json", REFERRERS)
    report = json.loads(done.stdout)
    assert report["schema"] == "decodedoctor/report/1"
    assert set(report["summary"]) == {"scanned", "errors", "warnings", "notes", "not_checked"}
    first = report["diagnoses"][0]
    assert set(first) >= {
        "rule", "layer", "severity", "title", "summary", "subject", "causes", "evidence", "checklist", "consequences",
    }  # fmt: skip
    assert first["causes"] == sorted(first["causes"], key=lambda cause: -cause["probability"])
    assert abs(sum(cause["probability"] for cause in first["causes"]) - 1) < 0.01
    assert first["checklist"][0]["kind"] in ("check", "repair")
    assert re.search(r":\d+$", first["evidence"][0]["where"])


@pytest.mark.parametrize(("fail_on", "status"), [("error", 1), ("warning", 1), ("note", 1), ("never", 0)])
def test_fail_on_decides_the_exit_status(fail_on: str, status: int) -> None:
    assert run("explain", "--fail-on", fail_on, REFERRERS).returncode == status


def test_a_healthy_log_is_silent_and_ends_with_zero(tmp_path: Path) -> None:
    log = tmp_path / "ok.log"
    log.write_text("step 1 ok\nall 32 images decoded, 0 failed\n")
    done = run("explain", log)
    assert done.returncode == 0
    assert "Nothing that fails to decode" in done.stdout.decode()


def test_standard_input_is_read() -> None:
    piped = run("explain", "--format", "json", "-", stdin=REFERRERS.read_bytes())
    assert (
        json.loads(piped.stdout)["diagnoses"][0]["rule"]
        == json.loads(run("explain", "--format", "json", REFERRERS).stdout)["diagnoses"][0]["rule"]
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explain", "/no/such.log"), "cannot read /no/such.log: No such file"),
        (("explain", "/"), "is a folder; `decodedoctor scan /`"),
        (("scan", "/no/such/folder"), "does not exist"),
        (("exlain", "x"), "Did you mean 'explain'?"),
        (("explain", "--fromat", "json", "x"), "--format"),
        (("check", "pilow"), "did you mean"),
        (("rules", "show", "image/decoder-crash"), "did you mean 'image/decoder-crashes'?"),
        (("image", "not a reference!"), "not a reference!"),
    ],
)
def test_a_mistake_ends_with_two_and_says_what_to_do(arguments: tuple[str, ...], told: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr and done.stdout == b""


def test_broken_own_rules_end_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("rules:\n- id: text/x\n  layr: text\n")
    done = run("explain", "--rules", tmp_path, REFERRERS)
    assert done.returncode == 2
    assert "mine.yaml:3:3: a rule has no key 'layr'; did you mean 'layer'?" in done.stderr.decode()


@pytest.mark.parametrize(
    ("environment", "words"),
    [({"LANG": "zh_CN.UTF-8"}, "错误 · "), ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "error · ")],
)
def test_the_language_follows_the_locale(environment: dict[str, str], words: str) -> None:
    assert run("explain", REFERRERS, **environment).stdout.decode().startswith(words)


def test_colour_is_for_terminals_and_no_color_is_respected() -> None:
    assert b"\x1b[" not in run("explain", REFERRERS).stdout
    assert b"\x1b[" in run("explain", "--color", "always", REFERRERS).stdout
    assert b"\x1b[" in on_a_terminal("explain", str(REFERRERS))
    assert b"\x1b[" not in on_a_terminal("explain", str(REFERRERS), NO_COLOR="1")


def on_a_terminal(*arguments: str, **environment: str) -> bytes:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnose", *arguments],
        stdout=child,
        env={**os.environ, "TERM": "xterm", "LANG": "C.UTF-8", **environment},
        cwd=ROOT,
    )
    os.close(child)
    chunks = []
    while True:
        try:
            chunk = os.read(parent, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait()
    os.close(parent)
    return b"".join(chunks)


def test_escapes_of_the_log_do_not_reach_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / "hostile.log"
    log.write_bytes(b"failed to decode \x1b]0;owned\x07\x1b[2Jpayload \xe2\x80\xae of \x9b31m sample\n")
    text = run("explain", log).stdout
    assert not {0x1B, 0x07} & set(text)
    assert "\u202e" not in text.decode()


def test_a_closed_pipe_ends_quietly() -> None:
    command = [sys.executable, "-m", "diagnose", "rules", "list"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) in (0, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("explain", str(REFERRERS)), ("rules", "list")])
def test_a_full_disk_under_the_output_is_told_and_ends_with_two(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "diagnose", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr == "Error: the result cannot be written: No space left on device\n"


def test_ctrl_c_ends_a_scan_with_a_partial_report(tmp_path: Path) -> None:
    picture = (DATASET / "train" / "ok-6.png").read_bytes()
    for number in range(4000):
        (tmp_path / f"{number}.png").write_bytes(picture)
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnose", "scan", "--format", "json", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    if process.returncode == 0:
        pytest.skip("this machine scanned 4,000 files before it could be interrupted")
    report = json.loads(out)
    assert process.returncode == 130
    assert report["interrupted"] and report["summary"]["scanned"] < 4000


def test_scan_names_each_fault_of_the_fixtures_with_its_place() -> None:
    report = json.loads(run("scan", "--format", "json", DATASET).stdout)
    worst: dict[str, str] = {}
    for diagnosis in report["diagnoses"]:
        name = Path(diagnosis["subject"]["path"]).name
        worst[name] = "error" if "error" in (diagnosis["severity"], worst.get(name)) else diagnosis["severity"]
    bad = {
        "cut.jpg", "hole.jpg", "bad-checksum.png", "through-text-mode.png", "page.jpg", "pointer.jpg", "empty.jpg",
        "zeros.jpg", "._ok-0.jpg",
    }  # fmt: skip
    assert {name for name, severity in worst.items() if severity == "error"} == bad
    assert worst["is-a-png.jpg"] == "warning"
    assert not {name for name in worst if name.startswith("ok-")}


def test_inspect_gives_an_object_a_file() -> None:
    done = run("inspect", "--format", "jsonl", DATASET / "labels")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    encodings = {
        Path(row["subject"]["path"]).name: next(f["value"] for f in row["facts"] if f["name"] == "text.encoding")
        for row in rows
    }
    assert encodings["classes.json"] == "ascii"
    assert encodings["classes-gbk.txt"] in ("gb18030", "gbk", "gb2312")
    assert encodings["classes-utf16.csv"] == "utf-16"


def test_completion_offers_the_commands() -> None:
    done = run(_DECODEDOCTOR_COMPLETE="bash_complete", COMP_WORDS="decodedoctor ex", COMP_CWORD="1")
    assert b"explain" in done.stdout

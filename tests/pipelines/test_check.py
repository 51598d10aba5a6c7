from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from diagnose.collectors.host import PROBES, Probe
from diagnose.evidence import State
from diagnose.pipelines.check import UnknownProbeError, check
from diagnose.selfcheck import Bilingual, ProbeResult, ProbeStatus

GROUP = Bilingual("Test", "测试")


@pytest.fixture(autouse=True)
def children_find_bad_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", folder)
    monkeypatch.syspath_prepend(folder)


def decoder(function: str, name: str = "", here: bool = False) -> Probe:
    facts = ("host.decoder_working", "host.decoder_failed")
    name = name or f"test.{function}"
    return Probe(name, GROUP, Bilingual(name, name), f"bad_probes:{function}", facts, "host.decoder_failed", here)


def other(function: str) -> Probe:
    name = f"test.{function}"
    return Probe(name, GROUP, Bilingual(name, name), f"bad_probes:{function}", ("host.disk_free_bytes",))


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("hangs", "no answer within 0.5 s"),
        ("aborts", "the probe's process died of SIGABRT"),
        ("leaves", "the probe's process ended with 3: libbroken.so: the last words"),
        ("raises", "ArithmeticError: no such number"),
        ("not_there", "AttributeError: module 'bad_probes' has no attribute 'not_there'"),
    ],
)
def test_a_misbehaving_decoder_fails_with_its_reason_and_the_others_are_still_run(function: str, reason: str) -> None:
    probes = [decoder("sound", "test.before"), decoder(function), decoder("sound", "test.after")]

    result = check(timeout_seconds=0.5, probes=probes)

    assert [(row.name, row.status.value) for row in result.rows] == [
        ("test.before", "passed"),
        (f"test.{function}", "failed"),
        ("test.after", "passed"),
    ]
    assert result.rows[1].reason.en.splitlines()[0] == reason
    assert [fact.value for fact in result.evidence.known("host.decoder_failed")] == [f"test.{function}"]
    assert [fact.value for fact in result.evidence.known("host.decoder_working")] == ["test.before", "test.after"]


@pytest.mark.parametrize("function", ["hangs", "aborts", "raises"])
def test_what_is_no_decoder_and_misbehaves_was_not_checked(function: str) -> None:
    result = check(timeout_seconds=0.5, probes=[other(function)])

    assert result.rows[0].status is ProbeStatus.NOT_CHECKED
    assert result.rows[0].reason.en
    assert result.evidence.state("host.disk_free_bytes") is State.NOT_CHECKED


def test_every_hanging_probe_has_its_own_time_out() -> None:
    probes = [decoder("hangs", f"test.{number}") for number in range(3)]
    start = time.monotonic()

    result = check(timeout_seconds=0.3, probes=probes)

    assert result.count(ProbeStatus.FAILED) == 3
    assert time.monotonic() - start < 10


def test_a_probe_that_runs_in_this_process_may_raise_or_hang() -> None:
    probes = [decoder(name, here=True) for name in ("raises", "hangs", "sound")]

    result = check(timeout_seconds=0.3, probes=probes)

    assert [row.status.value for row in result.rows] == ["failed", "failed", "passed"]


def test_what_a_native_library_prints_is_not_taken_for_an_answer() -> None:
    assert check(timeout_seconds=5, probes=[decoder("prints")]).rows[0].status is ProbeStatus.PASSED


def test_each_result_is_told_once_and_by_one_thread_at_a_time() -> None:
    busy = threading.Lock()
    told: list[str] = []

    def tell(result: ProbeResult) -> None:
        assert busy.acquire(blocking=False)
        time.sleep(0.01)
        told.append(result.name)
        busy.release()

    result = check(["disk", "text", "python", "hyperscan"], on_result=tell)

    assert sorted(told) == sorted(row.name for row in result.rows)
    assert {"disk.cwd", "disk.temp", "text.open", "python", "hyperscan"} <= set(told)


def test_an_error_of_the_caller_ends_the_check_and_its_children() -> None:
    def broken_pipe(_result: ProbeResult) -> None:
        raise BrokenPipeError

    start = time.monotonic()
    with pytest.raises(BrokenPipeError):
        check(timeout_seconds=60, on_result=broken_pipe, probes=[decoder("sound"), decoder("hangs")])
    assert time.monotonic() - start < 10


def test_rows_stand_in_the_order_of_declaration_whatever_order_was_asked_for() -> None:
    assert [row.name for row in check(["python", "pillow.gif", "pillow.png"]).rows] == [
        "pillow.png",
        "pillow.gif",
        "python",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pillow.jpg", "there is no probe 'pillow.jpg': did you mean 'pillow.jpeg'?"),
        ("zzz", "there is no probe 'zzz'"),
        ("pill", "there is no probe 'pill'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(name: str, message: str) -> None:
    with pytest.raises(UnknownProbeError) as caught:
        check([name])
    assert str(caught.value).startswith(message)


def test_a_module_in_the_current_folder_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "PIL.py").write_text("from pathlib import Path\nPath('ran').touch()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert check(["pillow.png"]).rows[0].status is ProbeStatus.PASSED
    assert not (tmp_path / "ran").exists()


def test_this_machine_is_looked_at_as_a_whole() -> None:
    result = check()

    assert [row.name for row in result.rows] == [probe.name for probe in PROBES]
    assert [row.name for row in result.rows if row.status is ProbeStatus.FAILED and row.name.startswith("pillow")] == []
    assert result.evidence.value("host.python_version") == ".".join(map(str, sys.version_info[:3]))
    assert isinstance(result.evidence.value("host.memory_total_bytes"), int)
    assert result.evidence.state("host.preferred_encoding") is State.KNOWN


SCRIPT = """
import sys
from diagnose.pipelines.check import check
for row in check(["text"]).rows:
    print(row.name, row.status.value, row.reason.en)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no C locale")
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            [
                "text.open failed open() takes ascii",
                "text.stdout warning standard output takes ascii",
                "text.filenames failed file names are decoded as ascii",
            ],
        ),
        ({"LC_ALL": "C", "PYTHONUTF8": "1"}, ["text.open passed", "text.stdout passed", "text.filenames passed"]),
        (
            {"LC_ALL": "C", "PYTHONUTF8": "1", "PYTHONIOENCODING": "latin-1"},
            ["text.open passed", "text.stdout warning standard output takes iso8859-1", "text.filenames passed"],
        ),
    ],
)
def test_text_defaults_are_those_of_the_process_that_asks(variables: dict[str, str], expected: list[str]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}

    done = subprocess.run([sys.executable, "-c", SCRIPT], env={**kept, **variables}, capture_output=True, text=True)

    lines = done.stdout.splitlines()
    assert len(lines) == len(expected), done.stderr
    for line, start in zip(lines, expected, strict=True):
        assert line.strip().startswith(start)

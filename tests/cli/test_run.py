"""`run` is safe in front of any command: its output, signals, input and exit status are its own."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = [sys.executable, "-m", "diagnose", "run"]
PROGRAM = [sys.executable, "-c"]
FAILURE = "failed to decode referrers index: invalid character '<' looking for beginning of value"


def run(*command: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, "--", *command], input=stdin, capture_output=True, timeout=60, cwd=ROOT)


def test_both_outputs_pass_untouched_and_the_status_is_kept() -> None:
    code = "import os; os.write(1, b'\\x00\\xff out\\r50%'); os.write(2, b'err\\x1b[31m'); raise SystemExit(7)"
    done = run(*PROGRAM, code)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"\x00\xff out\r50%", b"err\x1b[31m")


def test_a_failure_is_explained_on_standard_error() -> None:
    done = run(*PROGRAM, f"print({FAILURE!r}); raise SystemExit(1)")
    assert done.returncode == 1
    assert done.stdout.decode() == FAILURE + "\n"
    assert "container/referrers-not-an-index" in done.stderr.decode()


def test_a_healthy_command_gets_no_remark() -> None:
    done = run(*PROGRAM, "print('3 images decoded')")
    assert (done.returncode, done.stderr) == (0, b"")


def test_standard_input_goes_to_the_command() -> None:
    assert run(*PROGRAM, "print(input()[::-1])", stdin=b"abc\n").stdout == b"cba\n"


def test_options_of_the_command_are_its_own() -> None:
    assert run(*PROGRAM, "import sys; print(sys.argv[1:])", "--help", "-q").stdout == b"['--help', '-q']\n"


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("/", 126)])
def test_what_cannot_be_run_ends_as_in_a_shell(command: str, status: int) -> None:
    done = run(command)
    assert done.returncode == status
    assert f"cannot run {command}" in done.stderr.decode()


def test_the_end_by_a_signal_is_kept() -> None:
    assert run(*PROGRAM, "import os; os.kill(os.getpid(), 9)").returncode == 128 + 9


def test_a_signal_to_us_reaches_the_command() -> None:
    code = (
        "import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(42))\n"
        "print('ready', flush=True)\ntime.sleep(30)"
    )
    process = subprocess.Popen([*RUN, "--", *PROGRAM, code], stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 42


def test_output_comes_as_it_is_written() -> None:
    code = "import time; print('first', flush=True); time.sleep(3); print('second')"
    process = subprocess.Popen([*RUN, "--", *PROGRAM, code], stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None and process.stdout.readline() == b"first\n"
    assert process.poll() is None
    process.wait(timeout=20)


def test_on_a_terminal_the_command_has_one_too() -> None:
    parent, child = pty.openpty()
    code = "import os, sys; print(os.isatty(1), os.isatty(0)); print('got', input()); sys.exit(5)"
    process = subprocess.Popen([*RUN, "--", *PROGRAM, code], stdin=child, stdout=child, stderr=child, cwd=ROOT)
    os.close(child)
    text, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        if b"True True" in text and b"typed" not in text:
            os.write(parent, b"typed\n")
            time.sleep(0.3)
        if select.select([parent], [], [], 0.2)[0]:
            try:
                text += os.read(parent, 4096)
            except OSError:  # the other side is closed, which Linux tells as an error
                break
    assert process.wait(timeout=20) == 5
    os.close(parent)
    assert b"True True" in text and b"got typed" in text

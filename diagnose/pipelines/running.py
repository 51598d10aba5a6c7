"""run: a command with its output passed through untouched, and read on the way.

On a terminal the command gets a terminal of its own (a pty), so that it colours, draws progress bars and asks as if
it were alone. Otherwise its two outputs are two pipes. Its signals, its standard input and its exit status are kept.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import BinaryIO

from msgspec import Struct

from diagnose.diagnosis import Report
from diagnose.pipelines.live import PIECE_BYTES, Feed, LiveLog
from diagnose.pipelines.rulebook import Rulebook

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT")
SIGNAL_BASE = 128
"""A shell gives 128 + n as the status of a command that ended by signal n."""


class RunResult(Struct, frozen=True):
    """The command's exit status, as a shell would give it, and what its output says."""

    status: int
    report: Report


def run(command: Sequence[str], book: Rulebook, language: str = "en") -> RunResult:
    """Runs a command to its end. Raises OSError if it cannot be started."""
    feed = Feed()
    live = LiveLog(feed, os.path.basename(command[0]), book, language)
    try:
        if os.name == "posix" and sys.stdout.isatty() and sys.stdin.isatty():
            from diagnose.pipelines.terminal import run_on_terminal

            status = run_on_terminal(command, feed)
        else:
            status = _run_piped(command, feed)
    finally:
        feed.end()
        live.wait()
    return RunResult(SIGNAL_BASE - status if status < 0 else status, live.report())


def _run_piped(command: Sequence[str], feed: Feed) -> int:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    with ForwardedSignals(process.pid):
        pairs = ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer))
        threads = [threading.Thread(target=_pass_through, args=(*pair, feed)) for pair in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return process.wait()


def _pass_through(source: BinaryIO, target: BinaryIO, feed: Feed) -> None:
    """Each piece goes on at once; the log gets whole lines, so that two outputs do not mix within one."""
    carry = b""
    open_target = True
    while piece := os.read(source.fileno(), PIECE_BYTES):
        if open_target:
            try:
                target.write(piece)
                target.flush()
            except (BrokenPipeError, ValueError):
                open_target = False  # who reads has gone; the command may go on, as it would on its own
                source.close()
                break
        carry += piece
        cut = carry.rfind(b"\n") + 1
        if cut or len(carry) > PIECE_BYTES:
            feed.put(carry[: cut or len(carry)])
            carry = carry[cut or len(carry) :]
    if carry:
        feed.put(carry + b"\n")


class ForwardedSignals:
    """While it is entered, signals to this process go to the command; Ctrl-C reaches it by the terminal itself."""

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._before: dict[int, object] = {}

    def __enter__(self) -> ForwardedSignals:
        if threading.current_thread() is threading.main_thread():
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
            for name in FORWARDED:
                number = getattr(signal, name, None)
                if number is not None:
                    self._before[number] = signal.signal(number, self._forward)
        return self

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        try:
            os.kill(self._process_id, number)
        except ProcessLookupError:
            return

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]

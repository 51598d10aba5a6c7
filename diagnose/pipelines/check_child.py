"""Child processes for probes that may hang or crash, and a thread with a time-out for those that run here."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO

import msgspec

from diagnose.collectors.host import Probe
from diagnose.collectors.host.run_probe import Answer, run

MODULE = "diagnose.collectors.host.run_probe"
START_SECONDS = 20.0
"""How long a child may take to start on a busy machine; the time-out of a probe begins after that."""

STDERR_BYTES = 4096


class Children:
    """Runs groups of probes, and can stop whatever still runs."""

    def __init__(self, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, Answer]]:
        """An answer for each probe, in this order. After a probe that hung or crashed, a new child does the rest."""
        left = list(probes)
        while left and not self._stopped:
            done = 0
            for answer in self._answers(left):
                yield left[done], answer
                done += 1
            del left[:done]

    def run_here(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, Answer]]:
        """The same in this process. A probe that hangs is left behind in its thread."""
        for probe in probes:
            answers: queue.Queue[Answer] = queue.Queue()
            threading.Thread(target=_answer_here, args=(probe, answers), daemon=True).start()
            try:
                yield probe, answers.get(timeout=self.timeout_seconds)
            except queue.Empty:
                yield probe, self._timed_out()

    def stop(self) -> None:
        """Kills all children; runs that are under way end."""
        self._stopped = True
        for process in list(self._running):
            _kill(process)

    def _answers(self, probes: Sequence[Probe]) -> Iterator[Answer]:
        """The answers of one child: of all probes, or up to and including the first that hung or crashed."""
        with tempfile.TemporaryFile() as errors:
            try:
                process = _start(probes, errors)
            except OSError as error:
                yield from [Answer(error=f"no process could be started: {error}")] * len(probes)
                return
            self._running.add(process)
            try:
                if self._stopped:
                    return
                lines = _lines(process)
                ready = self._await(lines, process, errors, START_SECONDS)
                if ready.error:
                    yield from [ready] * len(probes)
                    return
                for _ in probes:
                    answer = self._await(lines, process, errors, self.timeout_seconds)
                    yield answer
                    if not answer.name:
                        return
            finally:
                _kill(process)
                self._running.discard(process)

    def _await(
        self, lines: queue.Queue[bytes], process: subprocess.Popen[bytes], errors: IO[bytes], seconds: float
    ) -> Answer:
        """The next answer. One without a name tells in `error` how the child failed."""
        try:
            line = lines.get(timeout=seconds)
        except queue.Empty:
            return self._timed_out()
        if not line:
            return Answer(error=_death(process, errors))
        try:
            return msgspec.json.decode(line, type=Answer)
        except msgspec.DecodeError as error:
            return Answer(error=f"the probe's process answered with something else: {error}")

    def _timed_out(self) -> Answer:
        return Answer(error=f"no answer within {self.timeout_seconds:g} s", seconds=self.timeout_seconds)


def _answer_here(probe: Probe, answers: queue.Queue[Answer]) -> None:
    answers.put(run(probe.name, probe.look))


def _start(probes: Sequence[Probe], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """-P keeps the current folder out of the module path: a magic.py that lies there must not run."""
    arguments = [f"{probe.name}={probe.look}" for probe in probes]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    )


def _lines(process: subprocess.Popen[bytes]) -> queue.Queue[bytes]:
    """The lines of the child as they come; an empty one is the end."""
    lines: queue.Queue[bytes] = queue.Queue()

    def read(output: IO[bytes]) -> None:
        with output, contextlib.suppress(OSError, ValueError):
            for line in output:
                lines.put(line)
        lines.put(b"")

    threading.Thread(target=read, args=(process.stdout,), daemon=True).start()
    return lines


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the child and what it started. A child that hangs in the kernel cannot be waited for."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)


def _death(process: subprocess.Popen[bytes], errors: IO[bytes]) -> str:
    """How a child died, and the last line that it wrote to standard error."""
    try:
        status = process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "the probe's process closed its output"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - STDERR_BYTES))
    said = errors.read().decode("utf-8", "replace").strip().splitlines()
    how = (
        f"the probe's process died of {_signal(-status)}" if status < 0 else f"the probe's process ended with {status}"
    )
    return f"{how}: {said[-1]}" if said else how


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

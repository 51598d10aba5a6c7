"""The loop of a scan: files come from the lister, go to the workers or the ledger, and what is found to the sink."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING

from msgspec import Struct

from diagnose.collectors import cgroup
from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import File
from diagnose.pipelines.scan.ledger import Ledger
from diagnose.pipelines.scan.lister import Lister, ListingEnded, Page
from diagnose.pipelines.scan.listing import listing
from diagnose.pipelines.scan.progress import Meter, Progress
from diagnose.pipelines.scan.recall import Recalled
from diagnose.pipelines.scan.request import ScanRequest, Sink
from diagnose.pipelines.scan.selection import Selection
from diagnose.pipelines.scan.tally import Tally
from diagnose.pipelines.scan.verdict import FileResult, Verdict

if TYPE_CHECKING:
    from diagnose.engine.rule import RuleSet
    from diagnose.pipelines.scan.pool import Answer, Finished, Workers

BATCHES_AHEAD = 2
"""Batches out for each worker: one that it works on, and one that waits."""

BATCH_FILES = 512
WANTED_SECONDS = 0.1
"""What a batch should take: long against the cost of handing it over, short against a second."""

TICK_SECONDS = 0.2


class Wake(Struct, frozen=True):
    """Something has changed: look."""


class ScanRun:
    """One scan, from its first file to its last or to Ctrl-C. Results are in `tally`, and went to the sink.

    What the workers need is loaded with the first file for them; a tree that the ledger knows does without.
    """

    def __init__(
        self,
        request: ScanRequest,
        rules: RuleSet,
        selection: Selection,
        ledger: Ledger | None,
        sink: Sink,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.tally = Tally()
        self.interrupted = False
        self._request, self._rules = request, rules
        self._ledger, self._sink, self._on_progress = ledger, sink, on_progress
        self._inbox: SimpleQueue[Page | ListingEnded | Finished | Wake] = SimpleQueue()
        self._lister = Lister(listing(request, selection, ledger), self._inbox.put)
        self._workers: Workers | None = None
        self._jobs = max(1, request.jobs or available_processors())
        self._pages: deque[Page] = deque()
        self._files: deque[File] = deque()
        self._seconds_a_file = WANTED_SECONDS
        self._meter = Meter()

    def run(self) -> None:
        """Raises ScanError, and what the sink raises."""
        with CtrlC(self.interrupt):
            self._lister.start()
            try:
                while not self._is_done():
                    self._hand_out()
                    self._receive()
            finally:
                self._lister.stop()
                if self._workers is not None:
                    self._workers.stop()
        self._sink.flush()

    def interrupt(self) -> None:
        """Ends the scan where it is. May be called from anywhere, even a signal handler."""
        self.interrupted = True
        self._inbox.put(Wake())

    def _is_done(self) -> bool:
        if self.interrupted:
            return True
        return self._lister.ended and not (self._pages or self._files or self._batches_out() or self._inbox.qsize())

    def _batches_out(self) -> int:
        return self._workers.batches_out if self._workers is not None else 0

    def _hand_out(self) -> None:
        """Gives the workers what they have room for."""
        while self._pages and not self._files and not self.interrupted:
            self._open(self._pages.popleft())
        while self._files and not self.interrupted and self._batches_out() < self._jobs * BATCHES_AHEAD:
            size = max(1, min(BATCH_FILES, int(WANTED_SECONDS / self._seconds_a_file)))
            while len(self._files) < size and self._pages:
                self._open(self._pages.popleft())
            batch = [self._files.popleft() for _ in range(min(size, len(self._files)))]
            self._started_workers().give(batch)

    def _started_workers(self) -> Workers:
        if self._workers is None:
            from diagnose.pipelines.scan.pool import Workers

            request = self._request
            self._workers = Workers(
                self._jobs,
                request.own_rules,
                request.targets,
                request.language,
                self._inbox.put,
                request.file_seconds,
            )
        return self._workers

    def _receive(self) -> None:
        """Takes what has arrived, all of it; waits where nothing has."""
        try:
            event = self._inbox.get(timeout=TICK_SECONDS) if not self._is_done() else None
            while event is not None:
                self._handle(event)
                event = self._inbox.get_nowait()
        except Empty:
            pass
        self._tick()

    def _handle(self, event: Page | ListingEnded | Finished | Wake) -> None:
        if isinstance(event, Page):
            self._pages.append(event)
        elif isinstance(event, ListingEnded):
            if event.error is not None:
                raise event.error
        elif not isinstance(event, Wake) and not self.interrupted:
            self._take(self._started_workers().answer(event))

    def _tick(self) -> None:
        if self._ledger is not None:
            self._ledger.commit_when_due()
        self._sink.flush()
        if self._on_progress is not None:
            summary = self.tally.summary
            done, listed = summary.scanned + summary.not_checked, self._lister.files
            progress = self._meter.progress(done, max(done, listed), self._lister.ended, self.tally.findings)
            self._on_progress(progress)

    def _open(self, page: Page) -> None:
        for item in page.items:
            if isinstance(item, NotChecked):
                self._tell_not_checked(item)
            elif isinstance(item, Recalled):
                self.tally.add_sound(item.sound)
                for path, verdicts in item.others:
                    self._tell(path, verdicts)
            else:
                self._files.extend(item.files())
        self._lister.consumed(page)

    def _take(self, answer: Answer) -> None:
        result, files = answer.result, answer.files
        told = result.told
        if answer.lost is not None:
            from diagnose.engine.judge import Judge
            from diagnose.pipelines.scan.lost import judge_lost

            told = [judge_lost(files[0].path, answer.lost, Judge(self._rules, self._request.language))]
        for each in told:
            self._tell_result(files[each.position], each)
        self.tally.add_sound(result.done - len(told))
        if self._ledger is not None:
            positions = {each.position for each in told}
            for position in range(result.done):
                if position not in positions:
                    self._ledger.record(files[position], ())
        self._files.extendleft(reversed(files[result.done :]))
        if result.done:
            pace = result.seconds / result.done
            self._seconds_a_file = max(1e-6, 0.7 * self._seconds_a_file + 0.3 * pace)

    def _tell_result(self, file: File, result: FileResult) -> None:
        if result.not_checked:
            self._tell_not_checked(NotChecked(file.path, result.not_checked))
            return
        self._tell(file.path, result.verdicts)
        if self._ledger is not None and result.lasting:
            self._ledger.record(file, result.verdicts)

    def _tell(self, path: str, verdicts: Sequence[Verdict]) -> None:
        self.tally.add(path, verdicts)
        if verdicts:
            self._sink.add(path, verdicts)

    def _tell_not_checked(self, item: NotChecked) -> None:
        self.tally.add_not_checked(item)
        self._sink.add_not_checked(item)


class CtrlC:
    """While it is entered, the first Ctrl-C calls `notice` instead of ending what runs; a second one ends it."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._before: object = None

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._notice()

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]


def available_processors() -> int:
    """Those that this process may use: a container sees all of its machine's, and may use a share of them."""
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:
        processors = os.cpu_count() or 1
    quota = cgroup.cpu_quota()
    return max(1, min(processors, math.ceil(quota.value)) if quota else processors)

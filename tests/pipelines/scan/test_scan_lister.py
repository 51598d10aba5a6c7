"""Listing runs ahead of the work, within bounds, and its end and its errors arrive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.lister import Lister, ListingEnded, Page
from diagnose.pipelines.scan.progress import Meter
from diagnose.pipelines.scan.recall import Recalled


def folders(number: int, files: int = 100) -> Iterator[Listed]:
    for each in range(number):
        yield Listed(f"{each}/", "", [str(file) for file in range(files)])


def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_listing_waits_where_enough_lies_ready_and_goes_on_when_it_is_taken() -> None:
    inbox: SimpleQueue[Page | ListingEnded] = SimpleQueue()
    lister = Lister(folders(1000), inbox.put, ahead=5000)
    lister.start()
    assert until(lambda: lister.files > 5000)
    time.sleep(0.2)
    assert lister.files <= 7200 and not lister.ended
    taken = 0
    while not isinstance(event := inbox.get(timeout=5), ListingEnded):
        lister.consumed(event)
        taken += sum(len(item.names) for item in event.items if isinstance(item, Listed))
    assert taken == lister.files == 100_000 and lister.ended and event.error is None


def test_what_is_recalled_as_sound_never_makes_listing_wait() -> None:
    inbox: SimpleQueue[Page | ListingEnded] = SimpleQueue()
    lister = Lister((Recalled(1000, []) for _ in range(500)), inbox.put, ahead=10)
    lister.start()
    assert until(lambda: lister.ended) and lister.files == 500_000


def test_the_first_file_is_handed_over_at_once() -> None:
    def slow() -> Iterator[Listed]:
        yield Listed("a/", "", ["first"])
        time.sleep(30)

    inbox: SimpleQueue[Page | ListingEnded] = SimpleQueue()
    Lister(slow(), inbox.put).start()
    page = inbox.get(timeout=1)
    assert isinstance(page, Page) and len(page.items) == 1


def test_a_stopped_lister_ends_although_nobody_takes_its_pages() -> None:
    inbox: SimpleQueue[Page | ListingEnded] = SimpleQueue()
    lister = Lister(folders(1000), inbox.put, ahead=100)
    lister.start()
    assert until(lambda: lister.files > 0)
    lister.stop()
    lister._thread.join(timeout=5)
    assert not lister._thread.is_alive() and not lister.ended


def test_an_error_arrives_after_what_was_listed_before() -> None:
    def broken() -> Iterator[NotChecked]:
        yield NotChecked("x", "y")
        raise OSError("the disk is gone")

    inbox: SimpleQueue[Page | ListingEnded] = SimpleQueue()
    Lister(broken(), inbox.put).start()
    assert isinstance(inbox.get(timeout=5), Page)
    ended = inbox.get(timeout=5)
    assert isinstance(ended, ListingEnded) and str(ended.error) == "the disk is gone"


def test_progress_follows_the_pace_of_the_last_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [50.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    meter = Meter()
    for second in range(1, 61):
        now[0] += 1
        files = second * 100 if second <= 30 else 3000 + (second - 30) * 10
        progress = meter.progress(files, 4300, total_known=second > 10, findings=second)
    assert progress.files_per_second == pytest.approx(10, rel=0.2)
    assert progress.seconds_left == pytest.approx(100, rel=0.2)
    assert meter.progress(10, 100, total_known=False, findings=0).seconds_left is None

"""A thread that lists ahead of the work, so far and no further, so that the total is known early and memory flat."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.recall import Recalled

Item = Listed | NotChecked | Recalled

AHEAD_FILES = 50_000
PAGE_FILES = 1000
PAGE_SECONDS = 0.05
VERDICT_WEIGHT = 16


class Page(Struct, frozen=True):
    """What was listed since the last page, and how much of what may lie waiting it takes."""

    items: list[Item]
    weight: int


class ListingEnded(Struct, frozen=True):
    """All is listed, or listing failed with this error."""

    error: Exception | None = None


class Lister:
    """Delivers pages of `items` from a thread of its own; waits while more than `ahead` files are not consumed."""

    def __init__(
        self,
        items: Iterable[Item],
        deliver: Callable[[Page | ListingEnded], None],
        ahead: int = AHEAD_FILES,
    ) -> None:
        self.files = 0
        self.ended = False
        self._items, self._deliver, self._ahead = items, deliver, ahead
        self._room = threading.Condition()
        self._waiting = 0
        self._stopped = False
        self._page: list[Item] = []
        self._page_weight = 0
        self._thread = threading.Thread(target=self._run, name="lister", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def consumed(self, page: Page) -> None:
        """Nothing of this page waits any more."""
        with self._room:
            self._waiting -= page.weight
            self._room.notify()

    def stop(self) -> None:
        """No more pages come; the thread ends as soon as the file system answers it."""
        with self._room:
            self._stopped = True
            self._room.notify()

    def _run(self) -> None:
        try:
            due = time.monotonic() + PAGE_SECONDS
            for item in self._items:
                self._page.append(item)
                self._page_weight += _weight(item)
                if self._waiting <= 0 or self._page_weight >= PAGE_FILES or time.monotonic() > due:
                    self._hand_over()
                    due = time.monotonic() + PAGE_SECONDS
                if self._stopped:
                    return
            self._hand_over()
        except Exception as error:  # it must reach the thread that waits for the listing
            self._deliver(ListingEnded(error))
        else:
            self.ended = True
            self._deliver(ListingEnded())

    def _hand_over(self) -> None:
        if not self._page:
            return
        page = Page(self._page, self._page_weight)
        self._page, self._page_weight = [], 0
        with self._room:
            while self._waiting > self._ahead and not self._stopped:
                self._room.wait()
            self._waiting += page.weight
        self.files += sum(map(_files, page.items))
        self._deliver(page)


def _files(item: Item) -> int:
    if isinstance(item, Listed):
        return len(item.names)
    return item.sound + len(item.others) if isinstance(item, Recalled) else 1


def _weight(item: Item) -> int:
    """In files that wait: what is recalled as sound takes no room, a verdict that of several names."""
    if isinstance(item, Listed):
        return len(item.names)
    return VERDICT_WEIGHT * len(item.others) if isinstance(item, Recalled) else 1

"""All files of a request, chosen and in order, with what cannot be listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.file_list import read_file_list
from diagnose.pipelines.scan.ledger import Ledger
from diagnose.pipelines.scan.recall import Recalled, recall
from diagnose.pipelines.scan.request import ScanRequest
from diagnose.pipelines.scan.sample import Sample, Smallest
from diagnose.pipelines.scan.selection import Selection
from diagnose.pipelines.scan.walk import named, walk


def listing(
    request: ScanRequest, selection: Selection, ledger: Ledger | None = None
) -> Iterator[Listed | NotChecked | Recalled]:
    """The files as they are found; of those that the ledger knows, what it knows.

    A sample of so many files can only begin once all are listed.
    """
    items = _found(request, selection)
    sample = selection.sample
    if sample is not None and sample.files is not None:
        items = _smallest(items, sample)
    return items if ledger is None else recall(items, ledger)


def _found(request: ScanRequest, selection: Selection) -> Iterator[Listed | NotChecked]:
    stamped = request.state is not None
    for path in request.paths:
        yield from walk(path, selection, stamped)
    if request.files_from is not None:
        for paths in read_file_list(request.files_from, request.by_nul):
            yield from named(paths, selection, stamped)


def _smallest(items: Iterable[Listed | NotChecked], sample: Sample) -> Iterator[Listed | NotChecked]:
    chosen = Smallest(sample)
    for item in items:
        if isinstance(item, NotChecked):
            yield item
        else:
            chosen.offer(item)
    yield from chosen.listed()

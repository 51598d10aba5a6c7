"""PyTorch's out-of-memory message: which of its figures tells why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.evidence import Evidence

FromLog = Callable[[str], Evidence]

OLD = (
    "CUDA out of memory. Tried to allocate {} (GPU 0; {} total capacity; {} already allocated; {} free; "
    "{} reserved in total by PyTorch)"
)
NEW = (
    "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} of which {} is free. "
    "Of the allocated memory {} is allocated by PyTorch, and {} is reserved by PyTorch but unallocated."
)


@pytest.mark.parametrize(
    ("message", "figures", "kind"),
    [
        pytest.param(
            OLD, ("1.50 GiB", "16.00 GiB", "700.00 MiB", "1.20 GiB", "0.90 GiB"), "held-elsewhere", id="others"
        ),
        pytest.param(OLD, ("2.50 GiB", "16.00 GiB", "9.00 GiB", "19.00 MiB", "15.20 GiB"), "in-pieces", id="reserve"),
        pytest.param(OLD, ("7.50 GiB", "24.00 GiB", "18.90 GiB", "2.10 GiB", "19.20 GiB"), "full", id="old form, full"),
        pytest.param(
            NEW, ("9000.00 GiB", "80.00 GiB", "37.00 GiB", "27.00 GiB", "1.00 GiB"), "beyond-device", id="shape"
        ),
        pytest.param(NEW, ("64.00 MiB", "8.00 GiB", "0 bytes", "22.00 GiB", "3.00 MiB"), "full", id="spilled to RAM"),
        pytest.param(
            NEW, ("20.00 MiB", "8.00 GiB", "2.00 GiB", "0.80 GiB", "20.00 MiB"), "in-pieces", id="free, refused"
        ),
        pytest.param(
            NEW, ("20.00 MiB", "24.00 GiB", "9.00 MiB", "310.00 MiB", "8.00 MiB"), "held-elsewhere", id="tiny"
        ),
        pytest.param("CUDA out of memory. Tried to allocate 2.00 GiB", (), "unknown", id="none"),
    ],
)
def test_what_the_figures_say(message: str, figures: tuple[str, ...], kind: str, from_log: FromLog) -> None:
    evidence = from_log(f"torch.OutOfMemoryError: {message.format(*figures)}\n")
    assert evidence.value("derived.torch_shortage") == kind


def test_the_table_that_newer_releases_print(from_log: FromLog) -> None:
    evidence = from_log(
        "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\n"
        "Currently allocated     : 7.31 GiB\n"
        "Requested               : 1.00 GiB\n"
        "Device limit            : 8.00 GiB\n"
        "Free (according to CUDA): 0 bytes\n"
    )
    assert evidence.value("derived.torch_shortage") == "full"


def test_the_sum_is_shown(from_log: FromLog) -> None:
    (fact,) = from_log(NEW.format("9000.00 GiB", "80.00 GiB", "37.00 GiB", "27.00 GiB", "1.00 GiB")).known(
        "derived.torch_shortage"
    )
    assert fact.text == "9216000.00 MiB asked of a device of 81920.00 MiB"

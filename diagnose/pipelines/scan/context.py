"""How worker processes start: clean, and without the caller's program.

`multiprocessing` has each new process import the module that the program was started with, for functions defined
there. Workers need none, and a script that scans at its top level would scan again in each of them.
"""

from __future__ import annotations

import multiprocessing.context
import sys
import threading
from types import ModuleType
from typing import Any

_kind: Any
_process: Any
if sys.platform == "win32":
    _kind, _process = multiprocessing.context.SpawnContext, multiprocessing.context.SpawnProcess
else:
    _kind, _process = multiprocessing.context.ForkServerContext, multiprocessing.context.ForkServerProcess

_starting = threading.Lock()


class WorkerProcess(_process):  # type: ignore[misc]
    """A process that starts while `__main__` is an empty module."""

    @staticmethod
    def _Popen(process: Any) -> Any:  # noqa: N802 - as multiprocessing calls it
        with _starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return _process._Popen(process)
            finally:
                sys.modules["__main__"] = main


class WorkerContext(_kind):  # type: ignore[misc]
    """forkserver, or spawn on Windows: processes that inherit nothing that this one has open or loaded."""

    Process = WorkerProcess


def worker_context() -> Any:
    """The context of a pool, whose processes have the worker's modules loaded where they are forked."""
    context = WorkerContext()
    if sys.platform != "win32":
        context.set_forkserver_preload(["diagnose.pipelines.scan.worker", "diagnose.collectors.image"])
    return context

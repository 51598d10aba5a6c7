"""Probes that misbehave. The self-check starts them in its child processes, which find them through PYTHONPATH."""

from __future__ import annotations

import os
import time

from diagnose.collectors.host import FACTS
from diagnose.evidence import Fact


def sound(probe: str) -> list[Fact]:
    return [FACTS.known("host.decoder_working", probe)]


def hangs(_probe: str) -> list[Fact]:
    time.sleep(600)
    return []


def aborts(_probe: str) -> list[Fact]:
    os.abort()


def leaves(_probe: str) -> list[Fact]:
    os.write(2, b"first line\nlibbroken.so: the last words\n")
    os._exit(3)


def raises(_probe: str) -> list[Fact]:
    raise ArithmeticError("no such number")


def prints(probe: str) -> list[Fact]:
    os.write(1, b"libnoisy: this is not JSON\n")
    return sound(probe)

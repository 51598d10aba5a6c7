"""What a probe is: one thing to look at on this machine."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from msgspec import Struct

from diagnose.evidence import Fact
from diagnose.selfcheck import Bilingual

Look = Callable[[str], list[Fact]]
"""Is given the name of its probe, so that one function can serve a whole table of samples."""


class Probe(Struct, frozen=True):
    """`look` names a function as `module:function`, so that declaring a probe loads nothing heavy.

    `facts` are the names of the facts that the probe looks for. When the probe hangs, crashes or raises, that alone
    establishes the fact `failure_fact` (a decoder that crashes does not work); without one, all of its facts are not
    checked. `here` is for probes that must see this very process, such as its own output stream; all others run in a
    child process and may crash it.
    """

    name: str
    group: Bilingual
    title: Bilingual
    look: str
    facts: tuple[str, ...]
    failure_fact: str = ""
    here: bool = False


def resolve(look: str) -> Look:
    """The function that `module:function` names. Raises ImportError or AttributeError when there is none."""
    module, _, function = look.partition(":")
    return cast(Look, getattr(import_module(module), function))

"""A transcript that says one sentence again and again, told from one that does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.evidence import Evidence

FromLog = Callable[[str], Evidence]

LOOP = """\
[00:00:10.000 --> 00:00:12.000]   Thanks for watching.
[00:00:12.000 --> 00:00:14.000]   thanks for watching
[00:00:14.000 --> 00:00:16.000]   Thanks for watching!
[00:00:16.000 --> 00:00:18.000]   Goodbye.
"""
FASTER_WHISPER = """\
[0.00s -> 2.00s] The end of it.
[2.00s -> 4.00s] The end of it.
"""
SPEECH = """\
[00:00.000 --> 00:04.000]  And so it begins,
[00:04.000 --> 00:08.000]  and here it ends.
"""
SHORT_WORDS = """\
[00:00.000 --> 00:01.000]  No.
[00:01.000 --> 00:02.000]  No.
"""


@pytest.mark.parametrize(("log", "repeats"), [(LOOP, [3]), (FASTER_WHISPER, [2]), (SPEECH, []), (SHORT_WORDS, [])])
def test_segments_of_one_text(log: str, repeats: list[int], from_log: FromLog) -> None:
    assert [fact.value for fact in from_log(log).known("derived.transcript_repeats")] == repeats

"""What is known of a log as a whole."""

from __future__ import annotations

from diagnose.evidence import FactSpec, Vocabulary

FACTS = Vocabulary(
    "log",
    FactSpec("log.size_bytes", "int", "length of the log, decompressed", "bytes"),
    FactSpec("log.lines", "int", "number of lines of the log"),
    FactSpec("log.encoding", "str", "encoding in which the log is written: utf-8 (or any other of bytes) or utf-16"),
    FactSpec("log.records", "str", "form of the log's lines where it is a known one: json"),
)

"""The syntax of a text whose name says JSON or YAML."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.text.facts import FACTS
from diagnose.collectors.text.json_syntax import TooLargeError, read_json_syntax
from diagnose.collectors.text.utf8 import InvalidByte
from diagnose.collectors.text.yaml_syntax import NotYamlError, find_yaml_error
from diagnose.evidence import Fact

_JSON_SUFFIXES = (".json", ".ipynb", ".geojson", ".webmanifest")
_JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_YAML_SUFFIXES = (".yaml", ".yml")


def syntax_facts(
    data: bytes, name: str, encoding: str, invalid: InvalidByte | None, *, is_whole: bool
) -> Iterator[Fact]:
    """What is wrong in JSON or YAML, if `name` says that the text is one of them.

    Both are Unicode (RFC 8259, 8.1; YAML 1.2, 5.2): bytes that are none are an error here, UTF-16 and a byte order
    mark are left to the facts on the encoding.
    """
    lowered = name.lower()
    is_json, by_line = lowered.endswith(_JSON_SUFFIXES), lowered.endswith(_JSON_LINES_SUFFIXES)
    if not (is_json or by_line or lowered.endswith(_YAML_SUFFIXES)):
        return
    fact = "text.json_error" if is_json or by_line else "text.yaml_error"
    is_wide = encoding.startswith(("utf-16", "utf-32"))
    if invalid and not is_wide:
        yield FACTS.known(fact, "not UTF-8", invalid.where, invalid.text)
    elif not is_whole:
        yield FACTS.not_checked(fact, "the file is too large")
    else:
        text = data.decode(encoding if is_wide else "utf-8-sig", "replace")
        yield from _json_facts(text, by_line) if is_json or by_line else _yaml_facts(text)


def _json_facts(text: str, by_line: bool) -> Iterator[Fact]:
    try:
        syntax = read_json_syntax(text, by_line=by_line)
    except TooLargeError as reason:
        yield FACTS.not_checked("text.json_error", str(reason))
        return
    if syntax.error:
        yield FACTS.known("text.json_error", syntax.error.message, syntax.error.where, syntax.error.text)
        yield FACTS.known("text.syntax_ends_early", syntax.error.ends_early, syntax.error.where)
    elif syntax.ambiguities:
        examples = ", ".join(syntax.ambiguities.values())
        yield FACTS.known("text.json_ambiguities", sorted(syntax.ambiguities), "", examples)


def _yaml_facts(text: str) -> Iterator[Fact]:
    try:
        error = find_yaml_error(text)
    except NotYamlError as reason:
        yield FACTS.not_checked("text.yaml_error", str(reason))
        return
    if error:
        yield FACTS.known("text.yaml_error", error.message, error.where, error.text)
        yield FACTS.known("text.syntax_ends_early", error.ends_early, error.where)

"""Whether a YAML text can be parsed, and where it cannot. Only the parser's events are read, nothing is constructed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnose.collectors.text.text_error import TextError

_SIZE_LIMIT = 8 << 20
_AROUND = 20
_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%")
"""Marks of Jinja and Go templates (Helm, Ansible); `${{` of GitHub's workflows stands in valid YAML."""


class NotYamlError(Exception):
    """The text is not parsed here; the message says why."""


def find_yaml_error(text: str) -> TextError | None:
    """The first error in a stream of YAML documents, or None.

    Raises NotYamlError beyond 8 Mi characters, and on an error in what looks like a template that makes YAML.
    """
    if len(text) > _SIZE_LIMIT:
        raise NotYamlError(f"longer than {_SIZE_LIMIT} characters")
    error = _parse(text)
    if error and _TEMPLATE.search(text):
        raise NotYamlError("looks like a template, which makes YAML only when it is rendered")
    return error


def _parse(text: str) -> TextError | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        unknown = _unknown_alias(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        return _locate(text, error.problem or error.context or "", error.problem_mark or error.context_mark)
    except yaml.reader.ReaderError as error:
        return _locate_character(text, error.reason)
    except (RecursionError, ValueError) as error:  # the Python parser on deep nesting, numbers in escapes
        return TextError(str(error)[:80], 1, 1, text[:_AROUND])
    return _locate(text, "found undefined alias", unknown) if unknown else None


def _unknown_alias(events: Iterator[Any]) -> Any:
    """The mark of the first alias to an anchor that its document does not have so far, or None."""
    import yaml

    anchors: set[str] = set()
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            anchors.clear()
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                return event.start_mark
        elif getattr(event, "anchor", None):
            anchors.add(event.anchor)
    return None


def _locate(text: str, message: str, mark: Any) -> TextError:
    if mark is None:
        return TextError(message, 1, 1, text[:_AROUND])
    at = mark.index
    ends_early = at >= len(text.rstrip()) or message.startswith("found unexpected end of stream")
    return TextError(message, mark.line + 1, mark.column + 1, text[max(0, at - _AROUND) : at + _AROUND], ends_early)


_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML 1.1 does not count as printable (5.1)."""


def _locate_character(text: str, reason: str) -> TextError:
    found = _REFUSED.search(text)
    at = found.start() if found else 0
    shown = f"character #x{ord(text[at]):04x}: {reason}" if found else reason
    line_start = text.rfind("\n", 0, at) + 1
    around = text[max(0, at - _AROUND) : at + _AROUND]
    return TextError(shown, text.count("\n", 0, at) + 1, at - line_start + 1, around)

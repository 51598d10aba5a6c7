"""Rule files in, a checked `RuleSet` out. Every complaint names file, line and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from diagnose.engine.build import Builder
from diagnose.engine.form import Form
from diagnose.engine.problems import Place, Problem, RuleError
from diagnose.engine.rule import RuleSet
from diagnose.engine.rule_form import FILE
from diagnose.evidence import FactSpec

MAX_FILE_BYTES = 4 << 20
MAX_DEPTH = 40
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(files: Sequence[Path], declared: Iterable[FactSpec]) -> tuple[RuleSet, list[Problem]]:
    """The rules of these files, checked against the facts that collectors declare, and what is only noteworthy.

    Raises RuleError with everything that is wrong in all files.
    """
    problems: list[Problem] = []
    fit = fitting(files, FILE, problems)
    builder = Builder(declared, problems)
    for root in fit:
        builder.add_extractions(root)
    for root in fit:
        builder.add_rules(root)
    builder.check_explains()
    refuse_serious(problems)
    return builder.rule_set([str(path) for path in files]), problems


def fitting(files: Sequence[Path], form: Form, problems: list[Problem]) -> list[yaml.Node]:
    """The YAML nodes of the files that fit the form; what is wrong with the others goes to `problems`."""
    fit = []
    for path in files:
        root = _compose(path, problems)
        if root is None:
            continue
        complaints: list[Problem] = []
        form.check(root, complaints)
        problems.extend(complaints)
        if not complaints:
            fit.append(root)
    return fit


def refuse_serious(problems: Iterable[Problem]) -> None:
    """Raises RuleError with all that files cannot be used with, in the order of the files."""
    serious = [problem for problem in problems if problem.serious]
    if serious:
        raise RuleError(sorted(serious, key=lambda problem: (problem.place.file, problem.place.line)))


def _compose(path: Path, problems: list[Problem]) -> yaml.Node | None:
    """The YAML nodes of a file, or None with a problem where it is none (or is made to exhaust the reader)."""
    start = Place(str(path), 1, 1)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            problems.append(Problem(start, f"is larger than {MAX_FILE_BYTES >> 20} MiB: no rule file"))
            return None
        text = content.decode("utf-8-sig")
        root = _composed(text, str(path))
        problems.extend(_texts_cut_by_comments(text, str(path)))
    except OSError as error:
        problems.append(Problem(start, f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError as error:
        problems.append(Problem(start, f"is not UTF-8 (byte {error.start}); save it as UTF-8"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = Place(str(path), mark.line + 1, mark.column + 1) if mark else start
        problems.append(Problem(at, f"is not YAML: {error.problem or error.context}; look at the indentation"))
    except (yaml.YAMLError, RecursionError) as error:
        problems.append(Problem(start, f"is not YAML: {str(error).splitlines()[0]}"))
    else:
        if root is None:
            problems.append(Problem(start, "is empty"))
            return None
        return root
    return None


def _texts_cut_by_comments(text: str, name: str) -> Iterator[Problem]:
    """Unquoted texts of several words that end before " #": YAML takes the rest of the line for a comment."""
    lines = text.split("\n")
    for token in yaml.scan(text, Loader=_LOADER):
        if isinstance(token, yaml.ScalarToken) and token.plain and " " in token.value:
            end = token.end_mark
            if lines[end.line][end.column :].lstrip().startswith("#"):
                place = Place(name, end.line + 1, end.column + 2)
                yield Problem(place, "the text ends before this '#', which begins a comment: quote it", serious=False)


def _composed(text: str, name: str) -> yaml.Node | None:
    for token in yaml.scan(text, Loader=_LOADER):
        if isinstance(token, (yaml.AliasToken, yaml.AnchorToken)):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=token.start_mark)
    root: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
    if root is not None:
        _prepare(root, name, 0)
    return root


def _prepare(node: yaml.Node, name: str, depth: int) -> None:
    """Gives each node's mark the file's name, which the composer does not know, and bounds the nesting."""
    if depth > MAX_DEPTH:
        raise yaml.MarkedYAMLError(problem="is nested too deeply", problem_mark=node.start_mark)
    node.start_mark = yaml.Mark(name, 0, node.start_mark.line, node.start_mark.column, None, 0)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key must be a word", problem_mark=key.start_mark)
            _prepare(key, name, depth + 1)
            _prepare(value, name, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            _prepare(child, name, depth + 1)

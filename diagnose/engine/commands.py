"""Commands of steps: `{name}` is a capture or a fact, quoted for the shell when it is filled.

`%{name}` (curl), `${name}` (shell) and `{{.Name}}` (Go templates) stay as they are; `{{name}}` stands for `{name}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from diagnose.quoting import shell_word

FILE_PLACEHOLDER = "file"
"""`{file}` is the scanned file's path, unless the rule captures a group of that name."""

_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|(?<![%$\{])\{([A-Za-z_][\w.]*)\}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def placeholders(command: str) -> list[str]:
    """The names that are filled in."""
    return [name for _, name in _PLACEHOLDER.findall(command) if name]


def quoted_placeholders(command: str) -> list[str]:
    """The quoted parts that hold a placeholder, where filling it would break the quotes."""
    return [part for part in _QUOTED.findall(command) if placeholders(part)]


def filled(command: str, lookup: Callable[[str], object | None]) -> str:
    """The command with values in place; what `lookup` does not know (None) stands in capitals."""

    def value(match: re.Match[str]) -> str:
        literal, name = match.groups()
        if literal:
            return f"{{{literal}}}"
        known = lookup(name)
        if known is None:
            return name.rpartition(".")[2].upper()
        return " ".join(shell_word(str(item)) for item in (known if isinstance(known, list) else [known]))

    return _PLACEHOLDER.sub(value, command)

"""The form of a rule file, described once: `check` finds what does not fit it, `schema` publishes it for editors.

A form is checked against YAML nodes rather than against data, since only nodes know their line and column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml
from msgspec import Struct

from diagnose.engine.problems import Place, Problem, nearest

Node = yaml.Node
_BOOL, _INT, _FLOAT, _STR = (f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float", "str"))


def place(node: Node) -> Place:
    mark = node.start_mark
    return Place(str(mark.name), mark.line + 1, mark.column + 1)


def pairs(node: Node) -> list[tuple[str, Node, Node]]:
    """Key, key node and value node of each entry of a mapping."""
    assert isinstance(node, yaml.MappingNode)
    return [(str(key.value), key, value) for key, value in node.value]


def entry(node: Node, key: str) -> Node | None:
    """The value node under `key` of a mapping, or None."""
    return next((value for name, _, value in pairs(node) if name == key), None)


def data(node: Node) -> Any:
    """The plain data of a node that was composed by the safe loader."""
    loader = yaml.SafeLoader("")
    return loader.construct_document(node)


def children(node: Node | None) -> list[Node]:
    """The items of a list, or a single node as a list of one."""
    if node is None:
        return []
    return [node] if isinstance(node.value, str) else list(node.value)


def items(node: Node, key: str) -> list[Node]:
    """The items of the list under `key` of a mapping."""
    return children(entry(node, key))


def required(node: Node, key: str) -> Node:
    """The value node under a key that the form demands."""
    found = entry(node, key)
    assert found is not None, key
    return found


def string(node: Node, key: str) -> str:
    """The text under `key` of a mapping, or an empty one."""
    found = entry(node, key)
    return str(found.value) if found is not None else ""


def plain(node: Node, key: str, default: Any) -> Any:
    """The plain data under `key` of a mapping, or the default."""
    found = entry(node, key)
    return data(found) if found is not None else default


def kind(node: Node) -> str:
    """What a node is, in words."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return {_BOOL: "true or false", _INT: "a number", _FLOAT: "a number", _STR: "text"}.get(node.tag, "nothing")


class Form:
    """What may stand at a place of a rule file."""

    def check(self, node: Node, problems: list[Problem]) -> None:
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema (draft 2020-12)."""
        raise NotImplementedError


class Scalar(Form):
    """A single value of one of the YAML types, within bounds or among choices."""

    def __init__(
        self,
        *types: str,
        choices: Sequence[str] = (),
        above: float | None = None,
        most: float | None = None,
        hint: str = "",
    ) -> None:
        self.types, self.choices, self.above, self.most, self.hint = types, choices, above, most, hint

    def check(self, node: Node, problems: list[Problem]) -> None:
        wanted = " or ".join(self.types)
        tags = {f"tag:yaml.org,2002:{name}" for name in self.types}
        if not isinstance(node, yaml.ScalarNode) or node.tag not in tags:
            problems.append(Problem(place(node), f"wanted {wanted}{self.hint}, found {kind(node)}"))
        elif self.choices and node.value not in self.choices:
            near = nearest(node.value, self.choices)
            problems.append(Problem(place(node), f"{node.value!r} is none of {', '.join(self.choices)}{near}"))
        elif self.above is not None or self.most is not None:
            self._check_bounds(node, problems)

    def _check_bounds(self, node: Node, problems: list[Problem]) -> None:
        value = data(node)
        if self.above is not None and not value > self.above:
            problems.append(Problem(place(node), f"must be greater than {self.above:g}"))
        if self.most is not None and value > self.most:
            problems.append(Problem(place(node), f"must be at most {self.most:g}"))

    def schema(self) -> dict[str, Any]:
        names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "null": "null"}
        types = [names[name] for name in self.types]
        schema: dict[str, Any] = {"type": types if len(types) > 1 else types[0]}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.above is not None:
            schema["exclusiveMinimum"] = self.above
        if self.most is not None:
            schema["maximum"] = self.most
        return schema


class ListOf(Form):
    """A list of one form; with `or_one`, a single item may stand without a list."""

    def __init__(self, item: Form, or_one: bool = False, empty: bool = True) -> None:
        self.item, self.or_one, self.empty = item, or_one, empty

    def check(self, node: Node, problems: list[Problem]) -> None:
        if isinstance(node, yaml.SequenceNode):
            if not node.value and not self.empty:
                problems.append(Problem(place(node), "the list is empty"))
            for child in node.value:
                self.item.check(child, problems)
        elif self.or_one:
            self.item.check(node, problems)
        else:
            problems.append(Problem(place(node), f"wanted a list, found {kind(node)}"))

    def schema(self) -> dict[str, Any]:
        many: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if not self.empty:
            many["minItems"] = 1
        return {"anyOf": [self.item.schema(), many]} if self.or_one else many


class Key(Struct, frozen=True):
    """A key of a mapping: its form, whether it must be there, and its meaning for the editor's help."""

    form: Any
    required: bool = False
    meaning: str = ""


class MapOf(Form):
    """A mapping of declared keys. `one_of`: exactly one of these keys must be there."""

    def __init__(self, what: str, keys: Mapping[str, Key], one_of: Sequence[str] = ()) -> None:
        self.what, self.keys, self.one_of = what, keys, one_of

    def check(self, node: Node, problems: list[Problem]) -> None:
        if not isinstance(node, yaml.MappingNode):
            problems.append(Problem(place(node), f"wanted {self.what}, a mapping, found {kind(node)}"))
            return
        seen: set[str] = set()
        for name, key_node, value in pairs(node):
            if name in seen:
                problems.append(Problem(place(key_node), f"{name!r} stands here twice"))
            elif name not in self.keys:
                near = nearest(name, self.keys)
                problems.append(Problem(place(key_node), f"{self.what} has no key {name!r}{near}"))
            else:
                self.keys[name].form.check(value, problems)
            seen.add(name)
        for name, key in self.keys.items():
            if key.required and name not in seen:
                problems.append(Problem(place(node), f"{self.what} lacks the key {name!r}"))
        if self.one_of and len(seen & set(self.one_of)) != 1:
            problems.append(Problem(place(node), f"{self.what} needs exactly one of {', '.join(self.one_of)}"))

    def schema(self) -> dict[str, Any]:
        properties = {
            name: {**key.form.schema(), **({"description": key.meaning} if key.meaning else {})}
            for name, key in self.keys.items()
        }
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [name for name, key in self.keys.items() if key.required]
        if required:
            schema["required"] = required
        if self.one_of:
            schema["oneOf"] = [{"required": [name]} for name in self.one_of]
        return schema


class MapTo(Form):
    """A mapping from free names to one form."""

    def __init__(self, what: str, value: Form) -> None:
        self.what, self.value = what, value

    def check(self, node: Node, problems: list[Problem]) -> None:
        if not isinstance(node, yaml.MappingNode):
            problems.append(Problem(place(node), f"wanted {self.what}, a mapping, found {kind(node)}"))
            return
        for _, _, value in pairs(node):
            self.value.check(value, problems)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.value.schema()}


class Either(Form):
    """A mapping where a node is a mapping, else the other form."""

    def __init__(self, mapping: Form, other: Form) -> None:
        self.mapping, self.other = mapping, other

    def check(self, node: Node, problems: list[Problem]) -> None:
        (self.mapping if isinstance(node, yaml.MappingNode) else self.other).check(node, problems)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.mapping.schema(), self.other.schema()]}


class Named(Form):
    """A form that refers to itself: published under its name, looked up when it is used."""

    def __init__(self, name: str, lookup: Callable[[], Form]) -> None:
        self.name, self.lookup = name, lookup

    def check(self, node: Node, problems: list[Problem]) -> None:
        self.lookup().check(node, problems)

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}

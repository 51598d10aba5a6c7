"""The form of a rule file: every key, what may stand there, and what it means. Published by `rules schema`."""

from __future__ import annotations

from typing import Any

from diagnose.diagnosis import Layer, Risk, Severity
from diagnose.engine.form import Either, Form, Key, ListOf, MapOf, MapTo, Named, Scalar
from diagnose.engine.ranking import LARGEST_FACTOR
from diagnose.evidence import FACT_TYPES

LANGUAGES = ("en", "zh")

LAYER = Scalar("str", choices=[layer.value for layer in Layer])
STRING = Scalar("str")
PATTERN = Scalar("str", hint=" (a regular expression)")
PROBABILITY = Scalar("float", "int", above=0, most=1)
TEXT = MapOf("a text", {"en": Key(STRING, required=True), "zh": Key(STRING)})
VALUE = Scalar("str", "int", "float", "bool")
FACT_VALUE = Scalar("str", "int", "float", "bool", "null")
OPERAND = Either(MapOf("a reference to a fact", {"fact": Key(STRING, required=True)}), ListOf(VALUE, or_one=True))
COMPARISONS = MapTo("comparisons", OPERAND)

CONDITION: Form = Named("condition", lambda: CONDITION_FORM)
_CONDITION_KEYS = {
    "log": Key(ListOf(PATTERN, or_one=True, empty=False), meaning="one of these patterns is found in a line"),
    "fact": Key(COMPARISONS, meaning="facts compare so: `name: value` or `name|operator: value`"),
    "capture": Key(COMPARISONS, meaning="named groups of this rule's patterns compare so"),
    "all": Key(ListOf(CONDITION, empty=False), meaning="all of these hold"),
    "any": Key(ListOf(CONDITION, empty=False), meaning="one of these holds"),
    "not": Key(CONDITION, meaning="this does not hold"),
}
CONDITION_FORM: Form = MapOf("a condition", _CONDITION_KEYS)
CONDITION_KEYS = tuple(_CONDITION_KEYS)

CLUE = MapOf(
    "a clue",
    {
        **_CONDITION_KEYS,
        "weight": Key(
            Scalar("int", "float", above=1, most=LARGEST_FACTOR),
            required=True,
            meaning="likelihood ratio: how many times likelier the clue is under this cause than under others",
        ),
        "sensitivity": Key(
            Scalar("int", "float", above=0, most=0.999),
            meaning="share of this cause's cases in which the clue is there: what its absence says",
        ),
    },
)
CAUSE = MapOf(
    "a cause",
    {
        "id": Key(STRING, required=True),
        "title": Key(TEXT, required=True),
        "detail": Key(TEXT, meaning="what happened, in a sentence or two; shown if this is the likeliest cause"),
        "layer": Key(LAYER, meaning="the layer that failed under this cause, if it is not the rule's"),
        "prior": Key(PROBABILITY, required=True),
        "for": Key(ListOf(CLUE)),
        "against": Key(ListOf(CLUE)),
    },
)
STEP = MapOf(
    "a step",
    {
        "id": Key(STRING, required=True),
        "check": Key(TEXT, meaning="learns something: what to look at"),
        "repair": Key(TEXT, meaning="changes something: what to do"),
        "detail": Key(TEXT),
        "run": Key(ListOf(STRING, or_one=True), meaning="commands to copy; {name} is a capture or a fact"),
        "minutes": Key(Scalar("int", "float", above=0), required=True),
        "risk": Key(Scalar("str", choices=[risk.value for risk in Risk])),
        "verify": Key(STRING, meaning="a command that proves the repair"),
        "tells": Key(MapTo("what a check tells", Either(TEXT, STRING)), meaning="cause: how one sees that it is it"),
        "fixes": Key(MapTo("what a repair fixes", PROBABILITY), meaning="cause: probability that this repairs it"),
        "after": Key(ListOf(STRING, or_one=True), meaning="steps that must come first"),
        "when": Key(CONDITION, meaning="the step is offered unless this is known not to hold"),
    },
    one_of=("check", "repair"),
)
EXAMPLE = MapOf(
    "an example",
    {
        "log": Key(STRING),
        "facts": Key(
            MapTo("facts", ListOf(FACT_VALUE, or_one=True)), meaning="facts of a file; null: looked for, absent"
        ),
        "raises": Key(Scalar("str", choices=["nothing"]), meaning="this rule must not be raised"),
        "cause": Key(STRING, meaning="the cause that must be the likeliest"),
        "first_step": Key(STRING, meaning="the step that must stand first"),
    },
)
RULE = MapOf(
    "a rule",
    {
        "id": Key(STRING, required=True),
        "layer": Key(LAYER, required=True),
        "severity": Key(Scalar("str", choices=[severity.value for severity in Severity]), required=True),
        "title": Key(TEXT, required=True),
        "summary": Key(TEXT),
        "match": Key(CONDITION, required=True),
        "causes": Key(ListOf(CAUSE, empty=False), required=True),
        "other": Key(PROBABILITY, meaning="prior of a cause that is not listed; 0.1 if left out"),
        "steps": Key(ListOf(STEP, empty=False), required=True),
        "generic": Key(Scalar("bool"), meaning="yields to any other rule raised in the same incident"),
        "explains": Key(ListOf(STRING), meaning="ids of rules (with * at the end: of families) that follow from this"),
        "sources": Key(ListOf(STRING, empty=False), required=True),
        "examples": Key(ListOf(EXAMPLE, empty=False), required=True),
    },
)
EXTRACTION = MapOf(
    "a fact",
    {
        "name": Key(STRING, required=True),
        "type": Key(Scalar("str", choices=FACT_TYPES), required=True),
        "unit": Key(STRING),
        "meaning": Key(STRING, required=True),
        "log": Key(ListOf(PATTERN, or_one=True, empty=False), required=True),
    },
)
FILE = MapOf(
    "a rule file",
    {
        "rules": Key(ListOf(RULE), meaning="the rules of one family"),
        "facts": Key(ListOf(EXTRACTION), meaning="facts that lines of a log state; each pattern has a group `value`"),
    },
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a rule file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:decodedoctor:rules:1",
        "title": "decodedoctor rule file",
        **FILE.schema(),
        "$defs": {"condition": CONDITION_FORM.schema()},
    }

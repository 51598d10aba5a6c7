"""The form of a target file: every key, what may stand there, and what it means. Published by `targets schema`."""

from __future__ import annotations

from typing import Any

from diagnose.diagnosis import Risk, Severity
from diagnose.engine.form import Form, Key, ListOf, MapOf, MapTo, Named, Scalar
from diagnose.engine.rule_form import COMPARISONS, FACT_VALUE, LAYER, PROBABILITY, STRING, TEXT

CONDITION: Form = Named("condition", lambda: CONDITION_FORM)
CONDITION_FORM: Form = MapOf(
    "a condition on facts",
    {
        "fact": Key(COMPARISONS, meaning="facts compare so: `name: value` or `name|operator: value`"),
        "all": Key(ListOf(CONDITION, empty=False), meaning="all of these hold"),
        "any": Key(ListOf(CONDITION, empty=False), meaning="one of these holds"),
        "not": Key(CONDITION, meaning="this does not hold"),
    },
)
REMEDY = MapOf(
    "a remedy",
    {
        "id": Key(STRING, required=True),
        "title": Key(TEXT, required=True, meaning="what to do"),
        "detail": Key(TEXT),
        "run": Key(ListOf(STRING, or_one=True), meaning="commands to copy; {file} and {fact.name} are filled, quoted"),
        "verify": Key(STRING, meaning="a command that proves the remedy"),
        "minutes": Key(Scalar("int", "float", above=0), required=True),
        "fixes": Key(PROBABILITY, meaning="probability that the consumer reads the result; 0.9 if left out"),
        "risk": Key(Scalar("str", choices=[risk.value for risk in Risk])),
        "when": Key(CONDITION, meaning="the remedy is offered unless this is known not to hold"),
    },
)
EXAMPLE = MapOf(
    "an example",
    {
        "facts": Key(
            MapTo("facts", ListOf(FACT_VALUE, or_one=True)),
            required=True,
            meaning="facts of a file; null: looked for, absent",
        ),
        "raises": Key(Scalar("str", choices=["nothing"]), meaning="the limit must not be raised"),
    },
)
LIMIT = MapOf(
    "a limit",
    {
        "id": Key(STRING, required=True),
        "severity": Key(
            Scalar("str", choices=[Severity.ERROR.value, Severity.WARNING.value]),
            required=True,
            meaning="error: the consumer fails or reads wrongly; warning: it does worse, or it depends",
        ),
        "layer": Key(LAYER, meaning="the layer that fails; image if left out"),
        "title": Key(TEXT, required=True, meaning="what about the file the consumer cannot do"),
        "match": Key(CONDITION, required=True, meaning="which files have it"),
        "happens": Key(TEXT, required=True, meaning="what the consumer does with such a file; its message"),
        "do": Key(ListOf(STRING, empty=False), required=True, meaning="ids of remedies"),
        "since": Key(STRING, meaning="the first version that has the limit"),
        "until": Key(STRING, meaning="the first version without it"),
        "explains": Key(ListOf(STRING), meaning="ids of plain rules that this says more exactly; `family/*` for many"),
        "sources": Key(ListOf(STRING, empty=False), required=True),
        "examples": Key(ListOf(EXAMPLE, empty=False), required=True),
    },
)
TARGET = MapOf(
    "a target",
    {
        "name": Key(STRING, required=True, meaning="for --target; small letters, digits, hyphens and dots"),
        "aliases": Key(ListOf(STRING), meaning="further names for --target"),
        "title": Key(TEXT, required=True, meaning="how diagnoses name the consumer"),
        "summary": Key(TEXT, required=True, meaning="what it is, and for which versions and devices the limits hold"),
        "sources": Key(ListOf(STRING)),
        "limits": Key(ListOf(LIMIT, empty=False), required=True),
    },
)
FILE = MapOf(
    "a target file",
    {
        "targets": Key(ListOf(TARGET), meaning="consumers with their limits"),
        "remedies": Key(ListOf(REMEDY), meaning="what can be done, for the limits of all target files"),
    },
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a target file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:decodedoctor:targets:1",
        "title": "decodedoctor target file",
        **FILE.schema(),
        "$defs": {"condition": CONDITION_FORM.schema()},
    }

"""Arguments held against the schemas of servers, without following what could take forever."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.mcp.schemas import argument_problem, as_one_form

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SLOW = "^(a+)+$"  # takes forever on the text below
TEXT = "a" * 60 + "b"


@pytest.mark.parametrize(
    "more",
    [
        {"additionalProperties": False},
        {"additionalProperties": {"pattern": SLOW}},
        {"patternProperties": {SLOW: {}}},
        {"unevaluatedProperties": False},
        {"$ref": "#/nowhere"},
        {"$dynamicRef": "#nowhere"},
        {"$schema": DIALECT},
    ],
)
def test_keys_that_are_not_followed_are_passed_over(more: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"t": {"type": "string"}}, **more}
    assert argument_problem(schema, {"t": TEXT, TEXT: TEXT}) == ""
    assert argument_problem(schema, {"t": 1}) == "t: 1 is not of type 'string'"


def test_a_part_with_a_dialect_of_its_own_is_left_to_the_server() -> None:
    part = {"$schema": DIALECT, "pattern": SLOW}
    assert argument_problem({"type": "object", "properties": {"t": part}}, {"t": TEXT}) == ""


FORM = {"properties": {"a": {}}, "required": ["a"]}
LOOP = {"anyOf": [{"$ref": "#"}] * 50, "oneOf": [{"$ref": "#/$defs/x"}] * 50}


@pytest.mark.parametrize(
    ("forms", "names", "needed"),
    [
        ({"allOf": [FORM, {"required": ["b"]}]}, ["a"], ["a", "b"]),
        ({"oneOf": [FORM, {"properties": {"b": {}}}]}, ["a", "b"], None),
        ({"anyOf": [FORM], "required": ["c"]}, ["a"], ["a", "c"]),
        ({"anyOf": "nothing", "allOf": [3]}, [], None),
        ({"anyOf": [{"$ref": "#/nowhere"}, FORM]}, ["a"], None),
        ({"$defs": {"x": LOOP}, **LOOP}, [], None),  # forms that hold each other without end
    ],
)
def test_several_forms_become_one(
    forms: dict[str, Any], names: list[str], needed: list[str] | None
) -> None:
    one, _ = as_one_form({"type": "object", **forms})
    assert not {"allOf", "anyOf", "oneOf"} & one.keys()
    assert list(one["properties"]) == names
    assert one.get("required") == needed

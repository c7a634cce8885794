"""Arguments held against the schemas of servers, without following what could take forever."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.mcp.checking import argument_problem

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

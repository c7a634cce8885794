"""Tools as the model is told of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from glossator.llm import ToolSpec
from glossator.tools import Registry, ToolArgs

Schema = dict[str, Any]

_LEFT_OUT = frozenset({"title", "additionalProperties", "$defs", "minLength", "maxLength"})
_SELF_EVIDENT = (None, False, "")  # defaults: what is left out is not set


def tool_specs(tools: Registry) -> tuple[ToolSpec, ...]:
    """Name, description and schema of each tool, in a fixed order: they open the prompt prefix."""
    return tuple(
        ToolSpec(tool.name, tool.description, _schema(tool.args))
        for _, tool in sorted(tools.items())
    )


@cache
def _schema(args: type[ToolArgs]) -> Schema:
    """The JSON schema in few words: every request is read with it.

    Left out is what pydantic derives from our code (titles, docstrings, names of types), and what
    says nothing: that an optional argument may be null, that a flag is off unless it is set, that
    a count is not negative, how long a text may be. What a call may not hold is still refused when
    it is validated.
    """
    schema = args.model_json_schema()
    return _plain(schema, schema.get("$defs", {}), described=False)


def _plain(schema: Schema, types: dict[str, Schema], *, described: bool = True) -> Schema:
    """A schema without references; `described`: its description is meant for the model."""
    if reference := schema.get("$ref"):
        named = _plain(types[reference.rpartition("/")[2]], types, described=False)
        return named | _plain({k: v for k, v in schema.items() if k != "$ref"}, types)
    if isinstance(choices := schema.get("anyOf"), list):
        some = [choice for choice in choices if choice != {"type": "null"}]
        if len(some) == 1:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return _plain(some[0], types) | _plain(rest, types)
        schema = {**schema, "anyOf": some}
    plain: Schema = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or (key == "description" and not described):
            continue
        if key == "minimum" and value == 0:  # of a count
            continue
        if key == "default" and any(value is each for each in _SELF_EVIDENT):
            continue
        if key == "properties":
            plain[key] = {name: _plain(field, types) for name, field in value.items()}
        elif key == "items":
            plain[key] = _plain(value, types)
        else:
            plain[key] = value
    return plain

"""The arguments of tools as a model is given them."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_LEFT_OUT = frozenset(
    "title additionalProperties $defs minLength maxLength minItems maxItems minimum maximum".split()
)
_SELF_EVIDENT = (None, False, "", 0, 1)  # defaults, as are empty lists


@cache
def schema_of(args: type[BaseModel]) -> Schema:
    """A short JSON schema, since every request contains it.

    It leaves out what pydantic derives from our code (titles, docstrings, names of types), and what
    goes without saying: that an optional argument may be null, that a flag is off by default and a
    count begins at 0 or 1, and how large or long a value may be. Validation still refuses wrong
    arguments, and says what it takes.
    """
    schema = args.model_json_schema()
    return _plain(schema, schema.get("$defs", {}), described=False)


def _plain(schema: Schema, types: dict[str, Schema], *, described: bool = True) -> Schema:
    """The schema with its references resolved; its description stays only if `described`."""
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
        if key == "default" and (value == [] or any(value is each for each in _SELF_EVIDENT)):
            continue
        if key == "properties":
            plain[key] = {name: _plain(field, types) for name, field in value.items()}
        elif key == "items":
            plain[key] = _plain(value, types)
        else:
            plain[key] = value
    return plain

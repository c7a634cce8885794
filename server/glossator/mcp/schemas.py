"""Schemas of tools: such as a model's provider takes, and what is wrong with arguments.

One bad schema would fail every request of a conversation. Providers take no `anyOf`, `oneOf` or
`allOf` at the top, so schemas of several forms become one. The model may then give what fits no
form; the server, which knows its own schema, says so (docs/decisions/0045).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.validators import create

from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import shorten

_SCHEMA_BYTES = 16_000


_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SLOW = frozenset(
    "$ref $dynamicRef pattern patternProperties additionalProperties unevaluatedProperties"
    " unevaluatedItems".split()
)
_Quick = create(
    Draft202012Validator.META_SCHEMA,
    {key: check for key, check in Draft202012Validator.VALIDATORS.items() if key not in _SLOW},
    type_checker=Draft202012Validator.TYPE_CHECKER,
)
_FORMS = ("allOf", "anyOf", "oneOf")


def schema_problem(schema: object) -> str:
    """Why a provider would not take an input schema; "" if it does."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "its input schema is not of an object"
    try:
        size = len(json.dumps(schema, allow_nan=False).encode())
        if size > _SCHEMA_BYTES:
            return f"its input schema has more than {_SCHEMA_BYTES:,} bytes"
        Draft202012Validator.check_schema(schema)
    except (ValueError, RecursionError):
        return "its input schema is not JSON, or too deep"
    except SchemaError as error:
        return f"its input schema is wrong: {shown(shorten(error.message, 80))}"
    if not all(map(_PROPERTY.fullmatch, as_one_form(schema)[0].get("properties", {}))):
        return "its input schema names properties in other characters than a provider takes"
    return ""


def without_hidden_text(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with nothing hidden in its descriptions."""
    return {key: _shown_value(key, value) for key, value in schema.items()}


def _shown_value(key: str, value: object) -> object:
    match value:
        case str() if key in ("description", "title"):
            return shown_text(value)
        case dict():
            return without_hidden_text(value)
        case list():
            return [without_hidden_text(each) if isinstance(each, dict) else each for each in value]
    return value


def argument_problem(schema: dict[str, Any], arguments: dict[str, Any]) -> str:
    """What is wrong with the arguments of a call, as far as that is quick to tell; "" if nothing.

    The server judges them anyway. Patterns and references of its schema are not followed here: it
    could write some that take forever. A part that names its own dialect would be judged by that
    one, with all of it, so that such a schema is left to the server.
    """
    if json.dumps(schema).count('"$schema"') > ("$schema" in schema):
        return ""
    try:
        error = next(_Quick(schema).iter_errors(arguments), None)
    except RecursionError:
        return ""
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path))
    return shown(shorten(f"{where}: {error.message}" if where else error.message, 300))


def as_one_form(schema: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A schema of an object without forms at the top, and words for the model about its forms.

    It has all properties of all forms; what each form needs is needed.
    """
    if not any(key in schema for key in _FORMS):
        return dict(schema), ""
    parts: dict[str, list[object]] = {}
    needed = _needed(schema, schema, parts, set())
    one = {key: value for key, value in schema.items() if key not in _FORMS}
    one["properties"] = {
        name: {"anyOf": each} if len(each) > 1 else each[0] for name, each in parts.items()
    }
    if needed:
        one["required"] = sorted(needed)
    else:
        one.pop("required", None)
    choices = {key: schema[key] for key in ("anyOf", "oneOf") if key in schema}
    told = f"Its arguments have one of several forms: {json.dumps(choices)}" if choices else ""
    return one, shorten(told, 1_000)


def _needed(
    form: Mapping[str, Any],
    schema: Mapping[str, Any],
    parts: dict[str, list[object]],
    seen: set[int],
) -> set[str]:
    """The properties that a form needs in every way; what it says of each is added to `parts`.

    What is `seen` is not looked at again, as forms may refer to each other.
    """
    form = _referred_form(form, schema)
    if id(form) in seen:
        return set()
    seen.add(id(form))
    own = form.get("properties")
    for name, part in own.items() if isinstance(own, dict) else ():
        known = parts.setdefault(name, [])
        if part not in known:
            known.append(part)
    needed = set(form["required"]) if isinstance(form.get("required"), list) else set()
    for key in _FORMS:
        forms = form.get(key)
        inner = [at for at in forms if isinstance(at, dict)] if isinstance(forms, list) else []
        ways = [_needed(each, schema, parts, seen) for each in inner]
        if ways:
            needed |= set.union(*ways) if key == "allOf" else set.intersection(*ways)
    return needed


def _referred_form(form: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The form, or what it refers to within the schema."""
    named = form.get("$ref")
    if not isinstance(named, str) or not named.startswith("#/"):
        return form
    found: object = schema
    for name in named.removeprefix("#/").split("/"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else form

"""Schemas of several forms as one: providers take no `anyOf`, `oneOf` or `allOf` at the top.

The model may then give what fits no form; the server, which knows its own schema, says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from glossator.core.tool_result import shorten

_FORMS = ("allOf", "anyOf", "oneOf")
_LOCAL = "#/"  # begins a reference within the schema
_TOLD = 1_000  # characters of them


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
    return one, shorten(told, _TOLD)


def _needed(
    form: Mapping[str, Any],
    schema: Mapping[str, Any],
    parts: dict[str, list[object]],
    seen: set[int],
) -> set[str]:
    """The properties that a form needs in every way; what it says of each is added to `parts`.

    What is `seen` is not looked at again, as forms may refer to each other.
    """
    form = _meant(form, schema)
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
        ways = [_needed(each, schema, parts, seen) for each in _dicts(form.get(key))]
        if ways:
            needed |= set.union(*ways) if key == "allOf" else set.intersection(*ways)
    return needed


def _meant(form: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The form, or what it refers to within the schema."""
    named = form.get("$ref")
    if not isinstance(named, str) or not named.startswith(_LOCAL):
        return form
    found: object = schema
    for name in named.removeprefix(_LOCAL).split("/"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else form


def _dicts(forms: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(forms, list):
        yield from (each for each in forms if isinstance(each, dict))

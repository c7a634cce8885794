"""Dataclasses as camelCase JSON, and JSON as dataclasses: both ends of the protocol use it.

Strict by default: an unknown field, a missing one, or one of the wrong type raises `WireError`
naming it. Plain dicts (a tool's arguments) pass through as they are. Of a citation and of an edit
plan a view is sent, and the view is what a client decodes in their place.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from enum import Enum, EnumType
from functools import cache
from typing import Any, TypeVar

from glossator.core.edit import EditPlan, PlanView
from glossator.core.events import Envelope, Event
from glossator.core.span import Citation, CitationView

Json = Any  # what `json.loads` gives

_T = TypeVar("_T")
_VIEWS: dict[Any, Any] = {Citation: CitationView, EditPlan: PlanView}
_AS_THEY_ARE = frozenset({str, int, bool, type(None)})
EVENTS: dict[str, type[Event]] = {kind.kind: kind for kind in typing.get_args(Event)}


class WireError(ValueError):
    """A message that does not have the form of its dataclass; names the field."""


def to_wire(value: object) -> Json:
    """The JSON form of `value`; a number that JSON cannot express becomes null."""
    if type(value) in _AS_THEY_ARE:
        return value
    match value:
        case Envelope():
            head = {"runId": value.run_id, "seq": value.seq, "kind": value.event.kind}
            wire: object = head | to_wire(value.event)
        case Citation() | EditPlan():
            wire = to_wire(_VIEWS[type(value)].of(value))
        case Enum():
            wire = value.value
        case float():
            wire = value if math.isfinite(value) else None
        case dict():
            wire = {str(key): to_wire(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            wire = [to_wire(item) for item in value]
        case _ if dataclasses.is_dataclass(value):
            names = _wire_names(type(value))  # type: ignore[arg-type]  # as below
            wire = {wired: to_wire(getattr(value, name)) for name, wired in names}
        case _:
            wire = value
    return wire


def from_wire(kind: type[_T], value: object, *, strict: bool = True) -> _T:
    """An instance of the dataclass `kind`; unless `strict`, unknown fields are ignored.

    Raises `WireError`.
    """
    return typing.cast(_T, _dataclass(kind, value, "the argument", strict=strict))


def event_from_wire(value: dict[str, Any]) -> Event | None:
    """The event of an `Envelope`; None for a kind that is not known. Raises `WireError`."""
    kind = EVENTS.get(value.get("kind", ""))
    return None if kind is None else from_wire(kind, value, strict=False)


def camel(name: str) -> str:
    """A field's name in camel case: `first_line` becomes `firstLine`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@cache
def _wire_names(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    """The names of the fields, here and on the wire."""
    return tuple((field.name, camel(field.name)) for field in dataclasses.fields(kind))


@cache
def _fields(kind: type[Any]) -> dict[str, tuple[str, Any, bool]]:
    """The fields by wire name: name, type, and whether it is required."""
    hints = typing.get_type_hints(kind)
    return {
        camel(field.name): (
            field.name,
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    }


def _dataclass(kind: type[Any], value: object, where: str, *, strict: bool) -> object:
    if not isinstance(value, dict):
        raise WireError(f"{where} must be an object, not {_name(value)}")
    fields = _fields(kind)  # type: ignore[arg-type]  # a class is hashable, whatever mypy says
    unknown = next((name for name in value if name not in fields), None)
    if strict and unknown is not None:
        known = ", ".join(fields) or "none"
        raise WireError(f"{where} has an unknown field {unknown!r}; its fields are: {known}")
    given: dict[str, Any] = {}
    for wire_name, (name, hint, required) in fields.items():
        if wire_name in value:
            given[name] = _typed(hint, value[wire_name], wire_name, strict=strict)
        elif required:
            raise WireError(f"{where} lacks the field {wire_name!r}")
    return kind(**given)


def _typed(
    hint: Any,  # noqa: ANN401 - a type expression
    value: object,
    where: str,
    *,
    strict: bool,
) -> object:
    hint = _VIEWS.get(hint, hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or (value is None and type(None) in arguments):
        return value
    if origin in {types.UnionType, typing.Union}:
        kinds = [one for one in arguments if one is not type(None)]
        return _typed(_meant(kinds, value), value, where, strict=strict)
    if origin is tuple and isinstance(value, list):
        return tuple(
            _typed(arguments[0], item, f"{where}[{i}]", strict=strict)
            for i, item in enumerate(value)
        )
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint, value, f"{where!r}", strict=strict)
    if isinstance(hint, EnumType) or origin is typing.Literal:
        return _one_of(hint, value, where)
    plain = origin or hint
    accepted = int | float if plain is float else plain
    if isinstance(value, accepted) and isinstance(value, bool) == (plain is bool):
        return value
    wanted = _WORDS.get(plain, "a list" if plain is tuple else str(plain))
    raise WireError(f"{where!r} must be {wanted}, not {_name(value)}")


def _meant(kinds: list[Any], value: object) -> Any:  # noqa: ANN401 - a type expression
    """The dataclass among several whose required fields are all given; else the first."""
    if len(kinds) > 1 and isinstance(value, dict):
        for kind in kinds:
            if all(name in value for name, (_, _, required) in _fields(kind).items() if required):
                return kind
    return kinds[0]


def _one_of(hint: Any, value: object, where: str) -> object:  # noqa: ANN401 - an enum or `Literal`
    literal = typing.get_args(hint)
    members = {word: word for word in literal} or {member.value: member for member in hint}
    if isinstance(value, str) and value in members:
        return members[value]
    raise WireError(f"{where!r} must be one of {', '.join(map(str, members))}")


_WORDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    type(None): "null",
}


def _name(value: object) -> str:
    return _WORDS.get(type(value), type(value).__name__)

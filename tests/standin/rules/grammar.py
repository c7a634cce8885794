"""A strict reading of JSON against the SDK's own `TypedDict`s: unknown fields are refused.

The grammar is the SDK's beta request, the larger of the two; what is beta-only in it counts as
unknown unless the request names the beta.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from typing_extensions import is_typeddict as is_object

from tests.standin.errors import Refusal
from tests.standin.rules.betas import BETA_FIELDS, BETA_TAGS, HEADER_FIELDS, open_under

SCALARS = {str: "string", bool: "boolean", int: "integer", float: "number"}


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads values under a set of betas; every method raises `Refusal` at the first fault."""

    betas: frozenset[str]

    def read(self, value: Any, hint: Any, path: str) -> None:
        """A value of any kind where the type `hint` is expected."""
        choices = _alternatives(hint)
        match value:
            case None if NoneType in choices:
                return
            case dict():
                self._read_object(value, _objects(hint), path)
            case list():
                items = [c for c in choices if _is_array(c)]
                if not items:
                    raise Refusal(f"{path}: Input should be {_expected(choices)}")
                for index, item in enumerate(value):
                    self.read(item, get_args(items[0])[0], f"{path}.{index}")
            case _ if not any(_takes_scalar(c, value) for c in choices):
                raise Refusal(f"{path}: Input should be {_expected(choices)}")

    def read_fields(self, value: Mapping[str, Any], kind: Any, path: str = "") -> None:
        """An object of one kind of `TypedDict`."""
        fields = _fields(kind)
        prefix = f"{path}." if path else ""
        for name in _required(kind):
            if name not in value:
                raise Refusal(f"{prefix}{name}: Field required")
        for name, part in value.items():
            known = name in fields and name not in HEADER_FIELDS
            if not known or not open_under(BETA_FIELDS.get(name), self.betas):
                raise Refusal(f"{prefix}{name}: Extra inputs are not permitted")
            self.read(part, fields[name], f"{prefix}{name}")

    def _read_object(self, value: dict[str, Any], kinds: tuple[Any, ...], path: str) -> None:
        if not kinds:
            raise Refusal(f"{path}: Input should not be an object")
        if _free_form(kinds):
            return
        self.read_fields(value, self._kind_of(value, kinds, path), path)

    def _kind_of(self, value: dict[str, Any], kinds: tuple[Any, ...], path: str) -> Any:
        if len(kinds) == 1:
            return kinds[0]
        key, tagged = _tagged(kinds)
        tag = value.get(key)
        if tag is None and None not in tagged:
            raise Refusal(f"{path}.{key}: Field required")
        gate = BETA_TAGS.get(tag) if isinstance(tag, str) else None
        if not isinstance(tag, str | None) or tag not in tagged or not open_under(gate, self.betas):
            known = ", ".join(repr(t) for t in tagged if t and t not in BETA_TAGS)
            raise Refusal(f"{path}: Input tag {tag!r} found using {key!r} is not one of: {known}")
        return tagged[tag]


@cache
def _alternatives(hint: Any) -> tuple[Any, ...]:
    origin = get_origin(hint)
    if origin in {Required, NotRequired, Annotated}:
        return _alternatives(get_args(hint)[0])
    if origin in {Union, UnionType}:
        return tuple(kind for choice in get_args(hint) for kind in _alternatives(choice))
    return (hint,)


@cache
def _tagged(kinds: tuple[Any, ...]) -> tuple[str, Mapping[str | None, Any]]:
    """The field that tells these kinds apart, and the kind for each of its values."""
    key = next((k for k in ("role", "type") if any(k in _fields(kind) for kind in kinds)), "")
    return key, {tag: kind for kind in kinds for tag in _tags(kind, key)}


@cache
def _fields(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def _required(kind: Any) -> tuple[str, ...]:
    return tuple(name for name, hint in _fields(kind).items() if get_origin(hint) is Required)


def _tags(kind: Any, key: str) -> Iterator[str | None]:
    hint = _fields(kind).get(key)
    if key not in _required(kind):
        yield None
    for choice in _alternatives(hint):
        if get_origin(choice) is Literal:
            yield from get_args(choice)


@cache
def _objects(hint: Any) -> tuple[Any, ...]:
    return tuple(choice for choice in _alternatives(hint) if _takes_object(choice))


@cache
def _free_form(kinds: tuple[Any, ...]) -> bool:
    """Whether one is an object of any kind: a JSON schema or a tool's input."""
    return not all(map(is_object, kinds))


@cache
def _takes_object(choice: Any) -> bool:
    return choice is object or is_object(choice) or get_origin(choice) is dict


@cache
def _is_array(choice: Any) -> bool:
    # Iterable, List and the SDK's SequenceNotStr have one argument; models and files have none.
    return len(get_args(choice)) == 1 and get_origin(choice) is not Literal


def _takes_scalar(choice: Any, value: Any) -> bool:
    if get_origin(choice) is Literal:
        return any(value == known and type(value) is type(known) for known in get_args(choice))
    if choice is float:
        return type(value) in {int, float}
    return choice is object or choice is type(value)


def _expected(choices: Sequence[Any]) -> str:
    names = [_name(choice) for choice in choices]
    return " or ".join(dict.fromkeys(name for name in names if name)) or "of another type"


def _name(choice: Any) -> str:
    if get_origin(choice) is Literal:
        return ", ".join(map(repr, get_args(choice)))
    if _is_array(choice):
        return "an array"
    if _takes_object(choice):
        return "an object"
    return f"a valid {SCALARS[choice]}" if choice in SCALARS else ""

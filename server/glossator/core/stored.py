"""Dataclasses as they are kept: written by `asdict`, with their own names, and read here.

pydantic reads them. It is imported with the first value, since `core` must load without it. What a
terminal or an editor sends is read by `wire.py`, see decision 0071.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

_T = TypeVar("_T")


def from_stored(kind: type[_T], fields: object) -> _T:
    """The dataclass `kind`, and those in it, from what `asdict` gave, as JSON.

    Another version may have written it: fields that `kind` does not know are ignored, and those
    that are missing have their default. Raises `ValueError` for a field that is of another type, or
    missing without a default.
    """
    value: _T = _reader(kind)(fields)  # type: ignore[arg-type]  # a class is hashable
    return value


@cache  # to build one takes from 0.5 to 4 ms
def _reader(kind: type[Any]) -> Callable[[object], Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - not before `initialize` is answered

    return TypeAdapter(kind).validator.validate_python

"""The classes of the LSP, each finished at its first use.

lsprotocol has 550 classes, and a server uses few of them. attrs writes methods for each, which
takes most of the time and memory of the import. Here a class stays as it is written until one is
made, or its fields are asked for. See docs/decisions/0009.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, TypeVar

import attrs

_C = TypeVar("_C", bound=type[Any])
_TYPES = "lsprotocol.types"
_LOCK = RLock()  # what a thread logs is sent to the client


def import_types() -> ModuleType:
    """The module `lsprotocol.types`; classes are late unless it was imported before."""
    if _TYPES in sys.modules:
        return sys.modules[_TYPES]
    define = attrs.define
    attrs.define = _later  # type: ignore[assignment]  # as a plain decorator, as lsprotocol uses it
    try:
        types = import_module(_TYPES)
    finally:
        attrs.define = define
    # It would ask for the fields of all classes, to resolve what `_finish` resolves for each.
    import_module("lsprotocol._hooks")._resolved_forward_references = True  # type: ignore[attr-defined]  # noqa: SLF001
    return types


def _later(kind: _C) -> _C:
    def make(self: object, *given: object, **named: object) -> None:
        _finish(kind)
        kind.__init__(self, *given, **named)

    kind.__init__ = make
    kind.__attrs_attrs__ = _Fields()
    return kind


class _Fields:
    """Stands where attrs keeps the fields of a class, until they are asked for."""

    def __get__(self, _instance: object, kind: type[Any]) -> object:
        _finish(kind)
        return kind.__attrs_attrs__


def _finish(kind: type[Any]) -> None:
    """Let attrs do its work, in place: with slots it would make another class."""
    with _LOCK:
        if isinstance(vars(kind)["__attrs_attrs__"], _Fields):
            attrs.define(kind, slots=False, init=True)
            attrs.resolve_types(kind, sys.modules[_TYPES].ALL_TYPES_MAP, {})

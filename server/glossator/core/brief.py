"""A tool call in a few words, as every edge shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from glossator.core.shown import shown_text

_VALUE = 40  # characters of an argument's value that are shown


def brief_arguments(arguments: Mapping[str, Any]) -> str:
    """`pattern="foo" limit=3 2 edits`: long texts are cut; objects and long lists are counted."""
    return " ".join(_brief(name, value) for name, value in arguments.items())


def _brief(name: str, value: object) -> str:
    match value:
        case [{}]:
            return f"1 {name.removesuffix('s')}"
        case [{}, *_]:
            return f"{len(value)} {name}"
    text = _json(value)
    if len(text) <= _VALUE:
        return f"{name}={text}"
    match value:
        case str():
            return f"{name}={_cut(value)}"
        case [*_]:
            return f"{len(value):,} {name}"
    return f"{name}=…"


def _cut(value: str) -> str:
    """A long text within its quotes, so that one sees where it ends."""
    kept = value[:_VALUE]
    while len(text := _json(f"{kept}…")) > _VALUE:
        kept = kept[:-1]
    return text


def _json(value: object) -> str:
    return shown_text(json.dumps(value, ensure_ascii=False))

"""A tool call in a few words, as every edge shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_VALUE = 40  # characters of an argument's value that are shown


def brief_arguments(arguments: Mapping[str, Any]) -> str:
    """`pattern="foo" limit=3 2 edits`: long values are cut, and lists of objects counted."""
    return " ".join(_brief(name, value) for name, value in arguments.items())


def _brief(name: str, value: object) -> str:
    match value:
        case [{}]:
            return f"1 {name.removesuffix('s')}"
        case [{}, *_]:
            return f"{len(value)} {name}"
    text = json.dumps(value, ensure_ascii=False)
    return f"{name}={text if len(text) <= _VALUE else f'{text[: _VALUE - 1]}…'}"

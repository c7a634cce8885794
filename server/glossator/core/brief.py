"""A tool call in a few words, as every edge shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_VALUE = 40  # characters of an argument's value that are shown


def brief_arguments(arguments: Mapping[str, Any]) -> str:
    """`pattern="foo" limit=3`, long values cut."""
    return " ".join(f"{name}={_brief(value)}" for name, value in arguments.items())


def _brief(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE else f"{text[: _VALUE - 1]}…"

"""What models mean by arguments that they write by habit: other names, null, JSON in a string."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, get_origin

from pydantic.fields import FieldInfo

# names that models write by habit, with the arguments that they may mean, likeliest first
_HABITS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("file_path", "filepath", "filename", "file", "directory", "dir"), ("path",)),
    **dict.fromkeys(("old_string", "old_str", "search"), ("old_text",)),
    **dict.fromkeys(("new_string", "new_str", "replace"), ("new_text",)),
    **dict.fromkeys(("cmd", "script"), ("command",)),
    **dict.fromkeys(("workdir", "working_directory"), ("cwd",)),
    **dict.fromkeys(("regex", "regexp", "search_term"), ("pattern", "query")),
    **dict.fromkeys(("include", "file_pattern", "glob_pattern", "includes"), ("glob",)),
    **dict.fromkeys(("max_results", "max_count", "num_results"), ("head_limit", "limit")),
    **dict.fromkeys(("prompt", "question"), ("task",)),
    "query": ("pattern", "task"),
    "pattern": ("query",),
    "symbol": ("name",),
    "text": ("content",),
    "contents": ("content",),
    "run_in_background": ("background",),
}

# arguments that only say why a call is made
_DESCRIPTIONS = frozenset(
    "description explanation reason reasoning rationale justification title purpose".split()
)

_SINGLE = frozenset({"path", "glob", "type"})  # arguments that may come as a list of one


def as_meant(
    given: Mapping[str, Any],
    fields: Mapping[str, FieldInfo],
    habits: Mapping[str, Sequence[str]],
    values: Mapping[str, Mapping[str, str]],
    ignored: AbstractSet[str],
    ignored_if_true: AbstractSet[str],
) -> dict[str, Any]:
    """The arguments under the names of `fields`; unknown ones stay. See `ToolArgs`."""
    given = {name: value for name, value in given.items() if value is not None}
    known = fields.keys() | {field.alias for field in fields.values()}
    meant = {name: value for name, value in given.items() if name in known}
    for name, value in given.items():
        if name in known or name in ignored or (name in ignored_if_true and value is True):
            continue
        likely = (*habits.get(name, ()), *_HABITS.get(name, ()))
        other = next((each for each in likely if each in fields and each not in meant), name)
        if other != name or name not in _DESCRIPTIONS:
            meant[other] = value
    for name, value in meant.items():
        if isinstance(value, str) and name in fields:
            meant[name] = _parsed(value, fields[name])
    for name, value in meant.items():
        alone = value[0] if isinstance(value, list) and len(value) == 1 else None
        if name in _SINGLE and isinstance(alone, str):
            meant[name] = alone
        elif isinstance(value, str):
            meant[name] = values.get(name, {}).get(value, value)
    return meant


def _parsed(value: str, field: FieldInfo) -> Any:  # noqa: ANN401 - whatever a model wrote
    """The array or object that `value` holds as JSON, where the argument is one."""
    kind = get_origin(field.annotation)
    if kind not in (tuple, dict):
        return value
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, list if kind is tuple else dict) else value

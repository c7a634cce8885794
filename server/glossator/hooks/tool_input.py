"""The arguments of tool calls as hooks read and write them: in the names that Claude Code's have.

Source: https://code.claude.com/docs/en/hooks, "PreToolUse input". Tools that are not in the table
have the same names there, or none.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from glossator.core.document import Missing
from glossator.core.permission import Mode
from glossator.permissions import MCP

Locate = Callable[[str], str | Missing]  # the absolute path of one that the model gave

_FILE = {"path": "file_path"}
_TEXTS = {"old_text": "old_string", "new_text": "new_string"}
_BASH_TIMEOUT = "timeout"  # in milliseconds; ours is in seconds

# by tool, ours: theirs
NAMES: Mapping[str, Mapping[str, str]] = {
    "Bash": {"background": "run_in_background", "timeout_seconds": _BASH_TIMEOUT},
    "Edit": {**_FILE, **_TEXTS},
    "MultiEdit": {**_FILE, **_TEXTS},
    "Read": _FILE,
    "Skill": {"name": "skill", "arguments": "args"},
    "Write": _FILE,
}
_PATHS = ("path", "new_path", "cwd")  # arguments that are given as absolute paths


def input_of(tool: str, arguments: Mapping[str, Any], locate: Locate) -> dict[str, Any]:
    """What a hook is told of a call's arguments: paths are absolute, with links resolved; blocking.

    Those of an MCP server's tool are left as they are.
    """
    if tool.startswith(MCP):
        return dict(arguments)
    given = dict(arguments)
    for name in _PATHS:
        located = locate(path) if isinstance(path := given.get(name), str) else None
        if isinstance(located, str):
            given[name] = os.path.realpath(located)
    if tool == "Bash" and isinstance(seconds := given.get("timeout_seconds"), int):
        given["timeout_seconds"] = seconds * 1000
    if tool == "Grep" and given.get("output_mode") == "files":
        given["output_mode"] = "files_with_matches"
    renamed: dict[str, Any] = _renamed(given, NAMES.get(tool, {}))
    return renamed


def arguments_of(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a hook means by its `updatedInput`.

    Tools take all names of the table anyway, as models write them by habit; only a time means
    something else. A tool's own name counts before the other: only the hook can have given it.
    """
    arguments: dict[str, Any] = _without_doubles(dict(given), NAMES.get(tool, {}))
    if tool == "Bash" and type(arguments.get(_BASH_TIMEOUT)) is int:
        arguments["timeout_seconds"] = math.ceil(arguments.pop(_BASH_TIMEOUT) / 1000)
    return arguments


def mode_of(mode: Mode) -> str:
    """The permission mode by the name that hooks know."""
    return "default" if mode is Mode.ASK else mode.value


def _renamed(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """JSON with other names in its objects."""
    match value:
        case dict():
            return {names.get(key, key): _renamed(inner, names) for key, inner in value.items()}
        case list():
            return [_renamed(each, names) for each in value]
    return value


def _without_doubles(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """JSON without the other names of what has its own name beside it, in each of its objects."""
    match value:
        case dict():
            doubles = {theirs for ours, theirs in names.items() if ours in value}
            return {
                key: _without_doubles(inner, names)
                for key, inner in value.items()
                if key not in doubles
            }
        case list():
            return [_without_doubles(each, names) for each in value]
    return value

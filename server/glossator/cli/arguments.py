"""What stands on a command line, read and checked; what is wrong is explained."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence

from glossator.cli.messages import NO_QUESTION, TOOL_EXAMPLE
from glossator.cli.wire import Json
from glossator.core.errors import UsageError
from glossator.core.uri import to_uri

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_AROUND = 36  # characters shown before and after a mistake


def read_question(words: Sequence[str]) -> str:
    """The question: the words, or stdin for a lone `-`. Raises `UsageError` when there is none."""
    try:
        text = sys.stdin.read() if list(words) == ["-"] else " ".join(words)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"The question on stdin is no text ({error}); send it as UTF-8."
        ) from error
    if not text.strip():
        raise UsageError(NO_QUESTION)
    return text.strip()


def attachment(text: str) -> dict[str, Json]:
    """What `PATH` or `PATH:FIRST-LAST` is in the protocol. Raises `UsageError`."""
    path, lines = text, _LINES.fullmatch(text)
    if lines and not os.path.lexists(text):
        path = lines["path"]
    else:
        lines = None
    if not os.path.lexists(path):
        raise UsageError(f"There is nothing at {path} to attach. Correct the path.")
    attached: dict[str, Json] = {"uri": to_uri(os.path.abspath(path))}
    if lines:
        first = int(lines["first"])
        attached |= {"firstLine": first, "lastLine": int(lines["last"] or first)}
    return attached


def tool_arguments(text: str) -> dict[str, Json]:
    """The arguments of a tool. Raises `UsageError` with the place of the mistake."""
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"The arguments are not JSON: {error.msg} at line {error.lineno}, column"
            f" {error.colno}.\n{_pointed_at(text, error)}\n{TOOL_EXAMPLE}"
        ) from error
    if not isinstance(arguments, dict):
        raise UsageError(f"The arguments must be a JSON object.\n{TOOL_EXAMPLE}")
    return arguments


def _pointed_at(text: str, error: json.JSONDecodeError) -> str:
    """The part of the line around the mistake, and a caret below it."""
    column = error.colno - 1
    start = max(0, column - _AROUND)
    line = text.split("\n")[error.lineno - 1][start : column + _AROUND]
    return f"  {line}\n  {' ' * (column - start)}^"

"""What stands on a command line, read and checked; what is wrong is explained."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from glossator.cli.messages import NO_QUESTION, TOOL_EXAMPLE
from glossator.cli.wire import Json
from glossator.core.errors import UsageError
from glossator.core.uri import to_uri

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)
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


def document_lines(text: str, roots: Sequence[Path]) -> dict[str, Json]:
    """`PATH`, `PATH:FIRST` or `PATH:FIRST-LAST`, as the protocol names lines of a document.

    A path may be one from here or from a folder of the workspace. Raises `UsageError` if there is
    no such file, and for lines in reverse.
    """
    if (path := _existing(text, roots)) is not None:
        return {"uri": to_uri(path)}
    lines = _LINES.fullmatch(text)
    if lines is None or (path := _existing(lines["path"], roots)) is None:
        raise UsageError(
            f"There is no file {text}, neither here nor in the workspace. Check the name, or name"
            " the workspace with --workspace."
        )
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    if last < first:
        raise UsageError(
            f"{text} names its lines in reverse; the first one comes first:"
            f" {lines['path']}:{last}-{first}."
        )
    return {"uri": to_uri(path), "firstLine": first, "lastLine": last}


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


def _existing(path: str, roots: Sequence[Path]) -> str | None:
    """The absolute path of what is there, one in the workspace if there are several."""
    places = (os.path.abspath(path), *(os.path.join(root, path) for root in roots))
    existing = [place for place in places if os.path.exists(place)]
    inside = (place for place in existing if any(map(Path(place).is_relative_to, roots)))
    return next(inside, existing[0] if existing else None)


def _pointed_at(text: str, error: json.JSONDecodeError) -> str:
    """The part of the line around the mistake, and a caret below it."""
    column = error.colno - 1
    start = max(0, column - _AROUND)
    line = text.split("\n")[error.lineno - 1][start : column + _AROUND]
    return f"  {line}\n  {' ' * (column - start)}^"

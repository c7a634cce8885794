"""Jupyter notebooks as cells: shown with their text output, and edited in their sources.

Lines have the numbers and the order of the `.ipynb` file (Jupyter writes a cell's output before its
source), so that a citation, Grep and the editor mean the same line.
Source: nbformat 4, https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from glossator.core.errors import UsageError
from glossator.core.line_diff import Replacement, apply_replacements
from glossator.core.text import LineTable, split_lines
from glossator.edits import Substitution, as_lf, substitute

NumberedLine = tuple[int, str]  # 1-based line of the file, and its text

_OUTPUT_LINES = 20
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


class NotebookError(ValueError):
    """The text is not a notebook; the message says why."""


class _LineString(str):
    """A string of the file, with its line, and the offsets at which it stands with its quotes."""

    __slots__ = ("end", "line", "start")
    line: int
    start: int
    end: int


def notebook_lines(text: str) -> list[NumberedLine]:
    """The cells as numbered lines, in the order of the file. Raises `NotebookError`."""
    try:
        notebook = _parse(text)
        lines = [
            line for number, cell in enumerate(notebook["cells"], 1) for line in _cell(number, cell)
        ]
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"it is not JSON ({error})") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"it does not follow nbformat 4 ({error!r})") from error
    return sorted(lines, key=lambda line: line[0])


def substitute_in_cells(text: str, wanted: Substitution) -> tuple[Replacement, ...]:
    """As `substitute`, in the sources of the cells; all else of the file stays as it is.

    Raises `UsageError`, also for what is no notebook.
    """
    try:
        cells = [cell["source"] for cell in _parse(text)["cells"]]
        sources = ["".join(cell) for cell in cells]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"it is no notebook of nbformat 4 ({error!r}).") from error
    old = as_lf(wanted.old)
    holding = [number for number, source in enumerate(sources) if old and old in source]
    if not holding:
        raise UsageError(
            f"old_text is {'not in the source of any cell' if old else 'empty'}.\nOnly sources can"
            " be edited. Read the notebook again and copy the text exactly, without line numbers."
        )
    if len(holding) > 1 and not wanted.every:
        numbers = ", ".join(str(number + 1) for number in holding)
        raise UsageError(
            f"old_text is in several cells ({numbers}).\nAdd lines around it until it is there"
            " once, or set replace_all to replace every one."
        )
    try:
        return tuple(_with_source(text, cells[number], wanted) for number in holding)
    except UsageError as error:
        where = f"in cell {holding[0] + 1} (lines counted there)"
        raise UsageError(f"{where}: {error}") from error


def _with_source(
    text: str, source: _LineString | list[_LineString], wanted: Substitution
) -> Replacement:
    """The cell's source after the substitution, in the form that it has."""
    parts = source if isinstance(source, list) else [source]
    before = "".join(parts)
    after = apply_replacements(before, substitute(before, wanted))
    first, last = parts[0], parts[-1]
    escaped = text.isascii() and "\\u" in text  # how the rest of the file is written
    if not isinstance(source, list):
        return Replacement(first.start, last.end, json.dumps(after, ensure_ascii=escaped))
    known = {str(part): text[part.start : part.end] for part in parts}
    lines = [known.get(line) or json.dumps(line, ensure_ascii=escaped) for line in _kept(after)]
    gap = text[text.rindex("[", 0, first.start) + 1 : first.start]
    between = text[first.end : parts[1].start] if len(parts) > 1 else f",{gap or ' '}"
    return Replacement(first.start, last.end, between.join(lines))


def _kept(text: str) -> list[str]:
    """The lines with their ends."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _cell(number: int, cell: dict[str, Any]) -> Iterator[NumberedLine]:
    source = list(_placed_lines(cell["source"]))
    first = source[0][0] if source else cell["cell_type"].line
    yield first, f"# cell {number} ({cell['cell_type']})"
    yield from source
    for output in cell.get("outputs", ()):
        kind, text = _output(output)
        lines = list(_placed_lines(text))
        yield lines[0][0] if lines else output["output_type"].line, f"# cell {number} gave {kind}"
        yield from lines[:_OUTPUT_LINES]
        if len(lines) > _OUTPUT_LINES:
            more = f"# [{len(lines) - _OUTPUT_LINES} more lines of output]"
            yield lines[_OUTPUT_LINES - 1][0], more


def _output(output: dict[str, Any]) -> tuple[str, Any]:
    """The kind of output, and its text."""
    match output["output_type"]:
        case "stream":
            return output["name"], output["text"]
        case "error":
            return output["ename"], output["evalue"]
        case _:
            return ", ".join(sorted(output["data"])), output["data"].get("text/plain", [])


def _placed_lines(value: _LineString | list[_LineString]) -> Iterator[NumberedLine]:
    for part in value if isinstance(value, list) else [value]:
        for line in split_lines(part):
            yield part.line, line


def _parse(text: str) -> Any:  # noqa: ANN401 - JSON
    """JSON whose strings have lines: parsed strings pair up with those in the text."""
    starts = LineTable(text).starts
    places = (
        (bisect_right(starts, string.start()), *string.span()) for string in _STRING.finditer(text)
    )
    return _place(json.loads(text, object_pairs_hook=tuple), places)


def _place(value: Any, places: Iterator[tuple[int, int, int]]) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            placed = _LineString(value)
            placed.line, placed.start, placed.end = next(places)
            return placed
        case list():
            return [_place(item, places) for item in value]
        case tuple():  # an object: its pairs, repeated keys included
            return {_place(key, places): _place(item, places) for key, item in value}
    return value

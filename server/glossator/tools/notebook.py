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

from glossator.core.text import LineTable, split_lines

NumberedLine = tuple[int, str]  # 1-based line of the file, and its text

_OUTPUT_LINES = 20
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


class NotebookError(ValueError):
    """The text is not a notebook; the message says why."""


class PlacedString(str):
    """A string in the file: its line, and the offsets of the string with its quotes."""

    __slots__ = ("end", "line", "start")
    line: int
    start: int
    end: int


def notebook_lines(text: str) -> list[NumberedLine]:
    """The cells as numbered lines, in the order of the file. Raises `NotebookError`."""
    try:
        notebook = parse_notebook(text)
        lines = [
            line for number, cell in enumerate(notebook["cells"], 1) for line in _cell(number, cell)
        ]
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"it is not JSON ({error})") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"it does not follow nbformat 4 ({error!r})") from error
    return sorted(lines, key=lambda line: line[0])


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


def _placed_lines(value: PlacedString | list[PlacedString]) -> Iterator[NumberedLine]:
    for part in value if isinstance(value, list) else [value]:
        for line in split_lines(part):
            yield part.line, line


def parse_notebook(text: str) -> Any:  # noqa: ANN401 - JSON
    """JSON whose strings are `PlacedString`s: they pair up with those in the text.

    Raises `ValueError` or `RecursionError` for text that is no JSON.
    """
    starts = LineTable(text).starts
    places = (
        (bisect_right(starts, string.start()), *string.span()) for string in _STRING.finditer(text)
    )
    return _place(json.loads(text, object_pairs_hook=tuple), places)


def _place(value: Any, places: Iterator[tuple[int, int, int]]) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            placed = PlacedString(value)
            placed.line, placed.start, placed.end = next(places)
            return placed
        case list():
            return [_place(item, places) for item in value]
        case tuple():  # an object: its pairs, repeated keys included
            return {_place(key, places): _place(item, places) for key, item in value}
    return value

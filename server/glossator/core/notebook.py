"""Jupyter notebooks as cells: shown with their text output, and where they stand in the file.

Lines have the numbers and the order of the `.ipynb` file (Jupyter writes a cell's output before its
source), so that a citation, Grep and the editor mean the same line.
Source: nbformat 4, https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glossator.core.text import LineTable, split_lines

NumberedLine = tuple[int, str]  # 1-based line of the file, and its text

_OUTPUT_LINES = 20
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


class NotebookError(ValueError):
    """The text is not a notebook; the message says why."""


def is_notebook(path: str) -> bool:
    """Whether the file's name is that of a notebook."""
    return path.lower().endswith(".ipynb")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, and the offsets of its object and of its `source` in the text of the file."""

    kind: str  # "code", "markdown" or "raw"
    source: str
    start: int
    end: int
    source_start: int
    source_end: int
    fields: dict[str, Any]

    @property
    def is_list(self) -> bool:
        """Whether its source is a list of lines, as Jupyter writes it."""
        return isinstance(self.fields["source"], list)


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a notebook; `start` and `end` are the offsets of their list in the text."""

    all: tuple[Cell, ...]
    start: int
    end: int
    has_ids: bool


def cells_of(text: str) -> Cells:
    """The cells in the order of the file. Raises `NotebookError`."""
    try:
        notebook = json.loads(text)
        start, end = next(at for key, *at in _items(text, 0) if key == "cells")
        cells = [_placed(text, *at) for _, *at in _items(text, start)]
        minor = notebook.get("nbformat"), notebook.get("nbformat_minor", 0)
    except (ValueError, RecursionError, StopIteration, IndexError) as error:
        raise NotebookError(f"it is not JSON with cells ({error})") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"it does not follow nbformat 4 ({error!r})") from error
    has_ids = any("id" in cell.fields for cell in cells) or minor >= (4, 5)
    return Cells(tuple(cells), start, end, has_ids)


def cell_on(text: str, line: int) -> int | None:
    """The number of the cell that a line of the file (both from 1) is in; None for no cell.

    Of several on the line it is the first.
    """
    try:
        cells = cells_of(text).all
    except NotebookError:
        return None
    table = LineTable(text)
    for number, cell in enumerate(cells, 1):
        first, last = (table.position(at, "utf-32").line + 1 for at in (cell.start, cell.end))
        if first <= line <= last:
            return number
    return None


def cell_texts(before: str, after: str) -> tuple[str, str] | None:
    """The cells in which two texts of a notebook differ, each with a heading, to be compared.

    None if one of the texts is no notebook, or something else differs, such as an output.
    """
    try:
        old, new = cells_of(before).all, cells_of(after).all
    except NotebookError:
        return None
    same = [_is_same(one, other) for one, other in zip(old, new, strict=False)]
    first = next((at for at, is_same in enumerate(same) if not is_same), len(same))
    last = 0
    while last < min(len(old), len(new)) - first and _is_same(old[-1 - last], new[-1 - last]):
        last += 1
    texts = _listed(old, first, len(old) - last), _listed(new, first, len(new) - last)
    return texts if any(texts) else None


def _is_same(one: Cell, other: Cell) -> bool:
    return (one.kind, one.source) == (other.kind, other.source)


def _listed(cells: Sequence[Cell], first: int, end: int) -> str:
    parts = (
        f"# cell {number} ({cell.kind})\n{cell.source.rstrip()}\n"
        for number, cell in enumerate(cells[first:end], first + 1)
    )
    return "".join(parts)


def _placed(text: str, start: int, end: int) -> Cell:
    """The cell whose object has these offsets. Raises `KeyError`, `TypeError`, `StopIteration`."""
    fields = json.loads(text[start:end])
    source_start, source_end = next(at for key, *at in _items(text, start) if key == "source")
    kind, source = str(fields["cell_type"]), "".join(fields["source"])
    return Cell(kind, source, start, end, source_start, source_end, fields)


def _items(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The key ("" in a list), the start and the end of each value in the object or list at `at`."""
    decode = json.JSONDecoder().raw_decode
    at = _after_space(text, at)
    is_object = text[at] == "{"
    if not is_object and text[at] != "[":
        raise TypeError("neither an object nor a list")
    at = _after_space(text, at + 1)
    while text[at] not in "]}":
        key = ""
        if is_object:
            key, at = decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        _, end = decode(text, at)
        yield key, at, end
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


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

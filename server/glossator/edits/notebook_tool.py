"""NotebookEdit: a cell of a notebook is replaced, inserted or deleted, and all else stays.

The file keeps its indentation, its ids and its metadata byte for byte. A code cell keeps its
outputs, as in Jupyter, unless it becomes a cell of another kind.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from glossator.core.edit import EditPlan
from glossator.core.errors import UsageError
from glossator.core.line_diff import Replacement
from glossator.core.notebook import Cell, Cells, NotebookError, cells_of, is_notebook
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.edits.edit_report import line_ranges
from glossator.edits.edit_target import Needs, edit_known, find_target, planned, preview
from glossator.edits.find import as_lf
from glossator.tools import Base, ToolArgs, ToolContext

_ID_CHARACTERS = 8
_NEW: Mapping[str, Mapping[str, Any]] = {
    "code": {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []},
    "markdown": {"cell_type": "markdown", "metadata": {}},
    "raw": {"cell_type": "raw", "metadata": {}},
}
_OF_CODE = ("execution_count", "outputs")

Kind = Literal["code", "markdown", "raw"]


class NotebookEditArgs(ToolArgs):
    """Arguments of NotebookEdit."""

    verb: ClassVar[str] = "Edit"

    path: str
    cell: int = Field(ge=0, description="Its number, as Read shows it.")
    mode: Literal["replace", "insert", "delete"] = "replace"
    source: str = ""
    kind: Kind | None = None

    habits: ClassVar[Mapping[str, Sequence[str]]] = {
        "notebook_path": ("path",),
        "new_source": ("source",),
        "cell_type": ("kind",),
        "edit_mode": ("mode",),
        "cell_number": ("cell",),
    }

    def paths(self) -> tuple[str, ...]:
        """The notebook."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The cell before and after, as a diff."""
        return preview(context, self.path, self.change, Needs.NONE) or self.source

    def planned(self, context: ToolContext) -> EditPlan | None:
        """The change of the file."""
        return planned(context, self.path, self.change, Needs.NONE)

    def change(self, text: str) -> tuple[Replacement, ...]:
        """The replacement in the text of the file. Raises `UsageError` if it cannot be done."""
        cells = _cells(text)
        first = 0 if self.mode == "insert" else 1
        if not first <= self.cell <= len(cells.all):
            raise UsageError(
                f"it has {len(cells.all):,} cells, and there is no cell {self.cell:,}.\nRead it"
                " again for the numbers of its cells."
            )
        if self.mode == "insert":
            return (_inserted(text, cells, self.cell, self.kind or "code", as_lf(self.source)),)
        cell = cells.all[self.cell - 1]
        if self.mode == "delete":
            return (_deleted(cells, self.cell - 1),)
        if self.kind in (None, cell.kind) and cell.source == as_lf(self.source):
            return ()
        return (_replaced(text, cell, self.kind or cell.kind, as_lf(self.source)),)


class NotebookEdit:
    """Changes one cell of a notebook that was read."""

    name: ClassVar[str] = "NotebookEdit"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = NotebookEditArgs
    description = load_prompt("tools/notebook_edit").render()

    async def run(self, args: NotebookEditArgs, context: ToolContext) -> ToolResult:
        """The number is that of the notebook as the model read it."""
        if not is_notebook(args.path):
            raise UsageError(
                f"Nothing was changed: {shown(args.path)} is no notebook.\nUse Edit for its text."
            )
        target = await find_target(context, args.path, Needs.NONE)
        if target.current is not None:
            _check_shown(args, target.relative, target.base)
        return await edit_known(context, args.path, args.change, Needs.NONE)


def _check_shown(args: NotebookEditArgs, relative: str, base: Base | None) -> None:
    """Raise `UsageError` unless the cell was shown: its number says nothing of what is in it."""
    if base is None:
        raise UsageError(
            f"Nothing was changed: {relative} was not read in this conversation, or has changed"
            " since.\nRead it first, then make the edit again."
        )
    cells = _cells(base.document.text).all
    if args.mode == "insert" or not 1 <= args.cell <= len(cells):
        return
    cell, table = cells[args.cell - 1], base.document.table
    first = table.position(cell.source_start, "utf-32").line + 1
    last = table.position(cell.source_end, "utf-32").line + 1
    inner = range(first + 1, last) if cell.is_list and last > first + 1 else range(first, first + 1)
    if unseen := [line for line in inner if cell.source and line not in base.lines]:
        raise UsageError(
            f"Nothing was changed: of cell {args.cell} of {relative} not all was shown.\nRead lines"
            f" {line_ranges(unseen)} first, then make the edit again."
        )


def _cells(text: str) -> Cells:
    try:
        return cells_of(text)
    except NotebookError as error:
        raise UsageError(f"it is no notebook: {error}.") from error


def _replaced(text: str, cell: Cell, kind: str, source: str) -> Replacement:
    """Another source; of another kind all of the cell is written again."""
    if kind == cell.kind:
        value = _lines(source) if cell.is_list else source
        made = _written(text, value, cell.source_start)
        return Replacement(cell.source_start, cell.source_end, made)
    kept = {key: value for key, value in cell.fields.items() if key not in _OF_CODE}
    fields = {**_NEW[kind], **kept, "cell_type": kind}
    fields["source"] = _lines(source) if cell.is_list else source
    return Replacement(cell.start, cell.end, _written(text, _ordered(fields), cell.start))


def _inserted(text: str, cells: Cells, after: int, kind: str, source: str) -> Replacement:
    """A new cell after that many others."""
    fields = {**_NEW[kind], "source": _lines(source)}
    if cells.has_ids:
        fields["id"] = _new_id(text, cells, after, source)
    known = cells.all
    if not known:
        unit = _unit(text)
        gap, close = ("\n" + unit * 2, "\n" + unit) if unit else ("", "")
        made = _written(text, _ordered(fields), cells.start, unit * 2)
        return Replacement(cells.start, cells.end, f"[{gap}{made}{close}]")
    beside = known[max(after - 1, 0)]
    made = _written(text, _ordered(fields), beside.start)
    if len(known) > 1:
        between = text[known[0].end : known[1].start]
    else:
        between = "," + (text[cells.start + 1 : beside.start] or " ")
    if after == 0:
        return Replacement(beside.start, beside.start, made + between)
    return Replacement(beside.end, beside.end, between + made)


def _deleted(cells: Cells, at: int) -> Replacement:
    """The cell goes, with one comma."""
    cell, known = cells.all[at], cells.all
    if at + 1 < len(known):
        return Replacement(cell.start, known[at + 1].start, "")
    if at > 0:
        return Replacement(known[at - 1].end, cell.end, "")
    return Replacement(cells.start, cells.end, "[]")


def _lines(source: str) -> list[str]:
    """As Jupyter keeps a source: lines with their ends."""
    return [line for line in re.split(r"(?<=\n)", source) if line]


def _ordered(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in alphabetical order, as Jupyter writes them."""
    return dict(sorted(fields.items()))


def _new_id(text: str, cells: Cells, after: int, source: str) -> str:
    """An id that no cell has; the same each time that the same edit is looked at."""
    known = {cell.fields.get("id") for cell in cells.all}
    words, tries = f"{after}\0{source}\0{text}", 0
    while True:
        found = hashlib.sha256(f"{tries}\0{words}".encode("utf-8", "surrogatepass")).hexdigest()
        if (name := found[:_ID_CHARACTERS]) not in known:
            return name
        tries += 1


def _written(text: str, value: object, at: int, margin: str | None = None) -> str:
    """The value in JSON as the file has it at an offset: its indentation and its escapes."""
    escaped = text.isascii() and "\\u" in text
    unit = _unit(text)
    if not unit:
        compact = '": ' not in text
        marks = (",", ":") if compact else (", ", ": ")
        return json.dumps(value, ensure_ascii=escaped, separators=marks)
    if margin is None:
        line_start = text.rfind("\n", 0, at) + 1
        lead = re.match(r"[ \t]*", text[line_start:at])
        margin = lead.group() if lead else ""
    made = json.dumps(value, ensure_ascii=escaped, indent=unit)
    return made.replace("\n", "\n" + margin)


def _unit(text: str) -> str:
    """The indentation of one level; "" of a file on one line."""
    found = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)", text)
    return found.group(1) if found else ""

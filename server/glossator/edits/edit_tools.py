"""Edit, MultiEdit and Write: texts of one document take the place of others.

Of a notebook the sources of its cells are edited, and all else of the file stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from glossator.core.edit import EditPlan
from glossator.core.errors import UsageError
from glossator.core.line_diff import Replacement, apply_replacements, compose, unplaced_diff
from glossator.core.notebook import PlacedString, is_notebook, parse_notebook
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.edits.edit_target import (
    Needs,
    create,
    edit_known,
    find_target,
    planned,
    planned_file,
    preview,
)
from glossator.edits.find import Substitution, as_lf, rewrite, substitute
from glossator.tools import ToolArgs, ToolContext


class EditArgs(ToolArgs):
    """Arguments of Edit."""

    verb: ClassVar[str] = "Edit"

    path: str
    old_text: str
    new_text: str
    replace_all: bool = False

    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The change as a diff."""
        parts = [(self.old_text, self.new_text)]
        placed = preview(context, self.path, self.change, self.needs)
        return placed or unplaced_diff(parts, shown(self.path))

    def planned(self, context: ToolContext) -> EditPlan | None:
        """The change in its parts."""
        return planned(context, self.path, self.change, self.needs)

    @property
    def needs(self) -> Needs:
        """Which lines must have been shown: none of a text that is there once."""
        return Needs.REPLACED if self.replace_all else Needs.NONE

    def change(self, text: str) -> tuple[Replacement, ...]:
        """The replacements in `text`. Raises `UsageError` if it cannot be done."""
        wanted = Substitution(self.old_text, self.new_text, self.replace_all)
        return substituted(self.path, text, wanted)


class Edit:
    """Replaces an exact text of a document that was read."""

    name: ClassVar[str] = "Edit"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = EditArgs
    description = load_prompt("tools/edit").render()

    async def run(self, args: EditArgs, context: ToolContext) -> ToolResult:
        """Find the text where the model read it, and replace it where it is now."""
        return await edit_known(context, args.path, args.change, args.needs)


class EditStep(ToolArgs):
    """One edit of several; its arguments are described with Edit."""

    old_text: str
    new_text: str
    replace_all: bool = False


class MultiEditArgs(ToolArgs):
    """Arguments of MultiEdit."""

    verb: ClassVar[str] = "Edit"

    path: str
    edits: tuple[EditStep, ...] = Field(min_length=1)

    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The changes as one diff."""
        parts = ((step.old_text, step.new_text) for step in self.edits)
        placed = preview(context, self.path, self.change, self.needs)
        return placed or unplaced_diff(parts, shown(self.path))

    def planned(self, context: ToolContext) -> EditPlan | None:
        """The changes in their parts."""
        return planned(context, self.path, self.change, self.needs)

    @property
    def needs(self) -> Needs:
        """Which lines must have been shown."""
        every = any(step.replace_all for step in self.edits)
        return Needs.REPLACED if every else Needs.NONE

    def change(self, text: str) -> tuple[Replacement, ...]:
        """What the edits do together. Raises `UsageError` if one of them cannot be done."""
        together: tuple[Replacement, ...] = ()
        result = text
        for number, step in enumerate(self.edits, start=1):
            wanted = Substitution(step.old_text, step.new_text, step.replace_all)
            try:
                later = substituted(self.path, result, wanted)
            except UsageError as error:
                raise UsageError(f"edit {number} of {len(self.edits)}: {error}") from error
            together = compose(text, together, later)
            result = apply_replacements(result, later)
        return together if result != text else ()


class MultiEdit:
    """Replaces several exact texts of a document that was read."""

    name: ClassVar[str] = "MultiEdit"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = MultiEditArgs
    description = load_prompt("tools/multi_edit").render()

    async def run(self, args: MultiEditArgs, context: ToolContext) -> ToolResult:
        """Make one change of all edits, and apply it as Edit does."""
        return await edit_known(context, args.path, args.change, args.needs)


class WriteArgs(ToolArgs):
    """Arguments of Write."""

    verb: ClassVar[str] = "Write"

    path: str
    content: str

    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The text, or of a document what changes in it, as a diff."""
        return preview(context, self.path, self.change, Needs.ALL) or self.content

    def planned(self, context: ToolContext) -> EditPlan | None:
        """The new file, or what changes in a document."""
        changed = planned(context, self.path, self.change, Needs.ALL)
        return changed or planned_file(context, self.path, self.content)

    def change(self, text: str) -> Sequence[Replacement]:
        """What makes `text` the one that is wanted; only the lines that differ."""
        return rewrite(text, self.content)


class Write:
    """Creates a file, or replaces the whole text of a document that was read."""

    name: ClassVar[str] = "Write"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = WriteArgs
    description = load_prompt("tools/write").render()

    async def run(self, args: WriteArgs, context: ToolContext) -> ToolResult:
        """Only the lines that differ are replaced, so what the user types meanwhile stays."""
        target = await find_target(context, args.path, Needs.ALL)
        if target.current is None:
            return await create(context, target, args.content)
        return await edit_known(context, args.path, args.change, Needs.ALL)


def substituted(path: str, text: str, wanted: Substitution) -> tuple[Replacement, ...]:
    """The replacements in `text`, of a notebook in its cells. Raises `UsageError`."""
    return substitute_in_cells(text, wanted) if is_notebook(path) else substitute(text, wanted)


def substitute_in_cells(text: str, wanted: Substitution) -> tuple[Replacement, ...]:
    """Like `substitute`, in the sources of the cells; the rest of the file stays the same.

    Raises `UsageError`, also for what is no notebook.
    """
    try:
        cells = [cell["source"] for cell in parse_notebook(text)["cells"]]
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
    text: str, source: PlacedString | list[PlacedString], wanted: Substitution
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
    wanted_lines = filter(None, re.split(r"(?<=\n)", after))
    lines = [known.get(line) or json.dumps(line, ensure_ascii=escaped) for line in wanted_lines]
    gap = text[text.rindex("[", 0, first.start) + 1 : first.start]
    between = text[first.end : parts[1].start] if len(parts) > 1 else f",{gap or ' '}"
    return Replacement(first.start, last.end, between.join(lines))

"""MultiEdit: several edits of one document, all or none."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.line_diff import unplaced_diff
from glossator.core.permission import Access
from glossator.core.replacement import Replacement, apply_replacements, compose
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.edits import Substitution, substitute
from glossator.prompts import load_prompt
from glossator.tools.base import ToolArgs, ToolContext
from glossator.tools.editing import edit_known, preview


class EditStep(ToolArgs):
    """One edit of several; its arguments are described with Edit."""

    old_text: str
    new_text: str
    replace_all: bool = False


class MultiEditArgs(ToolArgs):
    """Arguments of MultiEdit."""

    path: str
    edits: tuple[EditStep, ...] = Field(min_length=1)

    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The changes as one diff."""
        parts = ((step.old_text, step.new_text) for step in self.edits)
        return preview(context, self.path, self.change) or unplaced_diff(parts, shown(self.path))

    def change(self, text: str) -> tuple[Replacement, ...]:
        """What the edits do together. Raises `UsageError` if one of them cannot be done."""
        together: tuple[Replacement, ...] = ()
        result = text
        for number, step in enumerate(self.edits, start=1):
            wanted = Substitution(step.old_text, step.new_text, step.replace_all)
            try:
                later = substitute(result, wanted)
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
        return await edit_known(context, args.path, args.change)

"""Edit: one text of a document takes the place of another."""

from __future__ import annotations

from typing import ClassVar

from glossator.core.line_diff import unplaced_diff
from glossator.core.permission import Access
from glossator.core.replacement import Replacement
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult
from glossator.edits import Substitution, substitute
from glossator.prompts import load_prompt
from glossator.tools.base import ToolArgs, ToolContext
from glossator.tools.editing import edit_known, preview


class EditArgs(ToolArgs):
    """Arguments of Edit."""

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
        return preview(context, self.path, self.change) or unplaced_diff(parts, shown(self.path))

    def change(self, text: str) -> tuple[Replacement, ...]:
        """The replacements in `text`. Raises `UsageError` if it cannot be done."""
        return substitute(text, Substitution(self.old_text, self.new_text, self.replace_all))


class Edit:
    """Replaces an exact text of a document that was read."""

    name: ClassVar[str] = "Edit"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = EditArgs
    description = load_prompt("tools/edit").render()

    async def run(self, args: EditArgs, context: ToolContext) -> ToolResult:
        """Find the text where the model read it, and replace it where it is now."""
        return await edit_known(context, args.path, args.change)

"""Write: a new file, or the whole text of one that was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from glossator.core.permission import Access
from glossator.core.replacement import Replacement
from glossator.core.tool_result import ToolResult
from glossator.edits import rewrite
from glossator.prompts import load_prompt
from glossator.tools.base import ToolArgs, ToolContext
from glossator.tools.editing import create, edit_known, find_target, preview


class WriteArgs(ToolArgs):
    """Arguments of Write."""

    path: str
    content: str

    def paths(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def preview(self, context: ToolContext) -> str:
        """The text, or of a document what changes in it, as a diff."""
        return preview(context, self.path, self.change) or self.content

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
        target = await find_target(context, args.path)
        if target.current is None:
            return await create(context, target, args.content)
        return await edit_known(context, args.path, args.change, whole=True)

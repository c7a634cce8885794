"""Glob: files by name, newest first."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.tool_result import Budget, ToolResult, cut
from glossator.prompts.loader import load_prompt
from glossator.tools.base import Access, Cancelled, ToolArgs, ToolContext, in_thread
from glossator.tools.selection import account, select
from glossator.workspace.snapshot import WorkspaceSnapshot

BUDGET = Budget(items=100)


class GlobArgs(ToolArgs):
    """Arguments of Glob."""

    pattern: str = Field(max_length=2_000, description="File-name pattern, such as `src/**/*.py`.")
    path: str | None = Field(None, description="Folder to look in; the workspace if left out.")


class Glob:
    """Finds files by name."""

    name: ClassVar[str] = "Glob"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = GlobArgs
    description = load_prompt("tools/glob").render(paths=str(BUDGET.items))

    async def run(self, args: GlobArgs, context: ToolContext) -> ToolResult:
        """List the paths that match, most recently changed first."""
        return await in_thread(_glob, args, context.snapshot)


def _glob(_cancelled: Cancelled, args: GlobArgs, snapshot: WorkspaceSnapshot) -> ToolResult:
    selection = select(snapshot, args.path, args.pattern)
    if not selection.files:
        considered = select(snapshot, args.path)
        extra = ["[…] stands for one character of a set; write \\[ for a bracket itself."]
        notes = extra if "[" in args.pattern else []
        return ToolResult(
            f"No file matches {args.pattern}.\n{account(snapshot, considered, notes)}"
        )
    newest_first = sorted(selection.files, key=lambda file: (-file.mtime_ns, file.relative))
    paths, omitted = cut((file.relative for file in newest_first), BUDGET)
    text = "\n".join(paths)
    if omitted:
        text += f"\n[{omitted:,} more paths; narrow the pattern or give a path]"
    return ToolResult(text, omitted=omitted)

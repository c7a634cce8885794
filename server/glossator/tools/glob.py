"""Glob: files by name, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from glossator.core.tool_result import ToolResult
from glossator.prompts.loader import load_prompt
from glossator.tools.base import Access, Cancelled, ToolArgs, ToolContext, in_thread
from glossator.tools.selection import account, place_of, select
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.walk import FileEntry

_SHOWN = 100  # paths


class GlobArgs(ToolArgs):
    """Arguments of Glob."""

    pattern: str = Field(max_length=2_000, description="File-name pattern, such as `src/**/*.py`.")
    path: str | None = Field(None, description="Folder to look in; the workspace if left out.")


class Glob:
    """Finds files by name."""

    name: ClassVar[str] = "Glob"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = GlobArgs
    description = load_prompt("tools/glob").render(paths=str(_SHOWN))

    async def run(self, args: GlobArgs, context: ToolContext) -> ToolResult:
        """List the paths that match, most recently changed first."""
        return await in_thread(_glob, args, context.snapshot)


def _glob(_cancelled: Cancelled, args: GlobArgs, snapshot: WorkspaceSnapshot) -> ToolResult:
    newest, count = _find(args, snapshot)
    if not count:
        considered = select(snapshot, args.path)
        extra = ["[…] stands for one character of a set; write \\[ for a bracket itself."]
        notes = extra if "[" in args.pattern else []
        return ToolResult(
            f"No file matches {args.pattern}.\n{account(snapshot, considered, notes)}"
        )
    text = "\n".join(file.relative for file in newest)
    omitted = count - len(newest)
    if omitted:
        text += f"\n[{omitted:,} more paths; narrow the pattern or give a path]"
    return ToolResult(text, omitted=omitted)


def _find(args: GlobArgs, snapshot: WorkspaceSnapshot) -> tuple[Sequence[FileEntry], int]:
    """The matching files, newest first and no more than are shown, and how many match."""
    place = place_of(snapshot, args.path)
    under = "" if place is None else f"{place}/"
    paths = snapshot.listing.paths
    newest, count = paths.newest(args.pattern, under, _SHOWN, snapshot.unsaved)
    if count or place is None:
        return newest, count
    file = select(snapshot, args.path, args.pattern).files  # unless `path` is a folder
    return file, len(file)

"""Glob: files by name, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.tool_result import ToolResult, counted
from glossator.tools.base import Cancellation, IsHidden, ToolArgs, ToolContext, cancellable
from glossator.tools.selection import (
    account,
    hints,
    including_ignored,
    pattern_of,
    place_of,
    select,
)
from glossator.workspace import FileEntry, WorkspaceSnapshot

_PATHS_SHOWN = 100  # paths


class GlobArgs(ToolArgs):
    """Arguments of Glob."""

    verb: ClassVar[str] = "List"

    pattern: str = Field(max_length=2_000, description="A glob.")
    path: str | None = Field(None, description="Folder.")
    include_ignored: bool = Field(False, description="Ignored too.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = {"no_ignore": ("include_ignored",)}

    def paths(self) -> tuple[str, ...]:
        """The folder, if one is named."""
        return () if self.path is None else (self.path,)


class Glob:
    """Finds files by name."""

    name: ClassVar[str] = "Glob"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = GlobArgs
    description = load_prompt("tools/glob").render(paths=str(_PATHS_SHOWN))

    async def run(self, args: GlobArgs, context: ToolContext) -> ToolResult:
        """List the paths that match, most recently changed first."""
        return await cancellable(_glob, args, context.snapshot, context.hidden)


def _glob(
    cancelled: Cancellation, args: GlobArgs, snapshot: WorkspaceSnapshot, hides: IsHidden | None
) -> ToolResult:
    place = place_of(snapshot, args.path)
    note = ""
    if args.include_ignored:
        snapshot, note = including_ignored(snapshot, place, cancelled)
    pattern = pattern_of(snapshot, args.pattern, place)
    newest, count = _find(snapshot, pattern, place, hides)
    if not count:
        considered = select(snapshot, args.path, hides=hides)
        notes = hints(snapshot, pattern, place)
        return ToolResult(
            f"No file matches {args.pattern}.\n{account(snapshot, considered, notes)}{note}",
            outcome="no file",
        )
    text = "\n".join(shown(file.relative) for file in newest)
    omitted = count - len(newest)
    if omitted:
        text += f"\n[{omitted:,} more paths; narrow the pattern or give a path]"
    return ToolResult(text + note, omitted=omitted, outcome=counted(count, "files"))


def _find(
    snapshot: WorkspaceSnapshot, pattern: str, place: str | None, hides: IsHidden | None
) -> tuple[Sequence[FileEntry], int]:
    """The matching files that are shown, newest first, and how many match."""
    under = "" if place is None else f"{place}/"
    most = _PATHS_SHOWN if hides is None else len(snapshot.files())
    newest, count = snapshot.listing.paths.newest(pattern, under, most, snapshot.unlisted)
    if hides is not None:
        newest = [file for file in newest if not hides(file.path)]
        count = len(newest)
    if count or place is None:
        return newest[:_PATHS_SHOWN], count
    file = select(snapshot, place, pattern, hides=hides).files  # unless `place` is a folder
    return file, len(file)

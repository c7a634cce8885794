"""Diagnostics: what the editor's other servers find wrong, for the text as it is now."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from glossator.core.diagnostics import Diagnostic, FileDiagnostics, Severity, Wanted
from glossator.core.document import Missing
from glossator.core.tool_result import ToolResult, shorten
from glossator.core.uri import to_path
from glossator.prompts.loader import load_prompt
from glossator.tools.base import Access, ToolArgs, ToolContext, in_thread

MAX_ITEMS = 40
MAX_CHARACTERS = 300
WAIT_SECONDS = 5.0

_ORDER = {severity: number for number, severity in enumerate(Severity)}


class DiagnosticsArgs(ToolArgs):
    """Arguments of Diagnostics."""

    path: str | None = Field(None, description="A file; every file with findings if left out.")

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)


class Diagnostics:
    """Tells what changed in the editor's findings."""

    name: ClassVar[str] = "Diagnostics"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = DiagnosticsArgs
    description = load_prompt("tools/diagnostics").render(
        items=str(MAX_ITEMS), seconds=f"{WAIT_SECONDS:g}"
    )

    async def run(self, args: DiagnosticsArgs, context: ToolContext) -> ToolResult:
        """Ask the editor, which waits for findings about the newest text."""
        wanted: tuple[Wanted, ...] = ()
        if args.path is not None:
            document = await in_thread(lambda _, path: context.snapshot.read(path), args.path)
            if isinstance(document, Missing):
                return ToolResult.failed(document.message)
            wanted = (Wanted(document.uri, document.version),)
        files = await context.diagnostics(wanted, WAIT_SECONDS)
        if files is None:
            return ToolResult.failed(
                "The editor did not tell its diagnostics; run the project's own checks instead."
            )
        return _show(files, context)


def _show(files: tuple[FileDiagnostics, ...], context: ToolContext) -> ToolResult:
    lines: list[str] = []
    shown = omitted = 0
    for file in sorted(files, key=lambda file: file.uri):
        name = context.snapshot.relative(to_path(file.uri) or file.uri)
        if file.pending:
            lines.append(f"{name}: pending; ask again in a moment.")
            continue
        difference = context.findings.differ(file.uri, file.items)
        counts = f"{len(difference.new)} new, {difference.fixed} fixed, {difference.kept} as before"
        lines.append(f"{name}: {counts}")
        worst_first = sorted(difference.new, key=lambda item: (_ORDER[item.severity], item.line))
        kept = worst_first[: MAX_ITEMS - shown]
        lines += map(_line, kept)
        shown += len(kept)
        omitted += len(worst_first) - len(kept)
    if omitted:
        lines.append(f"[{omitted} more; ask for one file, or mend these first]")
    return ToolResult("\n".join(lines) or "No findings.", omitted=omitted)


def _line(item: Diagnostic) -> str:
    source = f" ({item.source})" if item.source else ""
    message = shorten(" ".join(item.message.split()), MAX_CHARACTERS)
    return f"  {item.line}: {item.severity}: {message}{source}"

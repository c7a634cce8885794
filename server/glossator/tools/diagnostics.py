"""Diagnostics: what the editor's other servers find wrong, for the text as it is now.

They read every file, and so may tell of files that rules hide, or quote them in what they say about
others. Neither is passed on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from glossator.core.diagnostics import Diagnostic, FileDiagnostics, Severity, Wanted
from glossator.core.document import Document, Missing
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult, shorten
from glossator.core.uri import to_path
from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt
from glossator.tools.base import Cancelled, ToolArgs, ToolContext, in_thread
from glossator.tools.quoting import HiddenTexts
from glossator.tools.selection import visible

MAX_ITEMS = 40
MAX_CHARACTERS = 300
WAIT_SECONDS = 5.0

_QUOTES = "[not shown: it quotes a file that the user's permission rules hide]"
_KEPT_BACK = "Hidden by the user's permission rules, or outside the workspace: {:,}."

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
            document = await in_thread(_document, context, args.path)
            if isinstance(document, str):
                return ToolResult.failed(document)
            wanted = (Wanted(document.uri, document.version),)
        files = await context.diagnostics(wanted, WAIT_SECONDS)
        if files is None:
            return ToolResult.failed(
                "The editor did not tell its diagnostics.\nRun the project's own checks instead."
            )
        shown = await in_thread(_shown, files, context)
        return _show(shown, len(files) - len(shown), context)


def listed(
    file: FileDiagnostics, snapshot: WorkspaceSnapshot, hides: Callable[[str], bool] | None
) -> list[str]:
    """The findings of a file that may be shown, the worst first, a line each."""
    items = file.items if hides is None else _unquoted(file, HiddenTexts(snapshot, hides))
    lines = [_line(item) for item in sorted(items, key=_worst_first)]
    more = len(lines) - MAX_ITEMS
    return [*lines[:MAX_ITEMS], f"[{more} more]"] if more > 0 else lines


def _document(_cancelled: Cancelled, context: ToolContext, path: str) -> Document | str:
    return visible(context.snapshot, path, context.hidden)


def _shown(
    _cancelled: Cancelled, files: tuple[FileDiagnostics, ...], context: ToolContext
) -> list[FileDiagnostics]:
    """What may be told: of files in the workspace that no rule hides, without quotes of others."""
    told = [file for file in files if _may_be_told(file.uri, context)]
    if context.hidden is None:
        return told
    texts = HiddenTexts(context.snapshot, context.hidden)
    return [replace(file, items=tuple(_unquoted(file, texts))) for file in told]


def _unquoted(file: FileDiagnostics, texts: HiddenTexts) -> Iterator[Diagnostic]:
    document = texts.snapshot.open_document(file.uri) or texts.snapshot.read(_path(file.uri))
    own = document.text if isinstance(document, Document) else ""
    for item in file.items:
        yield replace(item, message=_QUOTES) if texts.quoted(item.message, own) else item


def _may_be_told(uri: str, context: ToolContext) -> bool:
    path = _path(uri)
    if not os.path.isabs(path):
        return True  # a document that has no file
    if isinstance(context.snapshot.resolve(path), Missing):
        return False
    return context.hidden is None or not context.hidden(path)


def _path(uri: str) -> str:
    """The path in a URI of whatever scheme: a version in git, or a notebook's cell, is a file's."""
    return to_path(uri) or unquote(urlsplit(uri).path)


def _show(files: Sequence[FileDiagnostics], kept_back: int, context: ToolContext) -> ToolResult:
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
        worst_first = sorted(difference.new, key=_worst_first)
        kept = worst_first[: MAX_ITEMS - shown]
        lines += map(_line, kept)
        shown += len(kept)
        omitted += len(worst_first) - len(kept)
    if omitted:
        lines.append(f"[{omitted} more; ask for one file, or mend these first]")
    if kept_back:
        lines.append(_KEPT_BACK.format(kept_back))
    pending = any(file.pending for file in files)
    return ToolResult("\n".join(lines) or "No findings.", omitted=omitted, pending=pending)


def _worst_first(item: Diagnostic) -> tuple[int, int]:
    return _ORDER[item.severity], item.line


def _line(item: Diagnostic) -> str:
    source = f" ({item.source})" if item.source else ""
    message = shorten(" ".join(item.message.split()), MAX_CHARACTERS)
    return f"  {item.line}: {item.severity}: {message}{source}"

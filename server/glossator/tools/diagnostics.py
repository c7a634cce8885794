"""Diagnostics: what the editor's other servers report about the current texts.

Hints (unused parameters and the like) are only counted: they are many, and rarely a fault. These
servers read every file. Their reports on files that permission rules hide, and messages that
quote such files, are withheld.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from glossator.core.attached import Diagnostic, FileDiagnostics, Severity, Wanted
from glossator.core.document import Document, Missing
from glossator.core.file_kinds import CODE, language_of
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown, some_of
from glossator.core.tool_result import ToolResult, counted, shorten
from glossator.core.uri import to_path
from glossator.tools.base import IsHidden, ToolArgs, ToolContext, in_thread
from glossator.tools.conversation_state import Findings
from glossator.tools.selection import visible
from glossator.workspace import WorkspaceSnapshot

MAX_ITEMS = 40
MAX_CHARACTERS = 300
WAIT_SECONDS = 5.0

_SETTLED_SECONDS = 1.0  # that the result of an edit waits for what is found, if nobody owes it
_KNOWN_SECONDS = 0.5  # that an edit waits for what was found before it, likewise
_MAX_EDITED = 10  # files of one edit whose findings are asked for
_MAX_PENDING = 5  # files that are named
_MAX_NEW = 10
_GRAVE = frozenset({Severity.ERROR, Severity.WARNING})

_NOBODY = "No compiler or linter told anything of {}.\nRun the project's own checks instead."
_COVERED = "[of the {} checked so far; give a path to ask about another]"
_ASK = "[no file was checked so far; give a path to ask about one]"
_QUOTE_WITHHELD = "[not shown: it quotes a file that the user's permission rules hide]"
_FILES_WITHHELD = "Hidden by the user's permission rules, or outside the workspace: {:,}."

_SEVERITY_ORDER = {severity: number for number, severity in enumerate(Severity)}

_QUOTE_MARKS = re.compile(
    r"[\"'`\u00b4\u2018\u2019\u201c\u201d\u00ab\u00bb]|\.\.\.|\u2026"
)  # or cut ends
_MIN_QUOTE = 4  # characters of a quote


class DiagnosticsArgs(ToolArgs):
    """Arguments of Diagnostics."""

    path: str | None = Field(None, description="A file; default: those checked so far.")

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)


class Diagnostics:
    """Shows which diagnostics are new and which are gone."""

    name: ClassVar[str] = "Diagnostics"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = DiagnosticsArgs
    description = load_prompt("tools/diagnostics").render(
        items=str(MAX_ITEMS), seconds=f"{WAIT_SECONDS:g}"
    )

    async def run(self, args: DiagnosticsArgs, context: ToolContext) -> ToolResult:
        """Report the diagnostics of one file, or of all that are known."""
        return await report_diagnostics(context, args.path)


async def report_diagnostics(context: ToolContext, path: str | None = None) -> ToolResult:
    """Ask the editor, which waits for diagnostics of the newest text; show what changed."""
    wanted: tuple[Wanted, ...] = ()
    if path is not None:
        document = await in_thread(visible, context.snapshot, path, context.hidden)
        if isinstance(document, str):
            return ToolResult.failed(document)
        wanted = (Wanted(document.uri, document.version),)
    files = await context.diagnostics(wanted, WAIT_SECONDS)
    if files is None or (wanted and not files):
        return ToolResult.failed(_NOBODY.format("any file" if path is None else shown(path)))
    told = await in_thread(_permitted, files, context)
    return _report(told, len(files) - len(told), context, is_all=not wanted)


async def findings_now(context: ToolContext, uris: Sequence[str]) -> Sequence[FileDiagnostics]:
    """The findings for documents of code before an edit, to tell later which are new.

    Of a few of them, if they are many; none of those that nobody tells of.
    """
    code = [uri for uri in uris if language_of(_path(uri)) in CODE]
    wanted = tuple(Wanted(uri, None) for uri in code[:_MAX_EDITED])
    return (await context.diagnostics(wanted, _KNOWN_SECONDS) or ()) if wanted else ()


async def new_findings(
    context: ToolContext, before: Sequence[FileDiagnostics], after: Iterable[Document]
) -> str:
    """The errors and warnings that an edit brought, if they are known in time.

    Also how many are gone, and that they are not known. "" where nobody tells any.
    """
    edited = {each.uri: each.version for each in after if language_of(each.path) in CODE}
    known, wanted = Findings(), list[Wanted]()
    for file in before:
        if not file.pending and file.uri in edited:
            known.differ(file.uri, _grave(file))
            wanted.append(Wanted(file.uri, edited[file.uri]))
    files = (await context.diagnostics(tuple(wanted), _SETTLED_SECONDS) or ()) if wanted else ()
    settled = [file for file in files if not file.pending]
    lines: list[str] = []
    gone = 0
    for file in await in_thread(_permitted, settled, context):
        name = _name(file, context)
        difference = known.differ(file.uri, _grave(file))
        new = sorted(difference.new, key=_severity)
        lines += [f"{name}:{_line(each).lstrip()}" for each in new]
        gone += difference.fixed
    told = ["New findings since the edit:", *lines[:_MAX_NEW]] if lines else []
    if len(lines) > _MAX_NEW:
        told.append(f"[{len(lines) - _MAX_NEW} more]")
    if gone:
        told.append(f"[{counted(gone, 'findings')} less]")
    unasked = max(0, len(edited) - _MAX_EDITED) if before else 0
    if unknown := len(before) - len(settled) + unasked:
        which = f" of {counted(unknown, 'files')}" if settled else ""
        told.append(f"[findings{which} are not known yet]")
    return "\n".join(told)


def diagnostic_lines(
    file: FileDiagnostics, snapshot: WorkspaceSnapshot, hides: IsHidden | None
) -> list[str]:
    """The diagnostics of a file that may be shown, one a line, the most severe first."""
    items = file.items if hides is None else _without_quotes(file, HiddenTexts(snapshot, hides))
    lines = [_line(item) for item in sorted(items, key=_severity)]
    more = len(lines) - MAX_ITEMS
    return [*lines[:MAX_ITEMS], f"[{more} more]"] if more > 0 else lines


def _permitted(files: Sequence[FileDiagnostics], context: ToolContext) -> list[FileDiagnostics]:
    """The files in the workspace that no rule hides, without quotes of hidden files."""
    permitted = [file for file in files if _is_permitted(file.uri, context)]
    if context.hidden is None:
        return permitted
    texts = HiddenTexts(context.snapshot, context.hidden)
    return [replace(file, items=tuple(_without_quotes(file, texts))) for file in permitted]


def _without_quotes(file: FileDiagnostics, texts: HiddenTexts) -> Iterator[Diagnostic]:
    document = texts.snapshot.open_document(file.uri) or texts.snapshot.read(_path(file.uri))
    own = document.text if isinstance(document, Document) else ""
    for item in file.items:
        yield replace(item, message=_QUOTE_WITHHELD) if texts.quoted(item.message, own) else item


def _is_permitted(uri: str, context: ToolContext) -> bool:
    path = _path(uri)
    if not os.path.isabs(path):
        return True  # a document that has no file
    if isinstance(context.snapshot.resolve(path), Missing):
        return False
    return context.hidden is None or not context.hidden(path)


def _path(uri: str) -> str:
    """The path in a URI of any scheme, such as that of a version in git or of a notebook's cell."""
    return to_path(uri) or unquote(urlsplit(uri).path)


def _report(
    files: Sequence[FileDiagnostics], withheld: int, context: ToolContext, *, is_all: bool
) -> ToolResult:
    lines: list[str] = []
    found = listed = omitted = 0
    pending = sorted(_name(file, context) for file in files if file.pending)
    for file in sorted(files, key=lambda file: file.uri):
        if file.pending:
            continue
        items = tuple(item for item in file.items if item.severity is not Severity.HINT)
        found += len(items)
        hints = len(file.items) - len(items)
        difference = context.findings.differ(file.uri, items)
        if is_all and not (items or difference.fixed):
            continue
        counts = f"{len(difference.new)} new, {difference.fixed} fixed, {difference.kept} unchanged"
        more = f" ({counted(hints, 'hints')} left out)" if hints else ""
        lines.append(f"{_name(file, context)}: {counts}{more}")
        kept = sorted(difference.new, key=_severity)[: MAX_ITEMS - listed]
        lines += map(_line, kept)
        listed += len(kept)
        omitted += len(difference.new) - len(kept)
    if pending:
        lines.append(f"{some_of(pending, _MAX_PENDING)}: pending; ask again in a moment.")
    if omitted:
        lines.append(f"[{omitted} more; ask for one file, or fix these first]")
    lines = lines or ["No findings."]
    if is_all:
        lines.append(_COVERED.format(counted(len(files), "files")) if files else _ASK)
    if withheld:
        lines.append(_FILES_WITHHELD.format(withheld))
    outcome = "pending" if pending and not found else counted(found, "findings")
    return ToolResult("\n".join(lines), omitted=omitted, outcome=outcome, pending=bool(pending))


def _name(file: FileDiagnostics, context: ToolContext) -> str:
    return context.snapshot.relative(to_path(file.uri) or file.uri)


def _grave(file: FileDiagnostics) -> tuple[Diagnostic, ...]:
    return tuple(item for item in file.items if item.severity in _GRAVE)


def _severity(item: Diagnostic) -> tuple[int, int]:
    return _SEVERITY_ORDER[item.severity], item.line


def _line(item: Diagnostic) -> str:
    source = f" ({item.source})" if item.source else ""
    message = shorten(" ".join(item.message.split()), MAX_CHARACTERS)
    return f"  {item.line}: {item.severity}: {message}{source}"


@dataclass(frozen=True)
class HiddenTexts:
    """The texts of hidden files, read when they are first needed.

    Compilers quote what they find, such as the value of a literal type. A quote that stands in a
    hidden file, and not in the file of the diagnostic, counts as taken from there.
    """

    snapshot: WorkspaceSnapshot
    hides: IsHidden

    def quoted(self, message: str, own: str) -> bool:
        """Whether `message`, about the text `own`, quotes a hidden text."""
        quotes = (part.strip() for part in _QUOTE_MARKS.split(message)[1:])
        foreign = [part for part in quotes if len(part) >= _MIN_QUOTE and part not in own]
        return any(part in text for part in foreign for text in self._texts)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(self._read())

    def _read(self) -> Iterator[str]:
        listed = (file.path for file in self.snapshot.files())
        for path in (*listed, *self.snapshot.listing.skipped):
            if self.hides(path):
                document = self.snapshot.read(path)
                if isinstance(document, Document):
                    yield document.text

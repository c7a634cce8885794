"""What a gloss is about, and facts about it that need no model: its calls and its last commit.

The editor's other servers resolve names; the index knows how they are spelled. A server that knows
no call at all may not have read everything yet, so the index is asked then, too. git runs in the
sandbox of commands, never in a workspace that is not trusted: it obeys what a repository says.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from glossator.application import Application, ask_git
from glossator.core.citations import place as cited_place
from glossator.core.code import CodeAnswer, CodeKind, CodePlace
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.report import FILE, FOLDER, WORKSPACE, Subject
from glossator.core.uri import to_path
from glossator.sandbox import LimitedShell
from glossator.symbols import CALLS, Name, NamePlace, SearchScope, SourceLine, Symbol, symbol_at
from glossator.turn import refuse_hidden
from glossator.workspace import WorkspaceSnapshot

_SERVER_SECONDS = 5.0  # for a language server's answer


@dataclass(frozen=True, slots=True)
class Pointed:
    """A subject with its text as it is now; a folder has none, and only a symbol has a `symbol`."""

    subject: Subject
    path: str  # relative
    document: Document | None = None
    symbol: Symbol | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        if self.symbol is not None:
            lines = self.symbol.first_line, self.symbol.last_line
            return f"{self.subject.kind} `{self.subject.name}` (`{cited_place(self.path, *lines)}`)"
        return called(self.subject, self.path)


def called(subject: Subject, path: str) -> str:
    """A subject at a relative path in words; the workspace, or its only folder, by its own name."""
    if subject.name:
        return f"{subject.kind} `{subject.name}` in `{path}`"
    if subject.kind == WORKSPACE or path == ".":
        path = os.path.basename(subject.path) or subject.path
    return f"{subject.kind} `{path}`"


def subject_of(symbol: Symbol, path: str) -> Subject:
    """A symbol of the document at a real path as a subject."""
    return Subject(path, ".".join((*symbol.container, symbol.name)), symbol.kind)


async def pointed_at(
    app: Application, uri: str | None, line: int | None, name: str | None
) -> Pointed:
    """The subject meant by a place (a 1-based line of it), or by a symbol's name, or both.

    Raises `UsageError`, `WorkerGone` and `JobFailed`.
    """
    await app.ready()
    snapshot = app.host.snapshot()
    if name is not None:
        return await _named(app, snapshot, name, uri)
    if uri is None:
        raise UsageError("Nothing is pointed at; give a file, a folder or a symbol's name.")
    found = await asyncio.to_thread(_read, app, snapshot, uri)
    if isinstance(found, Pointed):
        return found
    path = snapshot.relative(found.path)
    if line is not None:
        if not 1 <= line <= len(found.lines):
            total = len(found.lines)
            raise UsageError(f"{path} has {total:,} lines, and no line {line:,}; choose another.")
        symbol = symbol_at(await app.symbols.outline(snapshot, found), line)
        if symbol is not None:
            return Pointed(subject_of(symbol, found.path), path, found, symbol)
    return Pointed(Subject(found.path, "", FILE), path, found)


async def _named(
    app: Application, snapshot: WorkspaceSnapshot, name: str, uri: str | None
) -> Pointed:
    within = snapshot.resolve(to_path(uri) or uri) if uri is not None else None
    where = SearchScope(
        within=within if isinstance(within, str) else None, hides=app.acting.hidden()
    )
    found = await app.symbols.definitions(snapshot, Name.parse(name), where)
    if not found.hits:
        raise UsageError(f"Nothing named {name} is defined here; search for it, or give its file.")
    best = found.hits[0]
    document = await asyncio.to_thread(_read, app, snapshot, best.line.path)
    if isinstance(document, Pointed):
        raise UsageError(f"{name} changed while it was looked up; try again.")
    path = snapshot.relative(document.path)
    return Pointed(subject_of(best.symbol, document.path), path, document, best.symbol)


def _read(app: Application, snapshot: WorkspaceSnapshot, uri: str) -> Document | Pointed:
    """The document, or the folder as a subject; blocking. Raises `UsageError`."""
    path = to_path(uri) or uri
    document = snapshot.open_document(uri) or snapshot.read(path)
    if isinstance(document, Document):
        refuse_hidden(snapshot, (document.path, path), app.acting.hidden())
        return document
    real = snapshot.resolve(path)
    if document.reason is not MissingReason.DIRECTORY or isinstance(real, Missing):
        raise UsageError(f"{document.message} Choose another file or folder.")
    refuse_hidden(snapshot, (real, path), app.acting.hidden())
    return Pointed(Subject(real, "", FOLDER), snapshot.relative(real))


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the qualified name of who calls, or is called, and the line it stands on."""

    name: str
    line: SourceLine


@dataclass(frozen=True, slots=True)
class Calls:
    """Both directions; `by` names the language server that tells them, "" for the spelling."""

    callers: tuple[Call, ...]
    callees: tuple[Call, ...]
    by: str = ""


async def calls_of(app: Application, pointed: Pointed) -> Calls:
    """The calls of a symbol. Raises `WorkerGone` and `JobFailed`."""
    document, symbol = pointed.document, pointed.symbol
    if document is None or symbol is None:
        return Calls((), ())
    snapshot = app.host.snapshot()
    place = NamePlace(document, symbol.name_line, symbol.name_column, symbol.name)
    callers, callees = await asyncio.gather(
        app.code.ask(place.question(CodeKind.CALLERS), _SERVER_SECONDS),
        app.code.ask(place.question(CodeKind.CALLEES), _SERVER_SECONDS),
    )
    if isinstance(callers, CodeAnswer) and isinstance(callees, CodeAnswer):
        called = [
            replace(each, uri=document.uri, line=n) for each in callees.places for n in each.calls
        ]
        told = Calls(
            await asyncio.to_thread(_placed, app, snapshot, callers.places),
            await asyncio.to_thread(_placed, app, snapshot, called),
            callers.by,
        )
        if told.callers or told.callees:  # with neither it may be loading yet
            return told
    where = SearchScope(hides=app.acting.hidden())
    uses = await app.symbols.uses(snapshot, Name.parse(pointed.subject.name), CALLS, where)
    calls = await app.symbols.calls(snapshot, document, symbol.first_line, symbol.last_line)
    return Calls(
        tuple(
            Call(".".join(use.reference.within) or "code at the top level", use.line)
            for use in uses.hits
        ),
        tuple(
            Call(name, SourceLine(document.path, document.sha256, at, document.lines[at - 1]))
            for name, at in calls
        ),
    )


def _placed(
    app: Application, snapshot: WorkspaceSnapshot, places: Iterable[CodePlace]
) -> tuple[Call, ...]:
    """The calls in texts that may be shown, with their current lines; blocking."""
    hides = app.acting.hidden()
    found = []
    for each in places:
        path = to_path(each.uri)
        document = snapshot.read(path) if path is not None else None
        if not isinstance(document, Document) or (hides and hides(document.path)):
            continue
        if 0 <= each.line < len(document.lines):
            text, number = document.lines[each.line], each.line + 1
            found.append(Call(each.name, SourceLine(document.path, document.sha256, number, text)))
    return tuple(found)


_FIELDS = "%h%x1f%ad%x1f%an%x1f%s"
_LOG = ("log", "-1", "-s", "--date=short", f"--format={_FIELDS}")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its short hash, the day, who made it, and its first line."""

    name: str
    day: str
    author: str
    subject: str


async def last_commit(
    app: Application, path: str, lines: tuple[int, int] | None = None
) -> Commit | None:
    """The newest commit of the lines, else of the file; None if git knows none or may not run.

    `path` is absolute, lines are 1-based and inclusive.
    """
    if not await asyncio.to_thread(lambda: app.acting.trust.is_trusted):
        return None
    shell = await asyncio.to_thread(app.acting.limited, app.host.snapshot())
    if shell.open_reason is not None:
        return None
    folder, name = os.path.split(path)
    if lines is not None:
        of_lines = await _asked(shell, folder, f"-L{lines[0]},{lines[1]}:./{name}")
        if of_lines is not None:
            return of_lines
    return await _asked(shell, folder, "--", f"./{name}")


async def _asked(shell: LimitedShell, folder: str, *about: str) -> Commit | None:
    told = await ask_git(shell, folder, *_LOG, *about)
    fields = (told or "").strip("\n").partition("\n")[0].split("\x1f")
    return Commit(*fields) if len(fields) == 4 else None

"""What a gloss can be about: a symbol, a file or a folder, as the user points at it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from glossator.application import Application
from glossator.context import refuse_hidden
from glossator.core.citations import place
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.gloss import FILE, FOLDER, WORKSPACE, Subject
from glossator.core.uri import to_path
from glossator.documents import WorkspaceSnapshot
from glossator.symbols import Name, SearchScope, Symbol, symbol_at


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
            return f"{self.subject.kind} `{self.subject.name}` (`{place(self.path, *lines)}`)"
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
    """What is meant by a place (a 1-based line of it), or by a symbol's name, or both.

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

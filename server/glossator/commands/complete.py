"""Complete a mention (`@…`) or a command (`/…`) in a question."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from glossator.application import Application
from glossator.commands.declared import CHAT_COMMANDS
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.customizations import Customizations, Skill
from glossator.permissions import HiddenFiles
from glossator.symbols import Definition, Symbol
from glossator.turn import (
    DIAGNOSTICS,
    GIT,
    GIT_DIFF,
    TERMINAL,
    as_mention,
    customizations_now,
    unfinished_mention,
)
from glossator.workspace import FileEntry, WorkspaceSnapshot, best_files, match_rank, newest_files

MAX_ITEMS = 100

_SYMBOL_SECONDS = 0.008  # that symbols are waited for, of the 20 ms that an answer may take
_SHORT_TEXT = 10_000  # characters that are looked through on the spot
_SYMBOL_LETTERS = 2  # letters; fewer fit too many symbols
_COMMAND = re.compile(r"/([\w.:-]*)")
_DETAIL_CHARACTERS = 200  # characters that a list shows of a description
_WORDS = {
    DIAGNOSTICS: "what the editor's other servers find wrong",
    TERMINAL: "the last output of the active terminal",
    GIT_DIFF: "what is not committed",
}
_SCOPE = re.compile(r"::|->|[.#]")


class CompletionKind(StrEnum):
    """What an item completes to."""

    FILE = "file"
    FOLDER = "folder"
    SYMBOL = "symbol"
    DIAGNOSTICS = "diagnostics"
    TERMINAL = "terminal"
    GIT = "git"
    RESOURCE = "resource"  # of an MCP server
    COMMAND = "command"  # ours
    CUSTOM = "custom"  # a command that a file describes
    SKILL = "skill"
    PROMPT = "prompt"  # of an MCP server


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """The question up to the cursor; `limit` is for mentions, commands are few.

    The files of a session in a worktree are the worktree's.
    """

    text: str
    limit: int = 20
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """`insert` replaces what was `typed`."""

    kind: CompletionKind
    label: str
    detail: str
    insert: str


@dataclass(frozen=True, slots=True)
class CompleteAnswer:
    """The items, best first; `typed` is the end of the text that they are for, "" if none can be.

    `incomplete`: more is known in a moment, or with the next letter.
    """

    items: tuple[CompletionItem, ...]
    typed: str
    incomplete: bool


_NOTHING = CompleteAnswer((), "", incomplete=False)
_Ranked = list[tuple[int, CompletionItem]]  # in which way each fits, the best first


async def complete(app: Application, request: CompleteRequest) -> CompleteAnswer:
    """What fits so far: neither a scan nor symbols are waited for. Raises `UsageError`."""
    if not 1 <= request.limit <= MAX_ITEMS:
        raise UsageError(f"The limit is {request.limit}; give one from 1 to {MAX_ITEMS}.")
    if command := _COMMAND.fullmatch(request.text):
        described = await customizations_now(app, app.now())
        commands = (*_commands(command[1], described), *_prompts(app, command[1]))
        items = tuple(item for _, item in commands)
        return CompleteAnswer(items[:MAX_ITEMS], request.text, incomplete=False)
    mention = await _typed(request.text)
    if mention is None:
        return _NOTHING
    written, typed = mention
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()
    words = _words(app, typed)
    commits, known = _of_git(app, typed)
    if not typed:
        most = request.limit - len(words)
        files = await asyncio.to_thread(_newest, snapshot, most, hidden)
        items = tuple(item for _, item in (*files, *words))
        return CompleteAnswer(items, written, incomplete=not snapshot.index_complete)
    (files, folders), (symbols, whole) = await asyncio.gather(
        asyncio.to_thread(_paths, app, snapshot, typed, request.limit, hidden),
        _symbols(app, snapshot, typed, request.limit, hidden),
    )
    theirs = _resources(app, typed, request.limit)
    items = _mixed((words, commits, files, folders, symbols, theirs))[: request.limit]
    whole = whole and known and snapshot.index_complete
    return CompleteAnswer(items, written, incomplete=not whole)


async def _typed(text: str) -> tuple[str, str] | None:
    return (
        unfinished_mention(text)
        if len(text) <= _SHORT_TEXT
        else await asyncio.to_thread(unfinished_mention, text)
    )


def _mixed(kinds: Iterable[_Ranked]) -> tuple[CompletionItem, ...]:
    """The best items first; among equally good ones, some of each kind."""
    order = [
        (way, place, number, item)
        for number, ranked in enumerate(kinds)
        for place, (way, item) in enumerate(ranked)
    ]
    return tuple(item for *_, item in sorted(order, key=lambda each: each[:3]))


def _commands(typed: str, described: Customizations) -> _Ranked:
    """Our own commands, then those that files describe; equally good ones keep this order."""
    ours = CompletionKind.COMMAND
    items = {
        each.name: _command_item(ours, each.name, each.description, words=each.words)
        for each in CHAT_COMMANDS
    }
    for name in (*described.skills, *described.commands):
        called = described.called(name)
        if called is not None and name not in items:
            kind = CompletionKind.SKILL if isinstance(called, Skill) else CompletionKind.CUSTOM
            detail = " · ".join(filter(None, (called.hint, called.description)))
            detail = (
                detail if len(detail) <= _DETAIL_CHARACTERS else f"{detail[:_DETAIL_CHARACTERS]}…"
            )
            items[name] = _command_item(kind, name, detail, words=True)
    ways = ((match_rank(name, typed) if typed else 0, item) for name, item in items.items())
    fitting = [(way, item) for way, item in ways if way is not None]
    return sorted(fitting, key=lambda each: each[0])


def _command_item(
    kind: CompletionKind, name: str, description: str, *, words: bool
) -> CompletionItem:
    return CompletionItem(kind, f"/{name}", description, f"/{name} " if words else f"/{name}")


def _prompts(app: Application, typed: str) -> _Ranked:
    """The prompts of MCP servers."""
    ways = ((match_rank(each.name, typed) if typed else 0, each) for each in app.mcp.prompts())
    kind = CompletionKind.PROMPT
    fitting = [
        (way, _command_item(kind, each.name, each.description, words=bool(each.arguments)))
        for way, each in ways
        if way is not None
    ]
    return sorted(fitting, key=lambda each: each[0])[:MAX_ITEMS]


def _resources(app: Application, typed: str, limit: int) -> _Ranked:
    """The resources of MCP servers, as `server:uri`."""
    items: _Ranked = []
    for each in app.mcp.resources():
        text = f"{each.server}:{each.uri}"
        way, insert = match_rank(text, typed), as_mention(text, name=False)
        if way is not None and insert is not None:
            detail = f"{each.server}, {each.name}"
            items.append((way, CompletionItem(CompletionKind.RESOURCE, each.uri, detail, insert)))
    return sorted(items, key=lambda each: each[0])[:limit]


def _words(app: Application, typed: str) -> _Ranked:
    told = {DIAGNOSTICS: app.code.tells_diagnostics, TERMINAL: app.port.tells_terminal}
    return [
        (0, CompletionItem(CompletionKind(word), word, _WORDS[word], f"@{word}"))
        for word, is_told in told.items()
        if is_told and word.startswith(typed.lower())
    ]


def _of_git(app: Application, typed: str) -> tuple[_Ranked, bool]:
    """What may follow `git:`, and whether that is all; git is asked, but not waited for."""
    asked = typed.lower()
    if not asked or not (GIT.startswith(asked) or asked.startswith(GIT)):
        return [], True
    if not app.acting.trust.is_trusted:
        return [], True
    commits, known = app.git.commits()
    known = known or not asked.startswith(GIT.rstrip(":"))
    if not known:
        app.git.look()
    about = [(GIT_DIFF, _WORDS[GIT_DIFF])] if commits else []
    if asked.startswith(GIT):
        about += [(f"{GIT}{commit.revision}", commit.subject) for commit in commits]
    rest = asked.removeprefix(GIT)
    return [
        (0, CompletionItem(CompletionKind.GIT, name, detail, f"@{name}"))
        for name, detail in about
        if asked in name or rest in detail.lower()
    ], known


def _newest(snapshot: WorkspaceSnapshot, limit: int, hidden: HiddenFiles | None) -> _Ranked:
    files = newest_files(snapshot, limit, _hides(hidden))
    return list(_file_items(snapshot, ((0, file) for file in files)))


def _paths(
    app: Application,
    snapshot: WorkspaceSnapshot,
    typed: str,
    limit: int,
    hidden: HiddenFiles | None,
) -> tuple[_Ranked, _Ranked]:
    """Files and folders."""
    hides = _hides(hidden)
    files = best_files(snapshot, typed, limit, hides)
    folders = app.folders.best(snapshot.listing, typed, limit, hides)
    return list(_file_items(snapshot, files)), list(_folder_items(folders))


@dataclass(frozen=True, slots=True)
class _Hides:
    """Whether a listed file is hidden; only links need a look at the disk."""

    hidden: HiddenFiles

    def __call__(self, file: FileEntry) -> bool:
        return self.hidden(file.path) if file.is_link else self.hidden.names(file.path)


def _hides(hidden: HiddenFiles | None) -> _Hides | None:
    return None if hidden is None else _Hides(hidden)


def _file_items(
    snapshot: WorkspaceSnapshot, files: Iterable[tuple[int, FileEntry]]
) -> Iterator[tuple[int, CompletionItem]]:
    for way, file in files:
        path = snapshot.relative(file.path)
        if insert := as_mention(path, name=False):
            folder, _, name = path.rpartition("/")
            yield way, CompletionItem(CompletionKind.FILE, name, folder, insert)


def _folder_items(folders: Iterable[tuple[int, str]]) -> Iterator[tuple[int, CompletionItem]]:
    for way, path in folders:
        if insert := as_mention(f"{shown(path)}/", name=False):
            above, _, name = shown(path).rpartition("/")
            yield way, CompletionItem(CompletionKind.FOLDER, f"{name}/", above, insert)


async def _symbols(
    app: Application,
    snapshot: WorkspaceSnapshot,
    typed: str,
    limit: int,
    hidden: HiddenFiles | None,
) -> tuple[_Ranked, bool]:
    """Symbols, and whether those are all; a name may come with what it is in."""
    *scope, name = _SCOPE.split(typed)
    if "/" in typed or len(name) < _SYMBOL_LETTERS:
        return [], True
    found, whole = await app.symbols.known_soon(snapshot, name, limit, _SYMBOL_SECONDS)
    if not found:
        return [], whole
    return await asyncio.to_thread(_symbol_items, snapshot, found, scope, name, hidden), whole


def _symbol_items(
    snapshot: WorkspaceSnapshot,
    found: Iterable[Definition],
    scope: list[str],
    typed: str,
    hidden: HiddenFiles | None,
) -> _Ranked:
    """The items for symbols; one that shares its name with another is mentioned by its lines."""
    fitting = [
        each
        for each in found
        if _is_within(each.symbol, scope) and (hidden is None or not hidden(each.line.path))
    ]
    names = Counter(_qualified(each.symbol) for each in fitting)
    items: _Ranked = []
    for each in fitting:
        name, path, symbol = _qualified(each.symbol), snapshot.relative(each.line.path), each.symbol
        insert = as_mention(name, name=True) if names[name] == 1 else None
        if insert is None and (file := as_mention(path, name=False)):
            insert = f"{file}:{symbol.first_line}-{symbol.last_line}"
        way = match_rank(symbol.name, typed)
        if insert is not None and way is not None:
            detail = f"{symbol.kind}, {path}:{symbol.name_line}"
            items.append((way, CompletionItem(CompletionKind.SYMBOL, name, detail, insert)))
    return items


def _is_within(symbol: Symbol, scope: list[str]) -> bool:
    around = [name.casefold() for name in symbol.container]
    wanted = [name.casefold() for name in scope]
    return around[len(around) - len(wanted) :] == wanted


def _qualified(symbol: Symbol) -> str:
    return ".".join((*symbol.container, symbol.name))

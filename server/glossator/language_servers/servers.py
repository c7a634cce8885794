"""The language servers of a workspace: which to ask, starting them, and what they are told.

A server runs programs that a workspace names (its Python, build scripts, plugins), so it is started
in trusted folders alone, and in the sandbox, which lets it read the workspace and write a folder of
its own. Without a sandbox only servers are started that the user names.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from glossator.core.attached import Diagnostic, FileDiagnostics, Wanted
from glossator.core.code import (
    OF_ALL_FILES,
    CodeAnswer,
    CodeKind,
    CodeQuestion,
    CodeServers,
)
from glossator.core.document import Document
from glossator.core.own_process import import_aside
from glossator.core.uri import to_path, to_uri
from glossator.language_servers.known import CACHE, FoundServer, find_servers, language_at
from glossator.sandbox import LimitedShell, Served, tools_at
from glossator.settings import LanguageServerSettings
from glossator.workspace import Listing, WorkspaceHost, WorkspaceSnapshot, is_inside

if TYPE_CHECKING:  # pygls and cattrs, which a turn without a question about code does not need
    from glossator.language_servers.running import Running
    from glossator.language_servers.server import Server

_SHEBANG_BYTES = 1_000  # of a script's first line
_MAX_ASKED = 20  # documents whose findings are awaited at once; more would not stay open
_MAX_NEW = 10  # files that are opened because they are new
_KEPT_DAYS = 30  # of a cache that nothing used
_UNTRUSTED = "these folders are not trusted"
_ELSEWHERE = (
    "it knows the folder {folder} alone, and other folders of the workspace hold such files, too,"
    " which may use the name"
)
_NO_SANDBOX = (
    "there is no sandbox, so only a server that the setting languageServers.commands names is"
    " started"
)


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server that was found, for people; `memory` in bytes, `start_seconds` of its last start."""

    name: str
    program: str
    languages: tuple[str, ...]
    state: str
    memory: int | None = None
    start_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class _Subject:
    """A file, its language, and the servers for it: the one to ask comes first."""

    path: str
    root: str
    language: str
    servers: tuple[FoundServer, ...]


class LanguageServers(CodeServers):
    """Starts and asks the servers of one application; for the event-loop thread only.

    `limited` gives the shell of a workspace (blocking), `trusts` says whether folders are trusted,
    `tell` is for notices.
    """

    def __init__(
        self,
        host: WorkspaceHost,
        settings: LanguageServerSettings,
        environment: Mapping[str, str],
        limited: Callable[[WorkspaceSnapshot], LimitedShell],
        trusts: Callable[[Sequence[str]], bool],
        tell: Callable[[str], None],
    ) -> None:
        self._host = host
        self._settings = settings
        self._environment = environment
        self._limited = limited
        self._trusts = trusts
        self._tell = tell
        self._known: tuple[tuple[str, ...], Mapping[str, tuple[FoundServer, ...]]] = (), {}
        self._awaiting = asyncio.Semaphore(_MAX_ASKED)
        self._servers: dict[tuple[str, str], Server] = {}  # by program and root
        self._unsubscribe: Callable[[], None] = lambda: None
        self._pruned = self._closed = False

    @property
    def are_there(self) -> bool:
        """Whether a server is on this machine, and may be started."""
        return any(not each.server.beside for found in self._found().values() for each in found)

    @property
    def tells_diagnostics(self) -> bool:
        """Whether a server is on this machine."""
        return bool(self._found())

    async def ask(
        self, question: CodeQuestion, seconds: float, *, begins: bool = True
    ) -> CodeAnswer | str:
        """See `CodeServers`."""
        deadline = asyncio.get_running_loop().time() + seconds
        path = to_path(question.uri)
        subject = self._subject(path, question.text) if path is not None else None
        is_there = subject is not None and not subject.servers[0].server.beside
        if subject is None or not is_there or not (begins or self._runs(subject)):
            return ""
        if why := await self._refused(subject, question.kind):
            return why
        alone = await self._alone(subject)
        if alone and question.kind is CodeKind.RENAME:
            by = subject.servers[0].name
            return CodeAnswer(by, refused=_ELSEWHERE.format(folder=alone))
        server = await self._server(subject.servers[0], subject.root)
        with server.used():
            running = await server.ready(deadline)
            if isinstance(running, str):
                return running
            await self._tell_changes(server, running, subject.path)
            running.documents.show(subject.path, question.text, subject.language)
            from glossator.language_servers.asking import Asking  # noqa: PLC0415 - see above

            answer = await Asking(running, question, subject.path, deadline).answer()
        if alone and isinstance(answer, CodeAnswer):
            return replace(answer, by=f"{answer.by} (in {alone} alone)")
        return answer

    async def _refused(self, subject: _Subject, kind: CodeKind) -> str:
        """Why its server is not asked; "" if it is."""
        if not self._trusts(self._host.roots):
            return _UNTRUSTED
        if kind not in OF_ALL_FILES:
            return ""
        known = subject.servers[0].server
        return await asyncio.to_thread(known.lacks, subject.path, subject.root)

    def _runs(self, subject: _Subject) -> bool:
        known = self._servers.get((subject.servers[0].program, subject.root))
        return known is not None and known.running is not None

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """See `CodeServers`; without `wanted` of the documents that running servers know so far.

        Of these the last shown are looked at again. A document that no server tells of is left out.
        """
        if not self._found() or not self._trusts(self._host.roots):
            return None
        deadline = asyncio.get_running_loop().time() + seconds
        uris = [each.uri for each in wanted] or self._last_shown()
        others = () if wanted else self._told(frozenset(uris))
        found = await asyncio.gather(*(self._look_at(each, deadline) for each in uris))
        known = (*(each for each in found if each is not None), *others)
        return known if known or not wanted else None

    def states(self) -> tuple[ServerState, ...]:
        """The servers that were found, and what those that were started do."""
        languages: dict[tuple[str, str], list[str]] = {}  # by name and program
        for language, servers in self._found().items():
            for each in servers:
                languages.setdefault((each.name, each.program), []).append(language)
        states = []
        for (name, program), its in languages.items():
            started = [each for (ours, _), each in self._servers.items() if ours == program]
            state = started[0].state if started else "not started yet"
            took = started[0].start_seconds if started else None
            running = [each.running for each in started if each.running is not None]
            memories = [each.connection.program.memory() for each in running]
            memory = sum(filter(None, memories)) if running and None not in memories else None
            states.append(ServerState(name, program, tuple(its), state, memory, took))
        return tuple(states)

    async def close(self) -> None:
        """End all servers; none starts any more."""
        self._closed = True
        self._unsubscribe()
        servers, self._servers = tuple(self._servers.values()), {}
        await asyncio.gather(*(each.close() for each in servers))

    def _found(self) -> Mapping[str, tuple[FoundServer, ...]]:
        """The servers, looked for at once when they are first wanted, and for new roots."""
        if self._known[0] != (roots := self._host.roots):
            self._known = roots, find_servers(self._settings, self._environment, roots)
        return self._known[1]

    def _subject(self, path: str, text: str) -> _Subject | None:
        real = self._host.canonical(path)
        root = self._host.folders.owner(real)
        language = language_at(real, text)
        servers = self._found().get(language or "")
        if root is None or language is None or not servers:
            return None
        return _Subject(real, root, language, servers)

    async def _alone(self, subject: _Subject) -> str:
        """The folder that a server knows alone, though others hold such files; "" if none do.

        Each server has one: basedpyright answers no more completely when it is given several.
        """
        others = [each for each in self._host.roots if not is_inside(each, subject.root)]
        languages = subject.servers[0].server.languages
        listing = self._host.snapshot().listing
        if not others or not await asyncio.to_thread(_holds, listing, others, languages):
            return ""
        return next(name for name, root in self._host.folders.names.items() if root == subject.root)

    async def _server(self, found: FoundServer, root: str) -> Server:
        """The server of a root; it is not started yet."""
        key = found.program, root
        if key not in self._servers:
            await import_aside("glossator.language_servers.asking")
            from glossator.language_servers.server import Server  # noqa: PLC0415 - see above

            if not self._servers:
                self._unsubscribe = self._host.subscribe(self._note)
            self._servers.setdefault(key, Server(found, root, self._launch, self._tell))
        return self._servers[key]

    async def _launch(self, server: Server) -> Running:
        from glossator.language_servers.running import Running  # noqa: PLC0415 - see above
        from glossator.language_servers.server import NotStarted  # noqa: PLC0415

        found, root = server.found, server.root
        if self._closed:
            raise NotStarted(f"{found.name} was ended")
        server.listing = self._host.snapshot().listing
        limited = await asyncio.to_thread(self._limited, self._host.snapshot())
        if limited.shell.unconfined is not None and not found.named:
            raise NotStarted(_NO_SANDBOX)
        cache = await asyncio.to_thread(self._cache, found, root)
        parts = await asyncio.to_thread(_parts_of, found.program)
        words = tuple(each.replace(CACHE, cache) for each in found.words)
        variables = {
            name: value.replace(CACHE, cache) for name, value in found.server.environment.items()
        }
        served = Served(words, root, cache, parts, {"XDG_CACHE_HOME": cache, **variables})
        program = await limited.serve(served)
        return Running(found, root, program, cache, confined=limited.shell.unconfined is None)

    def _cache(self, found: FoundServer, root: str) -> str:
        """The folder that a server may write; blocking."""
        above = Path(platformdirs.user_cache_dir("glossator")) / "language-servers"
        if not self._pruned:
            self._pruned = True
            _prune(above)
        key = hashlib.sha256(f"{found.program}\0{root}".encode("utf-8", "surrogateescape"))
        folder = above / f"{found.name}-{key.hexdigest()[:16]}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(folder)
        return str(folder)

    def _note(self, paths: AbstractSet[str]) -> None:
        """Something changed, here or on disk."""
        overlays = self._host.overlays
        for server in self._servers.values():
            mine = (path for path in paths if self._host.folders.owner(path) == server.root)
            server.changed.update(path for path in mine if path not in overlays)

    async def _tell_changes(self, server: Server, running: Running, next_shown: str) -> None:
        """Bring the server up to date: files on disk, and what the editor shows.

        Servers look at new files a second later; a few are opened, so that they count at once.
        """
        async with server.telling:
            snapshot, documents = self._host.snapshot(), running.documents
            changed, server.changed = server.changed, set()
            before, server.listing = server.listing, snapshot.listing
            for path in documents.changed(sorted(changed), before, next_shown)[:_MAX_NEW]:
                document = await asyncio.to_thread(snapshot.read, path)
                language = language_at(path, "")
                if isinstance(document, Document) and language in server.found.server.languages:
                    documents.show(path, document.text, language or "")
            owner = self._host.folders.owner
            documents.follow(
                self._host.overlays, lambda path: owner(path) == server.root, next_shown
            )

    async def _look_at(self, uri: str, deadline: float) -> FileDiagnostics | None:
        """What all servers of a file find in it."""
        if (path := to_path(uri)) is None:
            return None
        async with self._awaiting:
            document = await asyncio.to_thread(self._host.snapshot().read, path)
            if not isinstance(document, Document):
                return None
            subject = self._subject(document.path, document.text)
            if subject is None:
                return None
            every = await asyncio.gather(
                *(self._look_by(each, subject, document, deadline) for each in subject.servers)
            )
        told = [each for each in every if each is not None]
        items = sorted((item for each in told for item in each.items), key=lambda item: item.line)
        pending = any(each.pending for each in told)
        return FileDiagnostics(uri, tuple(items), pending) if told else None

    async def _look_by(
        self, found: FoundServer, subject: _Subject, document: Document, deadline: float
    ) -> FileDiagnostics | None:
        """What one server finds; None if it neither runs nor starts."""
        server = await self._server(found, subject.root)
        with server.used():
            running = await server.ready(deadline)
            if isinstance(running, str):
                unknown = FileDiagnostics(document.uri, (), pending=True)
                return unknown if server.starts else None
            await self._tell_changes(server, running, subject.path)
            version = running.documents.show(subject.path, document.text, subject.language)
            left = deadline - asyncio.get_running_loop().time()
            told = await running.findings(subject.path, version, max(0.0, left))
            return FileDiagnostics(document.uri, told or (), pending=told is None)

    @property
    def _running(self) -> list[Running]:
        return [each.running for each in self._servers.values() if each.running is not None]

    def _last_shown(self) -> list[str]:
        """Of the documents that servers were shown the last, which are still open there."""
        paths = [path for each in self._running for path in [*each.documents.sent][-_MAX_ASKED:]]
        return [to_uri(path) for path in dict.fromkeys(paths)]

    def _told(self, but: AbstractSet[str]) -> tuple[FileDiagnostics, ...]:
        """What running servers told so far, without the documents at some URIs."""
        by_uri: dict[str, list[Diagnostic]] = {}
        for each in self._running:
            for path, items in each.all_findings.items():
                by_uri.setdefault(to_uri(path), []).extend(items)
        return tuple(FileDiagnostics(u, tuple(its)) for u, its in by_uri.items() if u not in but)


def _holds(listing: Listing, folders: Sequence[str], languages: Sequence[str]) -> bool:
    """Whether any of these folders has a file in one of the languages."""
    return any(
        language_at(file.path, "") in languages
        for folder, files in listing.folders.items()
        if any(is_inside(folder, each) for each in folders)
        for file in files
    )


def _parts_of(program: str) -> tuple[str, ...]:
    """What a program consists of, by its name and where that leads; npm's packages lie together.

    Of a script that is also what runs it.
    """
    names = [program, os.path.realpath(program)]
    with suppress(OSError), open(program, "rb") as file:
        if (first := file.readline(_SHEBANG_BYTES)).startswith(b"#!/"):
            interpreter = os.fsdecode(first[2:].split()[0])
            names += interpreter, os.path.realpath(interpreter)
    packages = (name.partition("/node_modules/") for name in names)
    together = tuple(f"{above}/node_modules" for above, found, _ in packages if found)
    return (*(tools_at(os.path.dirname(name)) for name in names), *together)


def _prune(above: Path) -> None:
    """Remove the caches that no server used for long."""
    oldest = time.time() - _KEPT_DAYS * 86_400
    with suppress(OSError):
        for folder in above.iterdir():
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)

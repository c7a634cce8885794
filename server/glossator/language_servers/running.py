"""One running server: how it is opened, what it asks, when it has read all, what it finds.

Source: LSP 3.17, "Server lifecycle", "Work Done Progress", "Publish Diagnostics".
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from glossator import __version__
from glossator.core.attached import Diagnostic
from glossator.core.text import PositionEncoding
from glossator.core.uri import to_path, to_uri
from glossator.language_servers.connection import Connection, Refused, Unanswered, first_of
from glossator.language_servers.documents import OpenDocuments
from glossator.language_servers.known import CACHE, FoundServer, language_at
from glossator.language_servers.reading import findings_in
from glossator.sandbox import ServedProgram

START_SECONDS = 120.0  # for the answer to `initialize`
_OWED_SECONDS = 3.0  # up to which an answer that is owed is waited for three times as long
_REST_SECONDS = 0.3  # after which a server that began no work has none
_LONGEST_REST = 60.0  # seconds, after which one that has not told so is taken to have read all
# what pyright logs once it knows the files of the workspace; before, it finds too few references
_READ = re.compile(r"(Found \d[\d,.]*|No) source files?\b")
_SHUTDOWN_SECONDS = 1.0
_MAX_FILES = 2_000  # whose findings are kept
_MAX_ALL = 5_000  # findings of all files
_ENCODINGS = ("utf-8", "utf-16", "utf-32")
# what servers ask to be asked for again, whether we said that we can or not; pyright dies of a no
_REFRESHED = "codeLens diagnostic foldingRange inlayHint inlineValue semanticTokens".split()
_VENVS = (".venv", "venv")
_PLAIN = {"dynamicRegistration": False}
_LINKS = {**_PLAIN, "linkSupport": True}
_CAPABILITIES = {
    "general": {"positionEncodings": list(_ENCODINGS)},
    "window": {"workDoneProgress": True, "showDocument": {"support": False}},
    "workspace": {
        "applyEdit": False,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "abort",
        },
    },
    "textDocument": {
        "synchronization": {**_PLAIN, "didSave": False},
        "definition": _LINKS,
        "implementation": _LINKS,
        "references": _PLAIN,
        "callHierarchy": _PLAIN,
        "hover": {**_PLAIN, "contentFormat": ["markdown", "plaintext"]},
        "rename": {**_PLAIN, "prepareSupport": True},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
    },
    "experimental": {"serverStatusNotification": True},  # rust-analyzer's, as others do
}


Findings = tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class _Published:
    """The findings of a file; `version` is ours, None if the server names none."""

    items: Findings
    version: int | None


class Running:
    """A server from its start to its end; `settled` is done once it has read the workspace."""

    def __init__(
        self, found: FoundServer, root: str, program: ServedProgram, cache: str, *, confined: bool
    ) -> None:
        """`confined`: it is in the sandbox, and may run programs of the workspace."""
        self.found = found
        self.capabilities: Mapping[str, Any] = {}
        self.encoding: PositionEncoding = "utf-16"
        self.settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._root = root
        self._cache = cache
        self._confined = confined
        self._settings = _settings(found, root, cache, confined=confined)
        self._at_work: set[str | int] = set()  # tokens of its progress
        self._opened = False
        self._published: OrderedDict[str, _Published] = OrderedDict()  # by path
        self._names_versions = False
        self._news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pulling: dict[tuple[str, int], asyncio.Task[Findings | None]] = {}  # path, version
        self.connection = Connection(
            found.name,
            program,
            {
                "workspace/configuration": self._configuration,
                "workspace/workspaceFolders": lambda _: self._folders,
                "workspace/applyEdit": lambda _: {"applied": False},
                "client/registerCapability": self._register,
                "client/unregisterCapability": lambda _: None,
                "window/workDoneProgress/create": lambda _: None,
                "window/logMessage": self._log,
                "window/showMessageRequest": lambda _: None,
                "window/showDocument": lambda _: {"success": False},
                "$/progress": self._progress,
                "experimental/serverStatus": self._status,
                "textDocument/publishDiagnostics": self._publish,
                **{f"workspace/{each}/refresh": lambda _: None for each in _REFRESHED},
            },
        )
        self.documents = OpenDocuments(
            self.connection.notify, lambda path: self._published.pop(path, None), self._language_of
        )

    async def initialize(self) -> None:
        """Greet it. Raises `Refused`, `Unanswered`."""
        params = {
            # in the sandbox it sees no processes but its own; elsewhere it ends with this one
            "processId": None if self._confined else os.getpid(),
            "clientInfo": {"name": "Glossator", "version": __version__},
            "rootUri": to_uri(self._root),
            "rootPath": self._root,
            "workspaceFolders": self._folders,
            "capabilities": _CAPABILITIES,
            "initializationOptions": _filled(self.found.server.options, self._cache) or None,
        }
        result = await self.connection.request("initialize", params, START_SECONDS)
        said = result.get("capabilities") if isinstance(result, dict) else None
        self.capabilities = said if isinstance(said, dict) else {}
        if (named := self.capabilities.get("positionEncoding")) in _ENCODINGS:
            self.encoding = cast("PositionEncoding", named)
        self._opened = True
        self.connection.notify("initialized", {})
        loop = asyncio.get_running_loop()
        loop.call_later(_REST_SECONDS, self._look)
        loop.call_later(_LONGEST_REST, self._settle)  # also if work never ends

    def offers(self, capability: str) -> bool:
        """Whether it named this capability."""
        value = self.capabilities.get(capability)
        return isinstance(value, dict) or value is True

    async def findings(self, path: str, version: int, seconds: float) -> Findings | None:
        """What it finds in this version of a document; None if that is not known after so long.

        One that is asked for them, and owes the answer, has more time.
        """
        if self.offers("diagnosticProvider"):
            if (pull := self._pulling.get((path, version))) is None:
                pull = asyncio.create_task(self._pull(path, version))
                self._pulling[path, version] = pull
            await asyncio.wait({pull}, timeout=max(seconds, min(3 * seconds, _OWED_SECONDS)))
            return pull.result() if pull.done() else None
        deadline = asyncio.get_running_loop().time() + seconds
        while (known := self._published.get(path)) is None or known.version not in {None, version}:
            news, left = self._news, deadline - asyncio.get_running_loop().time()
            await first_of(news, self.connection.gone, seconds=max(0.0, left))
            if not news.done():
                return None
        return known.items

    @property
    def all_findings(self) -> Mapping[str, Findings]:
        """What it told so far, by path; without findings only of documents that it was shown."""
        return {
            path: each.items
            for path, each in self._published.items()
            if each.items or path in self.documents.sent
        }

    async def close(self) -> None:
        """End it: politely, if it still answers."""
        if self._opened:
            try:
                await self.connection.request("shutdown", None, _SHUTDOWN_SECONDS)
                self.connection.notify("exit", None)
            except (Refused, Unanswered):
                pass  # it is ended all the same
        await self.connection.close()

    async def _pull(self, path: str, version: int) -> Findings | None:
        """Ask for them; None if they stay unknown. When nobody waits any more, they are kept."""
        params = {"textDocument": {"uri": to_uri(path)}}
        try:
            result = await self.connection.request("textDocument/diagnostic", params, START_SECONDS)
        except (Refused, Unanswered):
            return None
        finally:
            del self._pulling[path, version]
        if self.documents.sent.get(path) != version:
            return None
        items = findings_in(result.get("items") if isinstance(result, dict) else None)
        self._keep(path, items, version)
        return items

    def _keep(self, path: str, items: Findings, version: int | None) -> None:
        self._published[path] = _Published(items, version)
        self._published.move_to_end(path)
        while (
            len(self._published) > _MAX_FILES
            or sum(len(each.items) for each in self._published.values()) > _MAX_ALL
        ):
            self._published.popitem(last=False)

    def _publish(self, params: object) -> None:
        match params:
            case {"uri": str() as uri, "diagnostics": list() as items, **rest} if path := to_path(
                uri
            ):
                named = rest.get("version")
                version = named if type(named) is int else None
                self._names_versions |= version is not None
                if path in self.documents.sent and self._takes_back(path, version):
                    return
                self._keep(path, findings_in(items), version)
                self._news.set_result(None)
                self._news = asyncio.get_running_loop().create_future()

    def _takes_back(self, path: str, version: int | None) -> bool:
        """Whether this is what servers say of documents that are closed: no findings any more.

        It may come when the document is open again.
        """
        return not self.documents.is_open(path) or (version is None and self._names_versions)

    def _register(self, params: object) -> None:
        """It offers something later; of what we use only findings."""
        every = params.get("registrations") if isinstance(params, dict) else None
        methods = [each.get("method") for each in every or () if isinstance(each, dict)]
        if "textDocument/diagnostic" in methods:
            self.capabilities = {**self.capabilities, "diagnosticProvider": True}

    def _progress(self, params: object) -> None:
        match params:
            case {"token": (str() | int()) as token, "value": {"kind": "begin"}}:
                if not self.settled.done():
                    self._at_work.add(token)
            case {"token": (str() | int()) as token, "value": {"kind": "end"}}:
                self._at_work.discard(token)
                self._look()

    def _status(self, params: object) -> None:
        match params:
            case {"quiescent": True}:
                self._settle()

    def _log(self, params: object) -> None:
        match params:
            case {"message": str() as message} if _READ.match(message):
                self._settle()

    def _look(self) -> None:
        """Whether it has read all: nothing that it began since its start goes on."""
        if not self._at_work and not self.found.server.tells_rest:
            self._settle()

    def _settle(self) -> None:
        if not self.settled.done():
            self.settled.set_result(None)

    def _configuration(self, params: object) -> list[object]:
        items = params.get("items") if isinstance(params, dict) else None
        sections = [each.get("section") for each in items or () if isinstance(each, dict)]
        return [_within(self._settings, each) for each in sections]

    @property
    def _folders(self) -> list[dict[str, str]]:
        return [{"uri": to_uri(self._root), "name": os.path.basename(self._root)}]

    def _language_of(self, path: str, text: str) -> str | None:
        language = language_at(path, text)
        return language if language in self.found.server.languages else None


def _settings(found: FoundServer, root: str, cache: str, *, confined: bool) -> Mapping[str, Any]:
    """What it is told when it asks for its configuration.

    The workspace's own Python is named only where the sandbox confines what that does.
    """
    settings = cast("dict[str, Any]", _filled(found.server.settings, cache))
    if "python" in found.server.languages and confined:
        venvs = (Path(root, name, "bin", "python") for name in _VENVS)
        if (python := next(filter(Path.exists, venvs), None)) is not None:
            settings["python"] = {**settings.get("python", {}), "pythonPath": str(python)}
    return settings


def _filled(value: object, cache: str) -> object:
    match value:
        case str():
            return value.replace(CACHE, cache)
        case Mapping():
            return {key: _filled(each, cache) for key, each in value.items()}
    return value


def _within(settings: Mapping[str, Any], section: object) -> object:
    """The part of the settings that a section names, such as `python.analysis`; None if none."""
    found: object = settings
    for name in str(section or "").split(".") if section else ():
        found = found.get(name) if isinstance(found, Mapping) else None
    return found

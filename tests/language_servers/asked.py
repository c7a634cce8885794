"""A workspace whose language servers are asked: `async with asked(folder, files, …) as ws`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.core.attached import Wanted
from glossator.core.code import CodeAnswer, CodeKind, CodeQuestion
from glossator.core.uri import to_uri
from glossator.language_servers.servers import LanguageServers
from glossator.sandbox.workspace_shell import WorkspaceShell
from glossator.settings.groups import LanguageServerSettings
from glossator.settings.model import ShellSettings, WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.documents.overlays import Closed, DiskChanged, Edited, Opened, TextEdit

SECONDS = 60.0  # that a question may take on a busy machine
SCRIPT = Path(__file__).with_name("scripted_server.py")


@dataclass
class Asked:
    """A workspace, and its language servers."""

    root: Path
    host: WorkspaceHost
    servers: LanguageServers
    trusted: bool = True
    notices: list[str] = field(default_factory=list)

    async def ask(
        self,
        kind: CodeKind,
        file: str,
        before: str,
        *,
        new_name: str = "",
        seconds: float = SECONDS,
    ) -> CodeAnswer | str:
        """The answer for the name that follows `before` in a line of the file."""
        path = self.root / file
        shown = self.host.overlays.get(str(path))
        text = shown.text if shown else path.read_text("utf-8")
        lines = text.split("\n")
        number = next(n for n, line in enumerate(lines) if line.startswith(before))
        version = shown.version if shown else None
        uri = to_uri(str(path))
        question = CodeQuestion(kind, uri, number, before, text, version, new_name)
        return await self.servers.ask(question, seconds)

    async def answer(self, kind: CodeKind, file: str, before: str, **more: Any) -> CodeAnswer:
        """The same, where there is an answer."""
        answer = await self.ask(kind, file, before, **more)
        assert isinstance(answer, CodeAnswer), answer
        return answer

    async def heard(self, file: str, before: str) -> dict[str, Any]:
        """What the scripted server knows."""
        told: dict[str, Any] = json.loads((await self.answer(CodeKind.TYPE, file, before)).text)
        return told

    async def found(self, file: str, version: int | None = None, seconds: float = SECONDS) -> Any:
        """The findings of a file: (line, message) for each, and whether they are pending."""
        wanted = (Wanted(to_uri(str(self.root / file)), version),)
        told = await self.servers.diagnostics(wanted, seconds)
        assert told is not None
        return [(item.line, item.message) for item in told[0].items], told[0].pending

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.host.apply(DiskChanged(frozenset({str(path)})))

    def open(self, file: str, text: str, version: int = 1) -> None:
        self.host.apply(Opened(to_uri(str(self.root / file)), version, text))

    def edit(self, file: str, text: str, version: int) -> None:
        edits = (TextEdit(None, text),)
        self.host.apply(Edited(to_uri(str(self.root / file)), version, edits))

    def close(self, file: str) -> None:
        self.host.apply(Closed(to_uri(str(self.root / file))))


@asynccontextmanager
async def asked(
    root: Path,
    files: Mapping[str, str],
    commands: Mapping[str, str] | None = None,
    path: str | None = None,
    enabled: Any = "auto",
    others: Sequence[Path] = (),
) -> AsyncIterator[Asked]:
    """Without `commands` servers are found on the `path`; `others` are more folders."""
    _fill(root, files)
    worker, notices = Worker(), list[str]()
    indexing = Indexing(worker, notices.append, lambda _progress: None)
    roots = tuple(map(str, (root, *others)))
    host = WorkspaceHost(roots, WorkspaceSettings(index=False, watcher="off"), indexing)
    await host.start()
    await host.ready()
    environment = {**os.environ, "PATH": path or os.defpath}
    shell = WorkspaceShell(ShellSettings(), environment)
    settings = LanguageServerSettings(enabled=enabled, commands=dict(commands or {}))
    servers = LanguageServers(
        host,
        settings,
        environment,
        lambda snapshot: shell.limited(snapshot, None),
        lambda _roots: ws.trusted,
        notices.append,
    )
    ws = Asked(Path(host.roots[0]), host, servers, notices=notices)
    try:
        yield ws
    finally:
        await servers.close()
        await shell.close()
        await host.close()
        await worker.close()


def _fill(root: Path, files: Mapping[str, str]) -> None:
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def scripted(root: Path, mode: str, encoding: str = "utf-16") -> dict[str, str]:
    """The setting by which the scripted server is started, from within the workspace."""
    root.mkdir(exist_ok=True)
    shutil.copy(SCRIPT, root / "server.txt")
    return {"python": f"{sys.executable} -I {root}/server.txt {mode} {encoding}"}

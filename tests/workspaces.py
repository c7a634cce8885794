"""A ready workspace on real files: `ws = await workspace({"a.py": "x = 1\\n"})`."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from glossator.application.toolbox import reading_tools
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.llm.model import ToolCall
from glossator.retrieval.retriever import Retriever
from glossator.retrieval.search_tool import RankedRetriever
from glossator.settings.model import WorkspaceSettings
from glossator.symbols.finder import SymbolFinder
from glossator.tools.base import ToolContext
from glossator.tools.reads import ReadState
from glossator.turn.calls import call_tool, permit_direct_call
from glossator.worker.client import Worker
from glossator.workspace.documents.host import Indexing, WorkspaceHost
from glossator.workspace.documents.overlays import Closed, DiskChanged, Edited, Opened, TextEdit
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.roots import encoding_rules


@dataclass
class Workspace:
    """A scanned workspace, what one conversation was shown of it, and an editor's hands."""

    root: Path
    host: WorkspaceHost
    worker: Worker
    symbols: SymbolFinder
    retriever: Retriever
    reads: ReadState = field(default_factory=ReadState)
    hidden: Callable[[str], bool] | None = None

    @property
    def snapshot(self) -> WorkspaceSnapshot:
        return self.host.snapshot()

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        """What the tool answers, as the agent loop calls it."""
        call = ToolCall("call", tool, arguments)
        return await call_tool(reading_tools(), call, self.context(), permit_direct_call)

    def context(self, **fields: Any) -> ToolContext:
        """What a call sees that only reads; `fields` are more of it, or others."""
        abilities = self.symbols, RankedRetriever(self.retriever)
        reading = ToolContext(self.snapshot, self.reads, abilities, hidden=self.hidden)
        return replace(reading, **fields)

    def write(self, relative: str, content: str | bytes) -> Path:
        """Write a file and let the host know."""
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.touched(relative)
        return path

    def touched(self, relative: str) -> None:
        """Let the host know that a file changed on disk."""
        self.host.apply(DiskChanged(frozenset({str(self.root / relative)})))

    def uri(self, relative: str) -> str:
        return to_uri(str(self.root / relative))

    def open(self, relative: str, text: str) -> None:
        """The editor holds `text` for a file, saved or not."""
        self.host.apply(Opened(self.uri(relative), 1, text))

    def edit(self, relative: str, text: str, version: int = 2) -> None:
        """The editor's text becomes `text`."""
        self.host.apply(Edited(self.uri(relative), version, (TextEdit(None, text),)))

    def close(self, relative: str) -> None:
        self.host.apply(Closed(self.uri(relative)))


MakeWorkspace = Callable[..., Awaitable[Workspace]]


def idle_indexing(worker: Worker) -> Indexing:
    """Nothing is indexed unless a test asks for it (`host.index_manager.build`)."""
    return Indexing(worker, lambda _: None, lambda _: None, patience=math.inf)


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[MakeWorkspace]:
    """Makes a workspace of files by relative path; keywords are workspace settings.

    `encodings` are as the setting `files.encodings` has them.
    """
    made: list[Workspace] = []

    async def make(
        files: Mapping[str, str | bytes],
        encodings: Mapping[str, str] = MappingProxyType({}),
        **settings: Any,
    ) -> Workspace:
        root = (tmp_path / f"ws{len(made)}").resolve()
        root.mkdir()
        for relative, content in files.items():
            path = root / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        checked, worker = WorkspaceSettings.model_validate(settings), Worker()
        rules, indexing = encoding_rules(encodings, None), idle_indexing(worker)
        host = WorkspaceHost((str(root),), checked, indexing, encodings=rules)
        retriever = Retriever(host, worker, checked, lambda _: None)
        made.append(Workspace(root, host, worker, SymbolFinder(worker, checked), retriever))
        await host.start()
        await host.ready()
        return made[-1]

    yield make
    for ws in made:
        await ws.retriever.close()
        await ws.host.close()
        await ws.worker.close()

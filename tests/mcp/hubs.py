"""MCP servers for tests: the odd one, and what keeps them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.core.question import Question, QuestionAnswer
from glossator.mcp.answers import McpServerView
from glossator.mcp.calls import CallResult, Calls
from glossator.mcp.hub import McpServers
from glossator.permissions.approvals import Approvals, Switches
from glossator.settings.groups import McpSettings
from tests.stage import Recorder

ODD = Path(__file__).parent / "odd_server.py"
BIN = Path(sys.executable).parent


def odd(notes: Path, *words: str, **more: Any) -> dict[str, Any]:
    """The settings of the odd server."""
    args = ["-I", "-S", str(ODD), str(notes), *words]
    return {"command": sys.executable, "args": args, **more}


def real(name: str, *args: str) -> dict[str, Any]:
    """The settings of a server from PyPI."""
    return {"command": str(BIN / f"mcp-server-{name}"), "args": list(args)}


@dataclass
class Hub:
    """The servers, and what their user is told and asked."""

    servers: McpServers
    told: list[str]
    trusted: bool = True
    answers: list[QuestionAnswer] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    progress: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    @property
    def calls(self) -> Calls:
        return self.servers.calls

    def view(self, name: str) -> McpServerView:
        return next(each for each in self.servers.listed().servers if each.name == name)

    async def ask(self, question: Question) -> QuestionAnswer:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else QuestionAnswer()

    async def call(self, name: str, **arguments: Any) -> tuple[CallResult, int | None]:
        tool = self.servers.tool(name)
        assert tool is not None

        async def told(progress: float, total: float | None, message: str | None) -> None:
            self.progress.append((progress, total, message))

        return await self.calls.tool(tool, arguments, self.ask, told)


@asynccontextmanager
async def hub(
    servers: Mapping[str, Any],
    roots: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    *,
    trusted: bool = True,
    **settings: Any,
) -> AsyncIterator[Hub]:
    """Servers that have settled; they are ended with the block."""
    port = Recorder()
    told = port.told
    loaded = McpSettings.model_validate({"servers": servers, **settings})
    kept = McpServers(
        settings=loaded,
        environment=environment or {},
        roots=lambda: roots,
        is_trusted=lambda: shown.trusted,
        port=port,
        approvals=Approvals(told.append),
        switches=Switches(told.append, lambda: roots),
    )
    shown = Hub(kept, told, trusted)
    await kept.refresh()
    await kept.settled()
    try:
        yield shown
    finally:
        await kept.close()

"""Tool: run one tool on the workspace and give back exactly what the model would see."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from glossator.application import Application
from glossator.commands.answers.tool import ToolAnswer
from glossator.core.errors import UnknownTool
from glossator.llm import ToolCall
from glossator.retrieval import RankedRetriever
from glossator.tools import ReadState, ToolContext
from glossator.turn import LoadedSkills, call_tool, permit_direct_call


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool's name and its arguments, as the model would give them."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


async def tool(app: Application, request: ToolRequest) -> ToolAnswer:
    """Run one tool. Raises `UnknownTool`."""
    if request.name not in app.tools:
        raise UnknownTool(
            f"There is no tool {request.name!r}; the tools are {', '.join(sorted(app.tools))}."
        )
    await app.ready()
    context = ToolContext(
        app.host.snapshot(),
        ReadState(),
        (app.symbols, RankedRetriever(app.retriever), LoadedSkills(app)),
        hidden=app.acting.hidden(),
    )
    started = time.perf_counter()
    call = ToolCall("cli", request.name, request.arguments)
    result = await call_tool(app.tools, call, context, permit_direct_call)
    milliseconds = (time.perf_counter() - started) * 1000
    return ToolAnswer(result.text, result.error, result.omitted, milliseconds)

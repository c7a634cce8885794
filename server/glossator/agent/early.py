"""Calls that only read, started as soon as their block closes, while their reply still streams.

They are a bet that the reply ends whole and asks for them. Until it does, nothing of them shows:
no event is sent, the user is asked nothing, and what they read or found counts as shown only when
their result is taken.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from glossator.agent.execute import acts, call_tool
from glossator.agent.run import RunContext
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.llm import ModelEvent, RetryWait, ToolCall, ToolReady
from glossator.tools import Registry, ToolContext


@dataclass(frozen=True, slots=True)
class _Read:
    """A result, the drafts of what it showed, and where they belong when the result is taken."""

    result: ToolResult
    drafts: ToolContext
    context: ToolContext


class EarlyCalls:
    """The calls of the reply under way that have been started; for the length of a run."""

    def __init__(self, tools: Registry, run: RunContext) -> None:
        self._tools = tools
        self._run = run
        self._started: dict[str, tuple[ToolCall, asyncio.Task[_Read]]] = {}
        self._void: set[asyncio.Task[_Read]] = set()
        self._wanted = asyncio.Event()  # the reply is whole, and its calls are to be run
        self._acting = False  # whether a call of the reply may change something

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.void()
        await asyncio.gather(*self._void, return_exceptions=True)

    async def follow(self, event: ModelEvent) -> None:
        """Start a call that is whole, if its tool only reads; end all when the reply is void.

        What follows a call that acts is to see what that one did, and waits.
        """
        match event:
            case ToolReady(call):
                tool = self._tools.get(call.name)
                self._acting |= acts(self._tools, call)
                if tool is not None and tool.access is Access.READ and not self._acting:
                    reading = self._read(call, self._wanted)
                    self._started[call.id] = call, asyncio.create_task(reading)
                    await asyncio.sleep(0)  # it begins now, however much of the reply is here
            case RetryWait():
                self.void()

    def void(self) -> None:
        """End what was started: the reply that asked for it does not count."""
        for _, task in self._started.values():
            task.cancel()
            self._void.add(task)
        self._started.clear()
        self._wanted = asyncio.Event()
        self._acting = False

    async def take(self, call: ToolCall) -> ToolResult | None:
        """The result of a call that was started, None for any other."""
        self._wanted.set()
        asked, task = self._started.pop(call.id, (None, None))
        if task is None:
            return None
        if asked != call:
            task.cancel()
            self._void.add(task)
            return None
        read = await task
        read.context.reads.adopt(read.drafts.reads)
        read.context.findings.adopt(read.drafts.findings)
        return read.result

    async def _read(self, call: ToolCall, wanted: asyncio.Event) -> _Read:
        context = await self._run.tool_context()
        reads, findings = context.reads.draft(), context.findings.draft()
        ahead = replace(context, reads=reads, findings=findings, before_asking=wanted.wait)
        result = await call_tool(self._tools, call, ahead, self._run.permission)
        return _Read(result, ahead, context)

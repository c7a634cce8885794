"""Calls to servers: a time limit in which waiting for the user does not count; long results."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from glossator.core.errors import UsageError
from glossator.core.images import Image
from glossator.core.ports import Activity
from glossator.core.shown import shown
from glossator.core.tool_result import shorten
from glossator.mcp.elicitation import Ask
from glossator.mcp.offered import OfferedPrompt, OfferedTool, line_of
from glossator.mcp.results import MAX_BYTES, CallResult, call_result, prompt_text, resource_text
from glossator.mcp.supervisor import Supervisor, reason

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT

    from glossator.mcp.connection import Connection

Began = Callable[[Callable[[], object]], object]
Begin = Callable[[str, Callable[[], object]], Activity]
T = TypeVar("T")

_KEPT = 8  # results whose rest can be read
_KEPT_BYTES = 4_000_000  # of each
_LEAST_WAIT = 0.05  # seconds
_WORDS = 100  # characters of a message about progress


class Calls:
    """`connected` gives a server that can be called, or raises `UsageError`."""

    def __init__(self, connected: Callable[[str], Supervisor], seconds: float) -> None:
        self._connected = connected
        self._seconds = seconds
        self._results: OrderedDict[int, CallResult] = OrderedDict()
        self._count = 0

    async def tool(
        self,
        tool: OfferedTool,
        arguments: dict[str, Any],
        ask: Ask,
        progress: ProgressFnT,
        began: Began = lambda _: None,
    ) -> tuple[CallResult, int | None]:
        """The result of a call, and the number by which its rest can be read.

        `began` is given what ends the call, for a user who does not want to wait. Raises
        `UsageError` for a server that is not connected, a failure, and a call that takes too long.
        A call that is given up is cancelled on the server.
        """

        def work(connection: Connection) -> Coroutine[Any, Any, Any]:
            return connection.call(tool.own, arguments, progress)

        result = call_result(
            await self._done(tool.server, tool.name, work, ask, began), tool.server
        )
        number = None
        if MAX_BYTES < len(result.text) <= _KEPT_BYTES:
            self._count = number = self._count + 1
            self._results[number] = result
            while len(self._results) > _KEPT:
                self._results.popitem(last=False)
        return result, number

    def kept(self, number: int) -> CallResult | None:
        """A result whose rest can be read."""
        return self._results.get(number)

    async def read(
        self, server: str, uri: str, ask: Ask, seconds: float = math.inf
    ) -> tuple[str, tuple[Image, ...]]:
        """What a resource holds, if it comes within `seconds`, too. Raises `UsageError`."""
        read = await self._done(server, shown(uri), lambda its: its.read(uri), ask, seconds=seconds)
        return resource_text(read)

    async def prompt(
        self, prompt: OfferedPrompt, words: str, ask: Ask
    ) -> tuple[str, tuple[Image, ...]]:
        """The text of a prompt; the words after its name are its arguments. Raises `UsageError`."""
        given = _arguments(prompt, words)
        got = await self._done(
            prompt.server, prompt.name, lambda its: its.prompt(prompt.own, given), ask
        )
        return prompt_text(got)

    async def _done(
        self,
        server: str,
        what: str,
        work: Callable[[Connection], Coroutine[Any, Any, T]],
        ask: Ask,
        began: Began = lambda _: None,
        seconds: float = math.inf,
    ) -> T:
        """What the work gives, within `seconds` and the time limit. Raises `UsageError`."""
        most = min(seconds, self._seconds)
        running = self._connected(server)
        assert running.connection is not None  # noqa: S101 - it is ready
        now = asyncio.get_running_loop().time
        with running.asking(ask) as asking:
            task = asyncio.create_task(work(running.connection))
            began(task.cancel)
            start, late = now(), False
            try:
                while not task.done():
                    left = most - (now() - start - asking.waited)
                    if late := left <= 0 and not asking.is_open:
                        break
                    await asyncio.wait({task}, timeout=max(left, _LEAST_WAIT))
            finally:
                if not task.done():
                    task.cancel()
                    await asyncio.wait({task})
        if task.cancelled() and not late:
            raise UsageError(f"The user ended {what}.\nAsk the user how to go on.")
        if task.cancelled():
            setting = "" if most < self._seconds else " (mcp.seconds)"
            raise UsageError(
                f"{what} of the MCP server {server} did not answer within {most:g} s{setting},"
                " so it was cancelled.\nAsk for less, or go on without it."
            )
        if (error := task.exception()) is not None:
            why = reason(error)
            raise UsageError(
                f"{what} of the MCP server {server} failed: {why}.\nCorrect it, or do without."
            )
        return task.result()


@dataclass(slots=True)
class ShownProgress:
    """Shows how far a call is, once its server tells."""

    title: str
    begin: Begin
    cancel: Callable[[], object] | None = None
    activity: Activity | None = None

    def began(self, cancel: Callable[[], object]) -> None:
        """The call can be ended so."""
        self.cancel = cancel

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """The server tells."""
        if self.activity is None and self.cancel is not None:
            self.activity = self.begin(self.title, self.cancel)
        share = min(max(progress / total, 0), 1) if total else 0
        if self.activity is not None:
            self.activity.report(shorten(line_of(message), _WORDS), round(100 * share))

    def end(self) -> None:
        """The call is over."""
        if self.activity is not None:
            self.activity.end()


def _arguments(prompt: OfferedPrompt, words: str) -> dict[str, str]:
    """The words as arguments: one word for each, and all that is left for the last."""
    given = words.split(maxsplit=len(prompt.arguments) - 1) if prompt.arguments else []
    arguments = dict(zip(prompt.arguments, given, strict=False))
    if [each for each in prompt.arguments if each in prompt.needed - arguments.keys()]:
        form = " ".join(f"<{shown(each)}>" for each in prompt.arguments)
        raise UsageError(f"/{prompt.name} needs more words after it: /{prompt.name} {form}")
    return arguments

"""A run of the loop alone, without the application around it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from glossator.application.permission_checker import Permission
from glossator.core.events import Event
from glossator.tools.base import ToolContext
from glossator.turn.calls import permit_direct_call
from glossator.turn.run import RunContext


async def _no_tools() -> ToolContext:
    raise AssertionError("no tool is to be called")


@dataclass(slots=True, kw_only=True)
class LoneRun(RunContext):
    """Its calls are permitted, and see what `context` makes; `show` gets its events."""

    context: Callable[[], Awaitable[ToolContext]] = _no_tools
    show: Callable[[Event], object] = lambda _: None
    permission: Permission = permit_direct_call

    def emit(self, event: Event) -> None:
        self.show(event)

    async def tool_context(self) -> ToolContext:
        return await self.context()

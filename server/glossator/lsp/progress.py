"""Work-done progress: one bar in the editor for one request, or for work in the background."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pygls.progress
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from glossator.core.answer import RunSoFar
from glossator.core.citation_words import one_sentence, state_in_words
from glossator.core.events import (
    AgentProgress,
    AgentStarted,
    Event,
    Notice,
    TodoChanged,
    ToolFinished,
    ToolStarted,
)
from glossator.core.run_events import PlanChanged, StateChanged, TaskState
from glossator.core.shown import brief_arguments, shown_text
from glossator.core.words import tool_name

if TYPE_CHECKING:
    from glossator.lsp.protocol import Protocol

_log = logging.getLogger(__name__)

Token = int | str
_CLOCK_SECONDS = 10  # after which it is shown how long a run takes, and again each time


class ProgressBar:
    """One bar. Before the client has agreed to it, only the newest message is kept."""

    def __init__(
        self, bars: pygls.progress.Progress, token: Token, title: str, cancel: Callable[[], object]
    ) -> None:
        """`cancel` is called when the user cancels the bar."""
        self._bars = bars
        self._token = token
        self._title = title
        self._cancel = cancel
        self._message: str | None = None
        self._percentage: int | None = None
        self._shown = False
        self.so_far = RunSoFar()

    async def create(self) -> None:
        """Ask the client for the bar, then show it."""
        try:
            await self._bars.create_async(self._token)
        except JsonRpcException as refusal:
            _log.info("the client shows no progress: %s", refusal)
        else:
            self.begin()

    def begin(self) -> None:
        """Show the bar."""
        self._shown = True
        self._bars.begin(
            self._token,
            types.WorkDoneProgressBegin(
                title=self._title,
                cancellable=True,
                message=shown_text(self._said) or None,
                percentage=self._percentage,
            ),
        )
        self._bars.tokens[self._token].add_done_callback(lambda _: self._cancel())

    def show(self, event: Event) -> None:
        """Show what the run is doing now, if the event says so."""
        self.so_far.note(event)
        match event:
            case ToolStarted():
                about = event.about or brief_arguments(event.arguments)
                self._message = f"{tool_name(event.tool)} {about}".rstrip()
            case ToolFinished():
                self._message = f"{tool_name(event.tool)}: {event.summary}"
            case AgentStarted():
                self._message = f"{event.name}: {event.task}"
            case AgentProgress():
                self._message = f"{tool_name(event.tool)} {event.detail}".rstrip()
            case Notice():
                self._message = event.message
            case StateChanged():
                self._message = state_in_words(event) or self._message
            case PlanChanged():
                self._message = _at_work(event)
            case TodoChanged():
                pass
            case _:
                return
        self._report()

    def report(self, message: str, percentage: int) -> None:
        """Show how far the work is, 0 to 100."""
        self._message, self._percentage = message, percentage
        self._report()

    async def keep_time(self) -> None:
        """Show now and then for how long the run has been at work."""
        self.so_far.begin()
        while True:
            await asyncio.sleep(_CLOCK_SECONDS)
            self._report()

    def end(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._bars.end(self._token, types.WorkDoneProgressEnd())
        self._bars.tokens.pop(self._token, None)  # pygls keeps it

    @property
    def _said(self) -> str:
        """`Grep: 3 matches · 2 of 4: Add the flag · 12 s`."""
        parts = (self._message, self.so_far.step(), self.so_far.time(_CLOCK_SECONDS))
        return " · ".join(filter(None, parts))

    def _report(self) -> None:
        if self._shown:
            self._bars.report(
                self._token,
                types.WorkDoneProgressReport(
                    message=shown_text(self._said) or None,
                    percentage=self._percentage,
                    cancellable=True,
                ),
            )


def _at_work(plan: PlanChanged) -> str:
    """The tasks that are at work: `Find a; Find b`."""
    now = (each.description for each in plan.tasks if each.state is TaskState.ACTIVE)
    return "; ".join(map(one_sentence, now))


class BackgroundBar:
    """A bar for work that no request asked for; the client is asked whether it wants to show it."""

    def __init__(self, progress: ProgressBar) -> None:
        self._progress = progress
        self._creation = asyncio.create_task(progress.create())

    def report(self, message: str, percentage: int) -> None:
        """Show how far the work is, 0 to 100."""
        self._progress.report(message, percentage)

    def end(self) -> None:
        """Take the bar away."""
        self._creation.cancel()
        self._progress.end()


class ProgressBars:
    """Makes bars; pygls keeps which are on show, and cancels them for the user."""

    def __init__(self, protocol: Protocol) -> None:
        self._bars = protocol.progress

    @contextmanager
    def bar(self, token: Token, title: str, *, create: bool) -> Iterator[ProgressBar]:
        """A bar for the current task, which is cancelled when the user cancels the bar.

        `create`: the token is ours, so the client is asked first; the work does not wait for it.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - requests are tasks
        progress = ProgressBar(self._bars, token, title, task.cancel)
        creation = asyncio.create_task(progress.create()) if create else None
        if creation is None:
            progress.begin()
        timing = asyncio.create_task(progress.keep_time())
        try:
            yield progress
        finally:
            timing.cancel()
            if creation is not None:
                creation.cancel()
            progress.end()

    def background(self, title: str, cancel: Callable[[], object]) -> BackgroundBar:
        """A bar for work in the background; `cancel` is called when the user cancels the bar."""
        return BackgroundBar(ProgressBar(self._bars, secrets.token_hex(8), title, cancel))

    def __len__(self) -> int:
        return len(self._bars.tokens)

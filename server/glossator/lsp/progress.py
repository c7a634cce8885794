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

from glossator.core.events import (
    AgentProgress,
    AgentStarted,
    Event,
    Notice,
    ToolFinished,
    ToolStarted,
)
from glossator.core.grounded_events import PlanChanged, StateChanged, TaskState
from glossator.core.shown import brief_arguments, shown_text
from glossator.core.standing import one_sentence, state_in_words

if TYPE_CHECKING:
    from glossator.lsp.protocol import Protocol

_log = logging.getLogger(__name__)

Token = int | str


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
                message=self._message,
                percentage=self._percentage,
            ),
        )
        self._bars.tokens[self._token].add_done_callback(lambda _: self._cancel())

    def show(self, event: Event) -> None:
        """Show what the run is doing now, if the event says so."""
        match event:
            case ToolStarted():
                self._message = f"{event.tool} {brief_arguments(event.arguments)}".rstrip()
            case ToolFinished():
                self._message = f"{event.tool}: {event.summary}"
            case AgentStarted():
                self._message = f"{event.name}: {event.task}"
            case AgentProgress():
                self._message = f"{event.tool} {event.detail}".rstrip()
            case Notice():
                self._message = event.message
            case StateChanged():
                self._message = state_in_words(event) or self._message
            case PlanChanged():
                self._message = _plan_in_words(event)
            case _:
                return
        self._report()

    def report(self, message: str, percentage: int) -> None:
        """Show how far the work is, 0 to 100."""
        self._message, self._percentage = message, percentage
        self._report()

    def end(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._bars.end(self._token, types.WorkDoneProgressEnd())
        self._bars.tokens.pop(self._token, None)  # pygls keeps it

    def _report(self) -> None:
        if self._shown:
            self._bars.report(
                self._token,
                types.WorkDoneProgressReport(
                    message=self._message and shown_text(self._message),
                    percentage=self._percentage,
                    cancellable=True,
                ),
            )


def _plan_in_words(plan: PlanChanged) -> str:
    """`1 of 3 tasks done. Now: Find a; Find b`."""
    done = sum(task.state in (TaskState.DONE, TaskState.FAILED) for task in plan.tasks)
    failed = sum(task.state is TaskState.FAILED for task in plan.tasks)
    now = [one_sentence(each.description) for each in plan.tasks if each.state is TaskState.ACTIVE]
    said = f"{done} of {len(plan.tasks)} tasks done"
    said += f", {failed} of them failed" if failed else ""
    return f"{said}. Now: {'; '.join(now)}" if now else f"{said}."


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
        try:
            yield progress
        finally:
            if creation is not None:
                creation.cancel()
            progress.end()

    def background(self, title: str, cancel: Callable[[], object]) -> BackgroundBar:
        """A bar for work in the background; `cancel` is called when the user cancels the bar."""
        return BackgroundBar(ProgressBar(self._bars, secrets.token_hex(8), title, cancel))

    def __len__(self) -> int:
        return len(self._bars.tokens)

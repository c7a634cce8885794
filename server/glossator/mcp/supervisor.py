"""Keeps one server connected: in the background, and again after it failed, later each time.

How people see the server, its state and the reason for it, is here as well.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from glossator.core.context_kinds import SWITCHED_OFF
from glossator.core.own_process import import_aside
from glossator.core.ports import EditorPort
from glossator.core.question import Question, QuestionAnswer
from glossator.core.shown import shown, some_of
from glossator.core.tool_result import shorten
from glossator.core.uri import to_uri
from glossator.mcp.answers import McpServerView, McpState
from glossator.mcp.elicitation import CANCELLED, Ask, Filled, fill
from glossator.mcp.logins import Logins
from glossator.mcp.offered import Offer
from glossator.mcp.servers import FILE, ServerSpec

if TYPE_CHECKING:
    from glossator.mcp.connection import Connection


FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds before it is started again

_STABLE_SECONDS = 60.0  # seconds after which an earlier failure is forgotten
_CLOSE_SECONDS = 10.0  # seconds; a program is ended within four, and an address may not answer
_MAX_FORMS = 5  # that a server may put to the user during one call
_REASON_CHARACTERS = 300  # characters
_HELD_BACK = {
    McpState.PROPOSED: "the workspace proposes it; adopt it to let it run",
    McpState.CHANGED: "what would run is not what you adopted; look at it, and adopt it again",
    McpState.UNTRUSTED: "the folder is not trusted, so nothing of it is started",
}


@dataclass(slots=True)
class Asking:
    """How a call reaches its user: `ask` puts a question in the name of the call's session."""

    ask: Ask
    forms: int = 0
    session: Context = field(default_factory=copy_context)
    waited: float = 0.0
    _since: float = 0.0
    _open: int = 0

    async def question(self, question: Question) -> QuestionAnswer:
        """Ask, without counting the time as the call's."""
        if not self._open:
            self._since = time.monotonic()
        self._open += 1
        try:
            return await asyncio.create_task(self._put(question), context=self.session)
        finally:
            self._open -= 1
            if not self._open:
                self.waited += time.monotonic() - self._since

    async def _put(self, question: Question) -> QuestionAnswer:
        return await self.ask(question)

    @property
    def is_open(self) -> bool:
        """Whether the user is asked now."""
        return self._open > 0


@dataclass(slots=True)
class Supervisor:
    """One server; `port` is told once of each outage, and of each change of the state.

    `may_start` is asked before each start: what would run may have changed since the last one.
    """

    spec: ServerSpec
    roots: Callable[[], tuple[str, ...]]
    port: EditorPort
    may_start: Callable[[ServerSpec], Awaitable[bool]]
    logins: Logins
    told: bool = False  # of the current outage
    state: McpState = McpState.CONNECTING
    why: str = ""
    offer: Offer = field(default_factory=Offer)
    connection: Connection | None = None
    _calls: list[Asking] = field(default_factory=list)
    _task: asyncio.Task[None] | None = None
    _first: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._task = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """End it, with all that its program started."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
            self._task = None

    async def settled(self) -> None:
        """Wait until it is ready or has failed for the first time."""
        await self._first.wait()

    @property
    def is_over(self) -> bool:
        """Whether it has nothing to wait for: the server changed, or the user logged in to it."""
        if self.state is McpState.LOGIN and self.spec.launch is not None:
            return self.logins.used_by(self.spec.launch)
        return self._task is not None and self._task.done()

    @property
    def is_ready(self) -> bool:
        """Whether it can be called now."""
        gone = self.connection is None or self.connection.ending.gone.is_set()
        return self.state is McpState.READY and not gone

    @property
    def version(self) -> str:
        """The protocol's version that is spoken; "" while nothing is."""
        return self.connection.version if self.connection is not None else ""

    @contextmanager
    def asking(self, ask: Ask) -> Iterator[Asking]:
        """Within the block, what the server asks is put to this user."""
        call = Asking(ask)
        self._calls.append(call)
        try:
            yield call
        finally:
            self._calls.remove(call)

    async def _keep(self) -> None:
        wait = FIRST_WAIT
        # the SDK takes half a second to import, in which a file could change: first this, then look
        module = await import_aside("glossator.mcp.connection")
        while await self.may_start(self.spec):
            began = time.monotonic()
            self.state = McpState.CONNECTING
            self.port.context_changed()
            self.why = await self._connected(module.Connection)
            needs_login = self.connection is not None and self.connection.ending.needs_login
            self.connection = None
            if needs_login:
                self._needs_login()
                return
            self.state = McpState.WAITING
            self._first.set()
            self.port.context_changed()
            if time.monotonic() - began > _STABLE_SECONDS:
                wait, self.told = FIRST_WAIT, False
            if not self.told:
                self.told = True
                self.port.tell(
                    f"The MCP server {self.spec.name} is not connected: {self.why}. It is tried"
                    " again in the background; its tools fail until then."
                )
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
        self.state, self.why = McpState.WAITING, "what would run has changed, so it is not started"
        self._first.set()
        self.port.context_changed()

    def _needs_login(self) -> None:
        """Wait for the user to log in, without any attempt; they are told once."""
        how = f"run `glossator mcp login {self.spec.name}`, or log in to it from your editor"
        self.state, self.why = McpState.LOGIN, f"it needs a login: {how}"
        self._first.set()
        self.port.context_changed()
        if not self.told:
            self.told = True
            self.port.tell(f"The MCP server {self.spec.name} needs a login: {how}.")

    async def _connected(self, kind: type[Connection]) -> str:
        """Connect and stay connected; returns why the connection ended."""
        assert self.spec.launch is not None  # noqa: S101 - others are not supervised
        connection = kind(
            self.spec.name, self.spec.launch, self.roots, self._fill, self._offered, self.logins
        )
        self.connection = connection
        running = asyncio.create_task(connection.run())
        try:
            await asyncio.wait({running})
        finally:
            running.cancel()
            await asyncio.wait({running})
        ending = connection.ending
        error = None if running.cancelled() else running.exception()
        failure = "the connection was closed" if error is None else reason(error)
        why = ending.why or ending.hint or failure
        words = ending.last_words.rpartition("\n")[2]
        return shorten(f"{why}; it said: {words}" if words else why, _REASON_CHARACTERS)

    def _offered(self, offer: Offer) -> None:
        self.offer, self.state, self.why = offer, McpState.READY, ""
        self._first.set()
        self.port.context_changed()

    async def _fill(self, message: str, schema: Mapping[str, Any]) -> Filled:
        """Put a form to the user of the newest call; outside of calls no forms are shown."""
        if not self._calls:
            return CANCELLED
        call = self._calls[-1]
        call.forms += 1
        if call.forms > _MAX_FORMS:
            return CANCELLED
        return await fill(self.spec.name, message, schema, call.question)


def reason(error: BaseException) -> str:
    """Why something failed, as the end of a sentence: the innermost of grouped errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = shown(" ".join(str(error).split())).rstrip(".")
    named = "" if type(error).__name__ == "MCPError" else type(error).__name__
    return shorten(": ".join(filter(None, (named, text))) or "it failed", _REASON_CHARACTERS)


def why_held_back(spec: ServerSpec, state: McpState | None) -> str:
    """Why a server must not run; "" if it may."""
    if state is McpState.OFF:
        where = f"The setting mcp.servers.{spec.name}" if spec.source == "user" else FILE
        return SWITCHED_OFF if spec.enabled else f"{where} has enabled: false."
    return _HELD_BACK.get(state, spec.problem) if state is not None else ""


def view_of(
    spec: ServerSpec,
    held_back: McpState | None,
    running: Supervisor | None,
    *,
    adopted: bool,
    logged_in: bool,
) -> McpServerView:
    """A server as it is now; `adopted` in this form or an earlier one."""
    offer = running.offer if running else None
    why = why_held_back(spec, held_back) or spec.problem or (running.why if running else "")
    if not why and offer is not None and offer.left_out:
        why = f"left out: {some_of(offer.left_out, 5)}"
    return McpServerView(
        shown(spec.name),
        spec.source,
        to_uri(spec.file) if spec.source == "project" else None,
        held_back or (running.state if running else McpState.CONNECTING),
        why,
        spec.words,
        spec.variables,
        len(offer.tools) if offer else 0,
        len(offer.prompts) if offer else 0,
        len(offer.resources) if offer else 0,
        running.version if running else "",
        spec.sha256,
        adopted,
        logged_in,
    )

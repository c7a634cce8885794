"""The editor as a run sees it: events to clients that want them, progress to the others.

Questions go to clients that know them, and as messages with buttons to the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from glossator.core.diagnostics import FileDiagnostics, Wanted
from glossator.core.events import Envelope
from glossator.core.ports import Activity
from glossator.core.question import Question, QuestionAnswer
from glossator.lsp.wire import WireError, from_wire, to_wire

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.progress import Progress, ProgressBars
    from glossator.lsp.protocol import Protocol

EVENT = "glossator/event"
QUESTION = "glossator/question"
DIAGNOSTICS = "glossator/diagnostics"

_LATE_SECONDS = 2.0  # after which a client that should have answered is not waited for

_log = logging.getLogger(__name__)


class ClientPort:
    """Implements `EditorPort`; to be called from the event loop's thread."""

    def __init__(self, protocol: Protocol, client: Client, bars: ProgressBars) -> None:
        self._protocol = protocol
        self._client = client
        self._all_bars = bars
        self.bars: dict[str, Progress] = {}  # run id -> the progress bar of its request

    def emit(self, envelope: Envelope) -> None:
        """Send the event, show it in the run's progress bar, or both."""
        if self._client.events:
            self._protocol.notify_plain(EVENT, to_wire(envelope))
        if bar := self.bars.get(envelope.run_id):
            bar.show(envelope.event)

    def tell(self, message: str) -> None:
        """Show the user a message."""
        params = types.ShowMessageParams(types.MessageType.Info, message)
        self._protocol.notify(types.WINDOW_SHOW_MESSAGE, params)

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:
        """Show a progress bar, if the client has them."""
        if not self._client.progress:
            return _Unseen()
        return self._all_bars.background(title, cancel)

    @property
    def tells_diagnostics(self) -> bool:
        """Whether the client said so."""
        return self._client.diagnostics

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """What the client has from its other servers."""
        if not self._client.diagnostics:
            return None
        request = {"files": to_wire(wanted), "seconds": seconds}
        try:
            async with asyncio.timeout(seconds + _LATE_SECONDS):
                answer = await self._protocol.ask(DIAGNOSTICS, request)
            told: _DiagnosticsAnswer = from_wire(_DiagnosticsAnswer, answer)
        except (JsonRpcException, WireError, TimeoutError) as failure:
            _log.warning("The client did not tell its diagnostics: %r", failure)
            return None
        return told.files

    async def ask_user(self, question: Question) -> QuestionAnswer:
        """Ask the user, and wait for as long as it takes."""
        try:
            if self._client.questions:
                answer = await self._protocol.ask(QUESTION, to_wire(question))
                return _checked(question, from_wire(QuestionAnswer, answer or {}))
            actions = [types.MessageActionItem(option.label) for option in question.options]
            params = types.ShowMessageRequestParams(
                types.MessageType.Info, _shown(question), actions
            )
            chosen = await self._protocol.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        except (JsonRpcException, WireError) as refusal:
            _log.warning("The client did not put a question to the user: %s", refusal)
            return QuestionAnswer()
        return QuestionAnswer((chosen.title,)) if chosen else QuestionAnswer()


@dataclass(frozen=True, slots=True)
class _DiagnosticsAnswer:
    files: tuple[FileDiagnostics, ...]


def _checked(question: Question, answer: QuestionAnswer) -> QuestionAnswer:
    """The answer; raises `WireError` if it chooses what was not on offer."""
    unknown = set(answer.chosen).difference(option.label for option in question.options)
    if unknown:
        raise WireError(f"the answer chooses what was not on offer: {', '.join(sorted(unknown))}")
    return answer


def _shown(question: Question) -> str:
    details = [f"{each.label}: {each.detail}" for each in question.options if each.detail]
    return "\n".join((question.text, *details))


class _Unseen:
    """Work that the client has no way to show."""

    def report(self, message: str, percentage: int) -> None:
        """Nothing to show it in."""

    def end(self) -> None:
        """Nothing to take away."""

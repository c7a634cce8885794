"""Memories that sessions keep and see, and the summaries of sessions.

The summary (main topics, key conclusions, unresolved questions) is derived from the one structured
summary of a conversation (`sessions/compaction/summary.py`): a compaction's, or one that the fast
model writes in the background for an unchanged conversation. Without a model it is extracted, as in
a compaction.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Coroutine

from glossator.core.errors import ModelError
from glossator.core.own_process import is_memory_short
from glossator.ledger import Ledger, SessionSummary
from glossator.llm import Models
from glossator.sessions import Session, Summary, extracted, summarise
from glossator.settings import Settings

_log = logging.getLogger(__name__)

_GROWN_BY = 1.25  # of a conversation, before it is summarised again
_REMEMBERED_LENGTHS = 1_000  # sessions of which it is known how long they were
_SHORT_OF_MEMORY = 0.25  # of the threshold, where the machine has little memory left


class Summaries:
    """Summarises sessions, each one at a time; for the event loop."""

    def __init__(self, settings: Settings, models: Models, ledger: Ledger) -> None:
        self._settings = settings
        self._models = models
        self._ledger = ledger
        self._last: OrderedDict[str, int] = OrderedDict()  # tokens at the last summary, by session
        self._working: dict[str, asyncio.Task[None]] = {}

    def begin_if_due(self, session: Session) -> None:
        """Summarise, in the background, a conversation that has grown enough.

        With little memory left it happens sooner: a session may soon be closed, and a summary is
        quick to read.
        """
        threshold = self._settings.facts.summary_tokens
        if not self._settings.facts.enabled or threshold is None or self._models.main.offline:
            return
        tokens = session.account.last.total
        least = threshold * (_SHORT_OF_MEMORY if is_memory_short() else 1)
        if tokens >= max(least, self._last.get(session.id, 0) * _GROWN_BY):
            self._begin(session, self._make_if_possible(session))

    def keep(self, session: Session, summary: Summary) -> None:
        """Keep a compaction's summary as the session's summary, too."""
        if self._settings.facts.enabled:
            self._begin(session, self._keep(session, summary))

    async def make(self, session: Session) -> bool:
        """Summarise now; True if a model did it. Raises `ModelError`."""
        messages = list(session.conversation.messages)
        model, summary = self._models.fast, None
        if not self._models.main.offline:
            meter = session.meter(self._settings.limits, model)
            summary = await summarise(model, messages, meter)
        self._note_size(session)
        steps = tuple(f"[{step.state}] {step.text}" for step in session.todo.steps)
        await self._keep(session, summary or extracted(messages, steps))
        return summary is not None

    @property
    def working(self) -> tuple[str, ...]:
        """The sessions that are being summarised."""
        return tuple(self._working)

    def busy(self, session_id: str) -> bool:
        """Whether a session is being summarised."""
        return session_id in self._working

    async def settle(self) -> None:
        """Wait until no session is being summarised."""
        while self._working:
            await asyncio.wait(self._working.values())

    async def close(self) -> None:
        """Stop; what is not summarised yet is summarised after a later run."""
        await self.stop(*self.working)

    async def stop(self, *sessions: str) -> None:
        """Stop summarising these sessions, and write nothing about them."""
        tasks = [self._working[each] for each in sessions if each in self._working]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _begin(self, session: Session, work: Coroutine[None, None, None]) -> None:
        if self.busy(session.id):
            work.close()
            return
        task = asyncio.create_task(work, name=f"glossator-summary-{session.id}")
        self._working[session.id] = task
        task.add_done_callback(lambda _: self._working.pop(session.id, None))

    async def _make_if_possible(self, session: Session) -> None:
        try:
            await self.make(session)
        except ModelError as error:  # the conversation is there; it is tried again when it grows
            self._note_size(session)
            _log.info("%s is not summarised: %s", session.id, error)

    def _note_size(self, session: Session) -> None:
        self._last[session.id] = session.account.last.total
        self._last.move_to_end(session.id)
        if len(self._last) > _REMEMBERED_LENGTHS:
            self._last.popitem(last=False)

    async def _keep(self, session: Session, summary: Summary) -> None:
        await self._ledger.cores.keep(session.id, summary=summary_of(summary))


def summary_of(summary: Summary) -> SessionSummary:
    """The part of a compaction's summary that matters beyond the conversation."""
    fixed = (f"{each.error}: {each.fix}" for each in summary.errors)
    unresolved = dict.fromkeys((*summary.open_tasks, summary.next_step))
    return SessionSummary(
        tuple(filter(None, (summary.intent,))),
        (*summary.decisions, *fixed),
        tuple(filter(None, unresolved)),
    )

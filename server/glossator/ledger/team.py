"""The ledger that a team shares: documents in Redis, brought into line with this machine's.

The facts of a workspace are one document, the memory of each session another. Each is read, merged
and written back only if no other server wrote meanwhile, so nothing is lost. While the server
is away everything stays on this machine; the server gets it when it is back, even if it
lost what it had.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, Protocol

from glossator.core.errors import StoreUnavailable
from glossator.ledger.files import LedgerFiles
from glossator.ledger.rows import (
    Rows,
    check_schema,
    forgotten,
    from_document,
    lasting,
    newer,
    newest,
    parsed,
    to_document,
    without_facts,
)
from glossator.store import LedgerRow, SharedDocuments

logger = logging.getLogger(__name__)

MAX_BYTES = 16_000_000  # of a document that is ours

_PAUSE, _LONGEST_PAUSE = 5.0, 300.0  # seconds; doubled after each failure
_CLOSING_SECONDS = 2.0  # for what is being shared at the end
_MEANWHILE = "Facts stay on this machine and are shared when the server works again."


Take = Callable[[bytes], Awaitable[None]]


class WorkspaceRows(Protocol):
    """The facts of a workspace on this machine."""

    @property
    def workspace(self) -> str:
        """A key of its folders."""

    @property
    def rows(self) -> Rows:
        """All rows."""

    async def take(self, workspace: str, rows: Rows) -> None:
        """Keep rows that are newer, unless another workspace is open by now."""


def session_key(session_id: str) -> str:
    """The key of a session's memory."""
    return f"session:{session_id}"


def workspace_key(workspace: str) -> str:
    """The key of a workspace's facts."""
    return f"workspace:{workspace}"


class TeamLedger:
    """A team's facts on a server, for the event loop. `tell` is called once with what fails."""

    def __init__(
        self,
        shared: SharedDocuments,
        files: LedgerFiles,
        tell: Callable[[str], None],
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        """`allowed`: whether anything of the workspace may be shared now."""
        self._allowed = allowed
        self._shared = shared
        self._files = files
        self._tell = tell
        self._told: set[str] = set()
        self._pause, self._until = _PAUSE, 0.0
        self._facts: WorkspaceRows | None = None
        self._again = False
        self._working: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self._gone: dict[str, None] = {}  # sessions whose memory is to go
        self._wanted: dict[str, Take] = {}  # sessions whose memory is to be looked up
        self._stated: dict[str, None] = {}  # sessions that stated what was forgotten

    def share(self, facts: WorkspaceRows) -> None:
        """Synchronise the workspace's facts and sessions with the server, soon."""
        self._facts, self._again = facts, True
        if not self._allowed():
            return
        if self._later is None and (self._working is None or self._working.done()):
            self._begin()

    def remove(self, sessions: list[str]) -> None:
        """Mark the memory of these sessions to be deleted there; `share` does it."""
        self._gone.update(dict.fromkeys(sessions))
        for each in sessions:
            self._wanted.pop(each, None)

    def forget(self, sessions: Iterable[str]) -> None:
        """Mark forgotten facts to be removed from these sessions' memory; `share` does it."""
        self._stated.update(dict.fromkeys(sessions))

    async def settle(self, seconds: float | None = None) -> None:
        """Wait at most so long until everything that can be shared is."""
        while self._working is not None and not self._working.done():
            if not (await asyncio.wait({self._working}, timeout=seconds))[0]:
                return

    def look_up(self, session_id: str, take: Take) -> None:
        """Ask for what the server has of a session, for `take`; `share` does it."""
        if self._allowed():
            self._wanted[session_id] = take

    async def close(self) -> None:
        """End the work; safe to call again."""
        await self.settle(_CLOSING_SECONDS)
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait({self._working})
        if self._later is not None:
            self._later.cancel()
        await self._shared.close()

    def _begin(self) -> None:
        self._later = None
        self._working = asyncio.create_task(self._work(), name="glossator-ledger")
        self._working.add_done_callback(_log_failure)

    async def _work(self) -> None:
        while self._again and self._facts is not None and self._allowed():
            self._again = False
            try:
                await self._share_facts(self._facts)
                for session_id in list(self._wanted):
                    memory = await self._memory(session_id)
                    take = self._wanted.pop(session_id, None)  # None: it was removed meanwhile
                    if memory is not None and take is not None:
                        await take(memory)
                for session_id, value in await self._files.unshared(self._facts.workspace):
                    await self._share_memory(session_id, value, forgotten(self._facts.rows))
                for session_id in list(self._stated):
                    await self._clean_memory(session_id, forgotten(self._facts.rows))
                    self._stated.pop(session_id, None)
                if gone := list(self._gone):
                    await self._shared.delete([session_key(each) for each in gone])
                    for each in gone:
                        self._gone.pop(each, None)
            except StoreUnavailable as error:
                self._failed(error)
                return
            self._pause = _PAUSE

    async def _share_facts(self, facts: WorkspaceRows) -> None:
        workspace, rows, brought = facts.workspace, lasting(facts.rows), dict[str, LedgerRow]()

        def merge(document: bytes | None) -> bytes | None:
            there = lasting(from_document(document))
            brought.clear()
            brought.update(newer(there, rows))
            return to_document(newest(there, rows)) if newer(rows, there) else None

        await self._shared.update(workspace_key(workspace), merge)
        if brought:
            await facts.take(workspace, brought)

    async def _memory(self, session_id: str) -> bytes | None:
        found: list[bytes | None] = []

        def look(value: bytes | None) -> None:
            found.append(value)

        await self._shared.update(session_key(session_id), look)
        return found[-1]

    async def _share_memory(self, session_id: str, value: bytes, gone: Collection[str]) -> None:
        def merge(document: bytes | None) -> bytes | None:
            return merged_memory(document, value, gone)

        await self._shared.update(session_key(session_id), merge)
        await self._files.mark_shared(session_id, value)

    async def _clean_memory(self, session_id: str, gone: Collection[str]) -> None:
        def clean(document: bytes | None) -> bytes | None:
            return without_facts(document or b"", gone)

        await self._shared.update(session_key(session_id), clean)

    def _failed(self, error: StoreUnavailable) -> None:
        """Try again after a pause, if there is something to share."""
        logger.warning("Facts are not shared: %s", error)
        self._again = True
        if self._later is None:
            self._later = asyncio.get_running_loop().call_later(self._pause, self._begin)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        what = str(error).partition(" (")[0]  # a server that goes away fails in several ways
        if what not in self._told:
            self._told.add(what)
            self._tell(f"{error} {_MEANWHILE}")


def merged_memory(document: bytes | None, own: bytes, gone: Collection[str] = ()) -> bytes | None:
    """Two documents of one session as one: all facts, and what was written last of the rest.

    The facts that are `gone` are left out. A summary that says nothing, of a server that could not
    read the other one, does not replace one that does.

    None if the first one is that already. Raises `StoreUnavailable` for a newer schema.
    """
    there, here = parsed(document), parsed(own)
    check_schema(there, "The memory of this session and its facts")
    if not there.get("schema"):
        # There is none, or an older one, which was migrated into ours.
        return without_facts(own, gone) or own
    last = max(here, there, key=lambda each: str(each.get("updated_at", "")))
    facts = _facts_of(there) | _facts_of(here)
    facts = {key: each for key, each in facts.items() if key not in gone}
    summaries = [each.get("session_summary") for each in (last, there, here)]
    summary = next(
        (each for each in summaries if isinstance(each, dict) and any(each.values())), summaries[0]
    )
    fields = {**last, "fact_ledger": facts, "session_summary": summary}
    merged = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return None if merged.encode() == document else merged.encode()


def _facts_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    facts = fields.get("fact_ledger")
    return facts if isinstance(facts, dict) else {}


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("Facts are not shared for now", exc_info=error)

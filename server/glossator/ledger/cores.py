"""The memory cores of sessions: read before a run, written back after it."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from glossator.core.errors import StoreUnavailable
from glossator.core.fact import Fact, FactState
from glossator.ledger import team
from glossator.ledger.files import LedgerFiles
from glossator.ledger.memory_core import (
    MemoryCore,
    SessionSummary,
    SystemProfile,
    WorkingBench,
    core_from_json,
)

logger = logging.getLogger(__name__)

_MOST = 100  # sessions whose cores are in memory; those of others are read again


class WorkspaceFacts(team.WorkspaceRows, Protocol):
    """The facts of the workspace."""

    def all(self) -> tuple[Fact, ...]:
        """Every fact."""

    def state(self, fact: Fact) -> FactState:
        """How its lines stand."""

    def resolve(self, path: str) -> str:
        """The real path of one that is cited."""

    async def adopt(self, facts: Iterable[Fact]) -> None:
        """Take over those of which nothing is known."""


class MemoryCores:
    """For the event loop."""

    def __init__(
        self,
        facts: WorkspaceFacts,
        files: LedgerFiles,
        shared: team.TeamLedger | None,
        profile: SystemProfile,
    ) -> None:
        self._facts = facts
        self._files = files
        self._team = shared
        self._profile = profile
        self._cores: OrderedDict[str, MemoryCore] = OrderedDict()  # the last ones used
        self._foreign: set[str] = set()  # sessions that a newer version keeps: not to be changed

    def of(self, session_id: str) -> MemoryCore:
        """The core of a session as it stands, with its present facts and the user's profile."""
        core = self._cores.get(session_id) or MemoryCore(session_id)
        facts = {each.id: each for each in self._facts.all() if each.session == session_id}
        return replace(core, system_profile=self._profile, fact_ledger=facts)

    async def load(
        self, session_id: str, tell: Callable[[str], object], seconds: float | None = None
    ) -> MemoryCore:
        """Read what is kept of a session, here or by the team, if it is newer than what is known.

        Its facts are taken over if they are known nowhere else. `tell` is told why it is not read.
        The team's server is waited for `seconds`; what it gives later counts then.
        """
        is_known = session_id in self._cores
        is_here = await self._look(session_id, tell)
        if not is_here and not is_known and self._team is not None:
            self._team.look_up(session_id, partial(self._take_shared, session_id))
            self._team.share(self._facts)
            await self._team.settle(seconds)
        return self.of(session_id)

    async def keep(
        self,
        session_id: str,
        *,
        summary: SessionSummary | None = None,
        bench: WorkingBench | None = None,
    ) -> None:
        """Write a session's core back, with a new summary or bench if one is given.

        Of these the texts with something in them that looks like a secret are left out.
        """
        await self._look(session_id, self._files.tell)  # another server may have written it
        core = self._cores.get(session_id) or MemoryCore(session_id)  # it may be removed by now
        core = replace(
            core,
            session_summary=summary.without_secrets() if summary else core.session_summary,
            working_bench=bench.without_secrets() if bench else core.working_bench,
            updated_at=datetime.now(UTC),
        )
        self._hold(core)
        if session_id in self._foreign:
            return
        value = json.dumps(self.of(session_id).to_json(self._facts.state)).encode()
        await self._files.put_memory(
            session_id, self._facts.workspace, value, shared=self._team is None
        )
        if self._team is not None:
            self._team.share(self._facts)

    async def remove(self, *sessions: str, workspace: str | None = None) -> list[str]:
        """Delete the cores of these sessions and of those of a workspace; the ids of those."""
        gone = await self._files.remove_memories(workspace, *sessions)
        for session_id in (*gone, *sessions):
            self._cores.pop(session_id, None)
            self._foreign.discard(session_id)
        if self._team is not None:
            self._team.remove([*gone, *sessions])
            self._team.share(self._facts)
        return gone

    async def _look(self, session_id: str, tell: Callable[[str], object]) -> bool:
        """Read what is kept here; whether anything is."""
        if session_id in self._foreign:
            return True
        value = await self._files.memory(session_id)
        await self._take(session_id, value, tell)
        return value is not None

    async def _take(
        self, session_id: str, value: bytes | None, tell: Callable[[str], object]
    ) -> None:
        """Let a document count if it is newer than what is known."""
        known, core = self._cores.get(session_id), self._read(session_id, value, tell)
        if known is not None and known.updated_at >= core.updated_at:
            self._hold(known)
            return
        self._hold(core)
        await self._facts.adopt(core.fact_ledger.values())

    async def _take_shared(self, session_id: str, value: bytes) -> None:
        """Let the team's document count, also if a run here ended and wrote one meanwhile.

        Its summary then stands where that run wrote none, and its facts are taken over.
        """
        known, core = self._cores.get(session_id), self._read(session_id, value, self._files.tell)
        if known is not None and known.updated_at >= core.updated_at:
            summary = known.session_summary if known.session_summary.text else core.session_summary
            core = replace(known, session_summary=summary, fact_ledger=core.fact_ledger)
        self._hold(core)
        await self._facts.adopt(core.fact_ledger.values())

    def _hold(self, core: MemoryCore) -> None:
        self._cores[core.session_id] = core
        self._cores.move_to_end(core.session_id)
        if len(self._cores) > _MOST:
            self._cores.popitem(last=False)

    def _read(
        self, session_id: str, value: bytes | None, tell: Callable[[str], object]
    ) -> MemoryCore:
        if value is None:
            return MemoryCore(session_id)
        try:
            core = core_from_json(json.loads(value), self._facts.resolve)
        except StoreUnavailable as error:
            self._foreign.add(session_id)
            tell(str(error))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            logger.warning("The memory of %s cannot be read: %r", session_id, error)
            tell(
                f"The saved memory of session {session_id} cannot be read, so a new one was begun."
                " Facts of the workspace are kept."
            )
        else:
            return replace(core, session_id=session_id)
        return MemoryCore(session_id)

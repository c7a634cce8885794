"""The memory core of a session: one JSON document, read before a run and written back after it.

Schema 0, which had no number, knew a fact's lines as `SHA256:FIRST-LAST`, without a hash of each.
Its facts are taken over as stale: they count again once they are stated again.
"""

from __future__ import annotations

import json
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from glossator.core.errors import StoreUnavailable
from glossator.core.fact import Fact, FactState, Passage
from glossator.ledger.files import LedgerFiles
from glossator.ledger.rows import SCHEMA, check_schema
from glossator.ledger.selection import fact_id, meaning_key
from glossator.ledger.team import TeamLedger, WorkspaceRows
from glossator.memory import secret_in

Texts = tuple[str, ...]
logger = logging.getLogger(__name__)
_CHUNK = re.compile(r"(?P<sha256>\w*):(?P<first>\d+)-(?P<last>\d+)")
_MAX_TEXTS = 50  # of a list
_MAX_TEXT_CHARACTERS = 1_000  # characters
_NEVER = datetime.fromtimestamp(0, UTC)


_MAX_HELD = 100  # sessions whose cores are in memory; those of others are read again


@dataclass(frozen=True, slots=True)
class SystemProfile:
    """Who answers, and by which rules: from the user's own settings."""

    role: str = ""
    persona: str = ""
    rules: Texts = ()


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a session was about so far, each in sentences."""

    main_topics: Texts = ()
    key_conclusions: Texts = ()
    unresolved_questions: Texts = ()

    @property
    def text(self) -> str:
        """The core as a model reads it; "" for nothing."""
        parts = {
            "Topics": self.main_topics,
            "Conclusions": self.key_conclusions,
            "Open questions": self.unresolved_questions,
        }
        return "\n".join(f"{name}: {' '.join(texts)}" for name, texts in parts.items() if texts)

    def without_secrets(self) -> SessionSummary:
        """The core without texts that seem to hold a secret."""
        texts = (self.main_topics, self.key_conclusions, self.unresolved_questions)
        return SessionSummary(*map(_harmless, texts))


@dataclass(frozen=True, slots=True)
class WorkingBench:
    """What the newest run looked at, not verified, and no fact.

    `retrieved` are places such as `src/a.py:3-9`, `task_results` what tasks and sub-agents said.
    """

    retrieved: Texts = ()
    task_results: Texts = ()

    def without_secrets(self) -> WorkingBench:
        """The bench without texts that seem to hold a secret."""
        return WorkingBench(_harmless(self.retrieved), _harmless(self.task_results))


@dataclass(frozen=True, slots=True)
class MemoryCore:
    """All that is kept of a session beside its log; `fact_ledger` are the facts that it stated."""

    session_id: str
    system_profile: SystemProfile = SystemProfile()
    fact_ledger: Mapping[str, Fact] = field(default_factory=dict)
    session_summary: SessionSummary = SessionSummary()
    working_bench: WorkingBench = WorkingBench()
    updated_at: datetime = _NEVER

    def to_json(self, state: Callable[[Fact], FactState]) -> dict[str, Any]:
        """The core in JSON, as it is kept; `state` says how the lines of a fact stand."""
        facts = {
            key: fact.to_json() | {"status": state(fact)} for key, fact in self.fact_ledger.items()
        }
        return {
            "schema": SCHEMA,
            "session_id": self.session_id,
            "system_profile": asdict(self.system_profile),
            "fact_ledger": facts,
            "session_summary": asdict(self.session_summary),
            "working_bench": asdict(self.working_bench),
            "updated_at": self.updated_at.isoformat(),
        }


def core_from_json(fields: Mapping[str, Any], resolve: Callable[[str], str]) -> MemoryCore:
    """Read a document of any schema up to ours; `resolve` gives a cited path's real path.

    The profile is not read: that of the settings holds.

    Raises `StoreUnavailable` for a newer one, `KeyError`, `TypeError` and `ValueError` for what is
    none.
    """
    check_schema(fields, "The memory of this session and its facts")
    if not fields.get("schema", 0):
        fields = _from_schema_0(fields, resolve)
    facts = [Fact.from_json(each) for each in fields["fact_ledger"].values()]
    bench = fields["working_bench"]
    return MemoryCore(
        str(fields["session_id"]),
        fact_ledger={fact.id: fact for fact in facts},
        session_summary=summary_from_json(fields["session_summary"]),
        working_bench=WorkingBench(_texts(bench["retrieved"]), _texts(bench["task_results"])),
        updated_at=datetime.fromisoformat(fields["updated_at"]),
    )


def summary_from_json(fields: Mapping[str, Any]) -> SessionSummary:
    """Raises `KeyError` and `TypeError` for what is none."""
    return SessionSummary(
        _texts(fields["main_topics"]),
        _texts(fields["key_conclusions"]),
        _texts(fields["unresolved_questions"]),
    )


def _from_schema_0(fields: Mapping[str, Any], resolve: Callable[[str], str]) -> dict[str, Any]:
    session = fields["session_id"]
    facts = {
        key: _fact_from_schema_0(each, session, resolve)
        for key, each in fields.get("fact_ledger", {}).items()
    }
    summary = dict.fromkeys(("main_topics", "key_conclusions", "unresolved_questions"), ())
    return {
        "session_id": session,
        "fact_ledger": facts,
        "session_summary": summary | fields.get("session_summary", {}),
        "working_bench": {"retrieved": (), "task_results": ()},  # it was of a turn
        "updated_at": fields.get("updated_at", _NEVER.isoformat()),
    }


def _fact_from_schema_0(
    fields: Mapping[str, Any], session: str, resolve: Callable[[str], str]
) -> dict[str, Any]:
    chunk = _CHUNK.fullmatch(fields["source_chunk_id"])
    if chunk is None:
        raise ValueError(f"{fields['source_chunk_id']} names no lines")
    statement, path = fields["statement"], fields["source_doc_id"]
    passage = Passage(resolve(path), int(chunk["first"]), int(chunk["last"]), ())
    return {
        "id": fact_id(meaning_key(statement), path, passage),  # any text was an id then
        "statement": statement,
        "source_doc_id": path,
        "source_chunk_id": {"sha256": chunk["sha256"], "passage": asdict(passage)},
        "confidence": fields["confidence"],
        "basis": "checks",
        "created_at": fields["created_at"],
        "session": session,
        "run": "",
        "pinned": False,
    }


def _harmless(texts: Texts) -> Texts:
    return tuple(each for each in texts if not secret_in(each))


def _texts(values: Sequence[Any]) -> Texts:
    """The texts, bounded, because others may have written them."""
    if isinstance(values, str):
        raise TypeError("a list is a text")
    return tuple(str(each)[:_MAX_TEXT_CHARACTERS] for each in values[:_MAX_TEXTS])


class WorkspaceFacts(WorkspaceRows, Protocol):
    """The facts of the workspace."""

    def all(self) -> tuple[Fact, ...]:
        """Every fact."""

    def state(self, fact: Fact) -> FactState:
        """The state of its lines."""

    def resolve(self, path: str) -> str:
        """The real path of one that is cited."""

    async def adopt(self, facts: Iterable[Fact]) -> None:
        """Adopt the facts that are unknown here."""


class MemoryCores:
    """The cores of all sessions of a workspace; for the event loop."""

    def __init__(
        self,
        facts: WorkspaceFacts,
        files: LedgerFiles,
        shared: TeamLedger | None,
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
        """Read a session's core, from here or from the team, if it is newer than the known one.

        Its facts are adopted if they are unknown. `tell` is called with why it is not read.
        It waits `seconds` for the team's server; what comes later counts then.
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

        Texts that seem to hold a secret are left out.
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
        """Delete the cores of these sessions and of a workspace's; returns their ids."""
        gone = await self._files.remove_memories(workspace, *sessions)
        for session_id in (*gone, *sessions):
            self._cores.pop(session_id, None)
            self._foreign.discard(session_id)
        if self._team is not None:
            self._team.remove([*gone, *sessions])
            self._team.share(self._facts)
        return gone

    async def _look(self, session_id: str, tell: Callable[[str], object]) -> bool:
        """Read the core kept here; whether there is one."""
        if session_id in self._foreign:
            return True
        value = await self._files.memory(session_id)
        await self._take(session_id, value, tell)
        return value is not None

    async def _take(
        self, session_id: str, value: bytes | None, tell: Callable[[str], object]
    ) -> None:
        """Take over a document that is newer than the known one."""
        known, core = self._cores.get(session_id), self._read(session_id, value, tell)
        if known is not None and known.updated_at >= core.updated_at:
            self._hold(known)
            return
        self._hold(core)
        await self._facts.adopt(core.fact_ledger.values())

    async def _take_shared(self, session_id: str, value: bytes) -> None:
        """Take over the team's document, even if a run here wrote one meanwhile.

        Its summary then counts if that run wrote none, and its facts are adopted.
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
        if len(self._cores) > _MAX_HELD:
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

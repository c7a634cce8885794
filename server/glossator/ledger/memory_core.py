"""The memory core of a session: one JSON document with a schema, and how older ones are read.

Schema 0, which had no number, knew a fact's lines as `SHA256:FIRST-LAST`, without a hash of each.
Its facts are taken over as stale: they count again once they are stated again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from glossator.core.fact import Fact, FactState, Passage
from glossator.ledger.rows import SCHEMA, check_schema
from glossator.ledger.wording import fact_id, meaning_key
from glossator.memory import secret_in

_CHUNK = re.compile(r"(?P<sha256>\w*):(?P<first>\d+)-(?P<last>\d+)")
_MOST = 50  # items of a list, and
_LONGEST = 1_000  # characters of one

_NEVER = datetime.fromtimestamp(0, UTC)

Texts = tuple[str, ...]


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
        """As a model reads it; "" for nothing."""
        parts = {
            "Topics": self.main_topics,
            "Conclusions": self.key_conclusions,
            "Open questions": self.unresolved_questions,
        }
        return "\n".join(f"{name}: {' '.join(texts)}" for name, texts in parts.items() if texts)

    def without_secrets(self) -> SessionSummary:
        """Without the texts that hold what looks like one."""
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
        """Without the texts that hold what looks like one."""
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
        """As it is kept; `state` says how the lines of a fact stand."""
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
    """From a document of any schema up to ours; `resolve` gives the real path of a cited one.

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
    """Bounded, as others may have written them."""
    if isinstance(values, str):
        raise TypeError("a list is a text")
    return tuple(str(each)[:_LONGEST] for each in values[:_MOST])

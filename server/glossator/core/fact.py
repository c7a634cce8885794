"""Facts: statements that were judged to be carried by their lines; passages: hashes of lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from glossator.core.span import Basis, Span


@dataclass(frozen=True, slots=True)
class Passage:
    """Cited lines, 1-based and inclusive, of the document at `path`: a hash of each.

    `before` and `after` are hashes of the lines around, nearest first: they tell lines that moved
    from others that read the same.
    """

    path: str
    first_line: int
    last_line: int
    lines: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def line_hashes(lines: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each line."""
    return tuple(map(_hash_of_line, lines))


@lru_cache(20_000)  # a text is hashed again after each change, and most lines are as they were
def _hash_of_line(line: str) -> str:
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement, the lines that carry it, and where it comes from.

    `path` is relative to its workspace folder, as answers cite it; `passage` has the real path and
    a hash of each line. `sha256` is that of the text in which the lines stood when it was judged.
    `context` are the first lines of the definitions around them, which it was judged with.
    `confidence` is from 0 to 1. `run` is the run that stated it, in the session `session`. `asked`
    are keys of the questions whose answers stated it, the last ones.
    """

    id: str
    statement: str
    path: str
    passage: Passage
    sha256: str
    confidence: float
    basis: Basis
    created_at: datetime
    session: str
    run: str
    pinned: bool = False
    context: tuple[Passage, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Everything that must stay the same for the fact to hold: first its own lines."""
        return self.passage, *self.context

    def to_json(self) -> dict[str, Any]:
        """The fact in JSON, as the ledger keeps it."""
        source = {
            "sha256": self.sha256,
            "passage": asdict(self.passage),
            "context": list(map(asdict, self.context)),
        }
        return {
            "id": self.id,
            "statement": self.statement,
            "source_doc_id": self.path,
            "source_chunk_id": source,
            "confidence": self.confidence,
            "basis": self.basis,
            "created_at": self.created_at.isoformat(),
            "session": self.session,
            "run": self.run,
            "pinned": self.pinned,
        } | ({"asked": list(self.asked)} if self.asked else {})

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> Fact:
        """From JSON. Raises `KeyError`, `TypeError` and `ValueError` for what is none.

        A stranger may have written it: no type is changed here, so that `ledger` sees a wrong one.
        """
        source = fields["source_chunk_id"]
        return Fact(
            fields["id"],
            fields["statement"],
            fields["source_doc_id"],
            _passage(source["passage"]),
            source["sha256"],
            float(fields["confidence"]),
            Basis(fields["basis"]),
            datetime.fromisoformat(fields["created_at"]),
            fields["session"],
            fields["run"],
            bool(fields["pinned"]),
            tuple(map(_passage, source.get("context", ()))),
            tuple(fields.get("asked", ())),
        )


def _passage(fields: Mapping[str, Any]) -> Passage:
    hashes = {name: tuple(fields[name]) for name in ("lines", "before", "after")}
    return Passage(fields["path"], fields["first_line"], fields["last_line"], **hashes)


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement that was judged to be carried by the lines of `span`, for the ledger to keep.

    `path` and `confidence` are those of `Fact`, `context` are the spans of its context.
    """

    statement: str
    path: str
    span: Span
    basis: Basis
    confidence: float
    context: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans that become `Fact.passages`."""
        return self.span, *self.context


class FactState(StrEnum):
    """Whether the lines of a fact are as they were when it was judged."""

    FRESH = "fresh"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact as clients see it; the lines are where they stand now, if it is fresh.

    `confidence` is from 0 to 1, `created_at` ISO 8601.
    """

    id: str
    statement: str
    path: str
    uri: str
    first_line: int
    last_line: int
    state: FactState
    confidence: float
    created_at: str
    session_id: str
    pinned: bool

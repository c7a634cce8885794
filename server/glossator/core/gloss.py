"""A gloss: what was found out about a symbol, a file or a folder, and the lines it rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from glossator.core import report as reports
from glossator.core.report import Report

FILE, FOLDER, WORKSPACE = "file", "folder", "workspace"  # kinds beside those of symbols


@dataclass(frozen=True, slots=True)
class Subject:
    """What a gloss is about: `path` is absolute and real, `name` qualified (`Fish.swim`).

    A file, a folder or a workspace, which is called by its first folder, has no name. However its
    text changes, it stays the same subject.
    """

    path: str
    name: str
    kind: str

    @property
    def key(self) -> str:
        """A short name that it keeps."""
        whole = f"{self.path}\0{self.name}\0{self.kind}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


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


@dataclass(frozen=True, slots=True)
class Gloss:
    """A report on a subject; `passages` are those of its citations, None for one of no lines.

    `model` made it; "" for one that was extracted without a model.
    """

    subject: Subject
    report: Report
    passages: tuple[Passage | None, ...]
    model: str
    made_at: datetime

    @property
    def paths(self) -> frozenset[str]:
        """The documents that it cites."""
        return frozenset(each.path for each in self.passages if each)


def line_hashes(lines: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each line."""
    return tuple(
        hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        for line in lines
    )


def to_json(gloss: Gloss) -> dict[str, Any]:
    """As JSON."""
    return {
        "subject": asdict(gloss.subject),
        "report": reports.to_json(gloss.report),
        "passages": [each and asdict(each) for each in gloss.passages],
        "model": gloss.model,
        "made": gloss.made_at.isoformat(),
    }


def from_json(fields: Mapping[str, Any]) -> Gloss:
    """From JSON. Raises `KeyError`, `TypeError` and `ValueError` for what is none."""
    return Gloss(
        Subject(**fields["subject"]),
        reports.from_json(fields["report"]),
        tuple(each and _passage(each) for each in fields["passages"]),
        fields["model"],
        datetime.fromisoformat(fields["made"]),
    )


def _passage(fields: Mapping[str, Any]) -> Passage:
    hashes = {name: tuple(fields[name]) for name in ("lines", "before", "after")}
    return Passage(fields["path"], fields["first_line"], fields["last_line"], **hashes)

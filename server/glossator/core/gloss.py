"""A gloss: what was found out about a symbol, a file or a folder, and the lines it rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from glossator.core import passage as passages
from glossator.core import report as reports
from glossator.core.passage import Passage
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
        tuple(each and passages.from_json(each) for each in fields["passages"]),
        fields["model"],
        datetime.fromisoformat(fields["made"]),
    )

"""Reports of sub-agents, and glosses: reports on a symbol, a file or a folder that are kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from glossator.core.citation_words import objection
from glossator.core.citations import CitationMark, parse_citations, rewrite_citations
from glossator.core.fact import Passage
from glossator.core.markdown import harmless
from glossator.core.span import Citation, CitationStatus, Span
from glossator.core.stored import from_stored
from glossator.core.tool_result import Budget, cut

ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)]) +")  # how an item of a list begins
_MAX_SEARCHES = 12  # that are listed, and the last
_MIN_FINDING_BYTES = 200  # bytes of a finding that is cut to fit
_UNJUDGED = "(not judged)"
_NO_PROOF = "This does not mean that nothing is there. Ask for less at once, or look yourself."
FILE, FOLDER, WORKSPACE = "file", "folder", "workspace"  # kinds beside those of symbols


class Thoroughness(StrEnum):
    """How far a question is followed up; each has a budget in the settings."""

    QUICK = "quick"
    MEDIUM = "medium"
    VERY = "very"


@dataclass(frozen=True, slots=True)
class Finding:
    """A block of Markdown as it was written, and what checking its citations found, in order."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The report of the sub-agent `agent` on its `task`.

    `searched` is the account of its calls, a line each; `open` are Markdown blocks, too. `partial`
    says in a clause why there would be more, such as "it was cancelled"; "" for a whole report.
    """

    agent: str
    task: str
    findings: tuple[Finding, ...] = ()
    searched: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    partial: str = ""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of all findings, in order."""
        return tuple(each for finding in self.findings for each in finding.citations)

    @property
    def read(self) -> tuple[Span, ...]:
        """The cited lines that the sub-agent was shown, whether or not they support a finding."""
        return tuple(
            each.span
            for each in self.citations
            if each.span is not None and (each.is_shown or each.basis is not None)
        )

    @property
    def rests_on_lines(self) -> bool:
        """Whether a finding cites lines that were shown, and nothing contradicts it."""
        return any(each.span is not None and each.is_shown for each in self.citations)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def markdown(self) -> str:
        """The report for people, with the citation marks as written."""
        kind = "There is no report" if self.is_empty else "This report is partial"
        parts = [f"*{kind}: {self.partial}.*"] if self.partial else []
        parts.append(joined(finding.text for finding in self.findings))
        if self.open:
            parts += ["**Open**", joined(self.open)]
        return "\n\n".join(filter(None, parts)) or "Nothing was found."

    def account(self) -> str:
        """What was searched, as a Markdown list; "" for nothing."""
        return "\n".join(f"- {harmless(each)}" for each in self.searched)

    def model_message(self, budget: int, *, says_unjudged: bool = False) -> str:
        """The report for the model that asked for it, within `budget` bytes.

        A citation that did not hold becomes words, so that it is not passed on. With
        `says_unjudged`, words behind a mark say that it was only read.
        """
        head = f"Partial: {self.partial}. What was found until then:" if self.partial else ""
        account = _account(self.searched)
        blocks = [_told(each, says_unjudged) for each in self.findings] or ["Nothing was found."]
        if self.partial and self.is_empty:
            why = f"{self.agent} ended without a report: {self.partial}."
            head, blocks = "", [f"{why}\n{_NO_PROOF}"]
        if self.open:
            blocks += ["Open:", *self.open]
        room = budget - _bytes(head) - _bytes(account) - _MIN_FINDING_BYTES
        kept, left_out = cut(blocks, Budget(bytes=max(room, _MIN_FINDING_BYTES)))
        if not kept:
            kept, left_out = [_cut(blocks[0], max(room, _MIN_FINDING_BYTES))], len(blocks) - 1
        more = f"[{left_out:,} more were left out; ask for less at once]" if left_out else ""
        return _cut("\n\n".join(filter(None, (head, joined(kept), more, account))), budget)


def _told(finding: Finding, says_unjudged: bool) -> str:
    """The finding, with words in place of marks that did not hold."""
    found = iter(finding.citations)
    unjudged = _unjudged(finding) if says_unjudged else frozenset()

    def mark(written: CitationMark) -> str:
        citation = next(found, None)
        if citation is None or not (against := objection(citation)):
            behind = f" {_UNJUDGED}" if written.end in unjudged else ""
            return f"{finding.text[written.start : written.end]}{behind}"
        return f"({against}: {written.place})"

    return rewrite_citations(finding.text, mark)


def _unjudged(finding: Finding) -> frozenset[int]:
    """Where sentences end that nobody judged: of their marks some were read, none verified."""
    groups: list[list[tuple[int, CitationStatus]]] = []  # marks that stand together
    end = 0
    for written, citation in zip(parse_citations(finding.text), finding.citations, strict=False):
        if not groups or any(map(str.isalnum, finding.text[end : written.start])):
            groups.append([])
        end = written.end
        groups[-1].append((end, citation.status))
    read = (
        [at for at, status in group if status is CitationStatus.READ]
        for group in groups
        if all(status is not CitationStatus.VERIFIED for _, status in group)
    )
    return frozenset(ends[-1] for ends in read if ends)


def _account(searched: tuple[str, ...]) -> str:
    if not searched:
        return ""
    *lines, last = searched
    if (more := len(lines) - _MAX_SEARCHES) > 0:
        lines[_MAX_SEARCHES:] = [f"{more:,} more"]
    return "Searched: " + "; ".join([*lines, last])


def joined(blocks: Iterable[str]) -> str:
    """The blocks joined: list items stand together, other blocks apart."""
    text, in_list = "", False
    for block in blocks:
        is_item = ITEM.match(block) is not None
        apart = "\n" if is_item and in_list else "\n\n"
        text, in_list = f"{text}{apart}{block}" if text else block, is_item
    return text


def _cut(text: str, budget: int) -> str:
    if _bytes(text) <= budget:
        return text
    note = " […]"
    kept = text.encode("utf-8", "backslashreplace")[: budget - _bytes(note)]
    return kept.decode(errors="ignore") + note


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


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
        """A short key that stays the same."""
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


def gloss_to_json(gloss: Gloss) -> dict[str, Any]:
    """As JSON."""
    fields = asdict(gloss)
    del fields["made_at"]
    return fields | {"made": gloss.made_at.isoformat()}


def gloss_from_json(fields: Mapping[str, Any]) -> Gloss:
    """From JSON. Raises `KeyError`, `TypeError` and `ValueError` for what is none."""
    return from_stored(Gloss, {**fields, "made_at": fields["made"]})

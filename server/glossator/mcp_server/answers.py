"""What the tools with a structure answer: the same twice, as JSON and as the text of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel

from glossator.commands import CheckedText, Explored
from glossator.core.citations import place
from glossator.core.fact import FactView
from glossator.core.shown import shown
from glossator.core.span import CitationView
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import shorten
from glossator.ledger import FactList
from glossator.retrieval import MAX_TOKENS, WHOLE_CHUNKS, SearchAnswer, SearchHit

_BYTES = round(MAX_TOKENS * BYTES_PER_TOKEN)  # of the chunks that are shown whole
_LINE_CHARACTERS = 300


class FoundChunk(BaseModel):
    """A chunk: `path:first-last`, the definitions around it, why it was found, numbered lines."""

    place: str
    within: str
    why: str
    lines: str

    @classmethod
    def of(cls, hit: SearchHit, *, whole: bool) -> Self:
        """All lines of a hit, or those that tell most."""
        lines = enumerate(hit.text.split("\n"), hit.first_line)
        numbered = [
            f"{number}\t{shorten(line, _LINE_CHARACTERS)}"
            for number, line in lines
            if whole or number in hit.lines
        ]
        ranks = ", ".join(f"{each.stage} {each.rank}" for each in hit.stages)
        why = ", ".join(hit.words) or "by meaning"
        return cls(
            place=place(shown(hit.path), hit.first_line, hit.last_line),
            within=shown(hit.context),
            why=f"{shown(why)} ({ranks})" if ranks else shown(why),
            lines="\n".join(numbered),
        )

    def text(self) -> str:
        """As a model reads it."""
        within = f" in {self.within}" if self.within else ""
        return f"{self.place}{within}; why: {self.why}\n{self.lines}"


class SearchResult(BaseModel):
    """The best chunks first, and how much was looked at."""

    chunks: list[FoundChunk]
    searched: str

    @classmethod
    def of(cls, answer: SearchAnswer) -> Self:
        """The first hits whole, as far as there is room."""
        chunks: list[FoundChunk] = []
        room = _BYTES
        for at, hit in enumerate(answer.hits):
            size = len(hit.text.encode("utf-8", "surrogatepass"))
            whole = at < WHOLE_CHUNKS and size <= room
            room -= size if whole else 0
            chunks.append(FoundChunk.of(hit, whole=whole))
        absent = f" In no file: {', '.join(answer.absent)}." if answer.absent else ""
        return cls(chunks=chunks, searched=f"{answer.searched}{absent}")

    def text(self) -> str:
        """As a model reads it."""
        numbered = (f"{at}. {each.text()}" for at, each in enumerate(self.chunks, 1))
        return "\n\n".join((*numbered, self.searched))


class CheckedPlace(BaseModel):
    """A citation; `now` is where its lines are if not as cited, `reason` why it does not hold."""

    cited: str
    status: str
    reason: str
    now: str

    @classmethod
    def of(cls, view: CitationView, said: str) -> Self:
        """The citation, by the path as it was cited; its reason, unless that was `said`."""
        first, last = view.leads_to
        moved = view.moved_to is not None and first and last
        named = view.first_line and view.last_line
        cited = place(view.target, view.first_line or 0, view.last_line or 0)
        return cls(
            cited=shown(cited if named else view.target),
            status=view.status.value,
            reason="" if view.reason == said else view.reason,
            now=shown(place(view.target, first or 0, last or 0)) if moved else "",
        )

    def text(self) -> str:
        """As a model reads it."""
        return self.cited + (f", now {self.now}" if self.now else "")


class CheckedSentence(BaseModel):
    """A sentence, `supported`, `undecided`, `unsupported`, `contradicted` or `uncited`; and why."""

    sentence: str
    verdict: str
    reason: str
    places: list[CheckedPlace]

    def text(self) -> str:
        """As a model reads it."""
        places = "; ".join(each.text() for each in self.places)
        given = (self.reason, *(each.reason for each in self.places))
        reasons = "; ".join(dict.fromkeys(filter(None, given)))
        why = f" - {reasons}" if reasons else ""
        return f"{self.verdict}: {self.sentence}" + (f" [{places}]" if places else "") + why


class CheckResult(BaseModel):
    """Each sentence that cites lines or should; `notices` say what could not be judged."""

    sentences: list[CheckedSentence]
    notices: list[str]

    @classmethod
    def of(cls, answer: CheckedText) -> Self:
        """The sentences in their order."""
        sentences = [
            CheckedSentence(
                sentence=each.text,
                verdict=each.verdict,
                reason=each.reason,
                places=[CheckedPlace.of(view, each.reason) for view in each.citations],
            )
            for each in answer.sentences
        ]
        return cls(sentences=sentences, notices=list(answer.notices))

    def text(self) -> str:
        """As a model reads it."""
        lines = [each.text() for each in self.sentences]
        return "\n".join((*lines, *self.notices)) or "No sentence cites lines, or has to."


class FoundFact(BaseModel):
    """A fact, and the lines that prove it now."""

    statement: str
    place: str

    @classmethod
    def of(cls, view: FactView) -> Self:
        """The fact, by where its lines stand now."""
        return cls(
            statement=view.statement,
            place=place(shown(view.path), view.first_line, view.last_line),
        )


class FactsResult(BaseModel):
    """The facts, the best first."""

    facts: list[FoundFact]
    notices: list[str]

    @classmethod
    def of(cls, answer: FactList) -> Self:
        """The facts in their order."""
        return cls(facts=[FoundFact.of(each) for each in answer.facts], notices=[*answer.problems])

    def text(self) -> str:
        """As a model reads it."""
        lines = [f"- {each.statement} [{each.place}]" for each in self.facts]
        return "\n".join((*lines, *self.notices)) or "No known fact bears on it."


class RememberResult(BaseModel):
    """How each sentence was judged, and the facts that are kept."""

    sentences: list[CheckedSentence]
    facts: list[FoundFact]
    notices: list[str]

    @classmethod
    def of(cls, checked: CheckedText, facts: Sequence[FactView]) -> Self:
        """The sentences in their order."""
        judged = CheckResult.of(checked)
        kept = [FoundFact.of(each) for each in facts]
        return cls(sentences=judged.sentences, facts=kept, notices=judged.notices)

    def text(self) -> str:
        """As a model reads it."""
        kept = [f"- {each.statement} [{each.place}]" for each in self.facts]
        judged = [each.text() for each in self.sentences]
        said = ["Kept:", *kept] if kept else ["Nothing was kept."]
        return "\n".join((*said, "", *judged, *self.notices))


class ReportResult(BaseModel):
    """A report; `partial` says why there would be more, "" if it is whole. Dollars if known."""

    report: str
    partial: str
    dollars: float | None

    @classmethod
    def of(cls, answer: Explored, budget: int) -> Self:
        """The report in at most `budget` bytes; what does not hold cites nothing any more."""
        report = answer.report
        return cls(
            report=report.model_message(budget), partial=report.partial, dollars=answer.dollars
        )

    def text(self) -> str:
        """As a model reads it."""
        return self.report


Structured = SearchResult | CheckResult | FactsResult | RememberResult | ReportResult

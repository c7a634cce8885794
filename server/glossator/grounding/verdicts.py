"""Judges the statements of an answer: whether the lines that each one cites support it.

Citations are resolved to lines first (`statement_lines.py`), then checks compare words with lines
(`rules.py`). A model may be asked as well (`entailment.py`): its answer decides, unless something
that the statement quotes occurs nowhere in the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from glossator.core.citation_words import names_no_file
from glossator.core.citations import parse_citations
from glossator.core.run_events import UncitedClaim
from glossator.core.span import GRAVEST, Basis, Citation, CitationStatus, Span
from glossator.grounding.citation_checks import Sources
from glossator.grounding.cited_lines import Code
from glossator.grounding.claims import Claim, claim_in
from glossator.grounding.entailment import Entailed, is_of_change, is_quoted
from glossator.grounding.rules import (
    NO_CALLS,
    UNDECIDED,
    Calls,
    Judgement,
    Verdict,
    check,
    names_called,
    quotation,
)
from glossator.grounding.statement_lines import CitedStatement, Key, cited_statements
from glossator.grounding.statements import AnswerStatement

_REFUSED = frozenset({Verdict.UNSUPPORTED, Verdict.CONTRADICTED})
_STATUS = {
    Verdict.SUPPORTED: CitationStatus.VERIFIED,
    Verdict.UNDECIDED: CitationStatus.READ,
    Verdict.UNSUPPORTED: CitationStatus.UNSUPPORTED,
    Verdict.CONTRADICTED: CitationStatus.CONTRADICTED,
}
_MAX_CHECKED_CHARACTERS = 1_000  # characters of a sentence that the rules look at


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A statement with its verdict; its citations carry the verdict, too.

    Without a `basis` nobody judged it. `reason` says in one sentence why it is refused.
    `tells_change`: it rests on lines that were removed, too.
    """

    statement: AnswerStatement
    citations: tuple[Citation, ...]
    verdict: Verdict
    basis: Basis | None
    reason: str = ""
    tells_change: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether the cited lines do not support it."""
        return self.verdict in _REFUSED and self.basis is not None

    @property
    def is_misplaced(self) -> bool:
        """Whether it cites only lines that were not shown, of a file that was."""
        unseen = any(each.span is not None and not each.is_shown for each in self.citations)
        return unseen and self.verdict is Verdict.UNSUPPORTED and self.basis is None

    @property
    def is_telling(self) -> bool:
        """Whether its verdict counts for its citations; not so for `It does two things:`."""
        said = self.statement
        is_claim = said.is_claim or said.is_code or said.leads_with_claim
        return is_claim or self.verdict is not Verdict.UNDECIDED

    @property
    def is_uncited(self) -> bool:
        """Whether it claims something without a citation of its own.

        A citation shared with another sentence need not be meant for it.
        """
        stray = self.statement.shared and self.verdict is Verdict.UNSUPPORTED
        return self.statement.is_claim and (not self.statement.marks or stray)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The statements of an answer in order, and the citations outside of them."""

    statements: tuple[CheckedStatement, ...] = ()
    others: tuple[Citation, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation once, in order; one that serves several statements has the worst verdict.

        Sentences that it need not be meant for do not count, nor those that claim nothing.
        """
        found: dict[object, tuple[int, Citation]] = {}
        own = (
            (citation, each.is_telling)
            for each in self.statements
            if not each.is_uncited
            for citation in each.citations
        )
        for citation, is_telling in (*own, *((each, True) for each in self.others)):
            place = (citation.at, *place_of(citation))
            weight = GRAVEST.index(citation.status) if is_telling else len(GRAVEST)
            if place not in found or weight < found[place][0]:
                found[place] = weight, citation
        return tuple(sorted((each for _, each in found.values()), key=lambda each: each.at or 0))

    @property
    def uncited(self) -> tuple[UncitedClaim, ...]:
        """The claims without a citation."""
        return tuple(
            UncitedClaim(each.statement.text, each.statement.start, each.statement.end)
            for each in self.statements
            if each.is_uncited
        )

    @property
    def fallen(self) -> tuple[CheckedStatement, ...]:
        """The statements that their lines do not support, and those that cite lines nobody read."""
        return tuple(
            each
            for each in self.statements
            if (each.is_refused or each.is_misplaced) and not each.is_uncited
        )


def place_of(citation: Citation) -> tuple[str, str, int | None, int | None]:
    """The place that a citation leads to, by which clients tell citations apart."""
    return citation.target, citation.span.uri if citation.span else "", *citation.cited


def by_checks(cited: CitedStatement, calls: Calls = NO_CALLS) -> Judgement:
    """What the checks say without a model; statements that would take seconds are left open.

    `calls` are the workspace's calls of the names in `calls_wanted`.
    """
    if cited.known is not None:
        return Judgement(Verdict.SUPPORTED)
    text, lines = cited.text, cited.lines
    if lines and cited.statement.is_code:
        found = quotation(text, lines)
        carrying = tuple(each for each in lines if quotation(text, [each]) == found)
        found = replace(found, parts=carrying if found.verdict is Verdict.SUPPORTED else ())
    elif lines and not cited.statement.is_aside and len(text) <= _MAX_CHECKED_CHARACTERS:
        # what separates the cells of a row is no code
        found = check(text.replace("|", " ; ") if text.startswith("|") else text, lines, calls)
    else:
        return UNDECIDED
    return UNDECIDED if cited.has_output and found.verdict in _REFUSED else found


def claim_of(cited: CitedStatement) -> Claim | None:
    """What a statement claims of all the workspace's code, for a language server to prove.

    None where a context may turn it round: "The following claims are all wrong:".
    """
    is_said = not (cited.context or cited.statement.is_aside or cited.statement.is_code)
    if cited.known or cited.has_output or not is_said or len(cited.text) > _MAX_CHECKED_CHARACTERS:
        return None
    return claim_in(cited.text, [Code(each) for each in cited.lines])


def calls_wanted(cited: CitedStatement, found: Judgement) -> tuple[str, ...]:
    """The names whose other calls would say more about statements that are not decided so far."""
    is_decided = found.verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED)
    is_quick = cited.lines and len(cited.text) <= _MAX_CHECKED_CHARACTERS
    if is_decided or not is_quick or cited.statement.is_code:
        return ()
    return () if cited.statement.is_aside else names_called(cited.text)


def is_for_model(cited: CitedStatement, found: Judgement) -> bool:
    """Whether to ask a model: not if the checks found the text itself, or refused it for sure."""
    is_open = found.verdict is not Verdict.SUPPORTED and not found.sure
    is_said = not (cited.statement.is_aside or cited.statement.is_code)
    return is_open and is_said and bool(cited.lines) and not (cited.known or cited.has_output)


def merged(cited: CitedStatement, found: Judgement, told: Entailed | None) -> CheckedStatement:
    """The verdict on a statement: a sure one, else the model's if it was asked, else the rules'."""
    if not cited.lines and cited.known is None:
        return _not_judged(cited)
    basis, parts = cited.known or found.basis, found.parts or cited.lines
    tells_change = found.tells_change
    if told is not None and is_for_model(cited, found):
        parts = tuple(
            part for part in cited.lines if any(is_quoted(words, [part]) for words in told.words)
        )
        tells_change |= any(is_of_change(words, cited.lines) for words in told.words)
        found, basis = Judgement(told.verdict, told.reason), Basis.MODEL
    if cited.statement.is_proposal and found.verdict is Verdict.UNSUPPORTED:
        found = UNDECIDED  # what is to be done need not stand in the lines
    verdict, reason = found.verdict, found.reason
    judged = None if verdict is Verdict.UNDECIDED else basis
    carrying = [span for span, part in zip(cited.spans, cited.lines, strict=True) if part in parts]
    if cited.known:
        facts = (each for each in cited.citations if names_no_file(each))
        carrying = [each.span for each in facts if each.span is not None]

    def bearing(citation: Citation) -> Citation:
        """The citation with the verdict; one that could not be resolved keeps its own failure."""
        if not citation.is_shown or citation.span is None:
            return citation
        how = citation.reason if citation.first_line is not None else ""  # only a part was shown
        if verdict is not Verdict.SUPPORTED:
            why = reason or how
            return replace(citation, status=_STATUS[verdict], reason=why, basis=judged)
        span = next((each for each in carrying if _is_shown_of(each, citation)), None)
        if span is None:
            return replace(citation, status=CitationStatus.READ, reason=how, basis=None)
        verified = CitationStatus.VERIFIED
        return replace(citation, span=span, status=verified, reason=how, basis=judged)

    return CheckedStatement(
        cited.statement,
        tuple(map(bearing, cited.citations)),
        verdict,
        judged,
        reason,
        tells_change,
    )


def _is_shown_of(span: Span, citation: Citation) -> bool:
    """Whether a span is the lines of a citation, or a shown part of them."""
    own, (first, last) = citation.span, citation.cited
    if own is None or span == own or citation.first_line is None:
        return span == own
    is_same = (span.uri, span.sha256) == (own.uri, own.sha256)
    return is_same and (first or 0) <= span.first_line and span.last_line <= (last or 0)


def _not_judged(cited: CitedStatement) -> CheckedStatement:
    failed = next((each.reason for each in cited.citations if not each.is_shown), "")
    verdict = Verdict.UNSUPPORTED if failed else Verdict.UNDECIDED
    return CheckedStatement(cited.statement, cited.citations, verdict, None, failed)


def merged_all(
    statements: Sequence[CitedStatement],
    others: Sequence[Citation],
    found: Mapping[Key, Judgement],
    told: Mapping[Key, Entailed],
) -> CheckedAnswer:
    """The verdicts on all statements, from the checks and the model's answers."""
    checked = (merged(each, found[each.key], told.get(each.key)) for each in statements)
    return CheckedAnswer(tuple(checked), tuple(others))


def check_answer(answer: str, sources: Sources) -> CheckedAnswer:
    """The verdicts without a model; blocking, for a thread."""
    statements, others = cited_statements(answer, sources)
    found = {each.key: by_checks(each) for each in statements}
    return merged_all(statements, others, found, {})


def located(answer: str, citations: Sequence[Citation]) -> Iterator[Citation]:
    """The citations with their places in `answer`, which has one mark for each, in order."""
    marks = iter(parse_citations(answer))
    for citation in citations:
        mark = next(marks, None)
        yield replace(citation, at=mark.start if mark else None)

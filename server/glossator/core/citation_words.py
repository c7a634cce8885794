"""Describes for people how the citations of an answer stand, and what its run does now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from glossator.core.citations import CitationMark, place, without_citations
from glossator.core.markdown import harmless
from glossator.core.run_events import Correcting, Correction, RunState, StateChanged, UncitedClaim
from glossator.core.span import GRAVEST, Basis, Citation, CitationStatus, CitationView

DOING: Mapping[RunState, str] = {  # what is said of a run in this state
    RunState.ANALYSING: "Looking at the question…",
    RunState.CLARIFYING: "Asking you…",
    RunState.RETRIEVING: "Searching…",
    RunState.PLANNING: "Planning…",
    RunState.EXECUTING: "Working on the tasks…",
    RunState.SYNTHESISING: "Writing the answer…",
    RunState.VERIFYING: "Checking the answer…",
    RunState.CORRECTING: "Correcting the answer…",
    RunState.MEMORISING: "Keeping what was verified…",
}
_SORTING = frozenset({RunState.ANALYSING, RunState.RETRIEVING, RunState.PLANNING})
BY: Mapping[Basis, str] = {
    Basis.CHECKS: "by rules",
    Basis.MODEL: "by a model",
    Basis.SERVER: "by a language server",
}
CORRECTED: Mapping[Correcting, str] = {
    Correcting.REWRITTEN: "rewritten",
    Correcting.MARKED: "marked",
    Correcting.DROPPED: "left out",
}
_FACT_OR_TASK = re.compile(r"fact [\w-]+|task \d+")
_LEFT_OPEN = "Not judged: "
_NOT_JUDGED = "not judged"  # what *read* is called: it must not sound like approval
_KINDS = (  # in the order in which they are counted: what holds best comes first
    *(f"{CitationStatus.VERIFIED.value} {by}" for by in BY.values()),
    *(_NOT_JUDGED if s is CitationStatus.READ else s.value for s in reversed(GRAVEST)),
)
UNSURE = "(not confirmed by the cited lines)"  # stand behind statements that were marked
OTHERWISE = "(the cited lines say otherwise)"
_SENTENCE_CHARACTERS = 160
_ENDS = re.compile(r"(?<=[.!?…])[\"'\u201d\u2019)\]*_]*\s+")
_MARKER = re.compile(r"\s*(?:[-*+>#|]+\s+|\d{1,3}[.)]\s+)*")


def state_in_words(event: StateChanged) -> str:
    """What a state is called while it lasts: `Checking the answer… 8 citations`; "" at the end.

    What only says why the state follows is left out.
    """
    detail = "" if event.state in _SORTING else event.detail
    return f"{DOING[event.state]} {detail}".rstrip() if event.state in DOING else ""


def holds(citation: Citation | CitationView) -> bool:
    """Whether nothing is known against the citation."""
    return citation.status in (CitationStatus.READ, CitationStatus.VERIFIED)


def is_left_open(citation: Citation | CitationView) -> bool:
    """Whether it was not judged for a reason that people should know: a model was late."""
    return citation.status is CitationStatus.READ and citation.reason.startswith(_LEFT_OPEN)


def objection(citation: Citation | CitationView) -> str:
    """What is known against the citation, in a word or two; "" for nothing.

    *Not read* means that nobody judged it: the lines cannot be found, or were not shown.
    """
    if holds(citation):
        return ""
    unjudged = citation.status is CitationStatus.UNSUPPORTED and citation.basis is None
    return "not read" if unjudged else citation.status.value


def names_no_file(citation: Citation | CitationView) -> bool:
    """Whether the citation names a fact or a task, whose name does not tell its lines."""
    return _FACT_OR_TASK.fullmatch(citation.target) is not None


def where(citation: CitationView) -> str:
    """The place of a citation as the answer names it: `path:10-20`, or its target.

    Of a notebook it names the cell, too: `n.ipynb:10-20 (cell 3)`.
    """
    first, last = citation.first_line, citation.last_line
    if first is None or names_no_file(citation):
        return citation.target
    cell = f" (cell {citation.cell})" if citation.cell else ""
    return f"{place(citation.target, first, last or first)}{cell}"


def found_of(mark: CitationMark, citations: Sequence[CitationView]) -> CitationView | None:
    """The finding on a mark of an answer, the gravest if there are several."""
    same = [each for each in citations if _names(each, mark)]
    here = [each for each in same if each.at == mark.start]
    return min(
        here or [each for each in same if each.at is None] or same,
        key=lambda each: GRAVEST.index(each.status),
        default=None,
    )


def _names(citation: CitationView, mark: CitationMark) -> bool:
    if mark.run:
        return citation.target.split(":")[0] == mark.path
    lines = (citation.first_line, citation.last_line)
    as_written = lines in ((None, None), (mark.first_line, mark.last_line))
    return citation.target == mark.path and (as_written or not mark.names_file)


def distinct(citations: Sequence[CitationView]) -> tuple[CitationView, ...]:
    """One citation for each mark; if the mark is not known, one for each place."""
    found: dict[tuple[str, int | None], CitationView] = {}
    for each in citations:
        key = (where(each), each.at)
        if key not in found or GRAVEST.index(each.status) < GRAVEST.index(found[key].status):
            found[key] = each
    return tuple(found.values())


def changed(corrections: Sequence[Correction]) -> Sequence[Correction]:
    """Those that changed a sentence; one that was only marked is listed as what does not hold."""
    return [
        each
        for each in corrections
        if each.what is not Correcting.MARKED
        or one_sentence(confirmed(each.after)) != one_sentence(each.before)
    ]


def tally(citations: Sequence[CitationView], uncited: int = 0, corrected: int = 0) -> str:
    """A count such as `6 citations: 4 verified by a model, 2 not judged`, or ""."""
    every = distinct(citations)
    parts = []
    if every:
        number = f"{len(every):,} citation{'s' if len(every) > 1 else ''}"
        kinds = Counter(map(_kind, every))
        several = ", ".join(f"{kinds[kind]:,} {kind}" for kind in sorted(kinds, key=_KINDS.index))
        parts.append(f"{number}: {several}" if len(kinds) > 1 else f"{number} {_kind(every[0])}")
    if uncited:
        parts.append(f"{uncited:,} sentence{' cites' if uncited == 1 else 's cite'} nothing")
    if corrected:
        parts.append(f"{corrected:,} sentence{' was' if corrected == 1 else 's were'} corrected")
    return "; ".join(parts)


def _kind(citation: CitationView) -> str:
    """The kind of a citation: `verified by rules`, `not judged`."""
    if citation.status is CitationStatus.READ:
        return _NOT_JUDGED
    verified = citation.status is CitationStatus.VERIFIED
    by = f" {BY[citation.basis]}" if verified and citation.basis else ""
    return f"{citation.status.value}{by}"


def sentence_at(text: str, at: int | None) -> str:
    """The sentence whose mark begins at `at`, on one line and without marks."""
    if at is None or not 0 <= at < len(text):
        return ""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    words = confirmed(unmarked(line))
    pieces = [each for each in _ENDS.split(words) if any(map(str.isalnum, each))]
    return one_sentence(pieces[-1]) if pieces else ""


def confirmed(text: str) -> str:
    """A text without the words that `marked` adds."""
    return text.replace(UNSURE, "").replace(OTHERWISE, "")


def unmarked(text: str) -> str:
    """A text without its citation marks."""
    return without_citations(text)


def one_sentence(text: str) -> str:
    """The sentence on one line, without marks and without the item's marker; cut if long."""
    words = " ".join(unmarked(_MARKER.sub("", text, count=1)).split())
    words = re.sub(r" +([.,;:])", r"\1", words).strip(" |")
    if len(words) > _SENTENCE_CHARACTERS:
        words = f"{words[: _SENTENCE_CHARACTERS - 1]}…"
    return words


def findings(
    text: str,
    citations: Sequence[CitationView],
    uncited: Sequence[UncitedClaim],
    corrections: Sequence[Correction],
    named: Callable[[str, CitationView], str],
) -> Iterator[str]:
    """What the text does not tell of its citations, as Markdown items; the others are counted.

    That is what does not hold or was left open, the lines of facts and tasks, and what was changed.
    `named` turns the place of a citation into Markdown.
    """
    for cited in distinct(citations):
        if holds(cited) and not (is_left_open(cited) or names_no_file(cited)):
            continue
        by = f" (judged {BY[cited.basis]})" if cited.basis else ""
        reason = cited.reason.removeprefix(_LEFT_OPEN)
        why = f" ({reason})" if reason else ""
        sentence = "" if holds(cited) else sentence_at(text, cited.at)
        quoted = f": “{harmless(sentence)}”" if sentence else ""
        how = _NOT_JUDGED if cited.status is CitationStatus.READ else cited.status.value
        yield f"- {how}{by}: {named(where(cited), cited)}{why}{quoted}"
    for claim in uncited:
        yield f"- cites nothing: “{harmless(one_sentence(claim.statement))}”"
    for each in changed(corrections):
        before, after = harmless(one_sentence(each.before)), harmless(one_sentence(each.after))
        now = f" Now: “{after}”" if after else ""
        yield f"- {CORRECTED[each.what]}: “{before}” ({each.reason}){now}"

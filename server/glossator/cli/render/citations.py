"""How the citations of an answer are shown: marks in its text, and what is said below it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import starmap
from pathlib import Path
from urllib.parse import unquote, urlsplit

from glossator.cli.render import Part, Styled, TextLine, line
from glossator.commands import CheckedText
from glossator.core.answer import Answer, Judged
from glossator.core.citation_words import (
    BY,
    CORRECTED,
    changed,
    distinct,
    found_of,
    holds,
    is_left_open,
    names_no_file,
    one_sentence,
    sentence_at,
    tally,
    where,
)
from glossator.core.citations import CitationMark, place, rewrite_citations, space_before
from glossator.core.span import CitationStatus, CitationView

_HANG = 2  # characters of the sign at the beginning of a line
_SIGNS = {  # sign and style of what does not hold
    CitationStatus.CONTRADICTED: ("✗ ", "red"),
    CitationStatus.UNSUPPORTED: ("✗ ", "red"),
    CitationStatus.STALE: ("! ", "yellow"),
    CitationStatus.MOVED: ("! ", "yellow"),
    CitationStatus.READ: ("? ", "dim"),  # of what was tried to be judged
}


def marked_text(answer: Answer) -> str:
    """The answer's text with places in brackets; one that does not hold is `[✗ a.py:3]`."""
    text = answer.text
    doubted = {each.target for each in answer.citations if not holds(each)}

    def show(mark: CitationMark) -> str:
        found = found_of(mark, answer.citations)
        sign = _SIGNS[found.status][0] if found and not holds(found) else ""
        if mark.is_mention and not sign:
            return text[mark.start : mark.end]
        return f"{space_before(text, mark)}[{sign}{mark.place}]"

    return rewrite_citations(text, show, doubted.__contains__)


def checked_parts(answer: object) -> Iterator[Part]:
    """How a text holds that was checked."""
    if isinstance(answer, CheckedText):
        yield from standing_parts(answer)
        yield from (line(each, "yellow", aside=True) for each in answer.notices)


def standing_parts(answer: Judged) -> Iterator[Part]:
    """What does not hold, with sentences and reasons; what was corrected; how many hold."""
    for cited in distinct(answer.citations):
        if not holds(cited) or is_left_open(cited):
            yield _doubted(cited, sentence_at(answer.text, cited.at))
    named: defaultdict[str, dict[Styled, None]] = defaultdict(dict)
    for cited in answer.citations:
        if names_no_file(cited) and cited.uri:
            named[cited.target][_lines_of(cited)] = None
    yield from starmap(_named, named.items())
    for claim in answer.uncited:
        yield _line("? ", "yellow", f"cites nothing: “{one_sentence(claim.statement)}”")
    corrected = changed(answer.corrections)
    for each in corrected:
        now = f" Now: “{one_sentence(each.after)}”" if each.after else ""
        told = f"{CORRECTED[each.what]}: “{one_sentence(each.before)}” {each.reason}{now}"
        yield _line("~ ", "dim", told)
    if counts := tally(answer.citations, len(answer.uncited), len(corrected)):
        yield line(counts, "dim", kind="citation")


def _doubted(citation: CitationView, sentence: str) -> TextLine:
    """`✗ a.py:3, contradicted (judged by a model): The lines say 3. “It retries five times.”`."""
    sign, style = _SIGNS[citation.status]
    by = f" (judged {BY[citation.basis]})" if citation.basis else ""
    how = "" if is_left_open(citation) else f", {citation.status.value}{by}"
    why = f": {citation.reason}" if citation.reason else ""
    quoted = f" “{sentence}”" if sentence else ""
    at = Styled(where(citation), "blue", citation.uri)
    spans = (Styled(sign, style), at, Styled(f"{how}{why}"), Styled(quoted, "dim"))
    return TextLine(spans, "citation", hang=_HANG)


def _named(target: str, places: Iterable[Styled]) -> TextLine:
    """`fact f12: core/runs.py:7-9, core/jobs.py:3`: where the lines of a fact or a task stand."""
    spans = [Styled(f"{target}: ", "dim")]
    for each in places:
        spans += [each, Styled(", ")]
    return TextLine(tuple(spans[:-1]), "citation", hang=_HANG)


def _lines_of(citation: CitationView) -> Styled:
    """A link to the lines, with the path from the current folder if they are below it."""
    path = Path(unquote(urlsplit(citation.uri or "").path))
    here = Path.cwd()
    name = str(path.relative_to(here) if path.is_relative_to(here) else path)
    first, last = citation.leads_to
    return Styled(place(name, first, last or first) if first else name, "blue", citation.uri)


def _line(sign: str, style: str, text: str) -> TextLine:
    return TextLine((Styled(sign, style), Styled(text)), "citation", hang=_HANG)

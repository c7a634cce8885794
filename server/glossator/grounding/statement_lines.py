"""What the statements of an answer cite: their citations, and the lines these lead to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

from glossator.core.citation_words import OTHERWISE, UNSURE, confirmed
from glossator.core.citations import CitationMark, no_file, parse_citations, unreadable
from glossator.core.document import Document
from glossator.core.fact import FactState
from glossator.core.span import Basis, Citation, CitationStatus, Span, runs
from glossator.core.text import depth, is_inside, level
from glossator.grounding.citation_checks import (
    Established,
    Sources,
    document_of,
    files_of,
    not_readable,
    resolved,
    shown_spans,
)
from glossator.grounding.cited_lines import CitedLines, defined, definitions, holds
from glossator.grounding.statements import AnswerStatement, statements_of
from glossator.grounding.wording import NEGATION, is_denial

_NEXT_BLOCK = re.compile(r"\n[ \t>]*(?:\n|[-*+|]|\d{1,3}[.)] |#{1,6} |`{3}|~{3})")
_MARKER = re.compile(  # of an item, a quotation, or the sentence before
    rf"\s*(?:(?:[-*+]|\d{{1,3}}[.)]|>|{re.escape(UNSURE)}|{re.escape(OTHERWISE)})\s+)*"
)
_ABOVE = re.compile(r"\s*(?:$|@|#|//|/?\*)")  # blank lines, decorators and comments

_FILE = r"(?:source |code |python )?(?:file|module|package)"
_OF_FILE = re.compile(  # the file that is cited, not files that code works with
    rf"\b(?:this|whole|entire|same) {_FILE}\b"
    rf"|\b(?:in|within|throughout|across|rest of) the {_FILE}\b"
    rf"|^(?:the|its) {_FILE} (?:itself )?(?:does|do|has|have|holds?|contains?|defines?|declares?"
    r"|imports?|exports?|uses?|calls?|mentions?|never|only|neither)\b"
    r"|\b(?:no|not|never|nothing|nobody|none|without|only|neither|nor|\w+n't) (?:\w+ )?"
    r"(?:imports?|imported|importing|exports?|exported|exporting)\b"
    r"|\b(?:imports?|exports?) (?:nothing|no|neither|none|only|just)\b"
    r"|\belsewhere\b|\b(?:any|no)where else\b"
    r"|\b(?:above|below)\b(?!\s+(?!(?:it|this|that|these|them|here)\b)[`\w])",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(r"\b(?:instead of|rather than)\b(?P<old>[^.,;:]{1,80})", re.IGNORECASE)
_OLD = re.compile(r"`([^`]+)`|(\d+(?:\.\d+)*)")
_GIVEN = re.compile(r"\s*(?:[\w.]+\s+)*[\"']?([\w$]+)[\"']?\s*(?::[^=]*)?[:=](?!=)")  # `LIMIT = 3`
MOST_JUDGED = 100_000  # characters of an answer, some 2,000 sentences; what follows is not judged

Key = tuple[object, ...]  # what a judgement is about: the words, and the lines


@dataclass(frozen=True, slots=True)
class CitedStatement:
    """A statement with its citations, and the lines that these lead to, each part with its span.

    `text` is what is judged: the statement without its marks. `context` explains it and is not
    judged. `known` says who judged a fact that it repeats word for word; `has_output`: it also
    cites the output of a command, which is not read. `rest` are the other lines of the definitions
    that a denial is about: a model reads them, too, but they support nothing.
    """

    statement: AnswerStatement
    text: str
    context: str
    citations: tuple[Citation, ...] = ()
    spans: tuple[Span, ...] = ()
    lines: tuple[CitedLines, ...] = ()
    known: Basis | None = None
    has_output: bool = False
    rest: tuple[CitedLines, ...] = ()

    @property
    def key(self) -> Key:
        """A key of the same words about the same lines, wherever they stand in the answer.

        Only what leads to the statement counts of its context: otherwise a corrected sentence would
        have the next one judged again.
        """
        return (
            self.text,
            confirmed(self.statement.lead),
            self.lines,
            self.known,
            self.has_output,
            self.rest,
        )


def cited_statements(
    answer: str, sources: Sources, *, is_whole: bool = True
) -> tuple[tuple[CitedStatement, ...], tuple[Citation, ...]]:
    """The statements that cite or claim something, and the citations outside; blocking.

    An answer that `is_whole` and cites nothing, although lines were shown, counts as claims
    throughout. Only the beginning of a very long answer is divided into statements (`MOST_JUDGED`).
    """
    judged = judged_part(answer)
    is_whole = is_whole and judged == answer and not sources.shown.is_empty
    is_file = files_of(sources)

    # An answer that streams is read again as it grows: each reading resolves a mark, and reads a
    # span, once, however many sentences cite it.
    @cache
    def citations(mark: CitationMark) -> tuple[Citation, ...]:
        return resolved(mark, sources)

    @cache
    def lines(span: Span) -> CitedLines | None:
        document = document_of(span, sources)
        path = document and sources.snapshot.relative(document.path)
        if document is None or not path:
            return None
        found = cited_lines(path, document, span)
        return replace(found, removed=sources.removed(document, span))

    # One look at the answer tells whether an earlier correction left words in any statement.
    was_marked = confirmed(judged) != judged

    def unmarked(text: str) -> str:
        return confirmed(text) if was_marked else text

    found: list[CitedStatement] = []
    placed: set[CitationMark] = set()
    for statement in _trimmed(judged, is_file, is_whole=is_whole):
        if statement.shared and not (statement.is_claim or statement.is_code):
            continue
        if statement.marks or statement.is_claim:
            placed |= set(statement.marks)
            text = unmarked(statement.text)
            of_marks = tuple(each for mark in statement.marks for each in citations(mark))
            spans = dict.fromkeys(span for each in of_marks for span in shown_spans(each, sources))
            parts = {span: part for span in spans if (part := lines(span))}
            found.append(
                CitedStatement(
                    statement,
                    text if statement.is_code else " ".join(text.split()),
                    " ".join(unmarked(statement.context).split()),
                    of_marks,
                    tuple(parts),
                    tuple(parts.values()),
                    _stated(statement, sources.established),
                    any(mark.run for mark in statement.marks),
                    () if statement.is_code else tuple(_rest(text, tuple(parts), sources, lines)),
                )
            )
    marks = parse_citations(answer, is_file)
    others = [each for mark in marks if mark not in placed for each in citations(mark)]
    return tuple(found), (*map(_unjudged, others), *map(not_readable, unreadable(answer)))


def judged_part(answer: str) -> str:
    """The judged part of an answer: whole lines if it has any, and no part of a mark."""
    if len(answer) <= MOST_JUDGED:
        return answer
    ends = (answer.rfind(each, 0, MOST_JUDGED) + 1 for each in ("\n", "]"))
    return answer[: next(filter(None, ends), MOST_JUDGED)]


def _unjudged(citation: Citation) -> Citation:
    """A citation outside every statement, for example in a heading: nobody judged it."""
    if citation.status is not CitationStatus.VERIFIED:
        return citation
    return replace(citation, status=CitationStatus.READ, basis=None)


def _trimmed(
    answer: str, is_file: Callable[[str], bool], *, is_whole: bool = False
) -> Iterator[AnswerStatement]:
    """The statements without the markers of their items and the space around them.

    Mentions of lines are shortened to the name of the file.
    """
    for each in statements_of(answer, is_file, is_whole=is_whole):
        marker = _MARKER.match("" if each.is_code else answer[each.start : each.end])
        start = each.start + (marker.end() if marker else 0)
        end = each.start + len(answer[each.start : each.end].rstrip())
        text = each.text if each.is_code else _MARKER.sub("", each.text, count=1)
        for mark in each.marks if not each.shared else ():
            if mark.is_mention:  # its numbers are not the sentence's
                text = text.replace(answer[mark.start : mark.end], f"`{mark.path}`")
        yield replace(each, start=start, end=end, text=text)


def cited_lines(path: str, document: Document, span: Span) -> CitedLines:
    """The lines of a span, and the first lines of the definitions around them."""
    own = document.lines[span.first_line - 1 : span.last_line]
    enclosing = (document.lines[line - 1] for line in enclosing_lines(document, span))
    return CitedLines(path, span.first_line, tuple(own), tuple(enclosing))


def enclosing_lines(document: Document, span: Span) -> tuple[int, ...]:
    """The first lines of the definitions that enclose a span's lines, 1-based.

    The outermost comes first; the last is that of a definition whose decorators the lines are.
    """
    own = document.lines[span.first_line - 1 : span.last_line]
    deep = min((level(line) for line in own if is_inside(line)), default=0)
    found: list[int] = []
    for number in range(span.first_line - 1, 0, -1):
        line = document.lines[number - 1]
        if deep == 0:
            break
        if is_inside(line) and depth(line) < deep:
            deep = level(line)
            if defined(line):
                found.insert(0, number)
    return (*found, *_decorated(document, span))


def _decorated(document: Document, span: Span) -> Iterator[int]:
    """The first line of the definition whose decorators alone a span holds."""
    first = document.lines[span.first_line - 1]
    own = document.lines[span.first_line - 1 : span.last_line]
    if not first.lstrip().startswith("@") or any(map(defined, own)):
        return
    for number, line in enumerate(document.lines[span.last_line :], span.last_line + 1):
        if line.strip() and depth(line) == depth(first) and line.lstrip()[0] not in "@)":
            yield from [number] if defined(line) else ()
            return


def _rest(
    text: str,
    spans: Sequence[Span],
    sources: Sources,
    lines: Callable[[Span], CitedLines | None],
) -> Iterator[CitedLines]:
    """The other lines that a statement about these spans is about, if it is a denial.

    What an edit put in place of something else denies nothing of the rest.
    """
    text = _without_replaced(text, [part for each in spans if (part := lines(each))])
    every = [(each, document_of(each, sources)) for each in spans if is_denial(text)]
    known = [(span, document) for span, document in every if document]
    is_code = any(definitions_about(span, document) for span, document in known)
    about: dict[Span, set[int]] = {}  # by a span that stands for its file
    for span, document in known:
        file = replace(span, first_line=1, last_line=1)
        about.setdefault(file, set()).update(_lines_denied(text, span, document, is_aside=is_code))
    for file, numbers in about.items():
        shown = (range(s.first_line, s.last_line + 1) for s in spans if s.uri == file.uri)
        for start, end in runs(sorted(numbers.difference(*shown))):
            part = lines(replace(file, first_line=start, last_line=end))
            if part and any(line.strip(" \t(){}[];,") for line in part.lines):
                yield part


def _without_replaced(text: str, parts: Sequence[CitedLines]) -> str:
    """The text without what it says was replaced, if that stood in the lines removed."""
    gone = "\n".join(line for each in parts if each.before for line in each.before.lines)

    def rest(match: re.Match[str]) -> str:
        old = [one or other for one, other in _OLD.findall(match["old"])]
        return " " if old and all(holds(gone, each) for each in old) else match[0]

    return _IN_PLACE.sub(rest, text) if gone else text


def _lines_denied(text: str, span: Span, document: Document, *, is_aside: bool) -> set[int]:
    """The lines that a statement about a span is about: beside the span, they are its rest.

    They are those of the first definition in or around the span that the statement names. Otherwise
    it is the one that the span begins with, the innermost around it, all that are in it, or the
    file: but lines such as a constant's, cited aside from a definition (`is_aside`), have no rest
    unless something is denied of the constant. A statement about the file or its imports is about
    the whole file.
    """
    every = definitions_about(span, document)
    named = [each for each in every if holds(text, each.name)]
    lines = range(span.first_line, span.last_line + 1)
    first = next((line for line in lines if not _ABOVE.match(document.lines[line - 1])), 0)
    begun = [each for each in every if each.first_line == first]
    around = [each for each in every if each.first_line < span.first_line]
    own = named[:1] or begun or around[:1] or every
    file = [Extent("", 1, len(document.lines))]
    if _is_of_file(text, document):
        whole = file
    elif own or (is_aside and not _is_constant_denied(text, span, document)):
        whole = own
    else:
        whole = file
    return {line for each in whole for line in range(each.first_line, each.last_line + 1)}


def _is_of_file(text: str, document: Document) -> bool:
    name = re.escape(PurePath(document.path).name)
    named = rf"(?:^|\b(?:in|within|throughout|across) )`?(?:[\w./-]*/)?{name}\b"
    return bool(_OF_FILE.search(text) or re.search(named, text, re.IGNORECASE))


def _is_constant_denied(text: str, span: Span, document: Document) -> bool:
    """Whether something is denied of a name that the lines give a value."""
    lines = document.lines[span.first_line - 1 : span.last_line]
    names = [found[1] for line in lines if (found := _GIVEN.match(line))]
    return any(
        re.search(
            rf"\b{re.escape(name)}\b`?(?: \([^)]*\))?[^`.,;:()]{{0,40}}\b(?:{NEGATION}|only)\b",
            text,
        )
        for name in names
    )


class Extent(NamedTuple):
    """The name of a definition, its first line and its last."""

    name: str
    first_line: int
    last_line: int


def definitions_about(span: Span, document: Document) -> list[Extent]:
    """The definitions that begin in a span's lines, then those around it, the innermost first."""
    inside = range(span.first_line, span.last_line + 1)
    around = reversed(enclosing_lines(document, span))
    found = (_definition(document, line) for line in (*inside, *around))
    return [each for each in found if each]


def _definition(document: Document, line: int) -> Extent | None:
    """The definition that begins on a line."""
    if not defined(document.lines[line - 1]):
        return None
    found = next(definitions(document.lines[line - 1 :]), None)
    if found is None or found.start:
        return None
    last = line + found.end - 1
    while not document.lines[last - 1].strip():
        last -= 1
    return Extent(found.name, line, last)


def _stated(statement: AnswerStatement, established: Established) -> Basis | None:
    for mark in statement.marks:
        known = established.fact(mark.fact) if mark.fact else None
        if known is None or known[1].state is not FactState.FRESH:
            continue
        if _words(known[0].statement) == _words(statement.text):
            return known[0].basis
    return None


def _words(text: str) -> str:
    return re.sub(r"[\s`]+", " ", text).strip(" .-*")


def settled(answer: str, statements: Sequence[CitedStatement]) -> tuple[CitedStatement, ...]:
    """The statements that no continuation of the answer can change; blocking.

    A sentence with its own citations is complete when another one begins; any other sentence when
    another block begins, since it may share citations that follow.
    """
    answer = judged_part(answer)
    last = max((each.start for each in _trimmed(answer, no_file)), default=0)
    block = max((each.start() for each in _NEXT_BLOCK.finditer(answer, 0, last)), default=-1)

    # A verdict that was shown is not taken back: a sentence waits until nothing behind it can
    # change what it cites (docs/decisions/0052).
    def is_complete(each: AnswerStatement) -> bool:
        if each.start >= last:
            return False
        is_own = each.is_code or (bool(each.marks) and not each.shared)
        return is_own or each.start <= block

    return tuple(each for each in statements if is_complete(each.statement))

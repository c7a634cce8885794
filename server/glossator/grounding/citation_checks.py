"""Resolves citations: the lines exist, and this conversation was shown them.

A citation holds for the current text: lines that changed after they were read do not count. If only
part of the lines was shown, the citation leads to that part and is judged by it. Whether the lines
say what the sentence says is judged in `verdicts.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from typing import Protocol

from glossator.core.citation_words import holds
from glossator.core.citations import CitationMark, parse_citations, rewrite_citations, unreadable
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.fact import Fact, FactState, FactView
from glossator.core.line_diff import changed_blocks
from glossator.core.notebook import cell_on, is_notebook
from glossator.core.prompts import load_prompt
from glossator.core.span import Citation, CitationStatus, Span, runs
from glossator.core.text import split_lines
from glossator.core.uri import to_path, to_uri
from glossator.grounding.cited_lines import Removed
from glossator.grounding.wording import SUFFIXES
from glossator.workspace import WorkspaceSnapshot

_SOURCE = re.compile(rf"(?:[\w.@-]+/)*[\w@-][\w.@-]*\.(?:{SUFFIXES})")
_MAX_NAMED_RUNS = 4  # runs of lines that were not read
_MAX_FAULTS = 50  # told at once
_MOST_REMOVED = 200  # lines
_COMMAND_CHARACTERS = 100  # that name a run
_UNREADABLE = "This citation cannot be read."
_FORMS = "Write [cite: doc, PATH, L1-L2], or [cite: run, N]."  # for the model
_CHANGED = "Its lines have changed since."
_OF_COMMAND = "Not judged: sentences are not compared with what a command printed."


class ShownLines(Protocol):
    """What a conversation was shown."""

    @property
    def is_empty(self) -> bool:
        """Whether no lines were shown."""

    def missing(self, span: Span) -> Sequence[int]:
        """The span's lines that were not shown with this very text; ascending."""

    def is_outdated(self, span: Span) -> bool:
        """Whether lines of the document were shown when it had another text."""

    def ending(self, path: str) -> str | None:
        """The only file with shown lines whose path ends with `path`."""


@dataclass(frozen=True, slots=True)
class Established:
    """What a conversation may cite besides lines and commands.

    `fact` finds a fact by its id, `task` the citations of a plan task's result by its number; both
    give None if there is none.
    """

    fact: Callable[[str], tuple[Fact, FactView] | None] = lambda _: None
    task: Callable[[int], tuple[Citation, ...] | None] = lambda _: None


NONE_ESTABLISHED = Established()


@dataclass(frozen=True, slots=True)
class Sources:
    """What the citations of an answer are resolved against.

    `commands` are those that the conversation ran; the first is run 1. `before` are earlier texts
    of the files that the conversation edited, by their absolute paths. A file is read only once,
    however often it is cited.
    """

    snapshot: WorkspaceSnapshot
    shown: ShownLines
    commands: Sequence[str] = ()
    established: Established = NONE_ESTABLISHED
    before: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _read: dict[str, Document | Missing] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _removed: dict[tuple[str, str], Sequence[tuple[int, Removed]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def removed(self, document: Document, span: Span) -> tuple[Removed, ...]:
        """What edits removed or replaced in a span or at its edges; nothing if that is too much."""
        key = document.path, document.sha256
        if key not in self._removed:
            texts = self.before.get(document.path, ())
            found = {each: None for text in texts for each in _removals(text, document)}
            self._removed[key] = sorted(found, key=lambda each: each[1].at)
        touching = tuple(
            each
            for end, each in self._removed[key]
            if each.at <= span.last_line + (end == each.at)
            and max(end - 1, each.at) >= span.first_line
        )
        is_short = sum(len(each.lines) for each in touching) <= _MOST_REMOVED
        return touching if is_short else ()

    def read(self, path: str) -> Document | Missing:
        """Read a path like `WorkspaceSnapshot.read`; blocking."""
        if path not in self._read:
            self._read[path] = self.snapshot.read(path)
        return self._read[path]


def _removals(before: str, document: Document) -> Iterator[tuple[int, Removed]]:
    """What stood in an earlier text, with the line behind what stands there now, 1-based."""
    old = split_lines(before)
    for each in changed_blocks(old, document.lines):
        if gone := tuple(old[each.old_start : each.old_end]):
            yield each.new_end + 1, Removed(each.new_start + 1, gone)


def verify_all(answer: str, sources: Sources) -> tuple[tuple[CitationMark, Citation], ...]:
    """Every citation of an answer with its check; blocking, for a thread.

    A citation of a task stands for all citations of its result.
    """
    marks = parse_citations(answer, files_of(sources))
    return (
        *((mark, citation) for mark in marks for citation in resolved(mark, sources)),
        *((mark, not_readable(mark)) for mark in unreadable(answer)),
    )


def not_readable(mark: CitationMark) -> Citation:
    """The citation made of a mark that cannot be read in any known form."""
    return _unsupported(mark, None, _UNREADABLE)


def faults(answer: str, sources: Sources, *, mends: bool = False) -> str:
    """What the model reads about failed citations of its answer; "" if it need not answer again.

    Plain mentions are not worth another reply: they are marked for the user. An answer may cite a
    task to say that it found nothing. If a correction `mends` them, other lines of a file that was
    read are not worth a reply, either. Blocking.
    """
    failed = [
        (mark, citation.reason)
        for mark, citation in verify_all(answer, sources)
        if citation.status is CitationStatus.UNSUPPORTED
        and not (mark.task and sources.established.task(mark.task) == ())
        and not (mends and citation.span and _was_read(citation.span, sources))
    ]
    if all(mark.is_mention for mark, _ in failed):
        return ""
    lines = dict.fromkeys(
        f"- {mark.place}: {reason}{f' {_FORMS}' if reason == _UNREADABLE else ''}"
        for mark, reason in failed
    )
    told = [*islice(lines, _MAX_FAULTS)]
    if more := len(lines) - len(told):
        told.append(f"- and {more:,} more")
    return load_prompt("user/citations").render(failed="\n".join(told))


def _was_read(span: Span, sources: Sources) -> bool:
    """Whether any line of a document was shown."""
    document = document_of(span, sources)
    lines = len(document.lines) if document else 0
    return len(sources.shown.missing(replace(span, first_line=1, last_line=lines))) < lines


def files_of(sources: Sources) -> Callable[[str], bool]:
    """A test whether a path is a file's; each path is looked at once.

    A path that only looks like source code in the workspace counts, too: people must be told that a
    cited file is not there.
    """
    return cache(
        lambda path: bool(_SOURCE.fullmatch(path)) or isinstance(_document(path, sources), Document)
    )


def resolved(mark: CitationMark, sources: Sources) -> tuple[Citation, ...]:
    """The citations of a mark: one, or all those of a task's result, under the task's name."""
    if mark.fact:
        return (_of_fact(mark, sources),)
    if mark.task:
        return _of_task(mark, sources)
    return (verify_answer(mark, sources),)


def verify_answer(mark: CitationMark, sources: Sources) -> Citation:
    """Check a citation of lines or of a run: its status, and why it does not hold."""
    if mark.run:
        return _of_run(mark, sources.commands)
    if not mark.names_file:
        return _unsupported(mark, None, f"There is no {mark.path}.")
    citation = _of_lines(mark, sources)
    return _with_cell(citation, sources) if is_notebook(mark.path) else citation


def _with_cell(citation: Citation, sources: Sources) -> Citation:
    """The citation with the number of the notebook's cell that its first line is in."""
    document = citation.span and document_of(citation.span, sources)
    if citation.span is None or not document:
        return citation
    return replace(citation, cell=cell_on(document.text, citation.span.first_line))


def _of_lines(mark: CitationMark, sources: Sources) -> Citation:
    document = _document(mark.path, sources)
    if isinstance(document, Missing):
        return _unsupported(mark, None, document.message)
    if not 1 <= mark.first_line <= mark.last_line:
        return _unsupported(mark, None, "The line numbers are not a range.")
    total, lines = len(document.lines), (mark.first_line, mark.last_line)
    few = f"{mark.path} has only {total:,} lines." if mark.last_line > total else ""
    if mark.first_line > total:
        span = Span(document.uri, document.sha256, max(total, 1), max(total, 1))
        return Citation(mark.path, span, CitationStatus.UNSUPPORTED, few, *lines, at=mark.start)
    span = Span(document.uri, document.sha256, mark.first_line, min(mark.last_line, total))
    parts = shown_parts(span, document, sources.shown)
    if not parts:
        since = " as the file is now" if sources.shown.is_outdated(span) else ""
        missing = sources.shown.missing(span)
        return _unsupported(mark, span, f"{_lines(missing)} not read{since}.")
    if parts == (span,):
        first, last = lines if few else (None, None)
        return Citation(mark.path, span, CitationStatus.READ, few, first, last, at=mark.start)
    longest = max(parts, key=lambda each: each.last_line - each.first_line)
    read = _lines([n for each in parts for n in range(each.first_line, each.last_line + 1)])
    reason = f"Of the lines cited only {read[0].lower()}{read[1:]} read."
    return Citation(mark.path, longest, CitationStatus.READ, reason, *lines, at=mark.start)


def shown_parts(span: Span, document: Document, shown: ShownLines) -> tuple[Span, ...]:
    """The shown parts of a span, in order; the whole span if its missing lines say nothing."""
    missing = set(shown.missing(span))
    wanted = range(span.first_line, span.last_line + 1)
    unread = {number for number in missing if _says(document.lines[number - 1])}
    if not missing or (not unread and len(missing) < len(wanted)):
        return (span,)
    read = {n for n in wanted if n not in missing and _says(document.lines[n - 1])}
    parts = runs(number for number in wanted if number not in unread)
    return tuple(
        replace(span, first_line=first, last_line=last)
        for first, last in parts
        if not read.isdisjoint(range(first, last + 1))
    )


def shown_spans(citation: Citation, sources: Sources) -> tuple[Span, ...]:
    """The spans that a citation is judged by: its own, or the shown parts of it; blocking."""
    span, (first, last) = citation.span, citation.cited
    if span is None or not citation.is_shown:
        return ()
    if first is None or last is None or (first, last) == (span.first_line, span.last_line):
        return (span,)
    document = document_of(span, sources)
    if document is None:
        return (span,)
    whole = replace(span, first_line=first, last_line=min(last, len(document.lines)))
    return shown_parts(whole, document, sources.shown) or (span,)


def document_of(span: Span, source: WorkspaceSnapshot | Sources) -> Document | None:
    """The document of a span; None if its text has changed. Blocking."""
    snapshot = source.snapshot if isinstance(source, Sources) else source
    found: Document | Missing | None = source.read(to_path(span.uri) or span.uri)
    if not isinstance(found, Document):
        found = snapshot.open_document(span.uri)
    return found if found is not None and found.sha256 == span.sha256 else None


def in_lines(text: str, established: Established) -> str:
    """The text with each task's mark replaced by the lines that the task's result cites.

    The mark of a task that cites nothing, for example a failed one, is left out.
    """

    def shown(mark: CitationMark) -> str:
        found = established.task(mark.task) if mark.task else None
        if found == ():
            return ""
        lines = [
            CitationMark(0, 0, each.target, each.span.first_line, each.span.last_line).plain
            for each in found or ()
            if each.is_shown and each.span is not None
        ]
        return " ".join(dict.fromkeys(lines)) or text[mark.start : mark.end]

    return rewrite_citations(text, shown)


def _of_fact(mark: CitationMark, sources: Sources) -> Citation:
    found = sources.established.fact(mark.fact)
    if found is None:
        return _unsupported(mark, None, f"There is no {mark.path}.")
    fact, view = found
    document = sources.snapshot.read(fact.passage.path)
    sha256 = document.sha256 if isinstance(document, Document) else fact.sha256
    span = Span(view.uri, sha256, view.first_line, view.last_line)
    if view.state is not FactState.FRESH or isinstance(document, Missing):
        return Citation(mark.path, span, CitationStatus.STALE, _CHANGED, at=mark.start)
    status = CitationStatus.VERIFIED
    return Citation(mark.path, span, status, basis=fact.basis, at=mark.start)


def _of_task(mark: CitationMark, sources: Sources) -> tuple[Citation, ...]:
    found, snapshot = sources.established.task(mark.task), sources.snapshot
    if found is None:
        return (_unsupported(mark, None, f"There is no {mark.path}."),)
    every = [replace(each, target=mark.path, at=mark.start) for each in found]
    own = [each for each in every if holds(each)] or every  # what did not hold was not passed on
    if not own:
        return (_unsupported(mark, None, f"The result of {mark.path} cites nothing."),)
    return tuple(
        replace(each, status=CitationStatus.STALE, reason=_CHANGED, basis=None)
        if each.is_shown and each.span is not None and document_of(each.span, snapshot) is None
        else each
        for each in own
    )


def _says(line: str) -> bool:
    """Whether a line holds more than space and punctuation, such as a closing bracket."""
    return any(character.isalnum() for character in line)


def _of_run(mark: CitationMark, commands: Sequence[str]) -> Citation:
    """Check a citation of a run: the run exists, and the model was given its output."""
    if mark.run > len(commands):
        count = len(commands)
        known = "No command was run" if not count else f"Runs are numbered from 1 to {count}"
        return _unsupported(mark, None, f"{known} in this conversation.")
    command = " ".join(commands[mark.run - 1].split())
    if len(command) > _COMMAND_CHARACTERS:
        command = f"{command[: _COMMAND_CHARACTERS - 1]}…"
    target = f"{mark.path}: {command}"
    return Citation(target, None, CitationStatus.READ, _OF_COMMAND, at=mark.start)


def _document(path: str, sources: Sources) -> Document | Missing:
    """A document that the tools can read, or one outside the workspace that the user attached.

    The end of a path is enough if only one file that was shown has it.
    """
    document = sources.read(path)
    if isinstance(document, Missing):
        if document.reason is MissingReason.OUTSIDE:
            return sources.snapshot.open_document(to_uri(path)) or document
        if document.reason is MissingReason.ABSENT and (whole := sources.shown.ending(path)):
            return sources.read(whole)
    return document


def _lines(numbers: Sequence[int]) -> str:
    """A phrase such as `Line 7 was` or `Lines 30-34 and 40 were`."""
    named = [f"{a}" if a == b else f"{a}-{b}" for a, b in runs(numbers)]
    if len(numbers) == 1:
        return f"Line {named[0]} was"
    if len(named) > _MAX_NAMED_RUNS:
        named = [*named[:_MAX_NAMED_RUNS], f"{len(named) - _MAX_NAMED_RUNS:,} more places"]
    *most, last = named
    return f"Lines {', '.join(most)}{' and ' if most else ''}{last} were"


def _unsupported(mark: CitationMark, span: Span | None, reason: str) -> Citation:
    named = mark.first_line if span is None else 0
    first, last = (mark.first_line, mark.last_line) if named else (None, None)
    status = CitationStatus.UNSUPPORTED
    return Citation(mark.path, span, status, reason, first, last, at=mark.start)

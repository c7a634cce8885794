"""Deterministic checks of citations: the lines exist, and this conversation was shown them.

They hold for the text at its present hash: lines that changed after they were read do not count.
Whether the lines say what the sentence says is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

from glossator.core.citations import CitationMark, parse_citations, unreadable
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.span import Citation, CitationStatus, Span, runs
from glossator.core.uri import to_uri
from glossator.documents import WorkspaceSnapshot
from glossator.prompts import load_prompt

_NAMED = 4  # runs of lines that were not read
_COMMAND_CHARACTERS = 100  # that name a run
_FORMS = "write [cite: doc, PATH, L1-L2], or [cite: run, N]"


class ShownLines(Protocol):
    """What a conversation was shown."""

    def missing(self, span: Span) -> Sequence[int]:
        """Those of its lines, with this very text, that were not shown; ascending."""

    def is_outdated(self, span: Span) -> bool:
        """Whether lines of the document were shown when it had another text."""

    def ending(self, path: str) -> str | None:
        """The one file of which lines were shown whose path ends with `path`."""


def verify_all(
    answer: str, snapshot: WorkspaceSnapshot, shown: ShownLines, commands: Sequence[str] = ()
) -> tuple[tuple[CitationMark, Citation], ...]:
    """Every citation of an answer with its check; blocking, for a thread."""
    marks = parse_citations(answer, files_of(snapshot, shown))
    reason = f"It names no lines in a form that can be read: {_FORMS}."
    return (
        *((mark, verify_answer(mark, snapshot, shown, commands)) for mark in marks),
        *((mark, _unsupported(mark, None, reason)) for mark in unreadable(answer)),
    )


def faults(
    answer: str, snapshot: WorkspaceSnapshot, shown: ShownLines, commands: Sequence[str] = ()
) -> str:
    """What the model reads about failed citations of its answer; "" if it is not asked again.

    Mentions alone are not worth another reply: they are marked for the user. Blocking.
    """
    failed = [
        (mark, citation.reason)
        for mark, citation in verify_all(answer, snapshot, shown, commands)
        if citation.status is CitationStatus.UNSUPPORTED
    ]
    if all(mark.is_mention for mark, _ in failed):
        return ""
    lines = dict.fromkeys(f"- {mark.place}: {reason}" for mark, reason in failed)
    return load_prompt("user/citations").render(failed="\n".join(lines))


def files_of(snapshot: WorkspaceSnapshot, shown: ShownLines) -> Callable[[str], bool]:
    """Whether a path is one of a file that can be read; each is looked at once."""
    return cache(lambda path: isinstance(_document(path, snapshot, shown), Document))


def verify_answer(
    mark: CitationMark, snapshot: WorkspaceSnapshot, shown: ShownLines, commands: Sequence[str] = ()
) -> Citation:
    """The citation with its status, and the reason when it does not hold.

    `commands` are those that the conversation ran: the first is run 1.
    """
    if mark.run:
        return _of_run(mark, commands)
    document = _document(mark.path, snapshot, shown)
    if isinstance(document, Missing):
        return _unsupported(mark, None, document.message)
    if not 1 <= mark.first_line <= mark.last_line:
        return _unsupported(mark, None, "The line numbers are not a range.")
    total = len(document.lines)
    if mark.last_line > total:
        return _unsupported(mark, None, f"{mark.path} has only {total:,} lines.")
    span = Span(document.uri, document.sha256, mark.first_line, mark.last_line)
    missing = shown.missing(span)
    was_read = len(missing) <= mark.last_line - mark.first_line  # some of them
    if missing and not (was_read and not any(_says(document.lines[n - 1]) for n in missing)):
        since = " as the file is now" if shown.is_outdated(span) else ""
        return _unsupported(mark, span, f"{_lines(missing)} not read{since}.")
    return Citation(mark.path, span, CitationStatus.READ)


def _says(line: str) -> bool:
    """Whether a line holds more than space and punctuation, such as a closing bracket."""
    return any(character.isalnum() for character in line)


def _of_run(mark: CitationMark, commands: Sequence[str]) -> Citation:
    """It holds if there was such a run, whose output the model was given."""
    if mark.run > len(commands):
        count = len(commands)
        known = "No command was run" if not count else f"Runs are numbered from 1 to {count}"
        return _unsupported(mark, None, f"{known} in this conversation.")
    command = " ".join(commands[mark.run - 1].split())
    if len(command) > _COMMAND_CHARACTERS:
        command = f"{command[: _COMMAND_CHARACTERS - 1]}…"
    return Citation(f"{mark.path}: {command}", None, CitationStatus.READ)


def _document(path: str, snapshot: WorkspaceSnapshot, shown: ShownLines) -> Document | Missing:
    """What the tools can read, or a document outside the workspace that the user attached.

    The end of a path will do, where it is that of one file only that was shown.
    """
    document = snapshot.read(path)
    if isinstance(document, Missing):
        if document.reason is MissingReason.OUTSIDE:
            return snapshot.open_document(to_uri(path)) or document
        if document.reason is MissingReason.ABSENT and (whole := shown.ending(path)):
            return snapshot.read(whole)
    return document


def _lines(numbers: Sequence[int]) -> str:
    """`Line 7 was`, `Lines 30-34 and 40 were`."""
    named = [f"{a}" if a == b else f"{a}-{b}" for a, b in runs(numbers)]
    if len(numbers) == 1:
        return f"Line {named[0]} was"
    if len(named) > _NAMED:
        named = [*named[:_NAMED], f"{len(named) - _NAMED:,} more places"]
    *most, last = named
    return f"Lines {', '.join(most)}{' and ' if most else ''}{last} were"


def _unsupported(mark: CitationMark, span: Span | None, reason: str) -> Citation:
    lines = (None, None) if span or not mark.first_line else (mark.first_line, mark.last_line)
    return Citation(mark.path, span, CitationStatus.UNSUPPORTED, reason, *lines)

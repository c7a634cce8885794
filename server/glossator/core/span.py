"""Places in documents: lines, the statements between which an extract is cut, and citations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.document import Document


@dataclass(frozen=True, slots=True)
class Span:
    """Whole lines of one text: `first_line` and `last_line` are 1-based and inclusive."""

    uri: str
    sha256: str
    first_line: int
    last_line: int


def runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as runs: the first and last of each run of consecutive ones."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number > last + 1:
            yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def spans_of(document: Document, numbers: Iterable[int]) -> tuple[Span, ...]:
    """Spans of a document for ascending lines."""
    return tuple(Span(document.uri, document.sha256, *lines) for lines in runs(numbers))


def whole_and_cut(
    document: Document, numbers: Iterable[int], characters: int
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Ascending shown lines: those that are whole, and those cut after `characters`."""
    whole: list[int] = []
    cut: list[int] = []
    for number in numbers:
        (whole if len(document.lines[number - 1]) <= characters else cut).append(number)
    return spans_of(document, whole), spans_of(document, cut)


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """Lines (1-based, inclusive) that a call found, for people to open.

    `path` is as answers name it; `context` says what encloses the lines.
    """

    path: str
    first_line: int
    last_line: int
    context: str = ""


class CitationStatus(StrEnum):
    """What checking a citation found.

    *Read*: the lines exist, and the model was shown them; whether they carry the sentence is not
    known. *Verified*: the sentence was judged to be carried by them. *Unsupported*: they say
    nothing of it, or cannot be found. *Moved* and *stale* are for citations kept from before: the
    same lines stand elsewhere now, or have changed.
    """

    VERIFIED = "verified"
    READ = "read"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    MOVED = "moved"
    STALE = "stale"


GRAVEST = (  # first
    CitationStatus.CONTRADICTED,
    CitationStatus.UNSUPPORTED,
    CitationStatus.STALE,
    CitationStatus.MOVED,
    CitationStatus.READ,
    CitationStatus.VERIFIED,
)


class Basis(StrEnum):
    """Who judged a sentence.

    Checks without a model; a model that quoted the deciding words; or a language server, by what it
    knows of the whole workspace.
    """

    CHECKS = "checks"
    MODEL = "model"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's reference, as it stands in the answer, with what checking it found.

    `target` is the workspace-relative path as cited, `fact ID`, `task N` or `run N: command`;
    `span` is None when it could not be resolved, and `first_line` and `last_line` are the lines as
    cited then; `reason` says in one sentence why a citation does not hold. `at` is where its mark
    begins in the answer, in characters. `span` may be other lines than those cited, which are
    `first_line` and `last_line` then: where they stand now of one that moved, by the hash of the
    text that they were cited from, or the part that was shown of one that cites more.
    One that was kept as *verified* without a `basis` was only read, as the word was used once.
    `cell` is the number of a notebook's cell that the lines are in, from 1.
    """

    target: str
    span: Span | None
    status: CitationStatus
    reason: str = ""
    first_line: int | None = None
    last_line: int | None = None
    basis: Basis | None = None
    at: int | None = None
    cell: int | None = None

    def __post_init__(self) -> None:
        if self.status is CitationStatus.VERIFIED and self.basis is None:
            object.__setattr__(self, "status", CitationStatus.READ)

    @property
    def is_shown(self) -> bool:
        """Whether the lines exist and the model was shown them, whatever they say."""
        return self.status in (CitationStatus.READ, CitationStatus.VERIFIED)

    @property
    def cited(self) -> tuple[int | None, int | None]:
        """The first and the last line as they were cited."""
        if self.span is None or self.first_line is not None:
            return self.first_line, self.last_line
        return self.span.first_line, self.span.last_line


@dataclass(frozen=True, slots=True)
class CitationView:
    """A citation as clients see it; without `uri` it could not be resolved.

    The lines are those cited. Where the mark leads to others, `moved_to` and `moved_until` are the
    first and the last of them, in the document `uri`: where they stand now of one that moved, the
    part that was shown of one that cites more.
    """

    target: str
    status: CitationStatus
    reason: str
    uri: str | None
    first_line: int | None
    last_line: int | None
    basis: Basis | None = None
    at: int | None = None
    moved_to: int | None = None
    moved_until: int | None = None
    cell: int | None = None

    @property
    def leads_to(self) -> tuple[int | None, int | None]:
        """The first and last of the lines to open."""
        if self.moved_to is not None:
            return self.moved_to, self.moved_until
        return self.first_line, self.last_line

    @staticmethod
    def of(citation: Citation) -> CitationView:
        """The view of a citation that is sent to clients."""
        span, (first, last) = citation.span, citation.cited
        has_moved = citation.status is CitationStatus.MOVED
        is_as_cited = span is None or (span.first_line, span.last_line) == (first, last)
        elsewhere = span if has_moved or not is_as_cited else None
        return CitationView(
            citation.target,
            citation.status,
            citation.reason,
            span.uri if span else None,
            first,
            last,
            citation.basis,
            citation.at,
            elsewhere.first_line if elsewhere else None,
            elsewhere.last_line if elsewhere else None,
            citation.cell,
        )


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement or definition with the comment right above it (lines 1-based, inclusive).

    `head_line` is the last line before the body, or of a docstring that begins the body. `inner`
    are the statements of the body, none for one that must stay whole.
    """

    first_line: int
    last_line: int
    head_line: int
    inner: tuple[Statement, ...] = ()


StatementsOf = Callable[[str, int, int], Awaitable[tuple[Statement, ...]]]
"""The statements of the file at a path between two lines (1-based, inclusive).

None where nothing is known of its syntax.
"""


async def no_statements(_path: str, _first_line: int, _last_line: int) -> tuple[Statement, ...]:
    """Finds no statements; used where nothing parses."""
    return ()

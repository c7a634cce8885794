"""Places in documents, and claims that rest on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """Ascending numbers as runs of consecutive ones: the first and the last of each."""
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
    """Ascending lines of a document."""
    return tuple(Span(document.uri, document.sha256, *lines) for lines in runs(numbers))


def whole_and_cut(
    document: Document, numbers: Iterable[int], characters: int
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Ascending lines that are shown: those that are whole, and those cut after `characters`."""
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
    """What checking a citation found; *read*: the lines exist, and the model was shown them.

    Whether they say what the sentence says is not judged.
    """

    READ = "read"
    UNSUPPORTED = "unsupported"

    @classmethod
    def _missing_(cls, value: object) -> CitationStatus | None:
        return cls.READ if value == "verified" else None  # as older versions kept it


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's reference to a document, as it stands in the answer, with what checking it found.

    `target` is the workspace-relative path as cited; `span` is None when it could not be resolved,
    and `first_line` and `last_line` are the lines as cited then; `reason` says in one sentence why
    a citation does not hold.
    """

    target: str
    span: Span | None
    status: CitationStatus
    reason: str = ""
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class CitationView:
    """A citation as clients see it; without `uri` it could not be resolved."""

    target: str
    status: CitationStatus
    reason: str
    uri: str | None
    first_line: int | None
    last_line: int | None

    @staticmethod
    def of(citation: Citation) -> CitationView:
        """What is sent of a citation."""
        span = citation.span
        return CitationView(
            citation.target,
            citation.status,
            citation.reason,
            span.uri if span else None,
            span.first_line if span else citation.first_line,
            span.last_line if span else citation.last_line,
        )

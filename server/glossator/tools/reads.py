"""Which lines of which texts a conversation has been shown.

Read does not show a range twice, citations name only lines that were shown, and edits replace only
such lines. An edit refers to the text that was shown, which may have changed since: lines that a
change by others leaves alone stay known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from glossator.core.document import Document
from glossator.core.line_diff import Block, changed_blocks, lines_with_ends
from glossator.core.span import Span, runs, spans_of
from glossator.core.uri import to_path, to_uri
from glossator.workspace import is_inside

ReadRange = tuple[int, int | None]  # first line (1-based), number of lines; None: an image


class ReadDocument(NamedTuple):
    """A document that was read, with the hash of its text."""

    path: str
    uri: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Base:
    """The text that an edit refers to, and which lines of the current text the model knows.

    `known` is the text that the model was shown last.
    """

    document: Document
    lines: frozenset[int]
    known: Document


class _Places(NamedTuple):
    """Where all that was shown lies, as of so many documents, old documents and texts."""

    counts: tuple[int, int, int]
    paths: frozenset[str]
    folders: frozenset[str]


@dataclass(slots=True)
class ReadState:
    """Per conversation: the ranges read of each document's last text, and every line shown.

    It keeps the text of each document that was read or edited. Lines that were shown cut, or by a
    patch, or that a sub-agent's report cites, may be cited, but not edited.
    """

    _shown: dict[str, tuple[str, frozenset[ReadRange]]] = field(default_factory=dict)  # by path
    _lines: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _documents: dict[str, Document] = field(default_factory=dict)
    _citable: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _faded: dict[str, ReadDocument] = field(
        default_factory=dict
    )  # read before a resume, without text
    _before: ReadState | None = None
    _held: dict[str, ReadDocument] = field(default_factory=dict)  # those in `_documents`
    _known_places: _Places | None = field(default=None, compare=False, repr=False)

    def draft(self) -> ReadState:
        """A draft for a call beside others: what they show may stand below what it shows."""
        return ReadState(_before=ReadState(dict(self._shown)))

    def copy(self) -> ReadState:
        """An independent copy."""
        return ReadState(
            dict(self._shown),
            {text: set(lines) for text, lines in self._lines.items()},
            dict(self._documents),
            {text: set(lines) for text, lines in self._citable.items()},
            dict(self._faded),
            _held=dict(self._held),
        )

    def adopt(self, draft: ReadState) -> None:
        """Take over what a draft has shown."""
        for path, (sha256, ranges) in draft._shown.items():
            for each in ranges:
                self.remember(path, each, sha256)
        self.show(_spans(draft._lines))
        self.mark_citable(_spans(draft._citable))
        for document in draft._documents.values():
            self.saw(document)

    def unchanged(self, path: str, wanted: ReadRange, sha256: str) -> bool:
        """Whether this range was read with this text, and no other text since."""
        read, (first, count) = self.ranges(path, sha256), wanted
        if wanted in read or count is None:
            return wanted in read
        lines = {n for start, some in read for n in range(start, start + (some or 0))}
        return lines.issuperset(range(first, first + count))

    def remember(self, path: str, shown: ReadRange, sha256: str) -> None:
        """Note that a range was read."""
        last, ranges = self._shown.get(path, (sha256, frozenset()))
        self._shown[path] = sha256, (ranges if last == sha256 else frozenset()) | {shown}

    def ranges(self, path: str, sha256: str) -> frozenset[ReadRange]:
        """The ranges read with this text, if no other text was read since."""
        last, ranges = self._shown.get(path, (sha256, frozenset()))
        if last != sha256:
            return frozenset()
        return ranges | self._before.ranges(path, sha256) if self._before else ranges

    def saw(self, document: Document) -> None:
        """Note that lines of this document were shown, or that it is empty.

        An earlier text stays known until it `became` this one.
        """
        faded = self._faded.get(document.path)
        if faded is None or faded.sha256 == document.sha256:
            self._faded.pop(document.path, None)
            if document.path not in self._documents:
                self._hold(document)

    def _hold(self, document: Document) -> None:
        self._documents[document.path] = _plain(document)
        self._held[document.path] = ReadDocument(document.path, document.uri, document.sha256)

    def last(self, path: str) -> Document | None:
        """The document at the real path `path` as it was last read or edited."""
        return self._documents.get(path)

    def base(self, path: str, current: Document) -> Base | None:
        """The text that an edit of `current`, at the real path `path`, refers to; blocking.

        It is the current text if lines of it were shown, else the text that was read; None if
        neither.
        """
        last, shown = self.last(path), self.lines(current)
        if last is None:
            return Base(current, shown, current) if shown else None
        if last.sha256 == current.sha256:
            return Base(current, shown, last)
        lines = self.known_lines(last, current)
        return Base(current if shown or not current.text else last, lines, last)

    def known_lines(self, before: Document, current: Document) -> frozenset[int]:
        """The lines of `current` that were shown, or that are unchanged since shown in `before`."""
        kept = carried_lines(self.lines(before), before, current, by_model=False)
        return self.lines(current) | kept

    def documents(self) -> tuple[Document, ...]:
        """Every document that was shown, with the last text shown."""
        return tuple(self._documents.values())

    def read_documents(self) -> tuple[ReadDocument, ...]:
        """Like `documents`, plus what was read before the session was resumed."""
        return (*self._held.values(), *self._faded.values())

    def paths(self) -> frozenset[str]:
        """The real paths of all files that were ever shown or edited, also of deleted ones."""
        return self._places().paths

    def folders(self) -> frozenset[str]:
        """The folders of `paths`."""
        return self._places().folders

    def _places(self) -> _Places:
        # Files are added far more often than taken away, and both sets are asked for before each
        # request: they are made again when the counts differ, or after something was taken away.
        counts = len(self._documents), len(self._faded), len(self._lines)
        if self._known_places is None or self._known_places.counts != counts:
            shown = (to_path(uri) for uri, _ in self._lines)
            paths = frozenset((*self._documents, *self._faded, *filter(None, shown)))
            folders = frozenset(map(os.path.dirname, paths))
            self._known_places = _Places(counts, paths, folders)
        return self._known_places

    def forget(self, path: str) -> None:
        """Have the document at the real path `path` read again before it can be edited."""
        self._known_places = None
        self._documents.pop(path, None)
        self._held.pop(path, None)
        self._faded.pop(path, None)

    def became(self, document: Document, lines: Iterable[int], was: Document | None = None) -> None:
        """Note that a document that was read has this text now; the model knows `lines` of it.

        Lines that may be cited and that are unchanged stay citable: those of the text that it `was`
        just before, and of the one that was read last. Blocking where there are any.
        """
        before = {each.sha256: each for each in (self.last(document.path), was) if each is not None}
        for each in before.values():
            citable = self._citable.get((each.uri, each.sha256))
            if citable and each.sha256 != document.sha256:
                kept = carried_lines(citable, each, document, by_model=False)
                self.mark_citable(spans_of(document, sorted(kept)))
        self._hold(document)
        self._faded.pop(document.path, None)
        self.show(spans_of(document, sorted(lines)))

    def mark_citable(self, spans: Iterable[Span]) -> None:
        """Note that a report with checked citations, or a patch, showed these lines."""
        for span in spans:
            _add(self._citable, span)

    def moved(self, old: str, new: str) -> None:
        """Note that a file or folder was renamed (real paths); its lines stay known."""
        self._known_places = None
        for document in [each for each in self.documents() if is_inside(each.path, old)]:
            path = new + document.path[len(old) :]
            self.forget(document.path)
            self._hold(replace(document, path=path, uri=to_uri(path)))
        for faded in [each for each in self._faded.values() if is_inside(each.path, old)]:
            path = new + faded.path[len(old) :]
            del self._faded[faded.path]
            self._faded[path] = ReadDocument(path, to_uri(path), faded.sha256)
        for known, now in ((self._lines, self.show), (self._citable, self.mark_citable)):
            for (uri, sha256), lines in list(known.items()):
                was = to_path(uri)
                if was is not None and is_inside(was, old):
                    there = to_uri(new + was[len(old) :])
                    now(Span(there, sha256, *place) for place in runs(sorted(lines)))

    def lines(self, document: Document | ReadDocument) -> frozenset[int]:
        """The lines of this text that were shown."""
        return frozenset(self._lines.get((document.uri, document.sha256), ()))

    def forget_ranges(self) -> None:
        """Have Read show every range again: the results that showed them left the conversation.

        The lines still count as shown, since a summary keeps what the model learnt.
        """
        self._shown.clear()

    def show(self, spans: Iterable[Span]) -> None:
        """Note that the model was shown these lines."""
        for span in spans:
            _add(self._lines, span)

    def since(self, before: ReadState) -> tuple[Span, ...]:
        """The lines shown since `before` was copied from this state."""
        return tuple(
            Span(*text, first, last)
            for text, lines in self._lines.items()
            for first, last in runs(sorted(lines - before._lines.get(text, set())))
        )

    def covers(self, span: Span) -> bool:
        """Whether every line of `span` was shown."""
        lines = self._lines.get((span.uri, span.sha256), set())
        return lines.issuperset(range(span.first_line, span.last_line + 1))

    @property
    def is_empty(self) -> bool:
        """Whether no lines were shown."""
        return not (self._lines or self._citable)

    def missing(self, span: Span) -> tuple[int, ...]:
        """The lines of `span` that were not shown and may not be cited."""
        text = span.uri, span.sha256
        known = self._lines.get(text, set()) | self._citable.get(text, set())
        wanted = range(span.first_line, span.last_line + 1)
        return tuple(line for line in wanted if line not in known)

    def ending(self, path: str) -> str | None:
        """The only file with lines shown whose path ends with `path`."""
        end = "/" + path.removeprefix("./").removeprefix("/")
        uris = {uri for known in (self._lines, self._citable) for uri, _ in known}
        found = {whole for uri in uris if (whole := to_path(uri)) and whole.endswith(end)}
        return found.pop() if len(found) == 1 else None

    def is_outdated(self, span: Span) -> bool:
        """Whether lines of another text of the document were shown, and none of this text."""
        shown = {
            sha256
            for known in (self._lines, self._citable)
            for uri, sha256 in known
            if uri == span.uri
        }
        return bool(shown) and span.sha256 not in shown


def _plain(document: Document) -> Document:
    return replace(document)  # without its cached lines


def _add(lines: dict[tuple[str, str], set[int]], span: Span) -> None:
    known = lines.setdefault((span.uri, span.sha256), set())
    known.update(range(span.first_line, span.last_line + 1))


def _spans(known: Mapping[tuple[str, str], set[int]]) -> Iterator[Span]:
    for (uri, sha256), lines in known.items():
        for first, last in runs(sorted(lines)):
            yield Span(uri, sha256, first, last)


def carried_lines(
    shown: AbstractSet[int], before: Document, after: Document, *, by_model: bool
) -> set[int]:
    """Where the lines `shown` of `before` are in `after`, except those that were changed.

    With `by_model`, the new lines count as shown, too: the model wrote them.
    """
    old, new = lines_with_ends(before.text), lines_with_ends(after.text)
    lines: set[int] = set()
    at = shift = 0
    for block in [*changed_blocks(old, new), Block(len(old), 0, len(new), len(new))]:
        stayed = range(at + 1, block.old_start + 1)
        lines.update(line + shift for line in stayed if line in shown)
        if by_model:
            lines.update(range(block.new_start + 1, block.new_end + 1))
        at, shift = block.old_end, block.new_end - block.old_end
    return lines

"""Cited lines as they were, and where they are now.

Lines may have been judged with heads, the first lines of the definitions around them. These must
still be around them: a method that went to another class is not what it was.

The same lines at the same place are unchanged. At another place they count as moved if half of the
lines around them moved, too: the same words may occur elsewhere by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import zip_longest

from glossator.core.document import Document, Missing
from glossator.core.fact import Passage, line_hashes
from glossator.core.span import Span
from glossator.core.text import depth, is_inside, level
from glossator.core.uri import to_path

_CONTEXT_LINES = 3  # lines on each side that are remembered
_NEAR_LINES = 60  # lines around the old place that are compared where the passage changed

Read = Callable[[str], Document | Missing]
Heads = Sequence[Passage]  # of one line each


@dataclass(frozen=True)
class HashedText:
    """The lines of a document as hashes; `texts` are the lines themselves."""

    lines: tuple[str, ...]
    texts: tuple[str, ...] = ()

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Where each line stands, 0-based."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self.lines):
            found[line].append(at)
        return found

    @cached_property
    def outer(self) -> Sequence[int]:
        """The nearest less indented line above each line, 0-based; -1 if there is none."""
        outer = [-1] * len(self.texts)
        open_: list[tuple[int, int]] = []  # lines that are not over yet, each deeper than the last
        for at, line in enumerate(self.texts):
            if is_inside(line):
                own, deep = depth(line), level(line)
                outer[at] = next((above for above, its in reversed(open_) if its < deep), -1)
                while open_ and open_[-1][1] >= own:
                    open_.pop()
                open_.append((at, own))
        return outer

    def around(self, first: int, last: int) -> list[int]:
        """The lines that enclose some lines, 0-based, the outermost first."""
        own = (at for at in range(first, last + 1) if is_inside(self.texts[at]))
        found: list[int] = []
        at = self.outer[begin] if (begin := next(own, None)) is not None else -1
        while at >= 0:
            found.insert(0, at)
            at = self.outer[at]
        return found

    def find(self, wanted: tuple[str, ...]) -> Iterator[int]:
        """The places of these lines, found by looking at each place of the rarest one."""
        places = [self.places.get(line, ()) for line in wanted]
        offset = min(range(len(wanted)), key=lambda each: len(places[each]))
        for place in places[offset]:
            at = place - offset
            if at >= 0 and self.lines[at : at + len(wanted)] == wanted:
                yield at


class HashedTexts:
    """Documents as hashes, each text hashed once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, HashedText] = {}
        self.seen: dict[str, str | None] = {}  # SHA-256 of those that were read, None of no text

    def of(self, path: str) -> HashedText:
        """The document at a path; one of no lines if there is none."""
        if path not in self._known:
            document = self._read(path)
            text = document if isinstance(document, Document) else None
            self.seen[path] = text.sha256 if text else None
            lines = tuple(text.lines) if text else ()
            self._known[path] = HashedText(line_hashes(lines), lines)
        return self._known[path]


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Where a passage is now, 1-based and inclusive; `changed` counts lines that are not as cited.

    Where all of them changed, it is where the passage was. `lost` are those lines, as they were
    numbered then.
    """

    first_line: int
    last_line: int
    changed: int = 0
    lost: frozenset[int] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Freshness:
    """A place for each passage that something rests on, and how many cited lines changed.

    The places of a passage's heads follow its own.
    """

    places: tuple[PassagePlace | None, ...]
    changed: int

    @property
    def is_fresh(self) -> bool:
        """Whether every cited line is as it was, and there is any."""
        return any(self.places) and not self.changed


def passage_of(span: Span, read: Read) -> Passage:
    """The lines of a span, as they were read.

    Lines of a text that is another one by now have no hashes: they count as changed.
    """
    document = read(to_path(span.uri) or span.uri)
    path = document.path
    if isinstance(document, Missing) or document.sha256 != span.sha256:
        return Passage(path, span.first_line, span.last_line, ())
    first, last, lines = span.first_line, span.last_line, document.lines
    return Passage(
        path,
        first,
        last,
        line_hashes(lines[first - 1 : last]),
        line_hashes(lines[max(first - 1 - _CONTEXT_LINES, 0) : first - 1][::-1]),
        line_hashes(lines[last : last + _CONTEXT_LINES]),
    )


def freshness_of(
    passages: Sequence[Passage | None], texts: HashedTexts, heads: Sequence[Heads] = ()
) -> Freshness:
    """Compare passages with the current texts; blocking, for a thread.

    `heads` are those of each passage, the outermost first; without any, no passage has some.
    """
    places: list[PassagePlace | None] = []
    changed: set[tuple[str, int]] = set()
    for passage, own in zip_longest(passages, heads, fillvalue=()):
        if not passage:
            places.append(None)
            continue
        text = texts.of(passage.path)
        found = [place_of(passage, text)]
        found += _places_of_heads(own, found[0], text)
        changed |= {(passage.path, line) for place in found for line in place.lost}
        places += found
    return Freshness(tuple(places), len(changed))


def _places_of_heads(heads: Heads, passage: PassagePlace, text: HashedText) -> list[PassagePlace]:
    """Where the heads of a passage are around it, in their order; others are lost."""
    if passage.changed or not heads:
        return [place_of(each, text) for each in heads]
    around = text.around(passage.first_line - 1, passage.last_line - 1)
    places = []
    for head in heads:
        at = next((at for at in around if text.lines[at : at + 1] == head.lines), None)
        if at is None:
            lost = frozenset((head.first_line,))
            places.append(PassagePlace(head.first_line, head.last_line, 1, lost))
        else:
            places.append(PassagePlace(at + 1, at + 1))
            around = around[around.index(at) + 1 :]
    return places


def place_of(passage: Passage, text: HashedText) -> PassagePlace:
    """Where a passage is in the current text of its document."""
    first, count = passage.first_line - 1, passage.last_line - passage.first_line + 1
    wanted, lines = passage.lines, text.lines
    every = range(passage.first_line, passage.last_line + 1)
    if not wanted:
        return PassagePlace(passage.first_line, passage.last_line, count, frozenset(every))
    if lines[first : first + count] == wanted:
        return PassagePlace(passage.first_line, passage.last_line)
    if moved := [at for at in text.find(wanted) if _came_with_it(passage, lines, at)]:
        at = min(moved, key=lambda each: abs(each - first))
        return PassagePlace(at + 1, at + count)
    near = lines[max(first - _NEAR_LINES, 0) : first + count + _NEAR_LINES]
    alike = SequenceMatcher(None, wanted, near, autojunk=False).get_matching_blocks()
    kept = {block.a + at for block in alike for at in range(block.size)}
    lost = frozenset(line for at, line in enumerate(every) if at not in kept) or frozenset(
        every[:1]
    )
    return PassagePlace(passage.first_line, passage.last_line, len(lost), lost)


def _came_with_it(passage: Passage, lines: Sequence[str], at: int) -> bool:
    """Whether half of the lines around are those that were; a text's end counts as one."""
    end = at + len(passage.lines)
    sides = (
        (passage.before, lines[max(at - _CONTEXT_LINES, 0) : at][::-1]),
        (passage.after, lines[end : end + _CONTEXT_LINES]),
    )
    alike = total = 0
    for was, now in sides:
        total += max(len(was), 1)
        alike += sum(old == new for old, new in zip(was, now, strict=False))
        alike += not was and not now
    return alike * 2 >= total

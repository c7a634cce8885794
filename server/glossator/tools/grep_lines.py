"""The lines of a Grep as they are shown: under the names of their files, within their room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from glossator.core.document import Document
from glossator.core.shown import shown
from glossator.core.span import Span, whole_and_cut
from glossator.core.tool_result import shorten
from glossator.documents import WorkspaceSnapshot
from glossator.search import Lines, SearchedText, document_of

MAX_LINE_CHARACTERS = 500

_EXAMPLES = 1 / 3  # of the room is for examples, however much there is
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{200,}")
_LIKE_A_LINE = re.compile(r"\d+[:-]|--$|\[.*\]$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result; if it shows text, under its `file`'s name and with its `number`."""

    text: str
    file: str = ""
    source: SearchedText | None = None
    number: int | None = None
    is_match: bool = False


@dataclass(slots=True)
class Kept:
    """The first lines of a result, as many as there is room for; one at least."""

    most: float
    room: int  # bytes
    lines: list[Line] = field(default_factory=list)
    used: int = 0

    def add(self, line: Line) -> bool:
        """Keep a line, if there is room."""
        taken = size(line.text)
        if line.file and not (self.lines and self.lines[-1].file == line.file):
            taken += size(line.file) + 1
        if self.lines and (len(self.lines) >= self.most or self.used + taken > self.room):
            return False
        self.lines.append(line)
        self.used += taken
        return True

    def clear(self) -> None:
        """Begin again."""
        self.lines.clear()
        self.used = 0

    def shrink(self, total: float) -> None:
        """Less room for examples the more bytes there are: each of them says the less."""
        self.room = int(self.room * max(_EXAMPLES, min(1, self.room / total)))

    def fill(self, examples: Sequence[Example], first: int, total: int) -> None:
        """Keep some of the examples of `total` matches, those that come first, ordered by path.

        Of the `first` as many as there is room for, of the others only as many as are useful.
        """
        if not examples:
            return
        whole = self.room
        files = {example.place.file for example in examples}
        bytes_of_all = sum(example.bytes for example in examples) + sum(map(size, files))
        self.shrink(bytes_of_all * total / max(1, len(examples)))
        chosen: dict[str, list[Example]] = {}
        used = lines = 0
        for rank, example in enumerate(examples):
            room = whole if rank < first else self.room
            file = example.place.file
            taken = example.bytes + (0 if file in chosen else size(file) + 1)
            if chosen and (used + taken > room or lines + example.lines > self.most):
                continue
            chosen.setdefault(file, []).append(example)
            used += taken
            lines += example.lines
        for some in sorted(chosen.values(), key=lambda some: some[0].place.relative):
            numbers = sorted(example.number for example in some)
            self.lines += some[0].place.shown(iter(numbers))

    @property
    def matches(self) -> int:
        """How many of the lines are no context."""
        return sum(line.is_match for line in self.lines)

    @property
    def share(self) -> float:
        """How much of the room is taken, 0 to about 1."""
        return max(self.used / self.room, len(self.lines) / self.most)

    def text(self) -> str:
        """The lines, those of a file under its name."""
        groups = groupby(self.lines, key=lambda line: line.file)
        texts = [(file, "\n".join(line.text for line in lines)) for file, lines in groups]
        return "\n\n".join(f"{file}\n{text}" if file else text for file, text in texts)


@dataclass(frozen=True, slots=True)
class Place:
    """A file whose lines are shown with so many `before` and `after` them."""

    relative: str
    source: SearchedText
    lines: Lines
    before: int = 0
    after: int = 0

    @property
    def file(self) -> str:
        """Its name above its lines, which does not look like one of them or like a note."""
        name = shown(self.relative)
        return f"./{name}" if _LIKE_A_LINE.match(name) else name

    def shown(self, matches: Iterator[int]) -> Iterator[Line]:
        """Matching lines with their context; a line "--" between places that do not touch."""
        file = self.file
        printed = 0
        pending_after = 0  # the last line that is still context of the match before, if any

        def show(first: int, last: int, mark: str) -> Iterator[Line]:
            for number in range(first, last + 1):
                text = self.lines.get(number)
                if text is None:
                    return
                text = shorten(text, MAX_LINE_CHARACTERS, _kind(text))
                yield Line(f"{number}{mark}{text}", file, self.source, number, mark == ":")

        for number in matches:
            last_after = min(pending_after, number - 1)
            yield from show(printed + 1, last_after, "-")
            printed = max(printed, last_after)
            start = max(number - self.before, printed + 1)
            if printed and start > printed + 1 and (self.before or self.after):
                yield Line("--", file)
            yield from show(start, number - 1, "-")
            yield from show(number, number, ":")
            printed = number
            pending_after = number + self.after
        yield from show(printed + 1, pending_after, "-")


class Example:
    """A matching line of a place, and what it takes to show it with its context."""

    def __init__(self, place: Place, number: int) -> None:
        self.place, self.number = place, number
        shown_lines = [*place.shown(iter((number,)))]
        if len(shown_lines) > 1:
            shown_lines.append(Line("--"))
        self.lines = len(shown_lines)
        self.bytes = sum(size(line.text) for line in shown_lines)


def spans(
    lines: Iterable[Line], snapshot: WorkspaceSnapshot
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Runs of consecutive lines, file by file: those shown in full, and those that were cut."""
    places = [(line.source, line.number) for line in lines if line.source and line.number]
    whole: list[Span] = []
    shortened: list[Span] = []
    for _, group in groupby(places, key=lambda place: place[0].source.path):
        (source, *_), numbers = zip(*group, strict=True)
        document = document_of(snapshot, source)
        if isinstance(document, Document):
            shown_whole, shown_cut = whole_and_cut(document, numbers, MAX_LINE_CHARACTERS)
            whole += shown_whole
            shortened += shown_cut
    return tuple(whole), tuple(shortened)


def size(text: str) -> int:
    """In bytes, with its line end."""
    return len(text.encode("utf-8", "surrogatepass")) + 1


def _kind(line: str) -> str:
    return "encoded data" if _ENCODED.search(line) else "minified or generated"

"""The output of Grep: lines under the names of their files, counts by folder, and notes.

The notes say what was not searched or was read with a guessed encoding, and if nothing matched,
what was searched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, zip_longest
from typing import TypeVar

from glossator.core.document import Document, MissingReason
from glossator.core.shown import shown
from glossator.core.span import Span, whole_and_cut
from glossator.core.tool_result import ToolResult, shorten
from glossator.tools.selection import Selection, account
from glossator.workspace import (
    Lines,
    SearchedText,
    TextSearch,
    WorkspaceSnapshot,
    document_of,
    unsearchable,
)

MAX_LINE_CHARACTERS = 500

_BEFORE_MATCH = 100  # characters of a long line
_EXAMPLES_SHARE = 1 / 3  # the share of the budget that examples get at least
_ENCODED_DATA = re.compile(r"[A-Za-z0-9+/=_-]{200,}")
_LIKE_A_LINE = re.compile(r"\d+[:-]|--$|\[.*\]$")

_GROUPS_SHOWN = 12  # shown
_MAX_GROUPS = 24  # groups at most, of which the smallest are shown as one
_DIVIDE_FROM = 1 / 8  # share of all hits from which a folder is divided
_FOLDER_CHARACTERS = 160  # of a folder's name

_FILES_NAMED = 3  # in a note
_LINE_END = re.compile(
    r"\[\^\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"  # a class, which may hold escapes
    r"|\\Q.*?(?:\\E|\Z)"
    r"|(?P<feed>\n|\\(?:n|x0[aA]|x\{0*[aA]\}|012))"
    r"|(?P<carriage>\r|\\(?:r|x0[dD]|x\{0*[dD]\}|015))"
    r"|\\.",
    re.DOTALL,
)

T = TypeVar("T")
HitCounts = Mapping[str, int]  # hits by the relative path of a file


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One line of the output; a line of a file has the `file` as its heading and a `number`."""

    text: str
    file: str = ""
    source: SearchedText | None = None
    number: int | None = None
    is_match: bool = False


@dataclass(slots=True)
class OutputLines:
    """The lines of the output, at most `most` and `room` bytes, but at least one."""

    most: float
    room: int  # bytes
    lines: list[OutputLine] = field(default_factory=list)
    used: int = 0

    def add(self, line: OutputLine) -> bool:
        """Add a line; False if it does not fit."""
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
        """Reduce the budget for `total` bytes of examples: the more, the less each says."""
        self.room = int(self.room * max(_EXAMPLES_SHARE, min(1, self.room / total)))

    def fill(self, examples: Sequence[Example], first: int, total: int) -> None:
        """Add the first examples of `total` matches that fit, ordered by path.

        The first `first` examples may fill the budget, the others a reduced one.
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
        """The number of matching lines."""
        return sum(line.is_match for line in self.lines)

    @property
    def share(self) -> float:
        """The used share of the budget, 0 to about 1."""
        return max(self.used / self.room, len(self.lines) / self.most)

    def text(self) -> str:
        """The lines, below the names of their files."""
        groups = groupby(self.lines, key=lambda line: line.file)
        texts = [(file, "\n".join(line.text for line in lines)) for file, lines in groups]
        return "\n\n".join(f"{file}\n{text}" if file else text for file, text in texts)


@dataclass(frozen=True, slots=True)
class FileContext:
    """A file, and how many lines of context to show around a match.

    `column` says at which character of a line a match begins, `passed` how many lines come before
    `lines`. Lines without a `source` cannot be cited.
    """

    relative: str
    source: SearchedText | None
    lines: Lines
    column: Callable[[str], int]
    before: int = 0
    after: int = 0
    passed: int = 0

    @property
    def file(self) -> str:
        """The heading: the path, which must not look like a line or a note."""
        name = shown(self.relative)
        return f"./{name}" if _LIKE_A_LINE.match(name) else name

    def shown(self, matches: Iterator[int]) -> Iterator[OutputLine]:
        """Matching lines with context, and "--" between groups."""
        file = self.file
        printed = self.passed
        pending_after = 0  # the last line of context of the match before

        def show(first: int, last: int, mark: str) -> Iterator[OutputLine]:
            for number in range(first, last + 1):
                text = self.lines.get(number - self.passed)
                if text is None:
                    return
                if len(text) > MAX_LINE_CHARACTERS:
                    text = _around(text, self.column(text) if mark == ":" else 0)
                yield OutputLine(f"{number}{mark}{text}", file, self.source, number, mark == ":")

        for number in matches:
            last_after = min(pending_after, number - 1)
            yield from show(printed + 1, last_after, "-")
            printed = max(printed, last_after)
            start = max(number - self.before, printed + 1)
            if printed and start > printed + 1 and (self.before or self.after):
                yield OutputLine("--", file)
            yield from show(start, number - 1, "-")
            yield from show(number, number, ":")
            printed = number
            pending_after = number + self.after
        yield from show(printed + 1, pending_after, "-")


class Example:
    """A matching line, and the lines and bytes that it takes with its context."""

    def __init__(self, place: FileContext, number: int) -> None:
        self.place, self.number = place, number
        shown_lines = [*place.shown(iter((number,)))]
        if len(shown_lines) > 1:
            shown_lines.append(OutputLine("--"))
        self.lines = len(shown_lines)
        self.bytes = sum(size(line.text) for line in shown_lines)


def spans(
    lines: Iterable[OutputLine], snapshot: WorkspaceSnapshot
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans of the lines shown in full, and of those cut."""
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
    """The text's size in bytes, with a line end."""
    return len(text.encode("utf-8", "surrogatepass")) + 1


def _around(line: str, column: int) -> str:
    """A long line cut to the surroundings of a match that begins at `column`, from 0."""
    start = column - _BEFORE_MATCH
    if column < MAX_LINE_CHARACTERS - _BEFORE_MATCH:
        return shorten(line, MAX_LINE_CHARACTERS, _kind(line))
    part = line[start : start + MAX_LINE_CHARACTERS]
    ends = "…" if start + MAX_LINE_CHARACTERS < len(line) else ""
    return (
        f"…{part}{ends} [cut; the match is at column {column + 1:,} of {len(line):,} characters,"
        f" {_kind(line)}]"
    )


def _kind(line: str) -> str:
    return "encoded data" if _ENCODED_DATA.search(line) else "minified or generated"


@dataclass(frozen=True, slots=True)
class FolderHits:
    """Hits in the folder `place`, which ends in "/", in the file `place`, or elsewhere ("")."""

    place: str
    counts: HitCounts

    @property
    def total(self) -> int:
        """The number of hits."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        number = len(self.counts)
        files = "" if number in (1, self.total) else f" in {number:,} files"
        place = shown(self.place) or "elsewhere"
        if len(place) > _FOLDER_CHARACTERS:
            place = f"…{place[-_FOLDER_CHARACTERS:]}"
        return f"  {self.total:,}{files}: {place}"


def by_folder(counts: HitCounts) -> list[FolderHits]:
    """Groups of hits, the largest first; large folders are divided."""
    parts = _divided("", counts)
    whole: set[str] = set()
    many = sum(counts.values()) * _DIVIDE_FROM
    while len(parts) < _GROUPS_SHOWN:
        folders = [place for place in parts.keys() - whole if place.endswith("/")]
        fullest = max(folders, key=lambda place: (sum(parts[place].values()), place), default="")
        if not fullest or sum(parts[fullest].values()) <= many:
            break
        inner = _divided(fullest, parts[fullest])
        if len(parts) + len(inner) > _MAX_GROUPS:
            whole.add(fullest)
        else:
            del parts[fullest]
            parts |= inner
    groups = [FolderHits(place, part) for place, part in parts.items()]
    groups.sort(key=lambda group: (-group.total, group.place))
    if len(groups) > _GROUPS_SHOWN:
        rest = chain.from_iterable(group.counts.items() for group in groups[_GROUPS_SHOWN - 1 :])
        groups[_GROUPS_SHOWN - 1 :] = [FolderHits("", dict(rest))]
    return groups


def examples(groups: Sequence[FolderHits], room: int) -> dict[str, int]:
    """How many hits to show of which files: `room` in all, from as many files as possible.

    The files share the room equally, as far as they have hits.
    """
    rows = zip_longest(*(group.counts.items() for group in groups))
    files = list(islice(filter(None, chain.from_iterable(rows)), room))
    shares: dict[str, int] = {}
    for left, (path, count) in zip(
        range(len(files), 0, -1), sorted(files, key=lambda file: file[1]), strict=True
    ):
        shares[path] = min(count, room // left)
        room -= shares[path]
    return shares


def interleave(rows: Iterable[Iterable[T]]) -> list[T]:
    """The first of each row, then the second of each, and so on."""
    columns = zip_longest(*([(each,) for each in row] for row in rows), fillvalue=())
    return [each for column in columns for some in column for each in some]


def scattered(items: Sequence[T]) -> list[T]:
    """The items in an order whose beginnings are spread evenly over all of them."""
    digits = len(items).bit_length()
    order = sorted(range(len(items)), key=lambda number: f"{number:0{digits}b}"[::-1])
    return [items[number] for number in order]


def _divided(folder: str, counts: HitCounts) -> dict[str, dict[str, int]]:
    """The hits by the files and folders in `folder`; folders end in "/"."""
    parts: dict[str, dict[str, int]] = {}
    for path, count in counts.items():
        name, slash, _ = path[len(folder) :].partition("/")
        parts.setdefault(f"{folder}{name}{slash}", {})[path] = count
    return parts


def unsearched(search: TextSearch) -> str:
    """Says which files could not be searched."""
    reasons = (MissingReason.TOO_LARGE, MissingReason.UNREADABLE)
    why = {
        entry.relative: reason for entry, reason in search.unsearched.items() if reason in reasons
    }
    named = [f"{shown(path)} ({why[path]})" for path in sorted(why)]
    step = "; give a large one as path" * (MissingReason.TOO_LARGE in why.values())
    return f"[not searched: {_some(named)}{step}]" if named else ""


def guessed(search: TextSearch, output: OutputLines) -> str:
    """Says which encodings were guessed to read the files of the output."""
    files = {line.file for line in output.lines}
    named = [f"{path} ({codec})" for path, codec in _named(search) if path in files]
    return f"[encoding guessed from the bytes: {_some(named)}]" if named else ""


def nothing_found(
    pattern: str, selection: Selection, search: TextSearch, *, offset: int, multiline: bool
) -> ToolResult:
    """Says that nothing was found after `offset` matches, and what was searched."""
    snapshot = selection.snapshot
    missing = {**unsearchable(snapshot), **search.unsearched}
    left_out = list(selection.among(missing))
    reasons = Counter(missing[file] for file in left_out)
    size = selection.total_bytes - sum(file.size for file in left_out)
    count = selection.count - len(left_out)
    extra = [f"Searched {count:,} of these files, {_size(size)}."]
    if reasons:
        listed = ", ".join(f"{reasons[why]} {why}" for why in MissingReason if reasons[why])
        extra.append(f"Could not be searched: {listed}.")
    if search.guessed:
        named = [f"{path} ({codec})" for path, codec in _named(search)]
        extra.append(f"Encoding guessed from the bytes: {_some(named)}.")
    line_ends = {token.lastgroup for token in _LINE_END.finditer(pattern)} - {None}
    if line_ends and not multiline:
        extra.append("A line end in the pattern matches only with multiline.")
    if "carriage" in line_ends:
        extra.append(r"Every line end is searched as \n, so \r matches nothing.")
    if search.may_miss:
        extra.append(
            r"With \B, or \b beside \A or \z, only ASCII letters make words: near others this"
            " pattern may miss matches."
        )
    what = f"No match for {pattern}" + (f" after the first {offset}" if offset else "")
    told = account(snapshot, selection, extra)
    return ToolResult(f"{what}.\n{told}", outcome="no match")


def _size(count: int) -> str:
    """So many bytes, in words."""
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{max(-(-count // 1000), 1):,} kB"


def _named(search: TextSearch) -> list[tuple[str, str]]:
    return [(shown(path), codec) for path, codec in sorted(search.guessed.items())]


def _some(named: list[str]) -> str:
    if len(named) > _FILES_NAMED:
        named[_FILES_NAMED:] = [f"{len(named) - _FILES_NAMED:,} more"]
    return ", ".join(named)

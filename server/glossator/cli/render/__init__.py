"""How answers look: one description, shown by a terminal and by a pipe.

`answers.py` says what is shown of each answer and `renderer.py` what of each event, both in the
parts of this file. `screen.py` draws parts for a terminal, `pipe.py` writes them for a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from glossator.core.answer import Answer
from glossator.core.shown import shown_prose

INDENT = "  "  # before each `Quote`, and before nothing else

_CONTROLS = frozenset([*range(0x20), *range(0x7F, 0xA0)]) - {0x09, 0x0A}  # C0, DEL, C1
_VISIBLE = {
    code: chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}" for code in _CONTROLS
}


class Styled(NamedTuple):
    """Text in a style of rich's, perhaps a link."""

    text: str
    style: str = ""
    link: str | None = None


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text. Lines of one `kind` stand together, a blank line sets others apart.

    In a pipe it goes to stderr if it is an `aside`, and reads `plain` if that is given. Where a
    terminal has to wrap it, it continues below its first `hang` characters.
    """

    spans: tuple[Styled, ...]
    kind: str = "notice"
    aside: bool = False
    plain: str | None = None
    hang: int = 0

    @property
    def text(self) -> str:
        """The text without styles."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """What came of a call, on one line: of a long `head` the beginning, then the whole `tail`.

    With the style of a `failure` it is never cut. In a pipe it reads `plain` if that is given.
    """

    head: str
    tail: str
    failure: str = ""
    plain: str | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of a command or change that the user decides about; only such lines are indented.

    `number` is that of a line in a diff, from 0.
    """

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Exact:
    """A text as it is; in a pipe an `aside` goes to stderr."""

    text: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff of one file."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Those `lines` (1-based) of a `text` that begins at `first_line`, with `words` marked.

    Between lines that are not neighbours something is left out.
    """

    text: str
    path: str
    first_line: int
    lines: tuple[int, ...]
    words: tuple[str, ...]
    kind: str

    @property
    def rows(self) -> tuple[tuple[int | None, int], ...]:
        """Line numbers with their rows in the text, from 0; None as number for what is left out."""
        shown: list[tuple[int | None, int]] = []
        last = None
        for number in self.lines:
            if last is not None and number > last + 1:
                shown.append((None, 0))
            shown.append((number, number - self.first_line))
            last = number
        return tuple(shown)


@dataclass(frozen=True, slots=True)
class Fields:
    """Names and values; `problems` stand out below."""

    rows: tuple[tuple[str, str], ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; one that is `whole` is never wrapped. Widths are in characters."""

    name: str = ""
    style: str = ""
    whole: bool = False
    right: bool = False
    width: int | None = None
    least: int | None = None


Cell = str | Styled | tuple[Styled, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; in a pipe the lines `plain`, or else the cells with tabs between them."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    plain: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, drawn with a `character` of its own; `figure` is its `size` in words."""

    name: str
    figure: str
    size: int
    character: str
    style: str


@dataclass(frozen=True, slots=True)
class Bar:
    """What something consists of, in one line as wide as the terminal, with a legend below.

    A pipe gets none of it.
    """

    segments: tuple[Segment, ...]

    def cells(self, width: int) -> tuple[int, ...]:
        """The width of each segment in characters; at least one where it is not empty."""
        whole = sum(each.size for each in self.segments) or 1
        cells = [max(round(each.size / whole * width), each.size > 0) for each in self.segments]
        widest = cells.index(max(cells))
        cells[widest] += width - sum(cells)
        return tuple(cells)


def one_line(cell: Cell) -> str:
    """The text of a cell on one line; what stands below it follows in brackets."""
    match cell:
        case str():
            return cell
        case Styled():
            return cell.text
        case (main, below):
            return f"{main.text} [{below.text.strip()}]"
        case _:
            return "".join(span.text for span in cell)


Part = TextLine | OutcomeLine | Quote | Exact | Diff | Code | Fields | Table | Bar


class OutputTarget(Protocol):
    """Where parts are shown. A `live` one shows text as it is written, and a status line."""

    live: bool

    def show(self, part: Part) -> None:
        """Show one part."""

    def ask(self, parts: Iterable[Part], hint: str) -> None:
        """Show what the user is asked; the answer is typed below the hint."""

    def ask_again(self, hint: str) -> None:
        """The answer cannot be used, or another is needed."""

    def prompt(self, hint: str) -> None:
        """The user may type what they want; the hint says what that can be."""

    def within(self, folders: Sequence[str]) -> None:
        """What is shown from now on names files below these; without any below the workspace's."""

    def stream(self, text: str) -> None:
        """More of the answer's text."""

    def end_text(self, *, void: str = "", reply: bool = False, mended: bool = False) -> None:
        """Nothing is added to the text so far: a `reply` is over, or `void` says why it is."""

    def answer_text(self, answer: Answer) -> None:
        """The text of an answer, unless it was streamed."""

    def doing(self, activity: str | Callable[[], Iterable[Sequence[str]]]) -> None:
        """The status line: words, or lines of who, what and how far, read at each drawing."""

    def so_far(self, words: Callable[[], str]) -> None:
        """What the status line says of the whole run, read at each drawing."""

    def progress(self, value: dict[str, Any]) -> None:
        """The value of a `$/progress` notification."""

    def still(self) -> None:
        """Remove the status line."""

    def error(self, message: str) -> None:
        """The command failed; on stderr."""


class Display(Protocol):
    """What a command shows its answer with: a `Renderer`, or JSON for a program."""

    def event(self, wire: dict[str, Any]) -> None:
        """Something happened in a run."""

    def notice(self, message: str, style: str = "yellow") -> None:
        """The user should know this."""

    def address(self, url: str) -> None:
        """The user is to open this address; it is shown so that it can be copied."""

    def working(self) -> None:
        """The server has started, and is asked."""

    def progress(self, value: dict[str, Any]) -> None:
        """How far the work is that the command waits for."""

    def background(self, value: dict[str, Any]) -> None:
        """How far work is that the command may wait for."""

    def diff(self, diff: str) -> None:
        """A file was changed."""

    def answer(self, answer: object, parts: Iterable[Part] | None = None) -> None:
        """The end of the command; `parts` of an answer that this room does not know."""

    def error(self, code: int, message: str) -> None:
        """The command failed."""

    def close(self) -> None:
        """Leave the terminal as it was found; nothing is shown afterwards."""


def line(
    text: str,
    style: str = "",
    *,
    kind: str = "notice",
    aside: bool = False,
    plain: str | None = None,
    hang: int = 0,
) -> TextLine:
    """A line in one style."""
    return TextLine((Styled(text, style),), kind, aside, plain, hang)


def listed(table: Table, nothing: str) -> Part:
    """The table, or a line that there is `nothing` in it."""
    return table if table.rows else line(nothing, aside=True)


def printable(text: str) -> str:
    """`text` with what cannot be seen in it made visible; tabs stay, line ends become LF."""
    return shown_prose(text.replace("\r\n", "\n").translate(_VISIBLE))

"""Output for a terminal: printed lines stay, only the status line at the end is redrawn.

The status line says what the run does and how far it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.table import Table as RichTable
from rich.text import Text

from glossator.cli import render
from glossator.cli.messages import PROMPT
from glossator.cli.render.markdown import CODE_THEME, THEME, BlockSplitter, MarkdownBlock, draw
from glossator.core.answer import Answer
from glossator.core.shown import shown_text
from glossator.core.wire import Json


class StatusLine:
    """Read whenever it is drawn: words or lines of who, what and how far, and `so_far` of the run.

    What does not fit is cut; `so_far` keeps half of the width if it needs it.
    """

    def __init__(self) -> None:
        self.activity: str | Callable[[], Iterable[Sequence[str]]] = "Starting…"
        self.so_far: Callable[[], str] = str

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        so_far = self.so_far()
        if isinstance(self.activity, str):
            yield _one_line(self.activity, so_far, options.max_width)
            return
        if so_far:
            yield Text(render.printable(so_far), "dim", no_wrap=True, overflow="ellipsis")
        yield _grid(self.activity())

    def __rich_measure__(self, _console: Console, options: ConsoleOptions) -> Measurement:
        width = options.max_width
        if isinstance(self.activity, str):
            width = _one_line(self.activity, self.so_far(), width).cell_len
        return Measurement(width, width)


def _one_line(activity: str, so_far: str, width: int) -> Text:
    words = Text(render.printable(activity), "dim", no_wrap=True)
    behind = Text(f" · {render.printable(so_far)}" if so_far else "", "dim")
    behind.truncate(max(width // 2, width - words.cell_len), overflow="ellipsis")
    words.truncate(width - behind.cell_len, overflow="ellipsis")
    return words + behind


def _grid(lines: Iterable[Sequence[str]]) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
    table.add_column(no_wrap=True, justify="right", style="dim")
    for line in lines:
        table.add_row(*map(Text, map(render.printable, line)))
    return table


class Below(Protocol):
    """What stands below all that is printed: a status line, and where the user types."""

    def update(self, drawn: RenderableType) -> None:
        """Show this in the status line, if there is one."""

    def start(self) -> None:
        """Show the status line."""

    def stop(self) -> None:
        """Remove the status line."""

    def prompt(self, hint: str) -> None:
        """The user is to type something; "" if what that may be was printed already."""


class _StatusBelow(Status):
    """A terminal that shows itself what is typed."""

    def prompt(self, hint: str) -> None:
        if hint:
            self.console.print(Text(hint, "dim"))
        self.console.print(Text(PROMPT, "bold"), end="")


_BAR_WIDTH = 40  # characters
_HEAD_COLUMNS = 24  # columns of the beginning of a line that is cut
_PATH = re.compile(r'path="([^"]+)"')  # of a call
_END_OF_PATH = 8  # characters of one that are shown at least
_DIFF_HEAD = 2  # lines
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


class Screen:
    """Prints parts with blank lines between unlike ones, and what the run does below them.

    Of an answer's text each block of Markdown is printed as soon as it is finished.
    """

    live = True

    def __init__(
        self, roots: Sequence[Path], console: Console | None = None, below: Below | None = None
    ) -> None:
        """Citations link to files below `roots`."""
        self._workspace = self._roots = roots
        self._console = console or Console(theme=THEME, highlight=False)
        self._last = ""  # the kind of what was printed last
        self._questions = 0  # so far; each is a kind of its own, and so set apart
        self._blocks = BlockSplitter()
        self._streamed = ""  # of the reply under way
        self._said: frozenset[str] = frozenset()  # its blocks
        self._replaced: frozenset[str] = frozenset()  # those of the text in whose place it stands
        self._status = StatusLine()
        self._below = below or _StatusBelow(
            self._status, console=self._console, spinner_style="dim"
        )
        self._move(self._status)

    def show(self, part: render.Part, kind: str = "") -> None:
        """Print a part, as one of this `kind` where it is given."""
        match part:
            case render.TextLine():
                self._line(part, kind or part.kind)
            case render.OutcomeLine(head=head, tail=tail, failure="", plain=_):
                self._cut(kind or "tool", head, tail)
            case render.OutcomeLine(head=head, tail=tail, failure=style):
                self.show(render.line(f"{head}  {tail}", style, kind=kind or "tool", hang=2))
            case render.Quote(text=text, number=number):
                style = "" if number is None else _diff_style(number, text)
                self.show(render.line(render.INDENT + text, style, hang=len(render.INDENT)), kind)
            case render.Exact(text=text):
                text = render.printable(text)
                self._console.out(text, end="" if text.endswith("\n") else "\n", highlight=False)
            case render.Diff(text=text):
                self._block(kind or "diff", draw_diff(text))
            case render.Code():
                self._block(part.kind, _code(part))
            case render.Fields() | render.Table() | render.Bar():
                self._block("table", _figures(part, self._console.width))

    def ask(self, parts: Iterable[render.Part], hint: str) -> None:
        """Ask, with the status line out of the way until the answer."""
        self._questions += 1
        self.still()
        for part in parts:
            self.show(part, self._question)
        self.ask_again(hint)

    def ask_again(self, hint: str) -> None:
        """Ask again, below the answer so far."""
        self.show(render.line(hint, "dim"), self._question)
        self._below.prompt("")

    def prompt(self, hint: str) -> None:
        """Let the user type, set apart from what was printed before."""
        self._questions += 1
        self.still()
        self._apart(self._question)
        self._below.prompt(hint)

    def within(self, folders: Sequence[str]) -> None:
        """Citations link to files below these from now on."""
        self._roots = tuple(map(Path, folders)) or self._workspace

    def stream(self, text: str) -> None:
        """Print the blocks that this finishes."""
        self.doing("Writing…")
        self._streamed += text
        self._print_blocks(self._blocks.feed(text))

    def end_text(self, *, void: str = "", reply: bool = False, mended: bool = False) -> None:
        """Print what is unfinished; a `reply` is over, or `void`.

        Of the text that takes the place of a `mended` one, only blocks that differ are printed.
        """
        self._print_blocks(self._blocks.flush())
        if void and self._streamed:
            self.show(render.line(void, "dim"))
        if void or reply:
            self._replaced = self._said if mended else frozenset()
            self._streamed, self._said = "", frozenset()

    def answer_text(self, answer: Answer) -> None:
        """The part that is not on the screen yet; an earlier reply may be."""
        self.end_text()
        if not self._streamed.rstrip().endswith(answer.text.strip()):
            self._print_blocks([*self._blocks.feed(answer.text), *self._blocks.flush()])

    def doing(self, activity: str | Callable[[], Iterable[Sequence[str]]]) -> None:
        """Show it in the status line."""
        self._status.activity = activity
        self._move(self._status)

    def so_far(self, words: Callable[[], str]) -> None:
        """Show it behind the words of the status line."""
        self._status.so_far = words

    def progress(self, value: dict[str, Json]) -> None:
        """A bar in the status line."""
        percentage = value.get("percentage")
        if percentage is None or value["kind"] == "end":
            self.doing(f"{value.get('title') or value.get('message') or 'Working'}…")
            return
        bar = RichTable.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(100, percentage, width=_BAR_WIDTH),
            Text(f"{percentage:3d}%"),
            Text(render.printable(value.get("message", "")), "dim"),
        )
        self._below.update(bar)

    def still(self) -> None:
        """Remove the status line."""
        self._below.stop()

    def error(self, message: str) -> None:
        """Show an error below what was shown so far."""
        Console(stderr=True, highlight=False).print(
            Text.assemble(("error: ", "bold red"), render.printable(message))
        )

    @property
    def _question(self) -> str:
        return f"question {self._questions}"

    def _move(self, drawn: RenderableType) -> None:
        self._below.update(drawn)
        if self._console.is_terminal:
            self._below.start()

    def _apart(self, kind: str) -> None:
        """A blank line between unlike parts; a part without a `kind` always gets one."""
        if self._last and not (kind and kind == self._last):
            self._console.print()
        self._last = kind or "block"

    def _block(self, kind: str, drawn: RenderableType) -> None:
        self._apart(kind)
        self._console.print(drawn)

    def _line(self, part: render.TextLine, kind: str) -> None:
        self._apart(kind)
        text = _text(part.spans)
        margin = text[: part.hang]
        for each in text[part.hang :].wrap(self._console, self._console.width - part.hang):
            each.rstrip()
            self._console.print(Text.assemble(margin, each), soft_wrap=True)
            margin = Text(" " * part.hang)

    def _cut(self, kind: str, head: str, tail: str) -> None:
        self._apart(kind)
        end = f"  {render.printable(tail)}"
        most = max(self._console.width - cell_len(end), _HEAD_COLUMNS)
        drawn = Text(_shortened(render.printable(head), most) + end, "dim")
        self._console.print(drawn, no_wrap=True, overflow="ellipsis")

    def _print_blocks(self, blocks: Iterable[MarkdownBlock]) -> None:
        for block in blocks:
            self._said |= {block.text}
            if block.text not in self._replaced:
                self._block("", draw(block, self._roots))


def _shortened(call: str, most: int) -> str:
    """Cut a tool call to so many columns: from its path go folders, else from its end."""
    over = cell_len(call) - most
    for path in _PATH.finditer(call):
        kept = path[1][over + 1 :]
        if over > 0 and len(kept) >= _END_OF_PATH:
            return f"{call[: path.start(1)]}…{kept}{call[path.end(1) :]}"
    text = Text(call)
    text.truncate(most, overflow="ellipsis")
    return text.plain


def _text(spans: Iterable[render.Styled]) -> Text:
    drawn = Text()
    for text, style, link in spans:
        drawn.append(render.printable(text), Style.parse(style) + Style(link=link))
    return drawn


def _cell(cell: render.Cell) -> Text:
    match cell:
        case str():
            return Text(render.printable(cell))
        case render.Styled():
            return _text([cell])
        case _:
            return _text(cell)


def _table(part: render.Table) -> RichTable:
    table = RichTable(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim",
        show_header=any(column.name for column in part.columns),
    )
    for column in part.columns:
        table.add_column(
            column.name,
            style=column.style,
            no_wrap=column.whole,
            overflow="fold",
            justify="right" if column.right else "left",
            width=column.width,
            min_width=column.least,
        )
    for row in part.rows:
        table.add_row(*map(_cell, row))
    return table


def _figures(part: render.Fields | render.Table | render.Bar, width: int) -> RenderableType:
    match part:
        case render.Fields():
            return _fields(part)
        case render.Table():
            return _table(part)
        case render.Bar():
            return _bar(part, width)


def _fields(part: render.Fields) -> RichTable:
    table = RichTable.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in part.rows:
        table.add_row(*map(_cell, row))
    for problem in part.problems:
        table.add_row(_cell(render.Styled("problem", "red")), _cell(render.Styled(problem, "red")))
    return table


def _bar(part: render.Bar, width: int) -> RenderableType:
    """The bar, and what its segments are."""
    cells = zip(part.segments, part.cells(width), strict=True)
    bar = Text.assemble(*((each.character * count, each.style) for each, count in cells))
    legend = Text()
    for each in part.segments:
        entry = Text.assemble((each.character, each.style), f" {each.name} {each.figure}")
        if legend.plain:
            here = len(legend.plain.rpartition("\n")[2])
            legend.append("   " if here + len(entry) + 3 <= width else "\n")
        legend.append_text(entry)
    return Text("\n", no_wrap=True).join([bar, legend])


def draw_diff(diff: str) -> Text:
    """The diff in colours; nothing in it is obeyed by the terminal."""
    drawn = Text("\n").join(
        Text(text, _diff_style(number, text))
        for number, text in enumerate(shown_text(diff).split("\n"))
    )
    drawn.rstrip()
    return drawn


def _diff_style(number: int, text: str) -> str:
    """The style of a line of a diff about one file; `number` counts from 0."""
    return "bold" if number < _DIFF_HEAD else _DIFF_STYLES.get(text[:1], "")


def _code(part: render.Code) -> RenderableType:
    """The lines with their numbers, in the colours of their language; long ones are cut."""
    code = render.printable(part.text)
    syntax = Syntax(
        code, Syntax.guess_lexer(part.path, code), theme=CODE_THEME, background_color="default"
    )
    drawn = syntax.highlight(code)
    if part.words:
        words = "|".join(map(re.escape, sorted(part.words, key=len, reverse=True)))
        drawn.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold underline")
    texts = drawn.split("\n", allow_blank=True)
    width = len(str(part.lines[-1])) if part.lines else 0
    rows = []
    for number, row in part.rows:
        if number is None:
            rows.append(Text("⋮".rjust(width + 2), "dim"))
            continue
        text = texts[row] if row < len(texts) else Text()
        text.expand_tabs(4)
        rows.append(Text.assemble((f"  {number:>{width}} ", "dim"), text))
    return Text("\n", no_wrap=True, overflow="ellipsis").join(rows)

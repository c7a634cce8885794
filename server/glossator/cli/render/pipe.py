"""Output for pipes: the answer on stdout, everything else on stderr; and JSON for programs."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence

from glossator.cli import render
from glossator.cli.messages import OPEN_ADDRESS, PROMPT
from glossator.cli.render.citations import marked_text
from glossator.core.answer import Answer
from glossator.core.shown import PATTERNS, shown_prose, shown_text
from glossator.core.wire import Json, to_wire

_PROGRESS_STEP = 10  # percent between two lines
_NARROWEST = 20  # columns for what is asked about
_UNSEEN = re.compile(PATTERNS["unseen"])  # which JSON can say in escapes


class Pipe:
    """Text without colours or cursor movements."""

    live = False

    def __init__(self) -> None:
        self._told = -_PROGRESS_STEP  # the percentage of the last line about progress

    def show(self, part: render.Part) -> None:
        """Print the answer on stdout and everything else on stderr."""
        match part:
            case render.TextLine():
                (_aside if part.aside else print)(text_of(part))
            case render.OutcomeLine():
                _aside(text_of(part))
            case render.Quote():
                _quote(part.text)
            case render.Exact():
                (_aside if part.aside else sys.stdout.write)(part.text)
            case render.Diff():
                _aside(text_of(part))
            case render.Code() | render.Fields() | render.Table():
                for text in _lines(part):
                    print(text)
                for problem in part.problems if isinstance(part, render.Fields) else ():
                    _aside(f"problem: {problem}")
            case render.Bar():
                pass  # the lines that follow say it

    def ask(self, parts: Iterable[render.Part], hint: str) -> None:
        """Print it on stderr."""
        for part in parts:
            self.show(part)
        self.ask_again(hint)

    def ask_again(self, hint: str) -> None:
        """Print it on stderr."""
        print(f"{render.printable(hint)}\n{PROMPT}", end="", file=sys.stderr, flush=True)

    def prompt(self, hint: str) -> None:
        """Print it on stderr."""
        self.ask_again(hint)

    def within(self, folders: Sequence[str]) -> None:
        """Nothing: it links to no file."""

    def stream(self, text: str) -> None:
        """Nothing: the answer is written whole."""

    def end_text(self, *, void: str = "", reply: bool = False, mended: bool = False) -> None:
        """Nothing."""

    def answer_text(self, answer: Answer) -> None:
        """Apart from the citations that follow."""
        print(shown_prose(marked_text(answer)).rstrip("\n"))
        if answer.citations or answer.uncited or answer.corrections:
            print()

    def doing(self, activity: str | Callable[[], Iterable[Sequence[str]]]) -> None:
        """Nothing."""

    def so_far(self, words: Callable[[], str]) -> None:
        """Nothing."""

    def progress(self, value: dict[str, Json]) -> None:
        """A line now and then, on stderr."""
        percentage = value.get("percentage", 0)
        if value["kind"] == "report" and percentage >= self._told + _PROGRESS_STEP:
            self._told = percentage
            _aside(f"{percentage:3d}%  {value.get('message', '')}".rstrip())

    def still(self) -> None:
        """Nothing."""

    def error(self, message: str) -> None:
        """A line."""
        _aside(f"error: {message}")


class JsonLines:
    """A `Display` for programs: one JSON object a line.

    A run's events as received, then `{"answer": …}`; other commands' answers as they are. A
    failure's last line is `{"error": {"code": …, "message": …}}`. People read stderr.
    """

    def event(self, wire: dict[str, Json]) -> None:
        """Print the event as it was received."""
        _write(wire)

    def notice(self, message: str, style: str = "") -> None:  # noqa: ARG002 - JSON has no styles
        """Not a part of the protocol, so it stays out of the stream."""
        print(message, file=sys.stderr)

    def address(self, url: str) -> None:
        """Print the address as a notice."""
        self.notice(f"{OPEN_ADDRESS}\n{url}")

    def working(self) -> None:
        """Nothing: a program waits anyway."""

    def progress(self, value: dict[str, Json]) -> None:
        """One line for each step."""
        _write({"progress": value})

    def background(self, value: dict[str, Json]) -> None:
        """Nothing: the command does not wait for it."""

    def diff(self, diff: str) -> None:
        """One line."""
        _write({"diff": diff})

    def answer(self, answer: object, _parts: Iterable[render.Part] | None = None) -> None:
        """The last line."""
        wire = to_wire(answer)
        _write({"answer": wire} if isinstance(answer, Answer) else wire)

    def error(self, code: int, message: str) -> None:
        """The last line; people get theirs on stderr."""
        _write({"error": {"code": code, "message": message}})
        print(f"error: {message}", file=sys.stderr)

    def close(self) -> None:
        """There is nothing to put right."""


def text_of(part: render.Part) -> str:
    """A part as a pipe shows it; "" for what it leaves out."""
    match part:
        case render.TextLine():
            return part.text if part.plain is None else part.plain
        case render.OutcomeLine():
            return f"{part.head}  {part.tail}" if part.plain is None else part.plain
        case render.Quote() | render.Exact() | render.Diff():
            return shown_text(part.text.rstrip("\n"))
        case render.Fields():
            return "\n".join((*_lines(part), *(f"problem: {each}" for each in part.problems)))
        case render.Code() | render.Table():
            return "\n".join(_lines(part))
        case render.Bar():
            return ""


def _write(value: Json) -> None:
    text = json.dumps(value, ensure_ascii=False)
    print(_UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text), flush=True)


def _aside(message: str) -> None:
    print(render.printable(message), file=sys.stderr, flush=True)


def _quote(text: str) -> None:
    """A line in parts that fit: the terminal at stderr must break none itself."""
    from rich.cells import chop_cells  # noqa: PLC0415 - few pipes ask

    width = max(shutil.get_terminal_size().columns - len(render.INDENT), _NARROWEST)
    for part in chop_cells(render.printable(text).expandtabs(), width) or [""]:
        _aside(f"{render.INDENT}{part}")


def _lines(part: render.Code | render.Fields | render.Table) -> Iterable[str]:
    match part:
        case render.Code(text=text, rows=rows):
            texts = text.split("\n")
            return ("    …" if n is None else f"    {n}\t{texts[row]}" for n, row in rows)
        case render.Fields(rows=rows):
            return (f"{name}: {value}" for name, value in rows)
        case render.Table(plain=None, rows=rows):
            return ("\t".join(map(_text, row)).rstrip() for row in rows)
        case render.Table(plain=plain):
            return plain or ()


def _text(cell: render.Cell) -> str:
    match cell:
        case str():
            return cell
        case render.Styled():
            return cell.text
        case _:
            return "".join(span.text for span in cell)

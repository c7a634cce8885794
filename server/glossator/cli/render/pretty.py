"""For people at a terminal: the answer grows block by block, a line below says what goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.status import Status as StatusLine
from rich.style import Style
from rich.table import Table
from rich.text import Text

from glossator.cli.messages import (
    PROMPT,
    compacted_notice,
    hunk_diff,
    hunk_hint,
    permission_lines,
    question_lines,
    stop_notice,
)
from glossator.cli.render import tables
from glossator.cli.render.blocks import Block, Blocks
from glossator.cli.render.citations import distinct, place
from glossator.cli.render.diff import draw_diff
from glossator.cli.render.markdown import THEME, draw
from glossator.cli.render.printable import printable
from glossator.cli.render.sessions import problem_lines, restored_lines
from glossator.cli.render.summary import EditLines, ToolLines, footer
from glossator.cli.wire import (
    Answer,
    Checks,
    Citation,
    Compacted,
    DeletedSession,
    Event,
    ExportedSession,
    Hits,
    Hunk,
    IndexReport,
    PermissionRequest,
    Progress,
    Question,
    Session,
    Sessions,
    Status,
    Step,
    ToolAnswer,
    Turns,
    Undone,
)

_BAR_WIDTH = 40  # characters
_STEPS = {"pending": ("☐", ""), "active": ("▸", "bold"), "done": ("✓", "dim")}


class Pretty:
    """Colours, links, tables. What was printed is never redrawn; only the status line moves."""

    def __init__(
        self, *, thinking: bool, roots: Sequence[Path], console: Console | None = None
    ) -> None:
        self._console = console or Console(theme=THEME, highlight=False)
        self._roots = roots
        self._thinking = thinking
        self._thought = ""  # an unfinished line of thinking
        self._tools = ToolLines()
        self._edits = EditLines()
        self._blocks = Blocks()
        self._last = ""  # what was printed last: a kind of thing, to set unlike things apart
        self._streamed = ""  # of the reply under way
        self._activity = StatusLine("Starting…", console=self._console, spinner_style="dim")
        if self._console.is_terminal:
            self._activity.start()

    def event(self, event: Event) -> None:
        """Show one event of a run."""
        match event["kind"]:
            case "run.started":
                self._doing("Thinking…")
            case "text.delta":
                self._doing("Writing…")
                self._streamed += event["text"]
                self._print_blocks(self._blocks.feed(event["text"]))
            case "thinking.delta" if self._thinking:
                self._think(event["text"])
            case "text.discarded":
                self._finish_text()
                if self._streamed:
                    self._line("notice", "(that broke off; what follows replaces it)", "dim")
                self._streamed = ""
            case "tool.started":
                self._finish_text()
                self._streamed = ""
                self._tools.started(event)
                self._doing_tools()
            case "tool.finished":
                self._finish_text()
                self._line("tool", self._tools.finished(event), "red" if event["error"] else "dim")
                self._doing_tools()
            case "notice":
                self._finish_text()
                self._line("notice", event["message"], "yellow")
            case "run.finished" | "run.failed" | "run.cancelled":
                self._finish_text()
            case _:
                self._work(event)

    def notice(self, message: str) -> None:
        """A line of its own."""
        self._line("notice", message, "yellow")

    def progress(self, progress: Progress) -> None:
        """A bar in the status line."""
        percentage = progress.get("percentage")
        if percentage is None or progress["kind"] == "end":
            self._doing(f"{progress.get('title') or progress.get('message') or 'Working'}…")
            return
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(100, percentage, width=_BAR_WIDTH),
            Text(f"{percentage:3d}%"),
            Text(printable(progress.get("message", "")), "dim"),
        )
        self._activity.update(bar)

    def question(self, question: Question) -> None:
        """The options numbered; the status line is out of the way until the answer."""
        first, *options, hint = question_lines(question)
        self._begin_to_ask()
        self._line("question", first, "bold")
        for option in options:
            self._line("question", option, "")
        self._prompt(hint)

    def permission(self, request: PermissionRequest) -> None:
        """As a question, with the details between."""
        first, *details, hint = permission_lines(request)
        self._begin_to_ask()
        self._line("question", first, "bold yellow")
        for line in details:
            self._line("question", line, "")
        self._prompt(hint)

    def hunk(self, hunk: Hunk, *, number: int, total: int) -> None:
        """A coloured diff and how to answer."""
        self._begin_to_ask()
        self.diff(hunk_diff(hunk))
        self._last = "question"
        self._prompt(hunk_hint(number, total))

    def ask_again(self, message: str) -> None:
        """A line below the answer."""
        self._prompt(message)

    def resume(self) -> None:
        """The status line comes back."""
        self._doing_tools()

    def diff(self, diff: str) -> None:
        """In colours."""
        self._finish_text()
        self._apart("diff")
        self._console.print(draw_diff(diff))

    def answer(self, answer: Answer) -> None:
        """What follows the text: citations and the footer."""
        self._finish_text()
        # a reply before it may have been streamed, too; the answer is on the screen all the same
        if not self._streamed.rstrip().endswith(answer["text"].strip()):
            self._print_blocks(self._blocks.feed(answer["text"]))
            self._finish_text()
        self._activity.stop()
        if ending := stop_notice(answer["stop"]):
            self._line("notice", ending, "yellow")
        for citation in distinct(answer["citations"]):
            self._apart("citation")
            self._console.print(_citation(citation), soft_wrap=True)
        self._line("footer", footer(answer), "dim")

    def hits(self, query: str, found: Hits) -> None:
        """A heading and the lines of each hit."""
        self._activity.stop()
        for hit in found["hits"]:
            self._console.print(tables.hit_heading(hit), soft_wrap=True)
            self._console.print(tables.hit_lines(hit, query))
            self._console.print()
        self._line("notice", found["searched"], "dim")

    def tool(self, answer: ToolAnswer) -> None:
        """What the model would see, without what the terminal would obey."""
        self._activity.stop()
        text = printable(answer["text"])
        self._console.out(text, end="" if text.endswith("\n") else "\n", highlight=False)

    def status(self, status: Status) -> None:
        """A table."""
        self._activity.stop()
        self._console.print(tables.status(status))

    def index(self, report: IndexReport) -> None:
        """A table."""
        self._activity.stop()
        self._console.print(tables.index(report))

    def checks(self, checks: Checks) -> None:
        """A table with next steps."""
        self._activity.stop()
        self._console.print(tables.checks(checks))

    def sessions(self, answer: Sessions) -> None:
        """A table."""
        self._activity.stop()
        self._console.print(tables.sessions(answer))

    def session(self, session: Session) -> None:
        """Its new title."""
        self._activity.stop()
        self._line("notice", f"{session['id']} is now called {session['title']!r}.", "")

    def deleted(self, answer: DeletedSession) -> None:
        """A line."""
        self._activity.stop()
        self._line("notice", f"Deleted {answer['id']}.", "")

    def exported(self, answer: ExportedSession) -> None:
        """Without what the terminal would obey."""
        self._activity.stop()
        self._console.out(printable(answer["text"]).rstrip("\n"), highlight=False)

    def compacted(self, answer: Compacted) -> None:
        """A line."""
        self._activity.stop()
        self._compaction(answer["before"], answer["after"], by_model=answer["byModel"])

    def turns(self, answer: Turns) -> None:
        """A table."""
        self._activity.stop()
        self._console.print(tables.turns(answer))

    def undone(self, answer: Undone) -> None:
        """A line for each file."""
        self._activity.stop()
        for line in restored_lines(answer):
            self._line("notice", line, "")
        for line in problem_lines(answer):
            self._line("notice", line, "yellow")

    def error(self, _code: int, message: str) -> None:
        """Below what was shown so far, on stderr."""
        self.close()
        Console(stderr=True, highlight=False).print(
            Text.assemble(("error: ", "bold red"), printable(message))
        )

    def close(self) -> None:
        """Print what is unfinished and stop the status line."""
        self._finish_text()
        self._activity.stop()

    def _begin_to_ask(self) -> None:
        self._finish_text()
        self._activity.stop()

    def _prompt(self, hint: str) -> None:
        self._line("question", hint, "dim")
        self._console.print(Text(PROMPT, "bold"), end="")

    def _work(self, event: Event) -> None:
        """What the model sets out to do, what became of it, and what it goes on from."""
        match event["kind"]:
            case "todo":
                self._finish_text()
                self._steps(event["steps"])
            case "edit.proposed":
                self._edits.proposed(event)
            case "edit.settled" if line := self._edits.settled(event):
                self._line("tool", line, "dim")
            case "compaction":
                self._finish_text()
                self._compaction(event["before"], event["after"], by_model=event["byModel"])
            case _:
                pass

    def _compaction(self, before: int, after: int, *, by_model: bool) -> None:
        self._line("notice", compacted_notice(before, after, by_model=by_model), "dim")

    def _steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            mark, style = _STEPS[step["state"]]
            self._line("todo", f"{mark} {step['text']}", style)

    def _doing(self, activity: str) -> None:
        self._activity.update(Text(activity, "dim"))
        if self._console.is_terminal:
            self._activity.start()

    def _doing_tools(self) -> None:
        names = ", ".join(start["tool"] for start in self._tools.running.values())
        self._doing(f"{names}…" if names else "Thinking…")

    def _think(self, text: str) -> None:
        *lines, self._thought = (self._thought + text).split("\n")
        for line in lines:
            self._line("thinking", line, "dim italic")

    def _finish_text(self) -> None:
        if self._thought:
            self._think("\n")
        self._print_blocks(self._blocks.flush())

    def _print_blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            self._apart("")
            self._console.print(draw(block, self._roots))

    def _line(self, kind: str, text: str, style: str) -> None:
        self._apart(kind)
        whole = kind in {"notice", "question", "thinking", "footer"}
        self._console.print(
            Text(printable(text), style),
            no_wrap=not whole,
            overflow="fold" if whole else "ellipsis",
            crop=not whole,
        )

    def _apart(self, kind: str) -> None:
        """A blank line, unless the same `kind` goes on; "" is always set apart."""
        if self._last and not (kind and kind == self._last):
            self._console.print()
        self._last = kind or "block"


def _citation(citation: Citation) -> Text:
    verified = citation["status"] == "verified"
    where = place(citation["target"], citation["firstLine"], citation["lastLine"])
    return Text.assemble(
        ("✓ ", "green") if verified else ("✗ ", "red"),
        (printable(where), Style(color="blue", link=citation["uri"])),
        "" if verified else f" unsupported: {printable(citation['reason'])}",
    )

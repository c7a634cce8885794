"""For people at a terminal: the answer grows block by block, a line below says what goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from glossator.cli.messages import (
    discarded_notice,
    hunk_diff,
    hunk_hint,
    question_lines,
    stop_notice,
)
from glossator.cli.permitting import INDENT, Prompt
from glossator.cli.render import tables
from glossator.cli.render.agents import AgentLine, AgentLines
from glossator.cli.render.answers import Answers
from glossator.cli.render.blocks import Block, Blocks
from glossator.cli.render.citations import failed, read_line
from glossator.cli.render.diff import draw_diff, line_style
from glossator.cli.render.markdown import draw
from glossator.cli.render.printable import printable
from glossator.cli.render.screen import Screen
from glossator.cli.render.summary import EditLines, ToolLines, footer, what_next
from glossator.cli.wire import (
    Answer,
    Event,
    Hits,
    Hunk,
    Progress,
    Question,
    Step,
)

_NUMBERED = 5  # characters before an option
_WARNING = "bold yellow"
_STEPS = {"pending": ("☐", ""), "active": ("▸", "bold"), "done": ("✓", "dim")}


class Pretty(Answers):
    """Colours, links, tables. What was printed is never redrawn; only the status line moves."""

    def __init__(
        self, *, thinking: bool, roots: Sequence[Path], console: Console | None = None
    ) -> None:
        super().__init__(Screen(console))
        self._roots = roots
        self._thinking = thinking
        self._thought = ""  # an unfinished line of thinking
        self._tools = ToolLines()
        self._edits = EditLines()
        self._agents = AgentLines()
        self._blocks = Blocks()
        self._streamed = ""  # of the reply under way
        self._questions = 0  # so far; each is a kind of its own, and so set apart

    def event(self, event: Event) -> None:
        """Show one event of a run."""
        match event["kind"]:
            case "run.started":
                self._screen.doing("Thinking…")
            case "text.delta":
                self._screen.doing("Writing…")
                self._streamed += event["text"]
                self._print_blocks(self._blocks.feed(event["text"]))
            case "thinking.delta" if self._thinking:
                self._think(event["text"])
            case "text.discarded":
                self._finish_text()
                if self._streamed:
                    self._screen.line("notice", discarded_notice(event["reason"]), "dim")
                self._streamed = ""
            case "tool.started":
                self._finish_text()
                self._streamed = ""
                self._tools.started(event)
                self._agents.called(event)
                self._doing_tools()
            case "tool.finished":
                self._agents.answered(event)
                self._finish_text()
                self._finished(event)
                self._doing_tools()
            case "notice":
                self._finish_text()
                self._screen.line("notice", event["message"], "yellow")
            case "run.finished" | "run.failed" | "run.cancelled":
                self._finish_text()
            case _:
                self._work(event)

    def notice(self, message: str) -> None:
        """A line of its own."""
        self._screen.line("notice", message, "yellow")

    def progress(self, progress: Progress) -> None:
        """A bar in the status line."""
        percentage = progress.get("percentage")
        if percentage is None or progress["kind"] == "end":
            self._screen.doing(f"{progress.get('title') or progress.get('message') or 'Working'}…")
            return
        self._screen.done(percentage, progress.get("message", ""))

    def question(self, question: Question) -> None:
        """The options numbered; the status line is out of the way until the answer."""
        first, *options, hint = question_lines(question)
        self._begin_to_ask()
        self._screen.line(self._question, first, "bold")
        for option in options:
            self._screen.line(self._question, option, hang=_NUMBERED)
        self._screen.prompt(self._question, hint)

    def permission(self, prompt: Prompt) -> None:
        """As a question, with the details between: they alone are indented."""
        self._begin_to_ask()
        self._screen.line(self._question, prompt.request["title"], "bold yellow")
        is_diff = prompt.request["detail"].startswith("--- ")
        for number, line in enumerate(prompt.details):
            if line.mark:
                self._screen.line(self._question, line.text, _WARNING)
                continue
            style = line_style(number, line.text) if is_diff else ""
            self._screen.line(self._question, INDENT + line.text, style, hang=len(INDENT))
        for reason in prompt.reasons:
            self._screen.line(self._question, reason)
        if prompt.warning:
            self._screen.line(self._question, prompt.warning, _WARNING)
        self._screen.prompt(self._question, prompt.hint)

    def whole(self, text: str) -> None:
        """As it is."""
        self._screen.out(text)

    def hunk(self, hunk: Hunk, *, number: int, total: int) -> None:
        """A coloured diff and how to answer."""
        self._begin_to_ask()
        self._screen.block(self._question, draw_diff(hunk_diff(hunk)))
        self._screen.prompt(self._question, hunk_hint(number, total))

    def ask_again(self, message: str) -> None:
        """A line below the answer."""
        self._screen.prompt(self._question, message)

    def resume(self) -> None:
        """The status line comes back."""
        self._doing_tools()

    def diff(self, diff: str) -> None:
        """In colours."""
        self._finish_text()
        self._screen.block("diff", draw_diff(diff))

    def answer(self, answer: Answer) -> None:
        """What follows the text: citations and the footer."""
        self._finish_text()
        # a reply before it may have been streamed, too; the answer is on the screen all the same
        if not self._streamed.rstrip().endswith(answer["text"].strip()):
            self._print_blocks(self._blocks.feed(answer["text"]))
            self._finish_text()
        self._screen.still()
        if ending := stop_notice(answer["stop"]):
            self._screen.line("notice", ending, "yellow")
        for citation in failed(answer["citations"]):
            self._screen.block("citation", tables.failed_citation(citation))
        if read := read_line(answer["citations"]):
            self._screen.line("citation", read, "dim")
        self._screen.line("footer", footer(answer), "dim")
        self._screen.line("footer", what_next(answer), "dim")

    def hits(self, query: str, found: Hits) -> None:
        """A heading and the lines of each hit."""
        self._screen.still()
        for number, hit in enumerate(found["hits"]):
            self._screen.block(f"hit {number}", tables.hit_heading(hit), soft_wrap=True)
            self._screen.block(f"hit {number}", tables.hit_lines(hit, query))
        self._screen.line("notice", found["searched"], "dim")

    def error(self, _code: int, message: str) -> None:
        """Below what was shown so far, on stderr."""
        self.close()
        Console(stderr=True, highlight=False).print(
            Text.assemble(("error: ", "bold red"), printable(message))
        )

    def close(self) -> None:
        """Print what is unfinished and stop the status line."""
        self._finish_text()
        self._screen.still()

    @property
    def _question(self) -> str:
        return f"question {self._questions}"

    def _begin_to_ask(self) -> None:
        self._questions += 1
        self._finish_text()
        self._screen.still()

    def _work(self, event: Event) -> None:
        """What the model sets out to do, what became of it, and what it goes on from."""
        match event["kind"]:
            case "todo":
                self._finish_text()
                self._steps(event["steps"])
            case "edit.proposed":
                self._edits.proposed(event)
            case "edit.settled" if line := self._edits.settled(event):
                self._screen.line("tool", line, "dim")
            case "agent.started" | "agent.progress" | "agent.finished":
                self._finish_text()
                self._agent(event)
            case "compaction":
                self._finish_text()
                self._compaction(event["before"], event["after"], by_model=event["byModel"])
            case _:
                pass

    def _steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            mark, style = _STEPS[step["state"]]
            self._screen.line("todo", f"{mark} {step['text']}", style)

    def _agent(self, event: Event) -> None:
        """What sub-agents do, and how each that the model started ended."""
        match event["kind"]:
            case "agent.started":
                self._agents.started(event)
                self._doing_tools()
            case "agent.progress":
                self._agents.progress(event)
                self._doing_tools()
            case _:
                line = self._agents.finished(event)
                self._doing_tools()
                if None not in self._agents.calls:  # else the report follows
                    self._agent_ended(line, event)

    def _agent_ended(self, line: AgentLine, event: Event) -> None:
        head = f"{line.who} {line.what}"
        if event["partial"]:
            style = "red" if event["error"] else "yellow"
            self._screen.line("tool", f"{head}  {line.figures}", style, hang=2)
        else:
            self._screen.short("tool", head, line.figures, "dim")

    def _finished(self, event: Event) -> None:
        """What came of a tool call: in short, or, if it failed, in full."""
        head, tail = self._tools.finished(event)
        if event["callId"] in self._agents.calls:
            return
        if event["error"]:
            self._screen.line("tool", f"{head}  {tail}", "red", hang=2)
        else:
            self._screen.short("tool", head, tail, "dim")

    def _doing_tools(self) -> None:
        if self._agents.running:
            self._screen.doing_all(self._agents.lines)
            return
        names = ", ".join(start["tool"] for start in self._tools.running.values())
        self._screen.doing(f"{names}…" if names else "Thinking…")

    def _think(self, text: str) -> None:
        *lines, self._thought = (self._thought + text).split("\n")
        for line in lines:
            self._screen.line("thinking", line, "dim italic")

    def _finish_text(self) -> None:
        if self._thought:
            self._think("\n")
        self._print_blocks(self._blocks.flush())

    def _print_blocks(self, blocks: list[Block]) -> None:
        for block in blocks:
            self._screen.block("", draw(block, self._roots))

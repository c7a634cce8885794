"""The renderer: what people see of each event, question and answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glossator.cli.messages import OPEN_ADDRESS, PROMPT, compacted_notice, short
from glossator.cli.prompt import PermissionPrompt, hunk_diff, hunk_hint, question_lines
from glossator.cli.render import (
    Diff,
    Display,
    Exact,
    OutcomeLine,
    OutputTarget,
    Part,
    Quote,
    TextLine,
    line,
)
from glossator.cli.render.activity import (
    AgentLines,
    EditLines,
    GroundingLines,
    ToolLines,
    changed_notice,
)
from glossator.cli.render.answers import answer_parts
from glossator.cli.render.pipe import JsonLines, Pipe
from glossator.core.answer import Answer, RunSoFar
from glossator.core.edit import HunkView
from glossator.core.events import (
    AgentFinished,
    AgentProgress,
    AgentStarted,
    Compaction,
    DiscardReason,
    EditProposed,
    EditSettled,
    Event,
    Notice,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunStarted,
    Steered,
    TextDelta,
    TextDiscarded,
    ThinkingDelta,
    Todo,
    TodoChanged,
    TodoState,
    ToolFinished,
    ToolStarted,
)
from glossator.core.question import Question
from glossator.core.run_events import (
    FactChanged,
    FilesChanged,
    PlanChanged,
    RunState,
    StateChanged,
    ToolOutput,
)
from glossator.core.shown import shown
from glossator.core.wire import Json, event_from_wire
from glossator.core.words import Act, Became, tool_name

if TYPE_CHECKING:
    from glossator.cli.render.screen import Below

_NUMBERED = 5  # characters before an option
_WARNING = "bold yellow"
_STEPS = {  # mark and style at a terminal, mark in a pipe
    TodoState.PENDING: ("☐", "", "[ ]"),
    TodoState.ACTIVE: ("▸", "bold", "[>]"),
    TodoState.DONE: ("✓", "dim", "[x]"),
}

_SEE = {  # where to look at what a notice is about
    "": "",
    "adoptions": " `glossator mcp` and `glossator hooks` show them.",
}

_VOID = {  # why what was shown of a reply is void
    DiscardReason.CITATIONS: "(some citations do not hold; what changed follows)",
    DiscardReason.PLAN: "(this question gets a plan; the new answer follows)",
    DiscardReason.HOOK: "(a hook of yours has the model go on; the new answer follows)",
    DiscardReason.BROKE_OFF: "(that broke off; what follows replaces it)",
}


class Renderer:
    """A `Display` for people."""

    def __init__(
        self, output: OutputTarget, *, thinking: bool = False, outputs: bool = False
    ) -> None:
        self._out = output
        self._thinking = thinking
        self._shows_outputs = outputs
        self._outputs: dict[str, str] = {}  # of calls that end now, by id
        self._thought = ""  # an unfinished line of thinking
        self._tools = ToolLines()
        self._edits = EditLines()
        self._agents = AgentLines()
        self._grounding = GroundingLines()
        self._run = RunSoFar()
        self._in_chat = False
        self._queued: Callable[[], int] = int
        self._out.so_far(self._so_far)

    def event(self, wire: dict[str, Json]) -> None:
        """One event of a run; those that are not known are left out."""
        event = event_from_wire(wire)
        self._run.note(event)
        if not isinstance(event, ThinkingDelta):
            self._think("\n" if self._thought else "")
        match event:
            case RunStarted(folders=folders):
                self._out.within(folders)
                self._grounding = GroundingLines()
                self._run.begin()
                self._out.doing("Thinking…")
            case TextDelta(text=text):
                self._grounding.writes()
                self._out.stream(text)
            case ThinkingDelta(text=text) if self._thinking:
                self._think(text)
            case TextDiscarded(reason=reason):
                mended = reason is DiscardReason.CITATIONS
                self._out.end_text(void=_VOID[reason], mended=mended)
            case ToolStarted():
                self._out.end_text(reply=True)
                self._grounding.called()
                self._tools.started(event)
                self._agents.called(event)
                self._doing()
            case ToolOutput() | ToolFinished():
                self._gave(event)
            case RunFinished() | RunFailed() | RunCancelled():
                self._ended(event)
            case _:
                self._work(event)

    def notice(self, message: str, style: str = "yellow") -> None:
        """A line."""
        self._out.show(line(message, style, aside=True))

    def address(self, url: str) -> None:
        """Print the text as it is, adding no line ends."""
        self._out.show(Exact(f"{OPEN_ADDRESS}\n{shown(url)}\n", aside=True))

    def working(self) -> None:
        """Say in the status line that the work has begun."""
        self._out.doing("Working…")

    def progress(self, value: dict[str, Json]) -> None:
        """A bar, or lines now and then."""
        self._out.progress(value)

    def background(self, value: dict[str, Json]) -> None:
        """A bar in the status line while a search waits for its index."""
        searches = any(call.tool == "Search" for call in self._tools.running.values())
        if self._out.live and searches and value["kind"] == "report":
            self._out.progress(value)

    def question(self, question: Question) -> None:
        """Print the question and its numbered options."""
        first, *options, hint = question_lines(question)
        lines = [line(option, aside=True, hang=_NUMBERED) for option in options]
        self._ask([line(first, "bold", aside=True), *lines], hint)

    def permission(self, prompt: PermissionPrompt) -> None:
        """Print the question, and indented what it is about."""
        self._ask([*_permission(prompt)], prompt.hint)

    def prompt(self, hint: str) -> None:
        """The user may type what they want."""
        self._out.end_text()
        self._out.prompt(hint)

    def in_chat(self, queued: Callable[[], int]) -> None:
        """Name commands as a chat has them, and show how many messages wait in the status line."""
        self._in_chat = True
        self._queued = queued

    def whole(self, text: str) -> None:
        """Print in full what a prompt had cut."""
        self._out.show(Exact(text, aside=True))

    def part_of_edit(self, hunks: Sequence[HunkView], *, number: int, total: int) -> None:
        """A part of an edit, which the user decides about."""
        self._ask([Diff(hunk_diff(hunk)) for hunk in hunks], hunk_hint(number, total))

    def ask_again(self, message: str) -> None:
        """The answer cannot be used, or another one is needed."""
        self._out.ask_again(message)

    def resume(self) -> None:
        """The user has answered, and the run continues."""
        self._doing()

    def diff(self, diff: str) -> None:
        """A file was changed."""
        self._tell(Diff(diff))

    def answer(self, answer: object, parts: Iterable[Part] | None = None) -> None:
        """The end of a command."""
        if isinstance(answer, Answer):
            self._out.answer_text(answer)
        self._out.still()
        known = answer_parts(answer, self._grounding.ended(), in_chat=self._in_chat)
        for part in known if parts is None else parts:
            self._out.show(part)

    def error(self, _code: int, message: str) -> None:
        """Print an error on stderr."""
        self.close()
        self._out.error(message)

    def close(self) -> None:
        """Show what is unfinished, and end the status line."""
        self._think("\n" if self._thought else "")
        self._out.end_text()
        self._out.still()

    def _ask(self, parts: Sequence[Part], hint: str) -> None:
        self._out.end_text()
        self._out.ask(parts, hint)

    def _tell(self, *parts: Part) -> None:
        """Print parts, but not the answer's text."""
        self._out.end_text()
        for part in parts:
            self._out.show(part)

    def _work(self, event: Event | None) -> None:
        """Print the model's list of steps, what became of them, and what it continues from."""
        match event:
            case Steered() | FilesChanged() | Compaction() | Notice():
                self._tell(_aside(event))
            case TodoChanged(steps=steps):
                self._tell(*map(_step, steps))
            case EditProposed(plan=plan):
                self._edits.proposed(plan)
            case EditSettled():
                if settled := self._edits.settled(event):
                    self._out.show(line(settled, "dim", kind="tool", aside=True))
            case AgentStarted():
                self._agent_works(self._agents.started(event))
            case AgentProgress():
                self._agent_works(self._agents.progress(event))
            case AgentFinished():
                self._agent_ended(event)
            case _:
                self._grounded(event)

    def _grounded(self, event: Event | None) -> None:
        """Print how far the run is with grounding its answer."""
        if isinstance(event, StateChanged | PlanChanged | FactChanged):
            if isinstance(event, StateChanged) and event.state is RunState.VERIFYING:
                self._tell()  # the answer is whole: it is not held back while it is checked
            if lines := [*self._grounding.told(event)]:
                self._tell(*lines)
            self._doing()

    def _agent_works(self, what: str) -> None:
        """Say what an agent does: in a line of its own where there is no status line."""
        self._tell(*([] if self._out.live else [line(what, aside=True)]))
        self._doing()

    def _agent_ended(self, event: AgentFinished) -> None:
        ended = self._agents.finished(event)
        self._tell()
        self._doing()
        if self._out.live and None in self._agents.calls:
            return  # the report follows
        style = "" if not event.partial else "red" if event.error else "yellow"
        head = f"{ended.who} {ended.what}"
        self._out.show(OutcomeLine(head, ended.figures, style, plain="  ".join(ended)))

    def _ended(self, event: RunFinished | RunFailed | RunCancelled) -> None:
        self._run.end()
        self._out.end_text()
        if isinstance(event, RunCancelled) and event.elsewhere:
            self.notice(f"{Became.CONTINUED.format(event.elsewhere)} {Became.KEPT}", "dim")

    def _finished(self, event: ToolFinished) -> None:
        """Print the result of a tool call: in short, or in full if it failed."""
        self._agents.answered(event)
        head, tail = self._tools.finished(event)
        if event.call_id not in self._agents.calls:  # a sub-agent has its own line
            self._tell(OutcomeLine(head, tail, "red" if event.error else ""))
        if text := self._outputs.pop(event.call_id, ""):
            for each in text.split("\n"):
                self._out.show(line(f"    {each}", "dim", kind="output", aside=True, hang=4))
        self._doing()

    def _gave(self, event: ToolOutput | ToolFinished) -> None:
        """The newest line while a command runs; all of it at its end, if that is wanted."""
        if isinstance(event, ToolFinished):
            self._finished(event)
        elif event.live:
            self._out.doing(short(event.text.rstrip().rpartition("\n")[2]))
        elif self._shows_outputs:
            self._outputs[event.call_id] = event.text

    def _so_far(self) -> str:
        """`12 s · 1 to ask next · 2 of 4: Add the flag`."""
        waiting = f"{count} to {Act.QUEUE.lower()}" if (count := self._queued()) else ""
        return " · ".join(filter(None, (self._run.time(), waiting, self._run.step())))

    def _doing(self) -> None:
        if self._agents.running:
            self._out.doing(self._agents.lines)
            return
        names = ", ".join(tool_name(start.tool) for start in self._tools.running.values())
        self._out.doing(f"{names}…" if names else self._grounding.doing or "Thinking…")

    def _think(self, text: str) -> None:
        *lines, self._thought = (self._thought + text).split("\n")
        for each in lines:
            self._out.show(line(each, "dim italic", kind="thinking", aside=True))


def _aside(event: Steered | FilesChanged | Compaction | Notice) -> TextLine:
    """Lines about what happened beside the model's work."""
    match event:
        case Notice(message=message, about=about):
            return line(f"{message}{_SEE[about]}", "yellow", aside=True)
        case Steered(text=text):
            return line(f"{PROMPT}{text}", "bold", aside=True)
        case FilesChanged():
            return line(changed_notice(event), "dim", aside=True)
        case Compaction(before=before, after=after, by_model=by_model):
            return line(compacted_notice(before, after, by_model=by_model), "dim", aside=True)


def _step(step: Todo) -> TextLine:
    mark, style, plain = _STEPS[step.state]
    return line(f"{mark} {step.text}", style, kind="todo", aside=True, plain=f"{plain} {step.text}")


def _permission(prompt: PermissionPrompt) -> Iterator[Part]:
    yield line(prompt.request.title, _WARNING, aside=True)
    is_diff = prompt.request.detail.startswith("--- ")
    for number, each in enumerate(prompt.details):
        if each.mark:
            yield line(each.text, _WARNING, aside=True)
        else:
            yield Quote(each.text, number if is_diff else None)
    yield from (line(reason, aside=True) for reason in prompt.reasons)
    if prompt.warning:
        yield line(prompt.warning, _WARNING, aside=True)


def choose(
    *,
    json: bool,
    terminal: bool,
    thinking: bool,
    roots: Sequence[Path],
    outputs: bool = False,
    below: Below | None = None,
) -> Display:
    """The display for this output; rich is imported for a terminal alone."""
    if json:
        return JsonLines()
    if not terminal:
        return Renderer(Pipe(), thinking=thinking, outputs=outputs)
    from glossator.cli.render.screen import Screen  # noqa: PLC0415 - see above

    return Renderer(Screen(roots, below=below), thinking=thinking, outputs=outputs)

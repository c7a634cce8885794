"""The current activity of a run, updated by its events: tool calls, edits and sub-agents."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from glossator.cli.messages import amount, duration, first_paragraph, names, plural, short
from glossator.cli.render import TextLine, line
from glossator.core.citation_words import DOING, one_sentence, state_in_words
from glossator.core.edit import EditPlan
from glossator.core.events import (
    AgentFinished,
    AgentProgress,
    AgentStarted,
    EditSettled,
    ToolFinished,
    ToolStarted,
)
from glossator.core.fact import FactState
from glossator.core.run_events import (
    FactChanged,
    FilesChanged,
    PlanChanged,
    PlannedTask,
    RunState,
    StateChanged,
    TaskState,
    not_saved,
)
from glossator.core.shown import brief_arguments
from glossator.core.words import Became, tool_name

_TASKS = {  # mark and style at a terminal, mark in a pipe
    TaskState.PENDING: ("☐", "", "[ ]"),
    TaskState.ACTIVE: ("▸", "bold", "[>]"),
    TaskState.DONE: ("✓", "dim", "[x]"),
    TaskState.FAILED: ("✗", "red", "[!]"),
}
_BEFORE_WRITING = frozenset({RunState.ANALYSING, RunState.RETRIEVING})
_DELEGATING = frozenset({"Explore", "Fork"})  # tools that start sub-agents


@dataclass(slots=True)
class ToolLines:
    """The tool calls under way, by call id, in the order of their start."""

    running: dict[str, ToolStarted] = field(default_factory=dict)

    def started(self, event: ToolStarted) -> None:
        """A call began."""
        self.running[event.call_id] = event

    def finished(self, event: ToolFinished) -> tuple[str, str]:
        """`✓ Grep pattern="foo"` and `3 matches  14 ms`."""
        start = self.running.pop(event.call_id, None)
        arguments = (start.about or brief_arguments(start.arguments)) if start else ""
        mark = "✗" if event.error or event.unsuccessful else "✓"
        outcome = filter(None, [event.summary, duration(event.milliseconds)])
        return f"{mark} {tool_name(event.tool)} {arguments}".rstrip(), "  ".join(outcome)


@dataclass(slots=True)
class EditLines:
    """Lines about edits that were not applied as proposed; the diffs show the others."""

    labels: dict[str, str] = field(default_factory=dict)  # of the plans under way, by id

    def proposed(self, plan: EditPlan) -> None:
        """A plan was made."""
        self.labels[plan.id] = plan.label

    def settled(self, event: EditSettled) -> str | None:
        """`Edit src/a.py: not applied`; None if it was applied as a whole."""
        label = self.labels.pop(event.plan_id, "The edit")
        if not event.applied:
            return f"{label}: {Became.NOT_APPLIED}"
        return f"{label}: {Became.IN_PART}" if event.note else None


def changed_notice(event: FilesChanged) -> str:
    """`changed 2 files, +3 -1 lines: a.py, b.py`."""
    added = sum(file.added or 0 for file in event.files)
    removed = sum(file.removed or 0 for file in event.files)
    paths = names([file.path for file in event.files])
    count = plural(len(event.files) + event.more, "file")
    unsaved = f". {not_saved(event.unsaved)}" if event.unsaved else ""
    return f"changed {count}, +{added:,} -{removed:,} lines: {paths}{unsaved}"


@dataclass(slots=True)
class GroundingLines:
    """What a run does to ground its answer: its state in words, its plan, the facts it added."""

    _state: str = ""
    _writes: bool = False
    _tasks: dict[str, PlannedTask] = field(default_factory=dict)
    _facts: set[str] = field(default_factory=set)

    def writes(self) -> None:
        """The answer is being written, whatever the run says of its way there."""
        self._writes = True

    def called(self) -> None:
        """The model calls a tool: what it wrote was not the answer's end."""
        self._writes = False

    def told(self, event: StateChanged | PlanChanged | FactChanged) -> Iterator[TextLine]:
        """The lines that are new: of a plan all tasks once, then those that ended.

        Those at work are the sub-agents', which have lines of their own.
        """
        match event:
            case StateChanged():
                self._state = state_in_words(event)
                self._writes &= event.state in _BEFORE_WRITING
            case FactChanged(fact=fact):
                self._facts |= {fact.id} if fact.state is FactState.FRESH else set()
            case PlanChanged(tasks=tasks):
                is_new = self._tasks.keys() != {task.id for task in tasks}
                for task in tasks:
                    ended = task.state in (TaskState.DONE, TaskState.FAILED)
                    if is_new or (ended and self._tasks[task.id].state is not task.state):
                        yield _task_line(task, with_dependencies=is_new)
                self._tasks = {task.id: task for task in tasks}

    @property
    def doing(self) -> str:
        """What goes on, in words; "" where nothing is known."""
        return DOING[RunState.SYNTHESISING] if self._writes else self._state

    def ended(self) -> Iterator[TextLine]:
        """The lines to print at the end of a run."""
        if self._facts:
            yield line(f"{plural(len(self._facts), 'fact')} kept", "dim", aside=True)


def _task_line(task: PlannedTask, *, with_dependencies: bool) -> TextLine:
    mark, style, plain = _TASKS[task.state]
    found = task.result.strip().partition("\n")[0]
    text = f"{task.id}. {short(task.description) if found else one_sentence(task.description)}"
    if found:
        text += f": {one_sentence(found)}"
    elif with_dependencies and task.dependencies:
        text += f"  (builds on {', '.join(task.dependencies)})"
    return line(f"{mark} {text}", style, kind="plan", aside=True, plain=f"{plain} {text}", hang=2)


class AgentLine(NamedTuple):
    """A line about a sub-agent: who it is, what it does or how it ended, and its figures."""

    who: str
    what: str
    figures: str


@dataclass(slots=True)
class _Running:
    name: str
    task: str
    doing: str = ""
    calls: int = 0
    tokens: int = 0
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class AgentLines:
    """The sub-agents at work, by id, in the order of their start; `calls` started them."""

    running: dict[str, _Running] = field(default_factory=dict)
    calls: set[str | None] = field(default_factory=set)
    _names: dict[str | None, str] = field(default_factory=dict)  # by call, in the calls' order
    _open: set[str] = field(default_factory=set)  # those of these calls that have no result yet

    def called(self, event: ToolStarted) -> None:
        """A tool call began; it may start a sub-agent."""
        if event.tool in _DELEGATING:
            self._open.add(event.call_id)
            self._names[event.call_id] = event.arguments.get("agent") or event.tool

    def answered(self, event: ToolFinished) -> None:
        """A tool call ended; those that are numbered are at work at the same time."""
        self._open.discard(event.call_id)
        if not self._open:
            self._names.clear()

    def started(self, event: AgentStarted) -> str:
        """The sub-agent and its task: `Explore: Where is it?`."""
        agent = _Running(self._name(event), short(first_paragraph(event.task)))
        self.running[event.agent_id] = agent
        self.calls.add(event.call_id)
        return f"{agent.name}: {agent.task}"

    def _name(self, event: AgentStarted) -> str:
        """Namesakes are numbered from 1, in the order of their calls."""
        self._names[event.call_id] = event.name
        namesakes = [call for call, called in self._names.items() if called == event.name]
        number = namesakes.index(event.call_id) + 1
        return f"{event.name} {number}" if len(namesakes) > 1 else event.name

    def progress(self, event: AgentProgress) -> str:
        """What one does now: `Explore: Grep pattern="x"`."""
        agent = self.running[event.agent_id]
        agent.doing = f"{tool_name(event.tool)} {event.detail}".rstrip()
        agent.calls, agent.tokens = event.tool_calls, event.tokens
        return f"{agent.name}: {agent.doing}"

    def finished(self, event: AgentFinished) -> AgentLine:
        """How one ended: `✓ Explore`, its task, and what it took."""
        agent = self.running.pop(event.agent_id)
        mark = "✗" if event.error else "◐" if event.partial else "✓"
        figures = _figures(event.tool_calls, event.tokens, event.milliseconds)
        if event.partial:
            figures = f"{event.partial} · {figures}"
        return AgentLine(f"{mark} {agent.name}", agent.task, figures)

    def lines(self) -> Iterator[AgentLine]:
        """A line for each sub-agent at work."""
        now = time.monotonic()
        for agent in self.running.values():
            figures = _figures(agent.calls, agent.tokens, (now - agent.began) * 1000)
            yield AgentLine(agent.name, agent.doing or agent.task, figures)


def _figures(calls: int, tokens: int, milliseconds: float) -> str:
    return f"{plural(calls, 'call')} · {amount(tokens)} tokens · {duration(milliseconds)}"

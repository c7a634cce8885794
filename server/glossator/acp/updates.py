"""What a run does, as the updates of a session that a client shows.

Citations become links to their lines as the text streams; at the end of an answer stands how each
of them holds. A reply that is void stays on screen, for no client takes words back: a line says so,
and of an answer that was corrected only the paragraphs follow that changed.
Source: Agent Client Protocol 1, "Prompt Turn" and "Tool Calls".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp import schema

from glossator.acp.blocks import diffs, fenced, prose, text_block
from glossator.acp.outbox import Update
from glossator.acp.streaming import differing, open_fence, settled, steady
from glossator.core.answer import Judged
from glossator.core.citation_words import changed, findings, tally
from glossator.core.citations import CitationMark, code, link, rewrite_citations, space_before
from glossator.core.events import (
    AgentFinished,
    AgentProgress,
    AgentStarted,
    CitationChecked,
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
from glossator.core.run_events import (
    Correction,
    FilesChanged,
    PlanChanged,
    PlannedTask,
    StateChanged,
    TaskState,
    ToolOutput,
    UncitedClaim,
    not_saved,
)
from glossator.core.shown import brief_arguments, shown, shown_prose
from glossator.core.span import CitationView
from glossator.core.tool_result import counted
from glossator.core.uri import to_uri
from glossator.core.words import Became, tool_name
from glossator.workspace import Roots

Locate = Callable[[str], str | None]  # the absolute path of one in the workspace, if it is in it

_KINDS: dict[str, schema.ToolKind] = {
    **dict.fromkeys(("Read", "McpRead", "Diagnostics"), "read"),
    **dict.fromkeys(("Grep", "Glob", "Search", "Symbols", "ToolSearch"), "search"),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit", "Rename"), "edit"),
    **dict.fromkeys(("Explore", "Fork", "Todo", "Skill"), "think"),
    "Move": "move",
    "Bash": "execute",
}
_DISCARDED = {
    DiscardReason.BROKE_OFF: "The connection broke off; the answer begins again.",
    DiscardReason.PLAN: "The question is answered by a plan of tasks instead.",
    DiscardReason.HOOK: "A hook of yours has the model go on; the new answer follows.",
}
_CORRECTED = "Not all of this holds; what changed follows."
_TODO = {
    TodoState.PENDING: "pending",
    TodoState.ACTIVE: "in_progress",
    TodoState.DONE: "completed",
}
_TASKS = {
    TaskState.PENDING: "pending",
    TaskState.ACTIVE: "in_progress",
    TaskState.DONE: "completed",
    TaskState.FAILED: "completed",
}


@dataclass(slots=True)
class Standing:
    """The answer of a run so far, and what was found out about its citations and sentences."""

    text: str = ""
    citations: Sequence[CitationView] = ()
    uncited: Sequence[UncitedClaim] = ()
    corrections: Sequence[Correction] = ()

    def note(self, event: Event) -> None:
        """An event of the run."""
        match event:
            case RunStarted() | TextDiscarded():
                self.text, self.citations, self.uncited, self.corrections = "", (), (), ()
            case ToolStarted():  # the answer is the text after the last call
                self.text = ""
            case TextDelta(text=text):
                self.text += text
            case CitationChecked(citation=citation):
                view = CitationView.of(citation)
                same = (view.target, view.first_line, view.last_line, view.at)
                kept = [
                    each
                    for each in self.citations
                    if (each.target, each.first_line, each.last_line, each.at) != same
                ]
                self.citations = (*kept, view)
            case UncitedClaim():
                self.uncited = (*self.uncited, event)
            case Correction():
                self.corrections = (*self.corrections, event)


@dataclass(slots=True)
class Updates:
    """The updates of one session; `of` takes its events in their order.

    `locate` finds the paths that a model writes. `links`: the client shows links to files; another
    one gets the names of the places.
    """

    locate: Locate
    links: bool = True
    open_calls: dict[str, ToolStarted] = field(default_factory=dict)
    _plans: dict[str, str] = field(default_factory=dict)  # edits under way: the call of each
    _with_diff: set[str] = field(default_factory=set)  # calls
    _agents: dict[str, str] = field(default_factory=dict)  # sub-agents: the call that shows each
    _standing: Standing = field(default_factory=Standing)
    _text: str = ""  # of the answer since the last line that was sent, or word of a long one
    _sent: int = 0  # characters of it, as it is shown
    _opening: str = ""  # the line that opens the block of code in which it begins, if it does
    _in_code: bool = False  # a block of code was not closed before the last call
    _replaced: str | None = None  # the answer in whose place comes what is written from now on

    def of(self, event: Event, *, again: bool = False) -> Iterator[Update]:
        """The updates for an event; one that is shown `again` comes with the user's own words."""
        if isinstance(event, TextDelta):
            self._standing.note(event)
            self._text += event.text
            yield from self._more(whole=False) if self._replaced is None else ()
            return
        yield from self._rest(event)
        self._standing.note(event)
        match event:
            case RunStarted() | Steered():
                yield from self._said(event, again=again)
            case ToolStarted() | ToolOutput() | ToolFinished():
                yield from self._call(event)
            case EditProposed() | EditSettled():
                yield from self._edit(event)
            case AgentStarted() | AgentProgress() | AgentFinished():
                yield from self._agent(event)
            case TodoChanged() | PlanChanged():
                yield _plan(event)
            case ThinkingDelta(text=text):
                content = text_block(shown_prose(text))
                yield schema.AgentThoughtChunk(
                    session_update="agent_thought_chunk", content=content
                )
            case RunFinished() | RunCancelled() | RunFailed():
                yield from self._ended(event)
                yield from self.standing(self._standing) if again else ()
            case TextDiscarded() if self._replaced is not None:
                pass  # it is said where something changed
            case _:
                yield from map(aside, filter(None, [_said_of(event)]))

    def _said(self, event: RunStarted | Steered, *, again: bool) -> Iterator[Update]:
        if isinstance(event, RunStarted) and event.folders:
            roots = Roots.of(event.folders)  # of its worktree
            self.locate = locating(lambda: roots)
        yield from _user(event) if again else ()

    def _more(self, *, whole: bool) -> Iterator[Update]:
        """What can be shown of the text so far: all, or up to a citation that is unfinished."""
        shown = self._shown(self._text[: None if whole else steady(self._text)])
        if len(shown) > self._sent:
            yield text_update(shown_prose(shown[self._sent :]))
            self._sent = len(shown)
        if end := settled(self._text):
            head = self._text[:end]
            self._sent -= len(self._shown(head))
            self._opening = open_fence(self._opening + head)
            self._text = self._text[end:]

    def _shown(self, text: str) -> str:
        """A text with links, which begins where `_text` does; code has none."""
        return self._linked(self._opening + text)[len(self._opening) :]

    def _rest(self, event: Event) -> Iterator[Update]:
        """What is still to be shown of the text before an event."""
        is_held = self._replaced is not None and not isinstance(event, _STOPS)
        if is_held or isinstance(event, CitationChecked | UncitedClaim):
            return  # the text goes on behind it
        discarded = event.reason if isinstance(event, TextDiscarded) else None
        if self._replaced is not None:
            broke_off = discarded is DiscardReason.BROKE_OFF
            self._text = "" if broke_off else differing(self._text, self._replaced)
            yield from [aside(_CORRECTED)] if self._text else ()
            if isinstance(event, _ENDS) and not broke_off:
                self._replaced = None
        yield from self._more(whole=True)
        self._in_code ^= bool(open_fence(f"{self._opening}{self._text}\n"))
        self._text, self._sent, self._opening = "", 0, ""
        if self._in_code and isinstance(event, _ENDS):
            self._in_code = False
            yield text_update("\n```\n")  # else what follows would be code
        if discarded is DiscardReason.CITATIONS:
            self._replaced = self._standing.text

    def _linked(self, text: str) -> str:
        """A text with its citations as links to their lines."""

        def linked(mark: CitationMark) -> str:
            path = self.locate(mark.path) if self.links and mark.names_file else None
            named = code(mark.place)
            if path is not None:
                named = link(mark.place, f"{to_uri(path)}#L{mark.first_line}")
            return space_before(text, mark) + named

        return rewrite_citations(text, linked)

    def standing(self, answer: Judged) -> Iterator[Update]:
        """How the citations of an answer hold; nothing for an answer without any."""
        link_to = _link if self.links else _name
        uncited, corrected = len(answer.uncited), len(changed(answer.corrections))
        if counted := tally(answer.citations, uncited, corrected):
            found = findings(
                answer.text, answer.citations, answer.uncited, answer.corrections, link_to
            )
            listed = "\n".join(["\n", *found])
            yield text_update(shown_prose(f"\n\n---\n\n**{counted}**{listed.rstrip()}\n"))

    def _call(self, event: ToolStarted | ToolOutput | ToolFinished) -> Iterator[Update]:
        match event:
            case ToolStarted(tool="Todo") | ToolFinished(tool="Todo"):
                pass  # its list is the session's plan
            case ToolStarted():
                yield self._started(event)
            case ToolOutput(call_id=call_id, text=text):
                # a diff says more than the model's text
                if call_id in self.open_calls and call_id not in self._with_diff:
                    is_report = self.open_calls[call_id].tool in _REPORTING
                    content = prose(self._linked(text)) if is_report else fenced(text)
                    yield progress(call_id, content=[content])
            case ToolFinished():
                yield self._finished(event)

    def _started(self, event: ToolStarted) -> Update:
        self.open_calls[event.call_id] = event
        return schema.ToolCallStart(
            session_update="tool_call",
            tool_call_id=event.call_id,
            title=title_of(event),
            kind=kind_of(event.tool),
            status="in_progress",
            raw_input=event.arguments,
            locations=self.locations(event.arguments),
        )

    def _finished(self, event: ToolFinished) -> Update:
        started = self.open_calls.pop(event.call_id, None)
        places = [(each.path, each.first_line) for each in event.places]
        found = self._located(places)
        title = title_of(started) if started else tool_name(event.tool)
        outcome = f": {event.summary}" if event.summary else ""
        return progress(
            event.call_id,
            status="failed" if event.error or event.unsuccessful else "completed",
            title=shown_prose(f"{title}{outcome}"),
            locations=found or None,
        )

    def locations(self, arguments: dict[str, Any]) -> list[schema.ToolCallLocation]:
        """The file that a call is about, for the editor to follow along."""
        path, line = arguments.get("path"), arguments.get("offset")
        if not isinstance(path, str):
            return []
        return self._located([(path, line if isinstance(line, int) and line > 0 else None)])

    def _located(self, places: Iterable[tuple[str, int | None]]) -> list[schema.ToolCallLocation]:
        found = ((self.locate(path), line) for path, line in places)
        return [
            schema.ToolCallLocation(path=path, line=line)
            for path, line in found
            if path is not None
        ]

    def _edit(self, event: EditProposed | EditSettled) -> Iterator[Update]:
        """The diff of an edit, at the call that makes it; a word where not all of it was made."""
        if isinstance(event, EditSettled):
            call_id = self._plans.pop(event.plan_id, None)
            if call_id is not None and (event.note or not event.applied):
                note = event.note or "Nothing was changed."
                yield progress(call_id, title=shown_prose(note))
            return
        acting = [each for each in self.open_calls.values() if kind_of(each.tool) in _ACTING]
        if acting:
            self._plans[event.plan.id] = acting[-1].call_id
            self._with_diff.add(acting[-1].call_id)
            yield progress(
                acting[-1].call_id,
                content=diffs(event.plan),
                locations=self._located([(each.path, None) for each in event.plan.files]),
            )

    def _agent(self, event: AgentStarted | AgentProgress | AgentFinished) -> Iterator[Update]:
        """A sub-agent: the call that started it, or one of its own."""
        if isinstance(event, AgentStarted):
            self._agents[event.agent_id] = event.call_id or event.agent_id
            title = shown_prose(f"{event.name}: {' '.join(event.task.split())}")
            if event.call_id is None:
                yield schema.ToolCallStart(
                    session_update="tool_call",
                    tool_call_id=event.agent_id,
                    title=title,
                    kind="think",
                    status="in_progress",
                )
            else:
                yield progress(event.call_id, title=title)
            return
        call_id = self._agents.get(event.agent_id, event.agent_id)
        done = f"{counted(event.tool_calls, 'calls')}, {event.tokens:,} tokens"
        if isinstance(event, AgentProgress):
            now = f"{tool_name(event.tool)} {event.detail} ({done})"
            yield progress(call_id, content=[prose(now)])
            return
        self._agents.pop(event.agent_id, None)
        report = self._linked(event.summary)
        partial = f"\n\n*{event.partial}*" if event.partial else ""
        status = "failed" if event.error else "completed"
        text = f"{report}{partial}\n\n*{done}*"
        yield progress(call_id, content=[prose(text)], status=status)

    def _ended(self, event: RunFinished | RunCancelled | RunFailed) -> Iterator[Update]:
        """Why a run failed, and the end of the calls that it left behind."""
        if isinstance(event, RunFailed):
            yield aside(event.message)
        if isinstance(event, RunCancelled) and event.elsewhere:
            yield aside(f"{Became.CONTINUED.format(event.elsewhere)} {Became.KEPT}")
        for call in self.open_calls.values():  # it may be shown as a question
            yield progress(call.call_id, status="failed", title=title_of(call))
        for call_id in self._agents.values():
            yield progress(call_id, status="failed")
        self.open_calls.clear()
        self._agents.clear()
        self._plans.clear()
        self._with_diff.clear()


_REPORTING = frozenset({"Explore", "Fork"})  # what they give is Markdown with citations
_TEXTUAL = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})  # they are given texts
_ACTING = frozenset({"edit", "move", "delete", "execute", "other"})
_ENDS = (RunFinished, RunCancelled, RunFailed, TextDiscarded)  # of a text, wherever it stands
_STOPS = (ToolStarted, Steered, StateChanged, *_ENDS)  # it is whole


def text_update(text: str) -> Update:
    """More of the answer."""
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=text_block(text))


def aside(text: str) -> Update:
    """Sentences that are not the model's; their lines stay lines."""
    lines = (" ".join(line.split()) for line in shown_prose(text).splitlines())
    return text_update("\n\n{}\n\n".format("  \n".join(f"*{line}*" for line in lines if line)))


def progress(call_id: str, **changed: Any) -> Update:  # noqa: ANN401 - fields of the protocol's
    """What is new of a call."""
    return schema.ToolCallProgress(
        session_update="tool_call_update",
        tool_call_id=call_id,
        **{name: value for name, value in changed.items() if value is not None},
    )


def locating(roots: Callable[[], Roots]) -> Locate:
    """Finds paths in the current folders."""

    def locate(path: str) -> str | None:
        found = roots().locate(path)
        return found if isinstance(found, str) else None

    return locate


def title_of(call: ToolStarted) -> str:
    """A call in a line: `Find text pattern="retry"`; of a command the command.

    Of an edit it is the file, as the texts are shown by its diff.
    """
    if kind_of(call.tool) == "execute" and isinstance(call.arguments.get("command"), str):
        return shown(call.arguments["command"])
    arguments = dict(call.arguments)
    path = arguments.pop("path", "")
    rest = call.about or ("" if call.tool in _TEXTUAL else brief_arguments(arguments))
    return shown_prose(" ".join(filter(None, (tool_name(call.tool), str(path), rest))))


def kind_of(tool: str) -> schema.ToolKind:
    """What a tool does, in the words of the protocol."""
    return _KINDS.get(tool, "other")


def _user(event: RunStarted | Steered) -> Iterator[Update]:
    """The user's words, and what they attached to them."""
    shown = event.shown if isinstance(event, RunStarted) else ""
    words = event.question if isinstance(event, RunStarted) else event.text
    blocks: list[Any] = [text_block(shown or words)]
    for item in event.attachments:
        if item.uri is not None:
            name, uri = item.name, item.uri
            blocks.append(schema.ResourceContentBlock(type="resource_link", name=name, uri=uri))
    for block in blocks:
        yield schema.UserMessageChunk(session_update="user_message_chunk", content=block)


def _said_of(event: Event) -> str:
    """A sentence for an event that has no form of its own; "" for none."""
    match event:
        case TextDiscarded(reason=reason):
            return _DISCARDED[reason]
        case Compaction(before=before, after=after):
            return f"The conversation was shortened: {before:,} → {after:,} tokens."
        case Notice(message=message):
            return message
        case FilesChanged(unsaved=unsaved) if unsaved:
            return not_saved(unsaved)
    return ""


def _plan(event: TodoChanged | PlanChanged) -> Update:
    steps = event.steps if isinstance(event, TodoChanged) else ()
    tasks = event.tasks if isinstance(event, PlanChanged) else ()
    entries = [*map(_step, steps), *map(_task, tasks)]
    return schema.AgentPlanUpdate(session_update="plan", entries=entries)


def _step(step: Todo) -> schema.PlanEntry:
    return schema.PlanEntry(
        content=shown_prose(step.text), priority="medium", status=_TODO[step.state]
    )


def _task(task: PlannedTask) -> schema.PlanEntry:
    failed = " (failed)" if task.state is TaskState.FAILED else ""
    return schema.PlanEntry(
        content=shown_prose(f"{task.description}{failed}"),
        priority="medium",
        status=_TASKS[task.state],
    )


def _link(name: str, citation: CitationView) -> str:
    if citation.uri is None:
        return code(name)
    first, _ = citation.leads_to
    return link(name, f"{citation.uri}#L{first}" if first else citation.uri)


def _name(name: str, _: CitationView) -> str:
    return code(name)

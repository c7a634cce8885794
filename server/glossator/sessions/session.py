"""A session: one conversation and what goes with it, kept on disk as it happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Any

from glossator.core.errors import StoreUnavailable
from glossator.core.events import AgentStarted, Envelope, RunStarted, Todo, TodoState, Usage
from glossator.core.prompts import load_prompt
from glossator.core.report import Report
from glossator.core.tool_result import ToolResult
from glossator.llm import (
    Conversation,
    Message,
    Meter,
    Model,
    Purpose,
    Reply,
    ReplyUsage,
    SpendingLimit,
    ToolCall,
    ToolSpec,
    repair_messages,
    text_of,
    tool_answers,
    with_text,
)
from glossator.sessions.compaction.compaction import CompactionBackoff
from glossator.sessions.journal import (
    Head,
    Journal,
    PersistedConversation,
    PersistedFindings,
    PersistedReads,
    UnfinishedReply,
)
from glossator.sessions.records import (
    UNTITLED,
    AgentBegun,
    AgentSaid,
    Amended,
    KeptValue,
    ModelCall,
    Prefix,
    Received,
    Record,
    Reported,
    Restarted,
    Revised,
    Rewound,
    Said,
    Titled,
    happened,
)
from glossator.sessions.state import (
    EDITOR_STATE,
    FACTS,
    FAILED_RUNS,
    LISTED,
    MEMORIES,
    OF_CONVERSATION,
    RUNS,
    TODO,
    AskedRun,
    SessionState,
    asked,
    remember,
    session_state,
)
from glossator.settings import LimitSettings
from glossator.tools import CommandRuns, TodoList


class Reminders:
    """Reminders that became known while a message was on its way, oldest first.

    A reminder never delays a message: it is told with the results of the next tool calls, or with
    the next question. Each text is rendered from a prompt that `own_texts.TEXTS` names.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._sent: list[Callable[[], object]] = []

    def add(self, *texts: str, sent: Callable[[], object] = lambda: None) -> None:
        """Add a text, unless the same one waits already; `sent` is called when it is told."""
        for text in texts:
            if text and text not in self._waiting:
                self._waiting.append(text)
        self._sent.append(sent)

    def take(self) -> tuple[str, ...]:
        """Take the texts; they count as told, so put them into a message before any await."""
        taken, self._waiting = tuple(self._waiting), []
        sent, self._sent = self._sent, []
        for each in sent:
            each()
        return taken


class Session:
    """One conversation; `system` and `tools` are frozen by the first run and never change after.

    Every change made here is on disk before the call returns.
    """

    def __init__(self, state: SessionState, journal: Journal) -> None:
        self.journal = journal
        self._kept = state.kept
        self._syncing = threading.Lock()
        self._unfinished = UnfinishedReply()
        self.id = state.id
        self.title = state.title
        self.title_made = state.title_made  # from the first question
        self.created_at = state.created_at
        self.roots = state.roots
        self.system = state.system
        self.tools = state.tools
        self._take_up(state)
        self._mend()

    def _take_up(self, state: SessionState) -> None:
        """Continue the conversation that `state` holds."""
        history = state.messages if state.unsaid is None else [*state.messages, state.unsaid]
        messages = repair_messages(history)
        self.was_repaired = messages != history
        self._unsaid = None if state.unsaid is None else messages.pop()
        self._story = state.story
        self.turns = state.turns  # model replies
        self.account = state.account
        self.reads = PersistedReads(state.reads, state.spans, state.citable, state.seen)
        self.todo = TodoList()
        self.todo.steps = tuple(
            Todo(text, TodoState(state)) for text, state in (state.kept.get(TODO) or [()])[-1]
        )
        self.runs = CommandRuns(state.kept.get(RUNS, ()), state.kept.get(FAILED_RUNS, ()))
        self.runs.began = partial(self.keep, RUNS)
        self.runs.failed = lambda *failure: self.keep(FAILED_RUNS, failure)
        self.findings = PersistedFindings(state.findings)
        self.reports = state.reports  # of sub-agents, oldest first
        self.reminders = Reminders()
        self.backoff = CompactionBackoff()
        self.instructions_looked_at: object = None  # what decided which instruction files count
        self.conversation: Conversation = PersistedConversation(
            self._say, self._restarted, self._revised, self._amended, messages
        )
        self.dropped = frozenset(state.dropped)

    @property
    def head(self) -> Head:
        """The session as lists show it, to be kept beside its log."""
        created = self.created_at.isoformat(timespec="seconds")
        return Head(self.id, self.title, created, self.roots, self.turns, self.listed)

    @property
    def listed(self) -> bool:
        """Whether lists show it; those of edits in place begin outside them."""
        return bool(self._kept.get(LISTED, [True])[-1])

    def list_from_now_on(self, listed: bool) -> None:
        """Show it in lists, or in none."""
        if listed != self.listed:
            self.keep(LISTED, listed)

    @property
    def on_disk(self) -> bool:
        """Whether anything of the session is kept; an empty session is not."""
        return self.journal.exists

    @property
    def is_kept(self) -> bool:
        """Whether everything is on disk, so that the session can be closed and resumed."""
        return self.journal.exists and not self.journal.broken

    def rename(self, title: str, *, made: bool = False) -> None:
        """Set the title; one that was `made` from the first question goes with that question."""
        self.title, self.title_made = title, made
        self._write(Titled(title, made))

    def freeze(
        self,
        system: tuple[str, ...],
        tools: tuple[ToolSpec, ...],
        kept: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Set what opens every request; a compacted conversation may open with something else.

        `kept` values about the opening are written together with it, like those of `keep`.
        """
        self.system, self.tools = system, tools
        for name, value in kept.items():
            self._kept.setdefault(name, []).append(value)
        self._write(Prefix(system, tools), *(KeptValue(*each) for each in kept.items()))

    def received(self, message: Message) -> None:
        """Keep a reply with tool calls until they have been answered.

        Without this, calls that a killed process had begun would leave no trace in the
        conversation.
        """
        self._unsaid = message
        self._unfinished.held()
        self._write(Received(message))

    def ends_with(self, answer: str) -> bool:
        """Whether the conversation's last message is a reply with this text."""
        last = self.conversation.messages[-1:]
        return bool(answer) and any(
            message["role"] == "assistant" and text_of(message) == answer for message in last
        )

    def revise(self, answer: str) -> None:
        """Replace the last reply's text; nothing was sent after it."""
        message = with_text(self.conversation.messages[-1], answer)
        self.conversation.revise(message)

    def restart(self, messages: Sequence[Message]) -> None:
        """Replace the messages by those of the compacted conversation."""
        self.conversation.restart(messages)

    @property
    def asked(self) -> list[AskedRun]:
        """The runs of the conversation, oldest first."""
        return asked(self._story)

    def rewind(self, runs: Sequence[str]) -> None:
        """Go back to just before the first of `runs`, which are the last ones, was asked.

        Files that are the same as the conversation shows them need not be read again. A title that
        was made from the first question is dropped with it.
        """
        first = self.asked[0]
        self._write(Rewound(tuple(runs)))
        if first.run_id in runs and self.title_made:
            self.rename(UNTITLED)
        state, documents = session_state(self._story), self.reads.documents()
        self._kept |= {name: state.kept.get(name, []) for name in OF_CONVERSATION}
        self._take_up(state)
        for document in documents:
            if self.reads.lines(document):
                self.reads.saw(document)

    def note(self, envelope: Envelope) -> None:
        """Keep an event of a run, if it is worth keeping."""
        now = datetime.now(UTC)
        of_event = happened(envelope, now)
        records = (*self._unfinished.after(envelope, now), *((of_event,) if of_event else ()))
        self._write(*records)
        if isinstance(envelope.event, RunStarted):
            self.dropped -= {envelope.run_id}

    def meter(
        self,
        limits: LimitSettings,
        model: Model,
        run_id: str = "",
        show: Callable[[Usage], None] = lambda _: None,
    ) -> Meter:
        """A meter for a run or a command, which keeps what each reply took.

        The costs are shown, except those of sub-agents, which report them themselves. Offline
        nothing is spent, so the session's limits do not apply.
        """

        def book(reply: Reply | ReplyUsage, purpose: Purpose, asked: str) -> None:
            now, long, whole = datetime.now(UTC), reply.long_write_tokens, isinstance(reply, Reply)
            spent = ModelCall(
                run_id,
                now,
                purpose,
                asked or model.id,
                reply.usage,
                long,
                reply.dollars,
                whole,
                len(self.conversation.messages),
            )
            self.account.add(spent)
            self._write(spent)
            if purpose != "agent":
                show(reply.usage)

        budgets = (
            SpendingLimit.of_run(limits),
            SpendingLimit.of_session(limits, self.account.spending),
        )
        return Meter(() if model.offline else budgets, book)

    def agent_began(self, started: AgentStarted, run_id: str, inherited: int) -> None:
        """Keep that a sub-agent began; it `inherited` this many messages of the conversation."""
        agent_id, at = started.agent_id, datetime.fromisoformat(started.began_at)
        name, task, model = started.name, started.task, started.model
        begun = AgentBegun(agent_id, run_id, started.call_id, name, task, model, at, inherited)
        self._write(begun)

    def agent_said(self, agent_id: str, message: Message) -> None:
        """Keep a message from a sub-agent's own conversation."""
        self._write(AgentSaid(agent_id, message))

    def agent_reported(self, agent_id: str, report: Report) -> None:
        """Keep the report that a sub-agent ended with."""
        self._write(Reported(agent_id, report))
        self.reports.append(report)

    def keep(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Keep a value under the caller's name: grants, a todo list, checkpoints."""
        self._kept.setdefault(name, []).append(value)
        self._write(KeptValue(name, value))

    def keep_surely(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Like `keep`, but raises `StoreUnavailable` if the value would not outlive this server."""
        self._write(KeptValue(name, value))
        if self.journal.why_broken:
            raise StoreUnavailable(self.journal.why_broken)
        self._kept.setdefault(name, []).append(value)

    def keep_todo(self, steps: tuple[Todo, ...]) -> None:
        """Keep the list of steps."""
        self.keep(TODO, [[step.text, step.state.value] for step in steps])

    def begin_todo(self, steps: tuple[Todo, ...]) -> None:
        """Replace the list of steps and keep it."""
        self.todo.steps = steps
        self.keep_todo(steps)

    def kept(self, name: str) -> list[Any]:
        """The values that were kept under `name`, oldest first."""
        return list(self._kept.get(name, ()))

    def sync(self) -> None:
        """Wait until the disk has everything; slow, for a thread, at the end of a run."""
        with self._syncing:  # the end of a run and the server's may meet
            size = self.journal.size
            self.journal.sync(self.head, size)

    def close(self) -> None:
        """Close its log, so that another server can open it; safe to call again."""
        self.journal.close()

    def _write(self, *records: Record) -> None:
        if not records:
            return
        for record in records:
            remember(self._story, record)
        self.journal.write(*records)

    def _say(self, message: Message) -> None:
        self.turns += message["role"] == "assistant"
        self._unfinished.held()
        known = message is self._unsaid
        self._unsaid = None
        # a reply shows nothing: what its tools showed comes with the message that answers it
        said = Said(None if known else message)
        if message["role"] == "user":
            shown = self.reads.take()
            findings = self.findings.take()
            said = Said(said.message, shown.reads, shown.spans, findings, shown.citable, shown.seen)
        self._write(said)

    def _revised(self, message: Message) -> None:
        self._unfinished.held()
        self._write(Revised(message))

    def _amended(self, messages: tuple[Message, ...]) -> None:
        self._write(Amended(messages))

    def _restarted(self, messages: tuple[Message, ...]) -> None:
        self._write(Restarted(messages))
        self.account.restart()
        self.reads.forget_ranges()
        self.findings.forget()
        for name in (MEMORIES, FACTS, EDITOR_STATE):
            if self._kept.get(name):
                self.keep(name, None)

    def _mend(self) -> None:
        """Make the conversation valid again after a run that was killed."""
        if self._unsaid is not None:
            self.conversation.append(self._unsaid)
        messages = self.conversation.messages
        if not messages or messages[-1]["role"] != "assistant":
            return
        failed = ToolResult.failed(load_prompt("user/interrupted").render())
        calls = [
            ToolCall(block["id"], block["name"], block["input"])
            for block in messages[-1]["content"]
            if block.get("type") == "tool_use"
        ]
        if calls:
            self.conversation.append(tool_answers([(call, failed) for call in calls]))

"""A session: one conversation and what goes with it, kept on disk as it happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from glossator.context.room import Patience
from glossator.core.events import Envelope, RunStarted, Usage
from glossator.core.span import Span, runs
from glossator.core.todo import Todo, TodoState
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers
from glossator.llm.meter import Budget, Meter, Purpose
from glossator.llm.model import Message, Model, Reply, Taken, ToolCall, ToolSpec
from glossator.prompts.loader import load_prompt
from glossator.service.journal import Head, Journal
from glossator.service.session_log import (
    UNTITLED,
    Kept,
    Prefix,
    ReadShown,
    Received,
    Record,
    Restarted,
    Rewound,
    Said,
    Titled,
    happened,
)
from glossator.service.session_state import (
    OF_CONVERSATION,
    TODO,
    Asked,
    SessionState,
    add_up,
    asked,
    remember,
)
from glossator.service.spending import Spent
from glossator.service.unfinished import Unfinished
from glossator.settings.model import LimitSettings
from glossator.tools.findings import Counts, Findings
from glossator.tools.reads import Range, ReadState
from glossator.tools.steps import TodoList

__all__ = ["UNTITLED", "Session", "title_of"]

_TITLE_CHARACTERS = 60


def title_of(question: str) -> str:
    """The title of a session that begins with a question."""
    return question.strip().splitlines()[0][:_TITLE_CHARACTERS]


class Session:
    """One conversation; `system` and `tools` are frozen by the first run and never change after.

    Whatever is changed here is on disk before the call returns.
    """

    def __init__(self, state: SessionState, journal: Journal) -> None:
        self._journal = journal
        self._kept = state.kept
        self._syncing = threading.Lock()
        self._unfinished = Unfinished()
        self.id = state.id
        self.title = state.title
        self.created_at = state.created_at
        self.roots = state.roots
        self.system = state.system
        self.tools = state.tools
        self._take_up(state)
        self._mend(state.unsaid)

    def _take_up(self, state: SessionState) -> None:
        """Go on with the conversation that `state` holds."""
        self._unsaid: Message | None = None
        self._story = state.story
        self.turns = state.turns  # model replies
        self.account = state.account
        self.reads = _KeptReads(state.reads, state.spans)
        self.todo = TodoList()
        self.todo.steps = tuple(
            Todo(text, TodoState(state)) for text, state in (state.kept.get(TODO) or [()])[-1]
        )
        self.findings = _KeptFindings(state.findings)
        self.patience = Patience()
        self.conversation: Conversation = _KeptConversation(
            self._say, self._restarted, state.messages
        )
        self.dropped = frozenset(state.dropped)

    @property
    def head(self) -> Head:
        """The session as lists show it."""
        created = self.created_at.isoformat(timespec="seconds")
        return Head(self.id, self.title, created, self.roots, self.turns)

    @property
    def on_disk(self) -> bool:
        """Whether anything of it is kept; an empty session is not."""
        return self._journal.exists

    def rename(self, title: str) -> None:
        """Give it a title."""
        self.title = title
        self._write(Titled(title))

    def freeze(self, system: tuple[str, ...], tools: tuple[ToolSpec, ...]) -> None:
        """Say what opens every request; a compacted conversation may open with something else."""
        self.system, self.tools = system, tools
        self._write(Prefix(system, tools))

    def received(self, message: Message) -> None:
        """The model replied with tool calls: keep the reply until they have been answered.

        Without this, calls that a killed process had begun leave no trace in the conversation.
        """
        self._unsaid = message
        self._unfinished.held()
        self._write(Received(message))

    def restart(self, messages: Sequence[Message]) -> None:
        """Go on with other messages: those of the compacted conversation."""
        self.conversation.begin_anew(messages)

    @property
    def asked(self) -> list[Asked]:
        """The runs of the conversation, oldest first."""
        return asked(self._story)

    def rewind(self, runs: Sequence[str]) -> None:
        """Go back to just before the first of `runs`, which are the last ones, was asked.

        Files that are still as the conversation shows them need not be read again. A title that was
        the first question's goes with it.
        """
        first = self.asked[0]
        self._write(Rewound(tuple(runs)))
        if first.run_id in runs and self.title == title_of(first.question):
            self.rename(UNTITLED)
        state, documents = add_up(self._story), self.reads.documents()
        self._kept |= {name: state.kept.get(name, []) for name in OF_CONVERSATION}
        self._take_up(state)
        for document in documents:
            if self.reads.lines(document):
                self.reads.saw(document)

    def note(self, envelope: Envelope) -> None:
        """Keep an event of a run, if it is worth it."""
        now = datetime.now(UTC)
        for record in (self._unfinished.left_by(envelope, now), happened(envelope, now)):
            if record is not None:
                self._write(record)
        if isinstance(envelope.event, RunStarted):
            self.dropped -= {envelope.run_id}

    def meter(
        self,
        limits: LimitSettings,
        model: Model,
        run_id: str = "",
        show: Callable[[Usage], None] = lambda _: None,
    ) -> Meter:
        """Counts what a run, or a command, asks of a model; keeps and shows what each reply took.

        Offline nothing is spent, so no limit of the session is in the way.
        """

        def book(reply: Reply | Taken, purpose: Purpose) -> None:
            now, long, whole = datetime.now(UTC), reply.long_write_tokens, isinstance(reply, Reply)
            spent = Spent(
                run_id,
                now,
                purpose,
                model.id,
                reply.usage,
                long,
                reply.dollars,
                whole,
                len(self.conversation.messages),
            )
            self.account.add(spent)
            self._write(spent)
            show(reply.usage)

        budgets = Budget.of_run(limits), Budget.of_session(limits, self.account.spending)
        return Meter(() if model.offline else budgets, book)

    def keep(self, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can carry
        """Keep something under a name of one's own: grants, a todo list, checkpoints."""
        self._kept.setdefault(name, []).append(value)
        self._write(Kept(name, value))

    def keep_todo(self, steps: tuple[Todo, ...]) -> None:
        """Keep the list of steps."""
        self.keep(TODO, [[step.text, step.state.value] for step in steps])

    def kept(self, name: str) -> list[Any]:
        """All that was kept under `name`, oldest first."""
        return list(self._kept.get(name, ()))

    def sync(self) -> None:
        """Wait until the disk has everything; slow, for a thread, at the end of a run."""
        with self._syncing:  # the end of a run and the server's may meet
            size = self._journal.size
            self._journal.sync(self.head, size)

    def close(self) -> None:
        """Give it to whoever wants it next; safe to call again."""
        self._journal.close()

    def _write(self, record: Record) -> None:
        self._journal.write(record)
        remember(self._story, record)

    def _say(self, message: Message) -> None:
        self.turns += message["role"] == "assistant"
        self._unfinished.held()
        known = message is self._unsaid
        self._unsaid = None
        # a reply shows nothing: what its tools showed comes with the message that answers it
        said = Said(None if known else message)
        if message["role"] == "user":
            said = Said(said.message, *self.reads.take(), self.findings.take())
        self._write(said)

    def _restarted(self, messages: tuple[Message, ...]) -> None:
        self._write(Restarted(messages))
        self.account.begin_anew()
        self.reads.forget_ranges()
        self.findings.forget()

    def _mend(self, unsaid: Message | None) -> None:
        """Make the conversation valid again after a run that was killed."""
        if unsaid is not None:
            self._unsaid = unsaid
            self.conversation.append(unsaid)
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


class _KeptConversation(Conversation):
    """A conversation that tells of every message before it is part of it."""

    def __init__(
        self,
        say: Callable[[Message], None],
        restarted: Callable[[tuple[Message, ...]], None],
        messages: Iterable[Message],
    ) -> None:
        super().__init__(list(messages))
        self._say = say
        self._restarted = restarted

    def append(self, message: Message) -> None:
        """Add the next message."""
        self._say(message)
        super().append(message)

    def begin_anew(self, messages: Sequence[Message]) -> None:
        """Go on with other messages."""
        kept = tuple(messages)
        self._restarted(kept)
        super().begin_anew(kept)


class _KeptReads(ReadState):
    """What was shown, and what of it no message has told yet.

    It is written down together with the message that shows it: after a kill in between, nothing
    counts as shown that the conversation does not hold.
    """

    def __init__(self, reads: Iterable[ReadShown], spans: Iterable[Span]) -> None:
        super().__init__()
        self._new_reads: list[ReadShown] = []
        self._new_lines: dict[tuple[str, str], set[int]] = {}
        for read in reads:
            super().remember(read.path, read.asked, read.sha256)
        super().show(spans)

    def remember(self, path: str, asked: Range, sha256: str) -> None:
        """A range was shown."""
        super().remember(path, asked, sha256)
        self._new_reads.append(ReadShown(path, asked, sha256))

    def show(self, spans: Iterable[Span]) -> None:
        """Lines were shown to the model."""
        shown = list(spans)
        super().show(shown)
        for span in shown:
            lines = self._new_lines.setdefault((span.uri, span.sha256), set())
            lines.update(range(span.first_line, span.last_line + 1))

    def take(self) -> tuple[tuple[ReadShown, ...], tuple[Span, ...]]:
        """What was shown since the last time this was asked."""
        reads = tuple(self._new_reads)
        spans = tuple(
            Span(uri, sha256, first, last)
            for (uri, sha256), lines in self._new_lines.items()
            for first, last in runs(sorted(lines))
        )
        self._new_reads, self._new_lines = [], {}
        return reads, spans


class _KeptFindings(Findings):
    """What was told, and what of it no message has told yet; written down as reads are."""

    def __init__(self, findings: Mapping[str, Counts]) -> None:
        super().__init__(dict(findings))
        self._new: dict[str, Counts] = {}

    def remember(self, uri: str, counts: Counts) -> None:
        """These findings of a document were told."""
        super().remember(uri, counts)
        self._new[uri] = counts

    def take(self) -> dict[str, Counts]:
        """What was told since the last time this was asked."""
        new, self._new = self._new, {}
        return new

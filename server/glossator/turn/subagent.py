"""Runs one sub-agent: a loop with its own conversation, shown and logged, that ends in a report."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from glossator.application import Application, Permission
from glossator.core.citations import CitationMark
from glossator.core.errors import GlossatorError
from glossator.core.events import (
    AgentFinished,
    AgentProgress,
    AgentStarted,
    Event,
    ToolFinished,
    ToolStarted,
)
from glossator.core.permission import Access, Permit
from glossator.core.report import Report
from glossator.core.shown import brief_arguments, shown
from glossator.core.span import Citation
from glossator.core.uri import to_path
from glossator.grounding import (
    NONE_ESTABLISHED,
    CheckedStatement,
    Established,
    Sources,
    faults,
    files_of,
    in_lines,
    judged_report,
    judged_text,
    report_of,
    resolved,
    seen,
)
from glossator.hooks import HookEvent
from glossator.llm import Conversation, Message, Meter, Model, SpendingLimit
from glossator.permissions import Deny
from glossator.sessions import AgentConversation, Reminders, Run, RunClock, Session
from glossator.tools import ReadState, Tool, ToolArgs, ToolContext
from glossator.turn.hooks import session_hooks
from glossator.turn.judged.judge import Judging
from glossator.turn.loop import run_agent
from glossator.turn.run import Agent, RunContext, Stop
from glossator.workspace import WorkspaceSnapshot

Judged = Callable[[Sequence[CheckedStatement]], None]

_ENDED_WITH_RUN = "it was ended with its run"
_CANCELLED = "it was cancelled"
_ONLY_READS = "A fork only reads; {} was not called.\nSay in your report what you would do."
_WHY = {
    Stop.TURNS: "its replies were used up",
    Stop.TOKENS: "its tokens were used up",
    Stop.MONEY: "the money was used up",
    Stop.TIME: "its time was up",
    Stop.REPETITION: "it went in circles",
    Stop.REFUSED: "the model declined to go on",
    Stop.CUT_OFF: "the model's reply was cut off",
    Stop.CONTEXT_FULL: "its context was full",
}


def unheard(_: object) -> None:
    """Ignores the verdicts; used where nobody asks for them."""


@dataclass(frozen=True, slots=True)
class AgentJob:
    """A sub-agent about to begin with `message`, after the conversation that it inherited.

    `reads` is what it was shown before, and will be; `context` is what each of its calls sees.
    `judged` is given the statements of its report with their verdicts. A report after the last turn
    is partial, unless it `may_use_all_turns`.
    """

    agent: Agent
    model: Model
    task: str
    call_id: str | None
    conversation: AgentConversation
    message: Message
    reads: ReadState
    context: Callable[[RunClock], Awaitable[ToolContext]]
    permission: Permission
    commands: Sequence[str] = ()  # that the conversation ran
    established: Established = NONE_ESTABLISHED
    judged: Judged = unheard
    may_use_all_turns: bool = False

    def sources(self, snapshot: WorkspaceSnapshot) -> Sources:
        """What the citations of its report are resolved against."""
        return Sources(snapshot, self.reads, self.commands, self.established)


async def work(app: Application, session: Session, run: Run, above: Meter, job: AgentJob) -> Report:
    """Run a sub-agent within a run whose meter is `above`; its report is kept and shown."""
    name, task = job.agent.name, job.task
    agent_id = secrets.token_hex(8)
    now = datetime.now(UTC).isoformat()
    started = AgentStarted(agent_id, job.call_id, name, task, job.model.id, now)
    budget = SpendingLimit("agent", job.agent.limits.tokens)
    meter = Meter(() if job.model.offline else (budget,), above=above)
    progress = SubAgentProgress(started, run.emit, meter)
    inherited = len(job.conversation.messages)
    session.agent_began(started, run.id, inherited)
    run.emit(started)
    job.conversation.say = partial(session.agent_said, agent_id)
    job.conversation.append(job.message)
    report = Report(name, task, partial=_ENDED_WITH_RUN)
    before = job.reads.copy()
    try:
        working = _run(app, session, run, job, progress, meter)
        ended = await _ended(run, agent_id, working)
        if ended is None:
            ended = SubAgentResult(job.conversation.text_since(inherited), _CANCELLED)
        report = await _checked(app, job, ended, progress, before)
        report = await _judged(app, run, job, meter, report)
    finally:
        session.agent_reported(agent_id, report)
        run.emit(_finished(report, progress))
    return report


async def _run(
    app: Application,
    session: Session,
    run: Run,
    job: AgentJob,
    progress: SubAgentProgress,
    meter: Meter,
) -> SubAgentResult:
    clock, reminders = RunClock(), Reminders()
    hooks = await session_hooks(app, session.id, reminders, run.tell)

    context = AgentContext(
        job.model,
        job.permission,
        clock=clock,
        meter=meter,
        hooks=hooks if hooks.any_of(HookEvent.BEFORE_TOOL, HookEvent.AFTER_TOOL) else None,
        app=app,
        job=job,
        progress=progress,
        told=reminders,
    )
    may_use_all = job.may_use_all_turns
    return await run_subagent(job.agent, job.conversation, context, may_use_all_turns=may_use_all)


@dataclass(slots=True, kw_only=True)
class AgentContext(RunContext):
    """What the loop of a sub-agent needs; `told` is what the user's hooks tell it."""

    app: Application
    job: AgentJob
    progress: SubAgentProgress
    told: Reminders

    def emit(self, event: Event) -> None:
        """Show how far the sub-agent is."""
        self.progress.emit(event)

    async def tool_context(self) -> ToolContext:
        """What each of its calls sees."""
        return await self.job.context(self.clock)

    def revision(self) -> int:
        """Grows with every change of the workspace."""
        return self.app.host.snapshot().revision

    def reminders(self) -> tuple[str, ...]:
        """What hooks said since the last message."""
        return self.told.take()

    async def review(self, answer: str) -> str:
        """What is wrong with the citations of its report."""
        if self.model.offline:
            return ""
        await self.app.anchors.settled()  # else a fact whose file was just touched would be stale
        sources = self.job.sources(self.app.host.snapshot())
        return await asyncio.to_thread(faults, answer, sources)


async def _ended(
    run: Run, agent_id: str, working: Coroutine[Any, Any, SubAgentResult]
) -> SubAgentResult | None:
    """How the sub-agent ended; None if it alone was cancelled. A cancelled run cancels it, too."""
    task = asyncio.create_task(working)
    run.agents[agent_id] = task
    try:
        await asyncio.wait({task})
    finally:
        del run.agents[agent_id]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    return None if task.cancelled() else task.result()


async def _checked(
    app: Application,
    job: AgentJob,
    ended: SubAgentResult,
    progress: SubAgentProgress,
    before: ReadState,
) -> Report:
    """The report, its citations checked against the current text.

    A partial report also names the lines shown since `before`, cited or not.
    """
    await app.anchors.settled()  # else a fact whose file was just touched would be stale
    snapshot = app.host.snapshot()
    sources = job.sources(snapshot)

    def check(mark: CitationMark) -> Citation:
        return resolved(mark, sources)[0]

    def called(uri: str) -> str:
        path = to_path(uri)
        return shown(uri) if path is None else snapshot.relative(path)

    name, searched = job.agent.name, tuple(progress.searched)
    if ended.partial:
        searched += seen(job.reads.since(before), called)
    is_file = files_of(sources)
    text = in_lines(ended.text, job.established)  # each mark is of one place then
    return await asyncio.to_thread(
        report_of, name, job.task, text, check, searched, ended.partial, is_file
    )


async def _judged(
    app: Application, run: Run, job: AgentJob, meter: Meter, report: Report
) -> Report:
    """The report with verdicts on its findings; one that broke off is only checked."""

    async def sources() -> Sources:
        return job.sources(app.host.snapshot())

    async with Judging(app, meter, sources, asks=not report.partial, tell=run.tell) as judging:
        checked = await judging.judged(judged_text(report))
    job.judged(checked.statements)
    return judged_report(report, checked)


def _finished(report: Report, progress: SubAgentProgress) -> AgentFinished:
    return AgentFinished(
        progress.started.agent_id,
        report.markdown(),
        report.partial,
        report.is_empty and report.partial not in ("", _CANCELLED, _ENDED_WITH_RUN),
        report.citations,
        progress.tool_calls,
        progress.tokens,
        progress.milliseconds,
    )


@dataclass(frozen=True, slots=True)
class SubAgentResult:
    """The last words of a sub-agent, and why they are not complete; "" if they are."""

    text: str
    partial: str = ""


@dataclass(slots=True)
class SubAgentProgress:
    """What a sub-agent has done so far; `tell` gets an event for each tool call."""

    started: AgentStarted
    tell: Callable[[Event], None]
    meter: Meter
    tool_calls: int = 0
    began: float = field(default_factory=time.perf_counter)
    _started: dict[str, str] = field(default_factory=dict)
    _finished: dict[str, str] = field(default_factory=dict)

    def emit(self, event: Event) -> None:
        """Take an event of the sub-agent's loop; its text and thinking are not shown."""
        match event:
            case ToolStarted(call_id, tool, arguments):
                self.tool_calls += 1
                detail = brief_arguments(arguments)
                self._started[call_id] = f"{tool} {detail}".rstrip()
                agent = self.started.agent_id
                self.tell(AgentProgress(agent, tool, detail, self.tool_calls, self.tokens))
            case ToolFinished(call_id, summary=summary):
                self._finished[call_id] = summary
            case _:
                return

    @property
    def searched(self) -> list[str]:
        """The finished calls, in the order in which they started."""
        return [
            f"{call} ({self._finished[call_id]})"
            for call_id, call in self._started.items()
            if call_id in self._finished
        ]

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self.meter.spending.usage.total

    @property
    def milliseconds(self) -> float:
        """Milliseconds since the sub-agent began."""
        return (time.perf_counter() - self.began) * 1000


async def run_subagent(
    agent: Agent, conversation: Conversation, run: RunContext, *, may_use_all_turns: bool = False
) -> SubAgentResult:
    """Run it to its end; a failure is a result, too. Raises only if it is cancelled."""
    begun = len(conversation.messages)
    try:
        outcome = await run_agent(agent, conversation, run)
    except GlossatorError as error:
        first = str(error).partition("\n")[0].rstrip(".")
        return SubAgentResult(conversation.text_since(begun), f"it failed ({first})")
    if outcome.by_model:
        is_whole = may_use_all_turns and outcome.stop is Stop.TURNS
        return SubAgentResult(outcome.text, "" if is_whole else _WHY.get(outcome.stop, ""))
    return SubAgentResult(
        conversation.text_since(begun), _WHY.get(outcome.stop, "it ended without a report")
    )


def read_only_permission(permission: Permission) -> Permission:
    """Permission for a fork, which has the tools of its conversation but may only read."""

    async def decide(tool: Tool, args: ToolArgs, context: ToolContext) -> Permit | Deny:
        if tool.access is not Access.READ:
            return Deny(_ONLY_READS.format(tool.name))
        return await permission(tool, args, context)

    return decide

"""The sub-agents of one run: what each one is given, and its share of the run's budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from glossator.application import Application, Directive, Explore, Fork, SubAgents, reading_tools
from glossator.core.attached import Attached, Exhibit
from glossator.core.errors import UsageError
from glossator.core.prompts import load_prompt
from glossator.core.report import Report
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.core.span import FoundPlace
from glossator.core.tool_result import ToolResult
from glossator.grounding import Established
from glossator.llm import Message, Meter, Model, ToolSpec, user_message
from glossator.sessions import AgentConversation, Run, RunClock, Session
from glossator.settings import AgentBudget
from glossator.tools import Findings, ReadState, Registry, ToolContext
from glossator.turn.guard import seconds_for_last_word
from glossator.turn.lookup import look_up, looked_at
from glossator.turn.run import Agent
from glossator.turn.subagent import AgentJob, Judged, read_only_permission, unheard, work
from glossator.turn.told.customizations import OWNERS, LoadedSkills, customizations_now
from glossator.turn.told.opening import sub_agent_section
from glossator.turn.told.system import system_blocks

_TIME_SHARE = 0.9  # of the time in which the run's tools may still work
_TOO_LATE = "it never began, because others were at work until the run's time was up"
_EVERYWHERE = "the whole workspace"
# what a file of a sub-agent calls the model of the run; any other name is the fast one
_MODEL_OF_RUN = frozenset({"inherit", "main"})


@dataclass(frozen=True, slots=True)
class _Explorer:
    """A sub-agent that explores: its prompt, model and reading tools."""

    name: str
    system: tuple[str, ...]
    tools: Registry
    model: Model


class Delegation(SubAgents):
    """Starts the sub-agents of a run; `meter` counts for the run and its session.

    `model` is the run's model.
    """

    def __init__(
        self, app: Application, session: Session, run: Run, model: Model, meter: Meter
    ) -> None:
        self._app = app
        self._session = session
        self._run = run
        self._model = model
        self._permission = app.acting.of(session).permission(only_reads=True)
        self._work = partial(work, app, session, run, meter)
        self.meter = meter
        self._shown = ReadState(), Findings()  # before the newest reply that forks

    @property
    def report_bytes(self) -> int:
        """How many bytes of a report the conversation is given."""
        return self._app.settings.agents.report_bytes

    def received(self, reply: Message) -> None:
        """Note a reply before its calls run, so that a fork knows what was shown until then."""
        self._session.received(reply)
        if any(block.get("name") == Fork.name for block in reply["content"]):
            self._shown = self._session.reads.copy(), self._session.findings.copy()

    async def explore(
        self,
        directive: Directive,
        call_id: str | None,
        attached: Sequence[Attached | Exhibit] = (),
        looked: Sequence[FoundPlace] = (),
        judged: Judged = unheard,
        looks: int | None = None,
    ) -> Report:
        """Run a sub-agent that has no history; attached texts stand before its task.

        `looked` are places that were searched in vain; `judged` is called with the statements of
        the report and their verdicts. It may look only so often as `looks` says, and reports then.
        """
        app, task, thoroughness = self._app, directive.task, directive.thoroughness
        async with self._place() as is_free:
            if not is_free:
                return Report(Explore.name, task, partial=_TOO_LATE)
            await app.ready()
            who = await self._described(directive.agent)
            budget: AgentBudget = getattr(app.settings.agents, thoroughness)
            turns = budget.turns
            if looks is not None:
                budget = budget.model_copy(update={"turns": min(looks, turns)})
                turns = budget.turns + 1  # the report is none of the looks
            agent = self._agent(who.name, who.system, who.tools, budget)
            framing = load_prompt(f"user/explore_{thoroughness}").render(
                turns=str(turns),
                seconds=_to_look(agent),
                paths=", ".join(directive.paths) or _EVERYWHERE,
            )
            reads = ReadState()
            reads.show(item.span for item in attached if isinstance(item, Attached))
            shown = [part for item in attached for part in item.parts]
            if looked:
                told = in_tags(shown_prose(looked_at(looked)))
                shown.append(load_prompt("user/looked_at").render(places=told))
            return await self._work(
                AgentJob(
                    agent,
                    who.model,
                    task,
                    call_id,
                    AgentConversation(),
                    user_message(framing, *shown, task),
                    reads,
                    partial(self._context, reads, Findings()),
                    self._permission,
                    judged=judged,
                    may_use_all_turns=looks is not None,
                )
            )

    async def task(
        self,
        name: str,
        task: str,
        message: Message,
        reads: ReadState,
        established: Established,
        judged: Judged,
    ) -> Report:
        """Run a task of a plan: one reply without tools; `message` shows the lines in `reads`."""
        async with self._place() as is_free:
            if not is_free:
                return Report(name, task, partial=_TOO_LATE)
            agent = self._agent(name, (), {}, self._app.settings.agents.quick)
            return await self._work(
                AgentJob(
                    agent,
                    self._app.models.fast,
                    task,
                    None,
                    AgentConversation(),
                    message,
                    reads,
                    partial(self._context, reads, Findings()),
                    self._permission,
                    established=established,
                    judged=judged,
                )
            )

    async def look_up(self, query: str, reads: ReadState) -> ToolResult:
        """What is found for a query, see `look_up`; it is recorded in `reads` as shown."""
        context = await self._context(reads, Findings(), RunClock())
        return await look_up(query, context, self._permission, reads)

    async def fork(self, task: str, call_id: str) -> Report:
        """Run a copy of the conversation, up to the last request, with one more message."""
        conversation = self._session.conversation
        async with self._place() as is_free:
            if not is_free:
                return Report(Fork.name, task, partial=_TOO_LATE)
            agent = self._agent(
                Fork.name,
                self._session.system,
                self._app.tools,
                self._app.settings.agents.fork,
                self._session.tools,
            )
            prompt = load_prompt("user/fork").render(
                turns=str(agent.limits.turns), seconds=_to_look(agent), task=task
            )
            reads, findings = self._shown[0].copy(), self._shown[1].copy()
            return await self._work(
                AgentJob(
                    agent,
                    self._model,
                    task,
                    call_id,
                    AgentConversation(
                        conversation.messages,
                        conversation.newest_reply,
                        conversation.encoded.copy(),
                    ),
                    user_message(prompt),
                    reads,
                    partial(self._context, reads, findings, abilities=(LoadedSkills(self._app),)),
                    read_only_permission(self._permission),
                    self._session.runs.lines(),
                )
            )

    async def _described(self, name: str) -> _Explorer:
        """The sub-agent of that name, or our own for "". Raises `UsageError` if it is unknown."""
        app = self._app
        system = system_blocks((sub_agent_section(app.host.snapshot()),), "system/explore")
        reading = reading_tools(code=app.code.are_there)
        if not name:
            return _Explorer(Explore.name, system, reading, app.models.fast)
        agents = (await customizations_now(app, app.now())).agents
        if name not in agents:
            known = ", ".join(agents) or "none"
            raise UsageError(
                f"There is no sub-agent {shown(name)}; these are described: {known}.\n"
                "Leave `agent` out, or choose another."
            )
        found = agents[name]
        tools = {
            each.name: each
            for each in reading.values()
            if (found.tools is None or each.name in found.tools) and each.name not in found.without
        }
        if not tools:
            raise UsageError(
                f"The sub-agent {name} has no reading tool: its file leaves none.\n"
                "Leave `agent` out, or choose another."
            )
        own = load_prompt("system/agent").render(
            name=name,
            tools=", ".join(tools),
            owner=OWNERS[found.owner],
            prompt=in_tags(found.prompt),
        )
        model = self._model if found.model in _MODEL_OF_RUN else app.models.fast
        return _Explorer(name, (*system, own), tools, model)

    def _agent(
        self,
        name: str,
        system: tuple[str, ...],
        tools: Registry,
        budget: AgentBudget,
        specs: tuple[ToolSpec, ...] = (),
    ) -> Agent:
        """An agent whose limits fit into what is left of the run's time and money."""
        seconds = min(budget.seconds, self._seconds_left)
        limits = self._app.settings.limits.model_copy(
            update={"turns": budget.turns, "tokens": budget.tokens, "seconds": seconds}
        )
        return Agent(name, system, tools, limits, specs)

    @property
    def _seconds_left(self) -> float:
        whole = self._app.settings.limits.seconds
        return max(whole - seconds_for_last_word(whole) - self._run.clock.seconds, 0) * _TIME_SHARE

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[bool]:
        """Wait for a free place for a sub-agent; False if the run's time is up before."""
        places = self._app.exploring
        try:
            await asyncio.wait_for(places.acquire(), self._seconds_left)
        except TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            places.release()

    async def _context(
        self,
        reads: ReadState,
        findings: Findings,
        clock: RunClock,
        abilities: tuple[object, ...] = (),
    ) -> ToolContext:
        """What a call of a sub-agent sees: nothing that it could change anything with."""
        app = self._app
        await app.ready()  # what was saved just now is known then
        return ToolContext(
            snapshot=app.host.snapshot(),
            reads=reads,
            abilities=(*app.reading_abilities(self.meter), *abilities),
            findings=findings,
            diagnostics=app.code.diagnostics,
            hidden=app.acting.hidden(),
            waiting=clock.waiting_also(self._run.clock.waiting),
        )


def _to_look(agent: Agent) -> str:
    """How many seconds a sub-agent may look before it must report."""
    return f"{agent.limits.seconds - seconds_for_last_word(agent.limits.seconds):.0f}"

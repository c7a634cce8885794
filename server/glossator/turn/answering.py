"""Takes a question to the model's answer: directly, or by a plan of tasks.

The first request is sent at once, and the dispatcher is asked beside it. If the question turns out
to be hard before a call of the first reply is carried out, that reply is void and a plan is made;
a first reply that is a whole answer stands. What happens when is `turn.orchestrator.TABLE`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from glossator.application import Application
from glossator.core.errors import ModelError
from glossator.core.events import DiscardReason, Notice, TextDiscarded
from glossator.core.fact import Fact
from glossator.core.prompts import load_prompt
from glossator.core.question import Question
from glossator.core.run_events import PlanChanged, PlannedTask
from glossator.core.shown import shown, shown_prose
from glossator.core.span import Citation
from glossator.core.tool_result import shorten
from glossator.llm import user_message
from glossator.sessions import FACTS, Run, Session
from glossator.turn.delegation import Delegation
from glossator.turn.judged.new_facts import memorise
from glossator.turn.loop import run_agent
from glossator.turn.orchestrator import Action, Orchestrator, Signal
from glossator.turn.plan.planner import (
    NoPlan,
    PlanChoice,
    PlanQuestion,
    TaskType,
    asks_for_change,
    by_words,
    decompose,
    dispatch,
    workspace_line,
)
from glossator.turn.plan.task_result import TaskResult
from glossator.turn.plan.tasks import PlannedTasks, execute, synthesis
from glossator.turn.run import Agent, RunContext, RunOutcome
from glossator.turn.told.question import say_steered
from glossator.turn.user_questions import DIRECTLY, GO_ON, RunQuestions, plan_text

HEAD_START = 0.005  # seconds in which the first request leaves undisturbed
GRACE = 1.0  # seconds that calls of the first reply wait for the dispatcher
SECONDS = 60.0  # for the plan

_FACTS = 40  # for a plan, the likeliest to bear on the question first
_QUESTION = 500  # characters of one
_EARLIER_QUESTIONS = 3  # questions that the dispatcher is told before there is a summary

_ATTACHED = (
    "The question came with these, of which tasks see nothing; a description names what it needs:"
)
_UNSETTLED = (
    "Sources contradict each other, and the user was not asked about it. Say in your answer what is"
    " open:"
)
_OFFLINE = (
    "A plan needs a model, so the question is answered directly. Set up a model to use plans."
)
_NO_AGENTS = (
    "Tasks of a plan need sub-agents, so the question is answered directly. Raise agents.parallel."
)


class Answering:
    """Takes one question to the model's answer; `flow` is the state machine of the run."""

    def __init__(
        self,
        app: Application,
        session: Session,
        run: Run,
        delegation: Delegation,
        asked: PlanQuestion,
    ) -> None:
        self.flow = Orchestrator(run.emit)
        self.questions = RunQuestions(app.port, run, self.flow)
        self._app = app
        self._session = session
        self._run = run
        self._delegation = delegation
        self._meter = delegation.meter
        self._asked = asked
        self._agent: Agent
        self._context: RunContext
        self._loop: asyncio.Task[RunOutcome] | None = None
        self._newest = session.conversation.newest_reply  # before the reply under way
        self._begun = 0  # messages before it
        self._is_first = not session.conversation.text_since(0)
        self._first = asyncio.Event()  # the first reply is there, and has calls
        self._decided = asyncio.Event()  # they may be carried out
        self._outcome: RunOutcome | None = None
        self._tasks: tuple[PlannedTask, ...] = ()
        self._results: tuple[TaskResult, ...] = ()
        self._settled = ""
        self._said: list[str] = []  # by the user, when asked before there was a plan
        self._facts: tuple[Fact, ...] = ()

    async def outcome(self, context: RunContext) -> RunOutcome:
        """What the model answers in the end. Raises `ModelError`."""
        app, session = self._app, self._session
        limits = app.settings.limits
        self._agent = Agent("main", session.system, app.tools, limits, session.tools)
        self._context = context
        steps: dict[Action, Callable[[], Awaitable[tuple[Signal, str]]]] = {
            Action.ANALYSE: self._analyse,
            Action.LOOK: self._look,
            Action.DECOMPOSE: self._decompose,
            Action.EXECUTE: self._execute,
            Action.SYNTHESISE: self._synthesise,
        }
        try:
            action = self.flow.on(Signal.ASKED)
            while action in steps:
                action = self.flow.on(*await steps[action]())
        finally:
            await _ended(self._loop)
        if self._outcome is None:
            raise RuntimeError(f"no answer in the state {self.flow.state}")
        return self._outcome

    def citations_of(self, task: int) -> tuple[Citation, ...] | None:
        """What `[cite: task, N]` in the answer refers to; None if there is no such task."""
        return next((each.citations for each in self._results if each.number == task), None)

    def has_tasks(self) -> bool:
        """Whether tasks of a plan were worked on."""
        return bool(self._results)

    async def before_acting(self) -> None:
        """Hold the first reply's calls until it is decided whether there is to be a plan."""
        self._first.set()
        await self._decided.wait()

    async def _analyse(self) -> tuple[Signal, str]:
        """Send the first request; meanwhile find out how hard the question is."""
        if known := self._known_way():
            self._decided.set()
            return known
        loop = self._begin()
        asking = asyncio.create_task(self._dispatched())
        first = asyncio.create_task(self._first.wait())
        try:
            await asyncio.wait({loop, asking, first}, return_when=asyncio.FIRST_COMPLETED)
            if not (loop.done() or asking.done()):
                await asyncio.wait({loop, asking}, timeout=GRACE, return_when="FIRST_COMPLETED")
            if loop.done() or self._has_answered():
                self._decided.set()  # a review may have the model go on, and call tools
                self._outcome = await loop
                return Signal.ANSWERED, "the first reply was the whole answer"
            said = asking.result() if asking.done() else None
        finally:
            for each in (asking, first):
                await _ended(each)
        how = "as the fast model says" if said else "guessed from its words, as no model said"
        way = said or self._by_words()
        if way is TaskType.COMPLEX:
            await self._discard(loop)
        self._decided.set()
        return _way(way, how)

    def _known_way(self) -> tuple[Signal, str] | None:
        """Whether there is to be a plan, where that can be decided without asking a model."""
        settings, choice = self._app.settings.plan, self._asked.plan
        if choice is PlanChoice.DIRECT:
            return _way(TaskType.SIMPLE, "as you asked")
        if choice is PlanChoice.PLAN:
            return _way(TaskType.COMPLEX, "as you asked")
        if choice is None or settings.dispatch == "off":
            return _way(TaskType.SIMPLE, "")
        if self._app.model.offline:
            return _way(TaskType.SIMPLE, "without a model there is no plan")
        if settings.dispatch == "heuristics" or self._app.models.fast.offline:
            return _way(self._by_words(), "guessed from its words")
        is_plain = asks_for_change(self._asked.question)
        return _way(TaskType.SIMPLE, "as it asks for a change") if is_plain else None

    def _by_words(self) -> TaskType:
        """Decide by the question's words; a later question counts as simple."""
        return by_words(self._asked.question) if self._is_first else TaskType.SIMPLE

    async def _dispatched(self) -> TaskType | None:
        """The fast model's decision; None if the request fails."""
        fast = self._app.models.fast
        await asyncio.sleep(HEAD_START)
        try:
            return await dispatch(fast, self._meter, self._asked.question, self._summary())
        except ModelError:
            return None

    def _summary(self) -> str:
        """What the session was about: its summary, or before there is one, its last questions."""
        known = self._app.ledger.cores.of(self._session.id).session_summary.text
        asked = [each for each in self._session.asked if each.run_id != self._run.id]
        last = (
            f"Asked: {shorten(each.question, _QUESTION)}" for each in asked[-_EARLIER_QUESTIONS:]
        )
        return known or "\n".join(last)

    async def _discard(self, loop: asyncio.Task[RunOutcome]) -> None:
        """Cancel the first request and restore the conversation as it was before its reply."""
        await _ended(loop)
        self._loop = None
        self._session.conversation.newest_reply = self._newest
        self._context.hearing.discard()
        self._run.emit(TextDiscarded(DiscardReason.PLAN))

    def _has_answered(self) -> bool:
        """Whether a reply already counts as the answer; it may still be reviewed."""
        later = self._session.conversation.messages[self._begun :]
        return any(message["role"] == "assistant" for message in later)

    def _begin(self) -> asyncio.Task[RunOutcome]:
        self._begun = len(self._session.conversation.messages)
        self._newest = self._session.conversation.newest_reply
        asking = run_agent(self._agent, self._session.conversation, self._context)
        self._loop = asyncio.create_task(asking)
        return self._loop

    async def _look(self) -> tuple[Signal, str]:
        """Let the model look things up and answer; earlier questions to the user go with it."""
        if self._said:
            said = load_prompt("user/clarified").render(said="\n\n".join(self._said))
            self._session.conversation.append(user_message(said))
        self._outcome = await (self._loop or self._begin())
        return Signal.ANSWERED, ""

    async def _decompose(self) -> tuple[Signal, str]:
        """Make a plan; ask the user if the question is ambiguous or the plan is to be reviewed."""
        if self._app.model.offline or not self._app.settings.agents.parallel:
            return self._unplanned(_OFFLINE if self._app.model.offline else _NO_AGENTS)
        names = ", ".join(map(shown, self._asked.attached))
        await self._app.ready()  # as tasks will, too
        snapshot, hides = self._app.host.snapshot(), self._app.acting.hidden()
        remarks = [await asyncio.to_thread(workspace_line, snapshot, hides)]
        remarks += [f"{_ATTACHED} {names}"] if names else []
        while True:
            self._facts = await self._app.ledger.relevant(self._asked.question, _FACTS, all_=True)
            try:
                async with self._run.clock.limit(SECONDS):
                    made = await decompose(
                        self._app.model, self._meter, self._asked.question, self._facts, remarks
                    )
            except (ModelError, TimeoutError) as error:
                why = str(error) or f"The model did not answer within {SECONDS:g} s."
                return self._unplanned(
                    f"There is no plan. {why} The question is answered directly."
                )
            if isinstance(made, Question) and not self.flow.may(Signal.AMBIGUITY):
                made = NoPlan("The model asks a second time what is meant.")
            if isinstance(made, NoPlan):
                return self._unplanned(f"{made.reason} The question is answered directly.")
            if isinstance(made, Question):
                self._settled = await self.questions.clarified(Signal.AMBIGUITY, made)
                remarks.append(self._settled)
                self._said.append(self._settled)
                continue
            said = await self._agreed(made)
            if said == GO_ON:
                return Signal.PLANNED, f"{len(self._tasks)} tasks"
            if said == DIRECTLY:
                return self._unplanned("")
            self._said.append(f"The user said of a plan: {shown_prose(said)}")
            remarks.append(f"The last plan was:\n{plan_text(self._tasks)}\n{self._said[-1]}")

    def _unplanned(self, notice: str) -> tuple[Signal, str]:
        if notice:
            self._run.emit(Notice(notice))
        return Signal.UNPLANNED, "the question is answered directly"

    async def _agreed(self, made: tuple[PlannedTask, ...]) -> str:
        """What the user said about the plan, if they want to review plans."""
        self._show(made)
        if not self._app.settings.plan.review:
            return GO_ON
        said, changed = await self.questions.reviewed(made)
        if said in ("", DIRECTLY):
            said, changed = DIRECTLY, ()
        if changed != made:
            self._show(changed)
        return said

    def _show(self, tasks: tuple[PlannedTask, ...]) -> None:
        self._tasks = tasks
        self._run.emit(PlanChanged(tasks))

    async def _execute(self) -> tuple[Signal, str]:
        """Work on the tasks, and ask the user to settle contradictions between their sources."""
        tasks = PlannedTasks(self._app, self._delegation)
        try:
            self._results = await execute(self._tasks, tasks.work, self._show)
        finally:  # what some established is kept, also if others are cancelled
            await memorise(self._app, self._session, self._run, tasks.uncontested())
        told = [self._settled] if self._settled else []
        for conflict in tasks.conflicts:
            if self.flow.may(Signal.CONFLICT):
                told.append(await self.questions.clarified(Signal.CONFLICT, conflict))
            else:
                told.append(f"{_UNSETTLED} {conflict.text} ({conflict.choices})")
        self._settled = "\n\n".join(told)
        failed = sum(bool(each.failed) for each in self._results)
        return Signal.EXECUTED, f"{failed} of {len(self._results)} tasks failed" if failed else ""

    async def _synthesise(self) -> tuple[Signal, str]:
        """Let the conversation itself answer, from the tasks' results and the question again."""
        await self._app.anchors.settled()  # else a fact whose file was just touched would be stale
        facts = tuple(filter(self._app.ledger.is_fresh, self._facts))
        reads = self._session.reads
        message = await synthesis(
            self._app, self._asked.question, facts, self._results, self._settled, reads
        )
        message["content"] += user_message(*say_steered(self._session, self._run))["content"]
        self._session.conversation.append(message)
        for fact in facts:
            self._session.keep(FACTS, [fact.id, True])  # so that it hears of their end, too
        self._outcome = await self._begin()
        return Signal.ANSWERED, ""


def _way(way: TaskType, how: str) -> tuple[Signal, str]:
    signal = Signal.COMPLEX if way is TaskType.COMPLEX else Signal.SIMPLE
    name = "by a plan of tasks" if signal is Signal.COMPLEX else "without a plan"
    return signal, f"{name}, {how}" if how else ""


async def _ended(task: asyncio.Task[object] | None) -> None:
    """Cancel a task and wait until it has ended."""
    if task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task})

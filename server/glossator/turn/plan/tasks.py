"""Works on the tasks of a plan, each as soon as those it builds on have ended.

A task without dependencies is an extraction: what its description names and what Search finds for
it are shown to the fast model, which answers from these lines alone. If nothing was found, the
model says that the lines do not tell, or its answer rests on none of them, a sub-agent explores
instead, with the list of these places; it looks twice and then reports. A task with dependencies is
an analysis: one request that holds the results it depends on and nothing else. Both are kept as
sub-agents, with every message.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from glossator.application import Application, Directive
from glossator.core.errors import GlossatorError
from glossator.core.fact import Fact
from glossator.core.prompts import load_prompt
from glossator.core.question import Question
from glossator.core.report import Report, Thoroughness
from glossator.core.run_events import PlannedTask, TaskState
from glossator.core.shown import in_tags
from glossator.grounding import CheckedStatement, Established
from glossator.llm import Message, user_message
from glossator.tools import ReadState
from glossator.turn.delegation import Delegation
from glossator.turn.plan.task_result import (
    NOTHING,
    TaskResult,
    documents_zone,
    facts_zone,
    has_answer,
    no_result,
    result_of,
    without_conflicts,
)

logger = logging.getLogger(__name__)

Work = Callable[[PlannedTask, tuple[TaskResult, ...]], Awaitable[TaskResult]]

EXTRACTION, ANALYSIS = "Extract", "Analyse"

_LOOKS = 2  # replies with calls, of a task that cannot be answered from what was found for it
_ALL_FAILED = "every task that it builds on failed"


async def execute(
    tasks: Sequence[PlannedTask], work: Work, changed: Callable[[tuple[PlannedTask, ...]], None]
) -> tuple[TaskResult, ...]:
    """Work on the tasks; the results come in the tasks' order, and a failed one says why it failed.

    `work` is called with a task and the results that it depends on. `changed` gets the whole plan
    whenever a task begins or ends. A cancellation ends every task.
    """
    plan = {task.id: task for task in tasks}
    results: dict[str, TaskResult] = {}
    ended = {task.id: asyncio.Event() for task in tasks}

    def show(task: PlannedTask, state: TaskState, result: str = "") -> None:
        plan[task.id] = replace(task, state=state, result=result)
        changed(tuple(plan.values()))

    async def run(task: PlannedTask) -> None:
        for each in task.dependencies:
            await ended[each].wait()
        known = tuple(results[each] for each in task.dependencies)
        if known and all(each.failed for each in known):
            result = no_result(int(task.id), task.description, _ALL_FAILED)
        else:
            show(task, TaskState.ACTIVE)
            (made,) = await asyncio.gather(work(task, known), return_exceptions=True)
            result = made if isinstance(made, TaskResult) else _failed(task, made)
        results[task.id] = result
        if result.failed:
            show(task, TaskState.FAILED, f"It failed: {result.failed}.")
        else:
            show(task, TaskState.DONE, result.text)
        ended[task.id].set()

    async with asyncio.TaskGroup() as group:
        for task in tasks:
            group.create_task(run(task))
    return tuple(results[task.id] for task in tasks)


def _failed(task: PlannedTask, error: BaseException) -> TaskResult:
    """The result of a task that raised, or that alone was cancelled."""
    if isinstance(error, asyncio.CancelledError):
        return no_result(int(task.id), task.description, "it was cancelled")
    is_fault = not isinstance(error, GlossatorError)
    if is_fault:
        logger.error("A task of a plan failed", exc_info=error)
    why = "an error of Glossator's own, which is in its log" if is_fault else str(error)
    return no_result(int(task.id), task.description, why)


class PlannedTasks:
    """Carries out the tasks of one run; `conflicts` are contradictions already put to the user."""

    def __init__(self, app: Application, delegation: Delegation) -> None:
        self.conflicts: list[Question] = []
        self._app = app
        self._delegation = delegation
        self._statements: defaultdict[str, list[CheckedStatement]] = defaultdict(list)  # by task
        self._worked: list[PlannedTask] = []  # in the order in which they ended
        self._contested: set[str] = set()  # tasks that name a conflict, and what these rest on

    async def work(self, task: PlannedTask, known: tuple[TaskResult, ...]) -> TaskResult:
        """Carry out a task, using the results that it depends on if there are any."""
        report = await (self._analysed(task, known) if known else self._extracted(task))
        report, conflicts = without_conflicts(report)
        self.conflicts += conflicts
        self._worked.append(task)
        if conflicts:
            self._contested |= {task.id, *task.dependencies}
        return result_of(int(task.id), task.description, report)

    def uncontested(self) -> list[CheckedStatement]:
        """The judged reports, without statements that touch a contradiction between sources.

        Nobody knows yet which side is right, so neither side counts, nor what was concluded from
        them.
        """
        contested = set(self._contested)
        for task in reversed(self._worked):
            if task.id in contested:
                contested.update(task.dependencies)
        for task in self._worked:
            if not contested.isdisjoint(task.dependencies):
                contested.add(task.id)
        return [
            statement
            for task in self._worked
            if task.id not in contested
            for statement in self._statements[task.id]
        ]

    async def _extracted(self, task: PlannedTask) -> Report:
        reads = ReadState()
        found = await self._delegation.look_up(task.description, reads)
        if found.places and not found.error:
            facts = await self._app.ledger.relevant(task.description)
            message = _message(task, facts_zone(facts), found.text)
            report = await self._asked(EXTRACTION, task, message, reads, ())
            if has_answer(report) or report.partial:
                return report
        directive = Directive(task.description, Thoroughness.QUICK)
        return await self._delegation.explore(
            directive,
            None,
            looked=found.places,
            judged=self._statements[task.id].extend,
            looks=_LOOKS,
        )

    async def _analysed(self, task: PlannedTask, known: tuple[TaskResult, ...]) -> Report:
        reads = ReadState()
        for each in known:
            reads.mark_citable(each.report.read)
        message = _message(task, facts_zone((), known), NOTHING)
        return await self._asked(ANALYSIS, task, message, reads, known)

    async def _asked(
        self,
        name: str,
        task: PlannedTask,
        message: Message,
        reads: ReadState,
        known: tuple[TaskResult, ...],
    ) -> Report:
        """The model's reply to a single message; it may cite facts and known results."""
        cited = {each.number: each.citations for each in known}
        established = Established(self._app.ledger.established, cited.get)
        judged = self._statements[task.id].extend
        return await self._delegation.task(
            name, task.description, message, reads, established, judged
        )


def _message(task: PlannedTask, facts: str, documents: str) -> Message:
    prompt = load_prompt("grounding/generation").render(
        facts=in_tags(facts), documents=in_tags(documents), task=task.description
    )
    return user_message(prompt)


async def synthesis(
    app: Application,
    question: str,
    facts: Sequence[Fact],
    results: Sequence[TaskResult],
    settled: str,
    reads: ReadState,
) -> Message:
    """The message from which the conversation answers; what it shows is recorded in `reads`.

    `settled` is what the user said about a contradiction, "" if nothing.
    """
    spans = [span for each in results for span in each.report.read]
    reads.mark_citable(spans)
    documents, whole = await asyncio.to_thread(documents_zone, app.host.snapshot(), spans)
    reads.show(whole)
    failed = [str(each.number) for each in results if each.failed]
    unfinished = (
        f"There is no result of these tasks: {', '.join(failed)}. Say in your answer what could"
        " therefore not be established, or find it out with your tools."
        if failed
        else ""
    )
    known = "\n\n".join(filter(None, (facts_zone(facts, results), settled)))
    return user_message(
        load_prompt("grounding/synthesis").render(
            facts=in_tags(known),
            documents=in_tags(documents),
            unfinished=unfinished,
            question=question,
        )
    )

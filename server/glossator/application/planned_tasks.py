"""Works on one task of a plan: looks something up, or draws on the results of other tasks.

A task without dependencies is an extraction: definitions of the names in its description and what
Search finds for it are shown to the fast model, which answers from these lines alone. If nothing
was found, the model says that the lines do not tell, or its answer rests on none of them, a
sub-agent explores instead, with the list of these places. A task with dependencies is an analysis:
one request that holds the results it depends on and nothing else. Both are kept as sub-agents, with
every message.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from glossator.application.application import Application
from glossator.application.delegation import Delegation
from glossator.core.fact import Fact
from glossator.core.grounded_events import PlannedTask
from glossator.core.question import Question
from glossator.core.report import Report
from glossator.core.shown import in_tags
from glossator.grounding import CheckedStatement, Established
from glossator.llm import Message, user_message
from glossator.planning import (
    NOTHING,
    TaskResult,
    documents_zone,
    facts_zone,
    has_answer,
    result_of,
    without_conflicts,
)
from glossator.prompts import load_prompt
from glossator.tools import Directive, ReadState

EXTRACTION, ANALYSIS = "Extract", "Analyse"


class PlannedTasks:
    """The tasks of one run; `conflicts` are what contradictions between sources have asked."""

    def __init__(self, app: Application, delegation: Delegation) -> None:
        self.conflicts: list[Question] = []
        self._app = app
        self._delegation = delegation
        self._statements: defaultdict[str, list[CheckedStatement]] = defaultdict(list)  # by task
        self._worked: list[PlannedTask] = []  # in the order in which they ended
        self._contested: set[str] = set()  # tasks that name a conflict, and what these rest on

    async def work(self, task: PlannedTask, known: tuple[TaskResult, ...]) -> TaskResult:
        """The result of a task, from the results that it depends on if there are any."""
        report = await (self._analysed(task, known) if known else self._extracted(task))
        report, conflicts = without_conflicts(report)
        self.conflicts += conflicts
        self._worked.append(task)
        if conflicts:
            self._contested |= {task.id, *task.dependencies}
        return result_of(int(task.id), task.description, report)

    def uncontested(self) -> list[CheckedStatement]:
        """What the reports say, judged, where no contradiction is in play.

        Which side of one holds is not known: neither side counts, nor what was concluded from it.
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
        directive = Directive(task.description)
        return await self._delegation.explore(
            directive, None, looked=found.places, judged=self._statements[task.id].extend
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
        """What a model replies to a message alone, which may cite facts and known results."""
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
    """The message from which the conversation answers; `reads` knows then what it shows.

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

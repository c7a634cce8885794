"""The executor: works on the tasks of a plan, each as soon as those it builds on have ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from glossator.core.errors import GlossatorError
from glossator.core.grounded_events import PlannedTask, TaskState
from glossator.planning.task_result import TaskResult, no_result

logger = logging.getLogger(__name__)

Work = Callable[[PlannedTask, tuple[TaskResult, ...]], Awaitable[TaskResult]]

_ALL_FAILED = "every task that it builds on failed"


def _failed(task: PlannedTask, error: BaseException) -> TaskResult:
    """The result of a task that raised, or was cancelled alone."""
    if isinstance(error, asyncio.CancelledError):
        return no_result(int(task.id), task.description, "it was cancelled")
    is_fault = not isinstance(error, GlossatorError)
    if is_fault:
        logger.error("A task of a plan failed", exc_info=error)
    why = "an error of Glossator's own, which is in its log" if is_fault else str(error)
    return no_result(int(task.id), task.description, why)


async def execute(
    tasks: Sequence[PlannedTask], work: Work, changed: Callable[[tuple[PlannedTask, ...]], None]
) -> tuple[TaskResult, ...]:
    """The results in the order of the tasks; a task that fails has one that says why.

    `work` is given a task and the results that it depends on. `changed` gets the whole plan
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

"""Plans: which are taken, in which order their tasks are worked on, what becomes of failures."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from glossator.core.errors import UsageError
from glossator.core.question import Option
from glossator.core.report import Finding, Report
from glossator.core.run_events import PlannedTask, TaskState
from glossator.core.span import Basis, Citation, CitationStatus, Span
from glossator.turn.plan.planner import read_plan, workspace_line
from glossator.turn.plan.task_result import TaskResult, result_of, without_conflicts
from glossator.turn.plan.tasks import execute
from glossator.turn.user_questions import plan_text, read_plan_text
from tests.workspaces import MakeWorkspace


def task(id_: object, *needs: object, description: str = "") -> dict[str, Any]:
    words = description or f"What {id_}?"
    return {"id": id_, "description": words, "dependencies": list(needs)}


def test_ids_become_numbers() -> None:
    tasks, faults = read_plan([task("b"), task("a", "b"), task(7, "a", "b", "a")])
    assert faults == ()
    assert [(each.id, each.dependencies) for each in tasks] == [
        ("1", ()),
        ("2", ("1",)),
        ("3", ("2", "1")),
    ]


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (None, "`sub_tasks` must be a list of objects."),
        ([task(1), "look"], "`sub_tasks` must be a list of objects."),
        ([task(1)], "It has 1 tasks; 2 to 8 are wanted."),
        ([task(n) for n in range(9)], "It has 9 tasks; 2 to 8 are wanted."),
        ([task(1), task(1)], "The id '1' stands twice."),
        ([task(1), {"description": "What?"}], "A task has no id."),
        ([task(1), task(2, description="what 1?")], "Two tasks say 'what 1?'."),
        ([task(1), task(2, description=" ")], "Task 2 has no description."),
        ([task(1), task(2, 3)], "Task 2 depends on 3, which is no task."),
        ([task(1, 2), task(2, 1)], "The dependencies go in a circle: 1 → 2 → 1."),
        ([task(1), task(2, 2)], "The dependencies go in a circle: 2 → 2."),
    ],
)
def test_faults(made: object, fault: str) -> None:
    tasks, faults = read_plan(made)
    assert tasks == ()
    assert fault in faults


def test_a_plan_is_read_as_it_is_written() -> None:
    tasks, _ = read_plan([task("b"), task("a", "b"), task(7, "b", "a")])
    assert plan_text(tasks) == "1. What b?\n2. What a? (after 1)\n3. What 7? (after 1, 2)"
    assert read_plan_text(plan_text(tasks)) == (tasks, ())


def test_a_plan_as_a_user_changes_it() -> None:
    changed = """# My plan

3. Compare both, and say which
   is longer.
   - in lines
   (after 1 and 2)
1) How long is a?
- How long is b?
"""
    tasks, faults = read_plan_text(changed)
    assert faults == ()
    assert plan_text(tasks) == (
        "1. Compare both, and say which is longer. - in lines (after 2, 3)\n"
        "2. How long is a?\n3. How long is b?"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Look at a.", "“Look at a.” is no task; begin it with a number or `-`."),
        ("", "It has 0 tasks; 2 to 8 are wanted."),
        ("1. What?\n1. Why?", "The id '1' stands twice."),
        ("1. What? (after 2)\n2. Why? (after 1)", "The dependencies go in a circle: 1 → 2 → 1."),
    ],
)
def test_faults_of_a_changed_plan(text: str, fault: str) -> None:
    tasks, faults = read_plan_text(text)
    assert tasks == ()
    assert fault in faults


def found(number: int, text: str, *citations: Citation) -> TaskResult:
    return result_of(number, "What?", Report("Extract", "What?", (Finding(text, citations),)))


def cited(status: CitationStatus = CitationStatus.READ, line: int = 1) -> Citation:
    span = Span("file:///a.py", "0" * 64, line, line)
    basis = Basis.CHECKS if status is CitationStatus.VERIFIED else None
    return Citation("a.py", span, status, basis=basis)


async def test_tasks_run_side_by_side_and_after_those_they_build_on() -> None:
    plan, _ = read_plan([task(1), task(2), task(3, 1, 2), task(4, 1)])
    log: list[str] = []
    both = asyncio.Barrier(2)
    shown: list[tuple[PlannedTask, ...]] = []

    async def work(each: PlannedTask, known: tuple[TaskResult, ...]) -> TaskResult:
        log.append(f"{each.id} after {[one.number for one in known]}")
        async with asyncio.timeout(5):
            await both.wait()  # 1 and 2 wait for each other, and so do 3 and 4
        return found(int(each.id), "It is.", cited())

    results = await execute(plan, work, shown.append)
    assert [each.number for each in results] == [1, 2, 3, 4]
    assert set(log[2:]) == {"3 after [1, 2]", "4 after [1]"}
    assert {each.state for each in shown[0]} == {TaskState.PENDING, TaskState.ACTIVE}
    assert {each.state for each in shown[-1]} == {TaskState.DONE}
    assert len(shown) == 8


async def test_a_failure_sinks_only_what_builds_on_it_alone() -> None:
    plan, _ = read_plan([task(1), task(2), task(3, 1), task(4, 1, 2)])
    told: dict[str, list[str]] = {}

    async def work(each: PlannedTask, known: tuple[TaskResult, ...]) -> TaskResult:
        told[each.id] = [one.failed for one in known]
        if each.id == "1":
            raise UsageError("The disk is gone.\nMount it.")
        return found(int(each.id), "It is.", cited())

    last: list[tuple[PlannedTask, ...]] = []
    results = await execute(plan, work, last.append)
    assert [each.failed for each in results] == [
        "The disk is gone",
        "",
        "every task that it builds on failed",
        "",
    ]
    assert told == {"1": [], "2": [], "4": ["The disk is gone", ""]}
    states = [each.state for each in last[-1]]
    assert states == [TaskState.FAILED, TaskState.DONE, TaskState.FAILED, TaskState.DONE]
    assert last[-1][0].result == "It failed: The disk is gone."


async def test_a_fault_of_ours_is_a_failure_like_any() -> None:
    plan, _ = read_plan([task(1), task(2)])

    async def work(each: PlannedTask, _: tuple[TaskResult, ...]) -> TaskResult:
        if each.id == "1":
            raise RuntimeError("a bug")
        return found(int(each.id), "It is.", cited())

    results = await execute(plan, work, lambda _: None)
    assert [bool(each.failed) for each in results] == [True, False]


async def test_a_cancellation_ends_every_task() -> None:
    plan, _ = read_plan([task(1), task(2), task(3, 1)])
    ended: list[str] = []
    begun = asyncio.Barrier(3)

    async def work(each: PlannedTask, _: tuple[TaskResult, ...]) -> TaskResult:
        await begun.wait()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(each.id)
        raise AssertionError

    working = asyncio.create_task(execute(plan, work, lambda _: None))
    await begun.wait()
    working.cancel()
    await asyncio.wait({working})
    assert working.cancelled()
    assert sorted(ended) == ["1", "2"]


def test_an_answer_rests_on_lines() -> None:
    assert found(1, "- It is.", cited()).failed == ""
    assert found(1, "- It is.").failed == "nothing that answers it was found"
    assert found(1, "NOT FOUND", cited()).failed == "nothing that answers it was found"
    empty = Report("Explore", "What?", partial="its time was up")
    assert result_of(1, "What?", empty).failed == "its time was up"


def test_a_partial_result_begins_with_what_was_found() -> None:
    report = replace(found(1, "- It is.", cited()).report, partial="its replies were used up")
    assert result_of(1, "What?", report).text == (
        "- It is.\n\n*This result is partial: its replies were used up.*"
    )


def test_a_conflict_that_is_named() -> None:
    report = Report(
        "Analyse",
        "What?",
        (Finding("- Two limits.\nCONFLICT: Which limit holds? | 5 | 10", (cited(),)),),
    )
    left, (question,) = without_conflicts(report)
    assert left.markdown() == "- Two limits."
    assert (question.text, question.options) == ("Which limit holds?", (Option("5"), Option("10")))


def test_a_conflict_without_answers_stays_in_the_text() -> None:
    report = Report("Analyse", "What?", (Finding("- Two limits.\nCONFLICT: Which?", (cited(),)),))
    assert without_conflicts(report) == (report, ())


async def test_a_plan_is_made_knowing_what_the_workspace_is_written_in(
    workspace: MakeWorkspace,
) -> None:
    names = ("app/a.py", "app/deep/b.py", "web/c.ts", "d.py", "README.md", "secret/key.rs")
    ws = await workspace(dict.fromkeys(names, "x = 1\n"))
    told = workspace_line(ws.snapshot, lambda path: "/secret/" in path)
    assert told.splitlines()[2] == (
        "python (3), typescript (1); top folders: app/ (2), . (1), web/ (1)"
    )
    empty = await workspace({"README.md": "words\n"})
    assert workspace_line(empty.snapshot, None) == ""

"""Plans that are cut short, by a task's budget or by the user, and what is cited across tasks."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.commands.turns import RewindRequest, rewind
from glossator.core.document import Document
from glossator.core.events import AgentFinished, AgentStarted, Envelope, RunCancelled
from glossator.core.fact import NewFact
from glossator.core.prompts import load_prompt
from glossator.core.question import Question, QuestionAnswer
from glossator.core.run_events import PlanChanged, StateChanged, TaskState
from glossator.core.span import Basis, CitationStatus, CitationView, Span
from glossator.sessions.compaction.kept import KeptTools, collect
from glossator.turn.plan.planner import PlanChoice
from tests.patience import SECONDS, until
from tests.sides import asked
from tests.stage import Stage, stage
from tests.standin import HttpError, Text, ToolUse, Turn
from tests.turn.plan.planned import (
    ANSWER,
    FILES,
    FOUR,
    QUESTION,
    Cast,
    Reply,
    cites,
    last_text,
    plan,
    unclear,
)

TASKS: dict[str, Reply] = {
    "fetch have?": cites("client.py"),
    "save have?": cites("store.py"),
    "in common": cites("client.py", words="Both are small."),
    "run?": cites("shell.py"),
}
UNFINISHED = "There is no result of these tasks: 4. Say in your answer what"
LAST_WORD = load_prompt("user/last_word").opening
LIMIT = "`limit` is 5."


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def last_plan(s: Stage) -> list[TaskState]:
    last: PlanChanged = s.port.of(PlanChanged)[-1]
    return [each.state for each in last.tasks]


def last_result(s: Stage) -> str:
    last: PlanChanged = s.port.of(PlanChanged)[-1]
    return last.tasks[-1].result


def states(s: Stage) -> list[str]:
    found: list[StateChanged] = s.port.of(StateChanged)
    return [event.state.value for event in found]


def places(citations: tuple[CitationView, ...]) -> list[tuple[str, str, int | None]]:
    return [(each.target, each.status.value, each.first_line) for each in citations]


async def add_fact(s: Stage, statement: str, path: str, line: int) -> str:
    await s.app.ready()
    document = s.app.host.snapshot().read(path)
    assert isinstance(document, Document)
    span = Span(document.uri, document.sha256, line, line)
    new = NewFact(statement, path, span, Basis.MODEL, 0.9)
    (fact,) = await s.app.ledger.remember("s0", "r0", [new])
    return fact.id


async def test_a_task_that_runs_out_of_its_time(tmp_path: Path) -> None:
    gate = asyncio.Event()
    stuck = Turn(Text("It will take a while."), gate=gate)
    cast = Cast(ANSWER, decomposer=FOUR, tasks={**TASKS, "run?": stuck})

    def turn(body: dict[str, Any]) -> Turn:
        return stuck if last_text(body).startswith(LAST_WORD) else cast(body)

    settings = {"agents": {"quick": {"seconds": 2.0}}}
    async with stage(tmp_path / "ws", FILES, turn, settings) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        gate.set()
        assert answer.text.startswith("Three limits")
        assert last_plan(s) == [TaskState.DONE] * 3 + [TaskState.FAILED]
        assert UNFINISHED in last_text(cast.asked["synthesis"][0])
        assert last_result(s) == "It failed: its time was up."


async def test_a_task_that_runs_out_of_its_tokens(tmp_path: Path) -> None:
    dear = Turn(ToolUse("Read", {"path": "shell.py"}), usage={"output_tokens": 600_000})

    def run(body: dict[str, Any]) -> Turn:
        return Turn(Text("NOT FOUND")) if "tools" not in body else dear

    cast = Cast(ANSWER, decomposer=FOUR, tasks={**TASKS, "run?": run})
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert last_plan(s) == [TaskState.DONE] * 3 + [TaskState.FAILED]
        assert UNFINISHED in last_text(cast.asked["synthesis"][0])
        assert last_result(s) == "It failed: its tokens were used up."


@pytest.mark.parametrize("why", ["ambiguity", "review", "conflict"])
async def test_cancelled_while_the_user_is_asked(tmp_path: Path, why: str) -> None:
    asked = asyncio.Event()

    async def ask_user(_: Question) -> QuestionAnswer:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    conflict = Turn(
        Text("- They differ. [cite: doc, store.py, L2]\nCONFLICT: Which limit holds? | 3 | 5")
    )
    decomposer = unclear("Which limits?", "Of time", "Of number") if why == "ambiguity" else FOUR
    tasks = {**TASKS, "in common": conflict} if why == "conflict" else TASKS
    settings = {"plan": {"dispatch": "off", "review": why == "review"}}
    cast = Cast(Turn(Text("Fine.")), decomposer=decomposer, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast, settings) as s:
        s.port.ask_user = ask_user  # type: ignore[method-assign, assignment]
        before = asyncio.all_tasks()
        asking = asyncio.create_task(s.ask(QUESTION, plan=PlanChoice.PLAN))
        await asked.wait()
        assert states(s)[-1] == "CLARIFYING"
        requests = len(s.api.requests)
        await cancelled(s, asking, before)
        assert len(s.api.requests) == requests
        (session,) = s.app.sessions.loaded()
        assert (await s.ask("Go on.", session_id=session.id)).text == "Fine."


@pytest.mark.parametrize("state", ["VERIFYING", "CORRECTING"])
async def test_cancelled_while_the_answer_is_judged(tmp_path: Path, state: str) -> None:
    gate = asyncio.Event()
    held = Turn(Text("{" * 40), gate=gate)
    sides = {"verify": "VERIFYING", "correct": "CORRECTING", "": ""}
    stuck = asyncio.Event()
    answer = "`limit` is 6. [cite: doc, store.py, L2]" if state == "CORRECTING" else "It waits."
    final = Turn(Text(f"{answer} [cite: doc, store.py, L2-L2]"))
    cast = Cast(final, Turn(Text("Fine.")), decomposer=FOUR, tasks=TASKS)

    def turn(body: dict[str, Any]) -> Turn:
        kind = sides[asked(body)]
        if kind != state or "synthesis" not in cast.asked:
            return Turn(Text('{"answers": []}')) if kind else cast(body)
        stuck.set()
        return held

    settings = {"grounding": {"entailment": state == "VERIFYING", "correction": "rewrite"}}
    async with stage(tmp_path / "ws", FILES, turn, settings) as s:
        before = asyncio.all_tasks()
        asking = asyncio.create_task(s.ask(QUESTION, plan=PlanChoice.PLAN))
        await stuck.wait()
        await until(lambda: states(s)[-1] == state)
        await cancelled(s, asking, before)
        await s.api.wait_for_disconnect()
        gate.set()
        (session,) = s.app.sessions.loaded()
        again = await s.ask("Go on.", session_id=session.id, plan=PlanChoice.DIRECT)
        assert again.text == "Fine."


async def cancelled(s: Stage, asking: asyncio.Task[Any], before: set[asyncio.Task[Any]]) -> None:
    """Cancel the run; nothing of it is left at work."""
    (run_id,) = s.app.runs.active()
    s.app.runs.cancel(run_id)
    await asyncio.wait({asking})
    assert asking.cancelled()
    assert states(s)[-1] == "CANCELLED"
    assert isinstance(s.port.events[-1], RunCancelled)
    assert len(s.port.of(AgentStarted)) == len(s.port.of(AgentFinished))
    assert s.app.runs.active() == ()
    ours = ("Answering.", "Judging.", "PlannedTasks.", "execute.", "Delegation.", "run_agent")
    left = {str(task.get_coro().__qualname__) for task in asyncio.all_tasks() - before}  # type: ignore[union-attr]
    assert not [name for name in left if name.startswith(ours)], left


async def test_a_task_is_cited_by_its_number(tmp_path: Path) -> None:
    """In an analysis, and in the answer: each leads to the lines of the tasks below it."""
    both = Turn(Text("- Both are small. [cite: task, 1] [cite: task, 2]"))
    final = Turn(Text("Both are small. [cite: task, 3]\n\nrun is not. [cite: task, 9]"))
    cast = Cast(final, final, decomposer=FOUR, tasks={**TASKS, "in common": both})
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert places(answer.citations) == [
            ("task 3", "read", 2),
            ("task 3", "read", 2),
            ("task 9", "unsupported", None),
        ]
        (analysed,) = (e for e in s.port.of(AgentFinished) if "Both are small" in e.summary)
        assert [(c.target, c.status) for c in analysed.citations] == [
            ("client.py", CitationStatus.READ),
            ("store.py", CitationStatus.READ),
        ]


async def test_lines_of_a_refused_finding_are_shown_and_can_be_cited(tmp_path: Path) -> None:
    """The answer can say it right without reading them again."""
    words = "- `limit` is 6. [cite: doc, store.py, L2]\n- A row. [cite: doc, store.py, L3]"
    wrong = Turn(Text(words))
    final = Turn(Text("The limit of save is in store.py. [cite: doc, store.py, L2-L2]"))
    cast = Cast(final, decomposer=FOUR, tasks={**TASKS, "save have?": wrong})
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        told = last_text(cast.asked["synthesis"][0])
        assert "`limit` is 6. (unsupported: store.py:2)" in told
        assert "2\t    limit = 5" in told.partition("# Newly retrieved documents")[2]
        assert places(answer.citations) == [("store.py", "read", 2)]
        assert len(cast.asked["synthesis"]) == 1


async def test_a_task_that_failed_is_cited(tmp_path: Path) -> None:
    """Nobody is asked to read and answer again for it, least of all a task without tools."""
    broken = Turn(fault=HttpError(403, message="Out of order."))
    both = Turn(Text("- Of save nothing is known. [cite: task, 2]\n- It is 3. [cite: task, 1]"))
    final = Turn(Text("Of save nothing is known. [cite: task, 2]"))
    tasks = {**TASKS, "save have?": broken, "in common": both}
    cast = Cast(final, decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert len(cast.asked["generation"]) == 4
        assert len(cast.asked["synthesis"]) == 1
        told = last_text(cast.asked["synthesis"][0])
        assert "- Of save nothing is known.\n- It is 3. [cite: doc, client.py, L2] (not" in told


async def test_a_fact_is_cited_in_a_task_and_in_the_answer(tmp_path: Path) -> None:
    fact = ""

    def save(body: dict[str, Any]) -> Turn:
        zone = last_text(body).partition("# Newly retrieved documents")[0]
        assert f"{LIMIT}" in zone
        assert f"[cite: fact, {fact}, null]" in zone
        return Turn(Text(f"- {LIMIT} [cite: fact, {fact}, null]"))

    def final(_: dict[str, Any]) -> Turn:
        return Turn(Text(f"{LIMIT} [cite: fact, {fact}, null] [cite: task, 2]"))

    cast = Cast(final, decomposer=FOUR, tasks={**TASKS, "save have?": save})
    async with stage(tmp_path / "ws", FILES, cast) as s:
        fact = await add_fact(s, LIMIT, "store.py", 2)
        answer = await s.ask(f"{QUESTION} The limit?", plan=PlanChoice.PLAN)
        assert last_plan(s) == [TaskState.DONE] * 4
        assert places(answer.citations) == [
            (f"fact {fact}", "verified", 2),
            ("task 2", "verified", 2),
        ]
        assert all(str(each.uri).endswith("/store.py") for each in answer.citations)
        reports = [e.citations for e in s.port.of(AgentFinished) if LIMIT in e.summary]
        spans = [(c.target, c.span and c.span.first_line) for each in reports for c in each]
        assert spans == [(f"fact {fact}", 2)]


def touch(s: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change `store.py` above its fact; its lines are compared once somebody waits for that."""
    settled, may_compare = s.app.anchors.settled, threading.Event()

    async def waited_for() -> None:
        may_compare.set()
        await settled()

    monkeypatch.setattr(s.app.anchors, "settled", waited_for)
    s.app.anchors._thread.submit(may_compare.wait, SECONDS)
    (s.root / "store.py").write_text("# Rows\n" + FILES["store.py"])
    s.touched("store.py")


async def test_a_fact_whose_file_was_just_touched_elsewhere_is_established(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines are not compared yet when the last task has ended."""

    def shown(envelope: Envelope) -> None:
        s.port.envelopes.append(envelope)
        if isinstance(envelope.event, PlanChanged) and last_plan(s) == [TaskState.DONE] * 4:
            touch(s, monkeypatch)

    cast = Cast(Turn(Text("Small.")), decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        s.port.emit = shown  # type: ignore[method-assign]
        fact = await add_fact(s, LIMIT, "store.py", 2)
        await s.ask(f"{QUESTION} The limit?", plan=PlanChoice.PLAN)
        assert f"{LIMIT} [cite: fact, {fact}, null]" in last_text(cast.asked["synthesis"][0])


async def test_a_fact_whose_file_was_just_touched_elsewhere_can_be_cited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines are not compared yet when the task's result is reviewed."""
    fact, requests = "", 0

    def save(_: dict[str, Any]) -> Turn:
        nonlocal requests
        requests += 1
        touch(s, monkeypatch)
        return Turn(Text(f"- {LIMIT} [cite: fact, {fact}, null]"))

    made = plan(("What limit does save have?", []), ("What is in common?", [1]))
    analysis = Turn(Text("- Both are small. [cite: task, 1]"))
    tasks: dict[str, Reply] = {"save have?": save, "in common": analysis}
    cast = Cast(Turn(Text("Small.")), decomposer=made, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        fact = await add_fact(s, LIMIT, "store.py", 2)
        await s.ask(f"{QUESTION} The limit?", plan=PlanChoice.PLAN)
        assert requests == 1
        reports = [e.citations for e in s.port.of(AgentFinished) if LIMIT in e.summary]
        spans = [(c.target, c.span and c.span.first_line) for each in reports for c in each]
        assert spans == [(f"fact {fact}", 3)]


async def test_a_plan_is_compacted(tmp_path: Path) -> None:
    """The summary has the question once, as the user asked it, and facts are told again."""
    offline = {"models": {"offline": True}}
    root, asked = tmp_path / "ws", f"{QUESTION} What is the limit?"
    cast = Cast(ANSWER, decomposer=FOUR, tasks=TASKS)
    async with stage(root, FILES, cast) as s:
        fact = await add_fact(s, LIMIT, "store.py", 2)
        answer = await s.ask(asked, plan=PlanChoice.PLAN)
        (session,) = s.app.sessions.loaded()
        assert collect(session.conversation.messages, KeptTools()).said == (asked,)
    async with stage(root, {}, [], offline) as s:
        for _ in range(8):
            await s.ask("Where is run, and what does it return?", session_id=answer.session_id)
        await compact_session(s.app, CompactRequest(answer.session_id))
        session = await s.app.sessions.open(answer.session_id)
        messages = str(session.conversation.messages)
        assert QUESTION in messages
        assert "Result of task" not in messages
    later = Turn(Text(f"As before [cite: task, 1] [cite: fact, {fact}, null]."))
    async with stage(root, {}, [later, later]) as s:
        again = await s.ask("And the limit of save?", session_id=answer.session_id)
        assert f"{LIMIT} [cite: fact, {fact}, null]" in str(s.sent(0)["messages"][-1])
        assert places(again.citations) == [
            ("task 1", "unsupported", None),
            (f"fact {fact}", "read", 2),
        ]


async def test_a_plan_is_taken_back(tmp_path: Path) -> None:
    later = Turn(Text("As before [cite: task, 1] [cite: doc, shell.py, L2-L2]."))
    cast = Cast(ANSWER, later, later, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        await rewind(s.app, RewindRequest(answer.session_id))
        (session,) = s.app.sessions.loaded()
        assert session.conversation.messages == ()
        again = await s.ask("And run?", session_id=answer.session_id)
        assert places(again.citations) == [
            ("task 1", "unsupported", None),
            ("shell.py", "unsupported", 2),
        ]
        assert "Result of task" not in str(cast.asked["main"][-1])

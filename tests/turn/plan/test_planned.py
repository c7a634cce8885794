"""Questions that are answered by a plan, from the dispatcher to the synthesis."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import ListAgentsRequest, ShowAgentRequest, list_agents, show_agent
from glossator.commands.turns import RetryRequest, retry
from glossator.core.events import (
    AgentFinished,
    AgentStarted,
    DiscardReason,
    Envelope,
    Notice,
    RunCancelled,
    TextDiscarded,
)
from glossator.core.question import Question, QuestionAnswer
from glossator.core.run_events import (
    FactChanged,
    PlanChanged,
    RunState,
    StateChanged,
    TaskState,
    UncitedClaim,
)
from glossator.grounding.statement_lines import CitedStatement, settled
from glossator.turn.plan.planner import PlanChoice
from tests.patience import SECONDS
from tests.sides import JUDGED, judging
from tests.stage import Stage, stage
from tests.standin import HttpError, Text, ToolUse, Turn
from tests.turn.plan.planned import (
    ANSWER,
    COMPLEX,
    DISPATCH,
    FILES,
    FOUR,
    QUESTION,
    SIMPLE,
    Cast,
    Reply,
    cites,
    last_text,
    plan,
    together,
    unclear,
)

READS = Turn(Text("I look."), ToolUse("Read", {"path": "client.py"}))
TASKS = {
    "fetch have?": cites("client.py"),
    "save have?": cites("store.py"),
    "in common": cites("client.py", words="Both are small."),
    "run?": cites("shell.py"),
}
CAREFUL = {  # how a model judges what is said of them
    "retries": ("SUPPORTED", "retries = 3"),
    "limit": ("SUPPORTED", "limit = 5"),
    "patience": ("SUPPORTED", "patience = 7"),
    "Both": ("SUPPORTED", "retries = 3"),
}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def states(s: Stage) -> list[str]:
    found: list[StateChanged] = s.port.of(StateChanged)
    return [event.state.value for event in found]


def notices(s: Stage) -> list[str]:
    found: list[Notice] = s.port.of(Notice)
    return [event.message for event in found]


def held(turn: Turn) -> tuple[Turn, asyncio.Event]:
    """A turn whose stream stands still after its first delta."""
    gate = asyncio.Event()
    return Turn(*turn.blocks, gate=gate), gate


PLANNED = ["ANALYSING", "PLANNING", "EXECUTING", "SYNTHESISING", "VERIFYING", "DONE"]
DIRECT = ["ANALYSING", "RETRIEVING", "VERIFYING", "DONE"]


async def test_four_tasks_of_which_some_overlap(tmp_path: Path) -> None:
    first, dispatcher = together(READS, COMPLEX)
    fetch, save = together(TASKS["fetch have?"], TASKS["save have?"])
    tasks = {**TASKS, "fetch have?": fetch, "save have?": save}
    cast = Cast(first, ANSWER, dispatcher=dispatcher, decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        answer = await s.ask(QUESTION)
        assert answer.text == "Three limits [cite: doc, client.py, L2-L2]."
        assert [each.status for each in answer.citations] == ["read"]
        assert states(s) == PLANNED
        assert [each.reason for each in s.port.of(TextDiscarded)] == [DiscardReason.PLAN]
        last: PlanChanged = s.port.of(PlanChanged)[-1]
        assert [(each.id, each.dependencies, each.state) for each in last.tasks] == [
            ("1", (), TaskState.DONE),
            ("2", (), TaskState.DONE),
            ("3", ("1", "2"), TaskState.DONE),
            ("4", (), TaskState.DONE),
        ]
        assert overlapping(s) >= 2
        assert before(s, "What limit does fetch have?", "What do the limits of fetch and save")
        assert cast.is_done()


def at(s: Stage, kind: type[AgentStarted | AgentFinished], task: str) -> int:
    """Where in the events a task began or ended."""
    ids = {each.task: each.agent_id for each in s.port.of(AgentStarted)}
    (agent,) = (ids[each] for each in ids if each.startswith(task))
    return next(
        n for n, e in enumerate(s.port.events) if isinstance(e, kind) and e.agent_id == agent
    )


def overlapping(s: Stage) -> int:
    """The most tasks that were at work at the same time."""
    at_work = most = 0
    for event in s.port.events:
        at_work += isinstance(event, AgentStarted) - isinstance(event, AgentFinished)
        most = max(most, at_work)
    return most


def before(s: Stage, task: str, other: str) -> bool:
    return at(s, AgentFinished, task) < at(s, AgentStarted, other)


async def test_what_each_is_told(tmp_path: Path) -> None:
    cast = Cast(ANSWER, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        asked = {last_text(each).rpartition("\n\n")[2]: each for each in cast.asked["generation"]}
        analysis = last_text(asked["What do the limits of fetch and save have in common?"])
        assert "(What limit does fetch have?):\n- It is there. [cite: doc, client.py" in analysis
        assert "shell.py" not in analysis
        assert "# Newly retrieved documents" in analysis
        assert analysis.index("# Established facts") < analysis.index("# Newly retrieved")
        extraction = last_text(asked["How patient is run?"])
        assert "patience = 7" in extraction
        assert "Result of task" not in extraction
        assert all("tools" not in each for each in cast.asked["generation"])
        (synthesis,) = cast.asked["synthesis"]
        told = last_text(synthesis)
        assert told.index("Result of task 1 (What limit") < told.index(
            "client.py:2\n2\t    retries"
        )
        assert told.endswith(QUESTION)
        assert [each["name"] for each in synthesis["tools"]]
        listed = (await list_agents(s.app, ListAgentsRequest(answer.session_id))).agents
        assert sorted(each.name for each in listed) == ["Analyse", "Extract", "Extract", "Extract"]
        (analysed,) = (each for each in listed if each.name == "Analyse")
        request = ShowAgentRequest(answer.session_id, analysed.agent_id)
        shown = await show_agent(s.app, request)
        assert "client.py" in str(shown)
        planned = last_text(cast.asked["decomposer"][0])
        assert "python (3); top folders: . (3)\n" in planned
        assert cast.is_done()


async def test_lines_of_tasks_can_be_cited_later(tmp_path: Path) -> None:
    later = Turn(Text("As before [cite: doc, shell.py, L2-L2]."))
    cast = Cast(ANSWER, later, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        more = await s.ask("And run?", session_id=answer.session_id)
        assert [each.status for each in more.citations] == ["read"]


async def test_where_search_is_not_enough_a_sub_agent_explores(tmp_path: Path) -> None:
    explored = iter((Turn(ToolUse("Read", {"path": "shell.py"})), cites("shell.py")))
    zebra = iter((Turn(ToolUse("Read", {"path": "store.py"})), cites("store.py")))

    def run(body: dict[str, Any]) -> Turn:
        return Turn(Text("NOT FOUND")) if "tools" not in body else next(explored)

    tasks: dict[str, Reply] = {**TASKS, "run?": run, "zebra": lambda _: next(zebra)}
    asks = plan(("How patient is run?", []), ("zebra qqq?", []))
    cast = Cast(cites("shell.py"), decomposer=asks, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        last: PlanChanged = s.port.of(PlanChanged)[-1]
        assert {each.state for each in last.tasks} == {TaskState.DONE}
        names = sorted(each.name for each in s.port.of(AgentStarted))
        assert names == ["Explore", "Explore", "Extract"]
        told = [str(each["messages"][0]) for each in cast.asked["explore"]]
        looked = [each for each in told if "Somebody searched for this task" in each]
        assert len({*looked}) == 1  # of zebra nothing was found
        assert "- shell.py:1-3" in looked[0]
        assert "patience" not in looked[0]


async def test_a_sub_agent_looks_twice_for_a_task_and_then_reports(tmp_path: Path) -> None:
    """Its report is whole: it may use all its looks."""
    looks = [Turn(ToolUse("Read", {"path": f"{name}.py"})) for name in ("shell", "store")]
    replies = iter((*looks, cites("store.py")))
    tasks: dict[str, Reply] = {**TASKS, "zebra": lambda _: next(replies)}
    asks = plan(("How patient is run?", []), ("zebra qqq?", []))
    cast = Cast(cites("shell.py"), decomposer=asks, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        asked = cast.asked["explore"]
        assert len(asked) == 3
        assert "You have 3 replies" in str(asked[0]["messages"][0])
        assert "the limit of 2 turns is reached" in str(asked[2]["messages"][-1])
        last: PlanChanged = s.port.of(PlanChanged)[-1]
        assert last.tasks[1].state is TaskState.DONE
        assert "partial" not in last.tasks[1].result


async def test_names_in_a_task_are_shown_with_their_definitions_first(tmp_path: Path) -> None:
    line = "x = 'url retries'\n"
    many = {f"m{n}.py": f"# fetch a url with retries {n}\n{line * 30}" for n in range(30)}
    odd = "import os\n\n\ndef _assigned(a):\n    return a.rest[7]\n"
    words = "How do urls and retries of a fetch go together, so that retries of a url end?"
    asks = plan((f"{words} Look at `_assigned` and Odd.", []), ("How patient is run?", []))
    tasks = {"urls": cites("deep/odd.py", 5), "run?": TASKS["run?"]}
    cast = Cast(cites("shell.py"), decomposer=asks, tasks=tasks)
    async with stage(tmp_path / "ws", {**FILES, **many, "deep/odd.py": odd}, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        told = next(t for t in map(last_text, cast.asked["generation"]) if "urls" in t)
        assert told.index("return a.rest[7]") < told.index("url retries")
        done: PlanChanged = s.port.of(PlanChanged)[-1]
        assert [each.state for each in done.tasks] == [TaskState.DONE] * 2


async def test_what_tasks_found_becomes_facts(tmp_path: Path) -> None:
    tasks = {
        "fetch have?": cites("client.py", words="`retries` is 3."),
        "save have?": cites("store.py", words="`limit` is 5."),
        "in common": TASKS["in common"],
        "run?": cites("shell.py", words="`patience` is 7."),
    }
    cast = Cast(Turn(Text("Small ones.")), decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, judging(cast, **CAREFUL), JUDGED) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        facts = {(each.statement, each.path, each.run) for each in s.app.ledger.all()}
        assert facts == {
            ("`retries` is 3.", "client.py", answer.run_id),
            ("`limit` is 5.", "store.py", answer.run_id),
            ("`patience` is 7.", "shell.py", answer.run_id),
        }
        told = [each.fact for each in s.port.of(FactChanged)]
        assert len(told) == len(set(told)) > 0


async def test_a_question_is_asked_again_in_the_same_way(tmp_path: Path) -> None:
    cast = Cast(ANSWER, ANSWER, decomposer=(FOUR, FOUR), tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask("Where?", plan=PlanChoice.PLAN)
        again = await retry(s.app, RetryRequest(answer.session_id))
        assert again.text == answer.text
        assert states(s) == [*PLANNED, *PLANNED]


async def test_a_task_that_fails(tmp_path: Path) -> None:
    broken = Turn(fault=HttpError(403, message="Out of order."))
    tasks = {**TASKS, "save have?": broken}
    cast = Cast(ANSWER, decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        last: PlanChanged = s.port.of(PlanChanged)[-1]
        assert [each.state.value for each in last.tasks] == ["done", "failed", "done", "done"]
        assert "Out of order" in last.tasks[1].result
        told = next(t for t in map(last_text, cast.asked["generation"]) if "in common" in t)
        assert "Result of task 2 (What limit does save have?): there is none, because" in told
        synthesis = last_text(cast.asked["synthesis"][0])
        assert "There is no result of these tasks: 2. Say in your answer" in synthesis
        state: StateChanged = s.port.of(StateChanged)[3]
        assert (state.state, state.detail) == (RunState.SYNTHESISING, "1 of 4 tasks failed")


CIRCLE = plan(("What limit does fetch have?", [2]), ("What limit does save have?", [1]))


async def test_a_circle_is_repaired(tmp_path: Path) -> None:
    cast = Cast(ANSWER, decomposer=(CIRCLE, FOUR), tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert states(s) == PLANNED
        again = last_text(cast.asked["decomposer"][1])
        assert "The dependencies go in a circle: 1 → 2 → 1. Make another one." in again


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ((CIRCLE, CIRCLE), "The plan that the model made cannot be used: The dependencies"),
        ((Turn(Text("No.")),), "There is no plan. The model's reply holds no JSON"),
        ((Turn(fault=HttpError(403, message="Out of order.")),), "There is no plan. "),
    ],
)
async def test_without_a_plan_it_is_answered_directly(
    tmp_path: Path, made: tuple[Turn, ...], why: str
) -> None:
    cast = Cast(READS, ANSWER, decomposer=made)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert answer.text.startswith("Three limits")
        (notice,) = notices(s)
        assert notice.startswith(why)
        assert notice.endswith("The question is answered directly.")
        assert states(s) == ["ANALYSING", "PLANNING", *DIRECT[1:]]
        assert cast.is_done()


async def test_an_ambiguity_is_asked_about_once(tmp_path: Path) -> None:
    what = unclear("Which limits?", "Of time", "Of number")
    cast = Cast(ANSWER, decomposer=(what, FOUR), tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        s.port.answers.append(QuestionAnswer(("Of number",), "not of bytes"))
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        (question,) = s.port.questions
        assert [each.label for each in question.options] == ["Of time", "Of number"]
        assert states(s) == ["ANALYSING", "PLANNING", "CLARIFYING", *PLANNED[1:]]
        told = "The user was asked: Which limits?\nThe user answered: Of number; not of bytes"
        assert told in last_text(cast.asked["decomposer"][1])
        assert told in last_text(cast.asked["synthesis"][0])


async def test_an_ambiguity_that_nobody_settles(tmp_path: Path) -> None:
    what = unclear("Which limits?", "Of time", "Of number")
    cast = Cast(READS, ANSWER, decomposer=(what, what))
    async with stage(tmp_path / "ws", FILES, cast) as s:
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert "gave no answer. Take the most cautious" in last_text(cast.asked["decomposer"][1])
        assert len(s.port.questions) == 1
        assert states(s)[3:] == ["PLANNING", *DIRECT[1:]]


async def test_a_question_of_the_model_that_answers(tmp_path: Path) -> None:
    asks = Turn(ToolUse("AskUser", {"question": "Which holds?", "options": ["3", "5"]}, "asks"))
    cast = Cast(asks, READS, ANSWER)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        s.port.answers.append(QuestionAnswer(("5",)))
        await s.ask(QUESTION, plan=PlanChoice.DIRECT)
        assert states(s)[:5] == ["ANALYSING", "RETRIEVING", "CLARIFYING", "RETRIEVING", "VERIFYING"]
        details = [each.detail for each in s.port.of(StateChanged)]
        assert details[2:4] == ["Which holds?", "5"]
        assert 'The user chose: "5".' in str(cast.asked["main"][1])


async def test_a_contradiction_becomes_a_question(tmp_path: Path) -> None:
    words = "- They differ. [cite: doc, store.py, L2-L2]\nCONFLICT: Which limit holds? | 3 | 5"
    tasks = {**TASKS, "in common": Turn(Text(words))}
    cast = Cast(ANSWER, decomposer=FOUR, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        s.port.answers.append(QuestionAnswer(("5",)))
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        (question,) = s.port.questions
        assert (question.text, [each.label for each in question.options]) == (
            "Which limit holds?",
            ["3", "5"],
        )
        assert states(s)[2:6] == ["EXECUTING", "CLARIFYING", "EXECUTING", "SYNTHESISING"]
        told = last_text(cast.asked["synthesis"][0])
        assert "The user was asked: Which limit holds?\nThe user answered: 5" in told
        assert "CONFLICT" not in told


async def test_a_contradiction_after_an_ambiguity(tmp_path: Path) -> None:
    """Both are asked about; without an answer the model is told what there was to choose from."""
    what = unclear("Which limits?", "Of time", "Of number")
    words = "They differ.\nCONFLICT: Which limit holds? | 3 | 5\n"
    differ = cites("store.py", words=words), cites("shell.py", words=words)
    tasks = {**TASKS, "in common": differ[0], "run?": differ[1]}
    cast = Cast(ANSWER, decomposer=(what, FOUR), tasks=tasks)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        s.port.answers.append(QuestionAnswer(("Of number",)))
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert [each.text for each in s.port.questions] == ["Which limits?", "Which limit holds?"]
        told = last_text(cast.asked["synthesis"][0])
        assert "Which limit holds? (3 | 5)\nThe user was asked and gave no answer." in told
        assert "was not asked about it. Say in your answer what is open: Which limit" in told
        assert told.count("(3 | 5)") == 2


async def test_no_side_of_a_contradiction_becomes_a_fact_by_itself(tmp_path: Path) -> None:
    """Only what the answer states that knows what the user said, and what has no part in it."""
    conflict = "- Both are small. [cite: task, 1]\nCONFLICT: Which limit holds? | 3 | 5"
    tasks = {
        "fetch have?": cites("client.py", words="`retries` is 3."),
        "save have?": cites("store.py", words="`limit` is 5."),
        "in common": Turn(Text(conflict)),
        "run?": cites("shell.py", words="`patience` is 7."),
        "What follows?": cites("client.py", words="`fetch` returns `url` after `retries` of 3."),
    }
    made = plan(
        ("What limit does fetch have?", []),
        ("What limit does save have?", []),
        ("What do the limits of fetch and save have in common?", [1, 2]),
        ("How patient is run?", []),
        ("What follows?", [1]),
    )
    at_the_question: list[str] = []

    async def ask_user(_: Question) -> QuestionAnswer:
        at_the_question.extend(each.statement for each in s.app.ledger.all())
        return QuestionAnswer(("5",))

    cast = Cast(cites("store.py", words="`limit` is 5."), decomposer=made, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, judging(cast, **CAREFUL), JUDGED) as s:
        s.port.ask_user = ask_user  # type: ignore[method-assign, assignment]
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert at_the_question == ["`patience` is 7."]
        facts = {each.statement for each in s.app.ledger.all()}
        assert facts == {"`patience` is 7.", "`limit` is 5."}


async def test_what_a_contradiction_rests_on_further_back_is_no_fact_either(tmp_path: Path) -> None:
    tasks = {
        "fetch have?": cites("client.py", words="`retries` is 3."),
        "save have?": cites("store.py", words="`limit` is 5."),
        "in common": Turn(Text("- Both are small. [cite: task, 1]")),
        "What follows?": Turn(
            Text("- Both hold. [cite: task, 3]\nCONFLICT: Which limit holds? | 3 | 5")
        ),
        "run?": cites("shell.py", words="`patience` is 7."),
    }
    made = plan(
        ("What limit does fetch have?", []),
        ("What limit does save have?", []),
        ("What do the limits of fetch and save have in common?", [1, 2]),
        ("What follows?", [3]),
        ("How patient is run?", []),
    )
    cast = Cast(Turn(Text("It is open.")), decomposer=made, tasks=tasks)
    async with stage(tmp_path / "ws", FILES, judging(cast, **CAREFUL), JUDGED) as s:
        s.port.answers.append(QuestionAnswer(("5",)))
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert [each.statement for each in s.app.ledger.all()] == ["`patience` is 7."]


async def test_it_is_asked_again(tmp_path: Path) -> None:
    cast = Cast(ANSWER, Turn(Text("Three.")), decomposer=(FOUR, FOUR), tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast) as s:
        answer = await s.ask(QUESTION, plan=PlanChoice.PLAN)
        again = await retry(s.app, RetryRequest(answer.session_id))
        assert again.text == "Three."
        (session,) = s.app.sessions.loaded()
        assert len(session.conversation.messages) == 3


async def test_the_user_reviews_the_plan(tmp_path: Path) -> None:
    other = plan(("How patient is run?", []), ("What limit does save have?", []))
    cast = Cast(cites("shell.py"), decomposer=(FOUR, other), tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, {"plan": {"review": True}}) as s:
        s.port.answers += [QuestionAnswer((), "leave fetch out"), QuestionAnswer(("Go on",))]
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert "3. What do the limits of fetch" in s.port.questions[0].text
        assert "(after 1, 2)" in s.port.questions[0].text
        assert "The user said of a plan: leave fetch out" in last_text(cast.asked["decomposer"][1])
        assert states(s)[2:6] == ["CLARIFYING", "PLANNING", "CLARIFYING", "PLANNING"]
        assert len(s.port.of(PlanChanged)[-1].tasks) == 2


async def test_a_plan_is_worked_on_as_the_user_changed_it(tmp_path: Path) -> None:
    cast = Cast(cites("client.py"), decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, {"plan": {"review": True}}) as s:
        mine = "2. What limit does fetch have?\n- What have both in common? (after 2)"
        s.port.answers += [
            QuestionAnswer(("Go on",), draft="2. How?\n2. Why?"),
            QuestionAnswer(("Go on",)),  # which leaves what is wrong as it is
            QuestionAnswer(("Go on",), draft=mine),
        ]
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        first, again, still = s.port.questions
        assert still == again
        assert first.draft.startswith("1. ")
        assert again.text.splitlines()[1] == (
            "The changed plan cannot be used. The id '2' stands twice."
        )
        assert again.draft.endswith("2. Why?")
        made = [(each.description, each.dependencies) for each in s.port.of(PlanChanged)[-1].tasks]
        assert made == [
            ("What limit does fetch have?", ()),
            ("What have both in common?", ("1",)),
        ]
        assert len(cast.asked["decomposer"]) == 1


async def test_a_change_that_cannot_be_used_is_no_review(tmp_path: Path) -> None:
    """Of which there may be four: here the plan is changed in words as often as that allows."""
    cast = Cast(cites("client.py"), decomposer=(FOUR,) * 4, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, {"plan": {"review": True}}) as s:
        wrong = [QuestionAnswer(("Go on",), draft=f"2. How?\n2. Why {n}?") for n in range(6)]
        s.port.answers += [
            *wrong,
            *(QuestionAnswer((), f"Not so, {n}.") for n in range(3)),
            QuestionAnswer(("Go on",)),
        ]
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert len(s.port.questions) == 10
        assert states(s).count("CLARIFYING") == 4
        assert states(s)[-4:] == PLANNED[2:]


async def test_the_user_wants_no_plan(tmp_path: Path) -> None:
    cast = Cast(READS, ANSWER, decomposer=FOUR)
    async with stage(tmp_path / "ws", FILES, cast, {"plan": {"review": True}}) as s:
        s.port.answers.append(QuestionAnswer(("Answer directly",)))
        await s.ask(QUESTION, plan=PlanChoice.PLAN)
        assert s.port.of(PlanChanged)[-1].tasks == ()
        assert states(s)[-3:] == DIRECT[1:]
        assert notices(s) == ["Work on this plan? Your answer: Answer directly"]


async def test_a_simple_question_costs_one_request_more(tmp_path: Path) -> None:
    cast = Cast(READS, ANSWER, dispatcher=SIMPLE)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        await s.ask(QUESTION)
        assert states(s) == DIRECT
        assert len(cast.asked["dispatcher"]) == 1
        (first, *_) = s.port.of(StateChanged)[1:]
        assert first.detail == "without a plan, as the fast model says"
        assert "sends" not in last_text(cast.asked["dispatcher"][0])
        assert "client.py" not in str(cast.asked["dispatcher"][0])  # the question alone


async def test_a_plain_request_for_a_change_costs_none(tmp_path: Path) -> None:
    cast = Cast(READS, ANSWER)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        await s.ask("Rename `fetch` to `load`.")
        assert states(s) == DIRECT
        assert "dispatcher" not in cast.asked
        (first, *_) = s.port.of(StateChanged)[1:]
        assert first.detail == "without a plan, as it asks for a change"


async def test_a_void_first_reply_has_no_marks_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its sentences were being judged when it was discarded."""
    loop, looked, discarded = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def held_back(text: str, statements: tuple[CitedStatement, ...]) -> tuple[CitedStatement, ...]:
        loop.call_soon_threadsafe(looked.set)
        assert discarded.wait(SECONDS)
        return settled(text, statements)

    def said(envelope: Envelope) -> None:
        s.port.envelopes.append(envelope)
        if isinstance(envelope.event, TextDiscarded):
            discarded.set()

    monkeypatch.setattr("glossator.turn.judged.judge.settled", held_back)
    claims = Text("`fetch` is never called.\n\nI look. Then more.")
    first = Turn(claims, ToolUse("Read", {"path": "client.py"}))
    dispatcher = Turn(*COMPLEX.blocks, gate=looked)
    cast = Cast(first, ANSWER, dispatcher=dispatcher, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        s.port.emit = said  # type: ignore[method-assign]
        await s.ask(QUESTION)
        assert [each.reason for each in s.port.of(TextDiscarded)] == [DiscardReason.PLAN]
        assert s.port.of(UncitedClaim) == []


async def test_a_whole_first_answer_stands(tmp_path: Path) -> None:
    late, gate = held(COMPLEX)
    cast = Cast(Turn(Text("Three.")), dispatcher=late)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        answer = await s.ask(QUESTION)
        gate.set()
        assert answer.text == "Three."
        assert states(s) == ["ANALYSING", "VERIFYING", "DONE"]
        assert s.port.of(TextDiscarded) == []


async def test_a_first_answer_stands_while_it_is_reviewed(tmp_path: Path) -> None:
    corrected, says = together(Turn(Text("Three.")), COMPLEX)
    cast = Cast(ANSWER, corrected, dispatcher=says)  # it cites a line that it was not shown
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        answer = await s.ask(QUESTION)
        assert answer.text == "Three."
        assert states(s) == ["ANALYSING", "VERIFYING", "DONE"]
        assert [each.reason for each in s.port.of(TextDiscarded)] == [DiscardReason.CITATIONS]


@pytest.mark.parametrize("dispatcher", [Turn(Text("Hm.")), Turn(fault=HttpError(400))])
@pytest.mark.parametrize(("question", "way"), [(QUESTION, PLANNED), ("What is run?", DIRECT)])
async def test_words_decide_if_the_model_does_not(
    tmp_path: Path, dispatcher: Turn, question: str, way: list[str]
) -> None:
    first, says = together(READS, dispatcher)
    cast = Cast(first, ANSWER, dispatcher=says, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        await s.ask(question)
        assert states(s) == way
        taken: StateChanged = s.port.of(StateChanged)[1]
        assert taken.detail.endswith("guessed from its words, as no model said")
        assert notices(s) == []


async def test_words_decide_at_once_by_setting(tmp_path: Path) -> None:
    settings = {"plan": {"dispatch": "heuristics"}}
    cast = Cast(ANSWER, decomposer=FOUR, tasks=TASKS)
    async with stage(tmp_path / "ws", FILES, cast, settings) as s:
        await s.ask(QUESTION)
        assert states(s) == PLANNED
        assert cast.is_done()


@pytest.mark.parametrize("choice", [PlanChoice.DIRECT, PlanChoice.AUTO])
async def test_no_plan_by_choice_or_setting(tmp_path: Path, choice: PlanChoice) -> None:
    settings = DISPATCH if choice is PlanChoice.DIRECT else None
    async with stage(tmp_path / "ws", FILES, Cast(READS, ANSWER), settings) as s:
        await s.ask(QUESTION, plan=choice)
        assert states(s) == DIRECT


NO_MODEL = (
    "A plan needs a model, so the question is answered directly. Set up a model to use plans."
)


@pytest.mark.parametrize(("choice", "told"), [(PlanChoice.AUTO, []), (PlanChoice.PLAN, [NO_MODEL])])
async def test_offline(tmp_path: Path, choice: PlanChoice, told: list[str]) -> None:
    settings = {"models": {"offline": True}, **DISPATCH}
    async with stage(tmp_path / "ws", FILES, (), settings) as s:
        answer = await s.ask(QUESTION, plan=choice)
        assert answer.offline
        assert states(s)[-1] == "DONE"
        assert [each for each in notices(s) if "plan" in each] == told


@pytest.mark.parametrize("where", ["dispatcher", "decomposer", "generation", "synthesis"])
async def test_cancelled_in_each_state(tmp_path: Path, where: str) -> None:
    """Nothing is left at work, and the conversation can go on."""
    stuck, gate = held(Turn(Text("It will take a while until this is said.")))
    first, says = together(READS, COMPLEX)
    main: list[Any] = [first, ANSWER]
    roles: dict[str, Any] = {"dispatcher": says, "decomposer": FOUR, "tasks": dict(TASKS)}
    if where == "generation":
        roles["tasks"]["in common"] = stuck
    elif where == "synthesis":
        main[1] = stuck
    else:
        roles[where] = stuck
    if where == "dispatcher":
        main[0] = Turn(*READS.blocks, gate=gate)
    cast = Cast(*main, **roles)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        asking = asyncio.create_task(s.ask(QUESTION))
        while where not in cast.asked or (
            where == "generation" and "in common" not in str(cast.asked[where][-1])
        ):
            cast.arrived.clear()
            await cast.arrived.wait()
        (run_id,) = s.app.runs.active()
        s.app.runs.cancel(run_id)
        await asyncio.wait({asking})
        assert asking.cancelled()
        gate.set()
        assert states(s)[-1] == "CANCELLED"
        assert isinstance(s.port.events[-1], RunCancelled)
        assert len(s.port.of(AgentStarted)) == len(s.port.of(AgentFinished))
        assert s.app.runs.active() == ()
        cast.scripts["main"] = [Turn(Text("Fine."))]
        session = s.app.sessions.loaded()[0]
        assert (
            await s.ask("Go on.", session_id=session.id, plan=PlanChoice.DIRECT)
        ).text == "Fine."


async def test_a_first_answer_is_reviewed_before_anybody_decided(tmp_path: Path) -> None:
    """Its citation leads nowhere, so the model goes on and calls a tool: nothing waits for it."""
    gate = asyncio.Event()
    dispatcher = Turn(*SIMPLE.blocks, gate=gate)
    nowhere = Turn(Text("Three limits [cite: doc, nowhere.py, L2-L2]."))
    cast = Cast(nowhere, READS, ANSWER, dispatcher=dispatcher)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        try:
            answer = await asyncio.wait_for(s.ask(QUESTION), 30)
        finally:
            gate.set()
        assert answer.text == "Three limits [cite: doc, client.py, L2-L2]."


async def test_what_is_about_an_attachment_gets_no_plan_by_itself(tmp_path: Path) -> None:
    cast = Cast(ANSWER, READS, ANSWER, decomposer=FOUR, tasks=TASKS, dispatcher=COMPLEX)
    async with stage(tmp_path / "ws", FILES, cast, DISPATCH) as s:
        await s.ask(f"{QUESTION} See @client.py.")
        assert s.port.of(PlanChanged) == []
        await s.ask(f"{QUESTION} See @client.py.", plan=PlanChoice.PLAN)
        assert s.port.of(PlanChanged)
        assert "of which tasks see nothing" in str(cast.asked["decomposer"][0])

"""Words of the user for a run that is on: told with the next results, or told to be left over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.ask import SteerAnswer, SteerRequest, steer
from glossator.commands.sessions import ExportSessionRequest, export_session
from glossator.commands.turns import RetryRequest, retry
from glossator.commands.window import ShowContextRequest, show_context
from glossator.core.attached import AttachedItem
from glossator.core.context_kinds import Kind
from glossator.core.errors import UsageError
from glossator.core.events import Envelope, RunFinished, Steered, TextDelta, ToolFinished
from glossator.core.question import Question, QuestionAnswer
from glossator.sessions import replay_events
from glossator.sessions.compaction.kept import KeptTools, collect
from glossator.turn.told.attachments import Attachment
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.told.test_attaching import pasted, said

FILES = {"fish.py": "def swim(depth):\n    return depth\n", "boat.py": "def row():\n    pass\n"}
ASKS = ToolUse("AskUser", {"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]})
READS = Turn(ToolUse("Read", {"path": "fish.py"}))
DONE = Turn(Text("Done."))
WORDS = "Look at the boat, too."


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def during(s: Stage, act: Callable[[], Awaitable[object]]) -> None:
    """Do something while the model's question to the user is open."""

    async def ask_user(_: Question) -> QuestionAnswer:
        await act()
        return QuestionAnswer(("a",))

    vars(s.port)["ask_user"] = ask_user  # what this user does


def steering(s: Stage, *texts: str, **fields: Any) -> list[asyncio.Task[SteerAnswer]]:
    """Have words wait in the run that asks the user something; gives their answers."""
    said: list[asyncio.Task[SteerAnswer]] = []

    async def say() -> None:
        for text in texts:
            said.append(asyncio.create_task(steer(s.app, SteerRequest(text, **fields))))
            await until(lambda: waiting(s) == len(said) or said[-1].done())

    during(s, say)
    return said


def waiting(s: Stage) -> int:
    return sum(len(run.steering.waiting) for run in s.app.runs.steered())


def last_texts(s: Stage, number: int) -> list[str]:
    return [block["text"] for block in s.said(number) if block["type"] == "text"]


async def test_words_go_with_the_next_results(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), READS, DONE]) as s:
        said = steering(s, WORDS, "And briefly.")
        answer = await s.ask("What does it do?", run_id="r1")
        assert [each.result().steered for each in said] == [True, True]
        kinds = [block["type"] for block in s.said(1)]
        assert kinds == ["tool_result", "text", "text"]
        assert last_texts(s, 1) == [WORDS, "And briefly."]
        events = s.port.events
        at = events.index(Steered(WORDS))
        assert isinstance(events[at - 1], ToolFinished)
        assert isinstance(events[-1], RunFinished)
        session = s.app.sessions.loaded()[0]
        kept = collect(session.conversation.messages, KeptTools())
        assert kept.said == ("What does it do?", WORDS, "And briefly.")
        window = await show_context(s.app, ShowContextRequest(answer.session_id))
        of_user = [
            part for layer in window.layers for part in layer.parts if part.kind is Kind.QUESTION
        ]
        assert [part.count for part in of_user] == [3]
        records = await s.app.sessions.records(answer.session_id)
        replayed = [each.event for each in replay_events(records)]
        assert Steered(WORDS) in replayed
        text = (await export_session(s.app, ExportSessionRequest(answer.session_id))).text
        assert text.index(WORDS) < text.index("Done.")


async def test_what_is_attached_and_mentioned_goes_along(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE]) as s:
        uri = (s.root / "fish.py").as_uri()
        said = steering(s, "As in @boat.py", attachments=(Attachment(uri, 2, 2),))
        await s.ask("What?")
        assert said[0].result().steered
        fish, boat, words = last_texts(s, 1)
        assert "return depth" in fish
        assert "def row" in boat
        assert words == "As in @boat.py"
        (event,) = s.port.of(Steered)
        assert event.attachments[0] == AttachedItem("fish.py", uri, 2, 2)


async def test_without_a_next_request_words_are_left_over(tmp_path: Path) -> None:
    """A hook ends the run; the last word is no place for new wishes."""
    halts = json.dumps({"continue": False, "stopReason": "enough"})
    settings = {"hooks": {"afterTool": [{"command": f"echo '{halts}'"}]}}
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE], settings) as s:
        said = steering(s, WORDS)
        answer = await s.ask("What?")
        assert answer.stop == "hook"
        assert [each.result().steered for each in said] == [False]
        assert s.port.of(Steered) == []
        assert WORDS not in str(s.sent(1))


async def test_words_that_come_with_the_last_reply_are_left_over(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [DONE]) as s:
        said: list[asyncio.Task[SteerAnswer]] = []
        show = s.port.emit

        def emit(envelope: Envelope) -> None:
            show(envelope)
            if isinstance(envelope.event, TextDelta):
                said.append(asyncio.create_task(steer(s.app, SteerRequest(WORDS))))

        vars(s.port)["emit"] = emit  # hears the answer begin
        answer = await s.ask("What?")
        assert answer.text == "Done."
        assert await said[0] == SteerAnswer(steered=False)


async def test_a_cancelled_run_leaves_them_over(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE]) as s:
        said: list[asyncio.Task[SteerAnswer]] = []

        async def say() -> None:
            said.append(asyncio.create_task(steer(s.app, SteerRequest(WORDS))))
            await until(lambda: waiting(s) == 1)
            s.app.runs.cancel()
            await asyncio.Event().wait()

        during(s, say)
        asking = asyncio.create_task(s.ask("What?"))
        await asyncio.wait({asking})
        assert asking.cancelled()
        assert await said[0] == SteerAnswer(steered=False)
        assert WORDS not in str(s.app.sessions.loaded()[0].conversation.messages)


async def test_words_can_be_taken_back(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE]) as s:

        async def say_and_withdraw() -> None:
            said = asyncio.create_task(steer(s.app, SteerRequest(WORDS)))
            await until(lambda: waiting(s) == 1)
            said.cancel()
            await asyncio.wait({said})

        during(s, say_and_withdraw)
        await s.ask("What?")
        assert s.port.of(Steered) == []
        assert last_texts(s, 1) == []


async def test_a_hook_may_refuse_them(tmp_path: Path) -> None:
    refuses = "grep -q boat && { echo no boats >&2; exit 2; }; echo On call: Ada"
    settings = {"hooks": {"promptSubmit": [{"command": refuses}]}}
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE], settings) as s:
        said = steering(s, WORDS)
        await s.ask("What?")
        assert "no boats" in str(said[0].exception())
        assert last_texts(s, 1) == []


async def test_which_run_is_meant(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE] * 2) as s:
        assert await steer(s.app, SteerRequest(WORDS)) == SteerAnswer(steered=False)
        with pytest.raises(UsageError, match="no words"):
            await steer(s.app, SteerRequest(" \n"))
        said = steering(s, WORDS, run_id="r1")
        answer = await s.ask("What?", run_id="r1")
        assert said[0].result().steered
        said = steering(s, WORDS, session_id="another")
        await s.ask("What?", session_id=answer.session_id)
        assert not said[0].result().steered


async def test_without_a_model_they_are_the_next_question(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [], {"models": {"offline": True}}) as s:
        asking = asyncio.create_task(s.ask("What is swim?"))
        await until(lambda: bool(s.app.runs.active()))
        assert not (await steer(s.app, SteerRequest(WORDS))).steered
        await asking


@pytest.mark.parametrize("restart", [False, True])
async def test_a_retry_asks_with_what_was_said_in_its_order(tmp_path: Path, restart: bool) -> None:
    """So does a retry of the retry; what was attached or mentioned goes along once."""
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), *[DONE] * 3]) as s:
        steering(s, "As in @boat.py", "And briefly.", attachments=(pasted(),))
        session_id = (await s.ask("What?", attachments=(pasted(),))).session_id
        told = [*said(s, 0), *(each for each in said(s, 1) if each["type"] != "tool_result")]
        if not restart:
            for number in (2, 3):
                await retry(s.app, RetryRequest(session_id))
                assert said(s, number) == told
    if restart:
        async with stage(tmp_path / "ws", FILES, [DONE] * 2) as s:
            await retry(s.app, RetryRequest(session_id))
            assert said(s, 0) == told
            assert [each.text for each in s.port.of(Steered)] == ["As in @boat.py", "And briefly."]
            await retry(s.app, RetryRequest(session_id, question="What else?"))
            assert last_texts(s, 1)[-1] == "What else?"
            assert "boat" not in str(s.said(1))


async def test_a_hook_may_refuse_them_again_and_nothing_is_dropped(tmp_path: Path) -> None:
    refuses = "test -e no && grep -q boat && { echo no boats >&2; exit 2; }; true"
    settings = {"hooks": {"promptSubmit": [{"command": refuses}]}}
    async with stage(tmp_path / "ws", FILES, [Turn(ASKS), DONE], settings) as s:
        steering(s, WORDS)
        session_id = (await s.ask("What?")).session_id
        (s.root / "no").touch()
        with pytest.raises(UsageError, match="no boats"):
            await retry(s.app, RetryRequest(session_id))
        (asked,) = s.app.sessions.loaded()[0].asked
        assert asked.steered == ((Steered(WORDS), ()),)

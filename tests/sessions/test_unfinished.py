"""What was shown of a reply that was stopped is shown again with its session, once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.core.events import (
    RunCancelled,
    RunFailed,
    RunFinished,
    TextDelta,
    ThinkingDelta,
)
from glossator.sessions import replay_events
from tests.passing import let_pass
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import StreamError, Text, Thinking, ToolUse, Turn

FILES = {"app.py": "one\n"}
SAID = "A retry is another try."
LAST = "Time is up."
READ = Turn(Text("I look."), ToolUse("Read", {"path": "app.py"}))


def held() -> Turn:
    """A turn that stands still after it said something."""
    return Turn(Text(SAID), Text("Never."), gate=asyncio.Event(), gate_after_block=True)


async def shown_again(root: Path, session_id: str) -> list[Any]:
    """The texts and ends of the session's runs, by a server of its own."""
    async with stage(root, {}, []) as s:
        resumed = await resume_session(s.app, ResumeSessionRequest(session_id))
        events = [envelope.event for envelope in resumed.events]
        assert [envelope.seq for envelope in resumed.events] == list(range(len(events)))
    return [e for e in events if isinstance(e, TextDelta | RunCancelled | RunFinished)]


async def streamed(s: Stage, text: str) -> None:
    """Wait until so much was shown."""
    await until(lambda: text in "".join(each.text for each in s.port.of(TextDelta)))


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({}, [TextDelta(SAID), RunCancelled()]),
        # the editor was told to drop it, and what took its place is the last word
        ({"limits": {"seconds": 60}}, [TextDelta(LAST), RunFinished("time")]),
    ],
    ids=["cancelled", "late"],
)
async def test_a_reply_that_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, Any], left: list[Any]
) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, [READ, held(), Turn(Text(LAST))], limits) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await streamed(s, SAID)
        if limits:
            let_pass(monkeypatch, 45)
        else:
            run.cancel()
        await asyncio.wait({run})
    assert await shown_again(root, session.id) == [TextDelta("I look."), *left]


async def test_a_reply_that_was_asked_for_again(tmp_path: Path) -> None:
    """Only what took its place is shown."""
    root = tmp_path / "ws"
    broken = Turn(Text("I lo"), fault=StreamError(after=1), chunk=4)
    async with stage(root, FILES, [broken, READ, Turn(Text("One."))]) as s:
        answer = await s.ask("?")
    texts = [TextDelta("I look."), TextDelta("One.")]
    assert await shown_again(root, answer.session_id) == [*texts, RunFinished("answered")]


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ([READ, held()], [TextDelta("I look."), TextDelta(SAID)]),
        (
            [Turn(Thinking("I_think"), Text("No."), gate=asyncio.Event(), gate_after_block=True)],
            [ThinkingDelta("I_think")],
        ),
    ],
    ids=["text", "thinking"],
)
async def test_a_server_that_is_killed_leaves_what_was_shown(
    tmp_path: Path, script: list[Turn], left: list[TextDelta | ThinkingDelta]
) -> None:
    """What is on disk while the reply streams is what another server finds after the kill."""
    async with stage(tmp_path / "ws", FILES, script) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        kind, text = type(left[-1]), left[-1].text
        await until(lambda: "".join(each.text for each in s.port.of(kind)).endswith(text))
        events = [e.event for e in replay_events(await s.app.sessions.records(session.id))]
        *before, last = (e for e in events if isinstance(e, TextDelta | ThinkingDelta))
        assert before == left[:-1]
        assert last.text  # all but what came within a quarter of a second of it
        assert text.startswith(last.text)
        assert isinstance(events[-1], RunFailed)
        run.cancel()
        await asyncio.wait({run})


async def test_thinking_is_shown_again(tmp_path: Path) -> None:
    turn = Turn(Thinking("a_b, then *c*"), Text("One."))
    async with stage(tmp_path / "ws", FILES, [turn]) as s:
        answer = await s.ask("?")
        records = await s.app.sessions.records(answer.session_id)
        told = [each.event for each in replay_events(records)]
        told = [each for each in told if isinstance(each, TextDelta | ThinkingDelta)]
        assert told == [ThinkingDelta("a_b, then *c*"), TextDelta("One.")]

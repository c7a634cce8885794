"""What was shown of a reply that was stopped is shown again with its session, once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.core.events import RunCancelled, RunFinished, TextDelta
from glossator.usecases.sessions import ResumeSessionRequest, resume_session
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import StreamError, Text, ToolUse, Turn

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
        ({"limits": {"seconds": 1}}, [TextDelta(LAST), RunFinished("time")]),
    ],
    ids=["cancelled", "late"],
)
async def test_a_reply_that_is_stopped(
    tmp_path: Path, limits: dict[str, Any], left: list[Any]
) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, [READ, held(), Turn(Text(LAST))], limits) as s:
        await s.app.scanned()
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await streamed(s, SAID)
        if not limits:
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

"""Titles by the fast model: beside the answer, and never instead of the user's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.declared import EXPLAIN
from glossator.commands.on_lines import LinesRequest, act_on_lines
from glossator.commands.sessions import (
    ListSessionsRequest,
    RenameSessionRequest,
    list_sessions,
    rename_session,
)
from glossator.commands.turns import RewindRequest, rewind
from glossator.core.uri import to_uri
from glossator.sessions.records import ModelCall
from tests.stage import Stage, stage
from tests.standin import Fault, HttpError, Script, Text, Turn

FILES = {"app.py": "def greet(name):\n    return f'hello {name}'\n"}
TITLES = {"sessions": {"titles": True}}
LONG = "Hello, could you have a look at why the greeting of app.py does not say good evening?"
PLAIN = "Have a look at why the greeting of app.py does not say good…"
MADE = "Evening greeting in app.py"


def playing(said: str, gate: asyncio.Event | None = None, fault: Fault | None = None) -> Script:
    """The answer of the main model, and what the fast one says when it is asked for a title."""

    def play(body: dict[str, Any]) -> Turn:
        is_title = "Give the conversation a title" in str(body["messages"][-1])
        return Turn(Text(said), gate=gate, fault=fault) if is_title else Turn(Text("Done."))

    return play


async def title(s: Stage) -> str:
    (session,) = (await list_sessions(s.app, ListSessionsRequest())).sessions
    return session.title


async def test_a_long_first_question_gets_a_title_that_counts_and_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, playing(f'"{MADE}."\nOr another.'), TITLES) as s:
        answer = await s.ask(LONG)
        await s.app.titles.settle()
        assert await title(s) == MADE
        (told,) = s.port.sessions
        assert (told.session_id, told.title) == (answer.session_id, MADE)
        session = await s.app.sessions.open(answer.session_id)
        spent = [r for r in await s.app.sessions.records(session.id) if isinstance(r, ModelCall)]
        assert sorted(each.purpose for each in spent) == ["title", "turn"]
        assert session.account.replies == 2
        await s.ask(LONG, session_id=session.id)
        assert len(s.api.requests) == 3, "a session is titled once"
    async with stage(tmp_path / "ws", {}, playing(""), TITLES) as s:
        assert await title(s) == MADE
        await rewind(s.app, RewindRequest(session.id))
        await rewind(s.app, RewindRequest(session.id))
        assert await title(s) == "New session", "it goes with the question that it was made of"


@pytest.mark.parametrize(
    ("script", "settings", "requests"),
    [
        (playing(MADE), {"sessions": {"titles": False}}, 1),
        (playing("…"), TITLES, 2),
        (playing("", fault=HttpError(529, "overloaded_error", "Overloaded")), TITLES, 2),
    ],
)
async def test_the_core_of_the_question_stays(
    tmp_path: Path, script: Script, settings: dict[str, Any], requests: int
) -> None:
    async with stage(tmp_path / "ws", FILES, script, settings) as s:
        await s.ask(LONG)
        await s.app.titles.settle()
        assert await title(s) == PLAIN
        assert len(s.api.requests) >= requests
        assert not s.port.sessions


async def test_an_action_on_lines_is_called_as_people_see_it(tmp_path: Path) -> None:
    """Its words for the model are ours, and no model is asked for a title of them."""
    async with stage(tmp_path / "ws", FILES, playing(MADE), TITLES) as s:
        lines = LinesRequest(to_uri(str(s.root / "app.py")), 1, 2)
        await act_on_lines(EXPLAIN, s.app, lines)
        await s.app.titles.settle()
        assert await title(s) == "Explain app.py:1-2"
        assert len(s.api.requests) == 1


async def test_a_short_question_is_its_own_title(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, playing(MADE), TITLES) as s:
        await s.ask("Please explain greet")
        assert (await title(s), len(s.api.requests)) == ("Explain greet", 1)


async def test_the_answer_does_not_wait_and_the_users_title_stays(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with stage(tmp_path / "ws", FILES, playing(MADE, gate), TITLES) as s:
        answer = await s.ask(LONG)
        assert answer.text == "Done."
        assert await title(s) == PLAIN
        await rename_session(s.app, RenameSessionRequest(answer.session_id, PLAIN))
        gate.set()
        await s.app.titles.settle()
        assert await title(s) == PLAIN


async def test_an_end_while_a_title_is_made_leaves_the_plain_one(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with stage(tmp_path / "ws", FILES, playing(MADE, gate), TITLES) as s:
        await s.ask(LONG)
    gate.set()
    async with stage(tmp_path / "ws", {}, playing(MADE), TITLES) as s:
        assert await title(s) == PLAIN

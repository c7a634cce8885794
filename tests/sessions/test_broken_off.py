"""A reply that breaks off, or is not waited for, has cost what was told of it by then."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import (
    CompactRequest,
    ExportSessionRequest,
    compact_session,
    export_session,
)
from glossator.commands.status import StatusRequest, status
from glossator.core.errors import ModelError
from glossator.core.events import TextDelta, Usage
from tests.passing import let_pass
from tests.sessions.test_spending import FILES, Chatting, usages
from tests.stage import stage
from tests.standin import EndBeforeStop, Fault, StreamError, Text, TruncateAt, Turn


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize("fault", [StreamError(), TruncateAt(2_000), EndBeforeStop()], ids=repr)
async def test_a_reply_that_breaks_off_has_cost_what_was_told(tmp_path: Path, fault: Fault) -> None:
    text = Text("It greets. " * 200)
    script = [Turn(text, fault=fault), Turn(text)]
    quick = {"models": {"maxRetryWait": 0.001}}
    async with stage(tmp_path / "ws", FILES, script, quick) as s:
        answer = await s.ask("?")
        session = await s.app.sessions.open(answer.session_id)
        broken, whole = usages(s)
        assert broken.input_total == whole.input_total > 0
        told = whole.output_tokens if isinstance(fault, EndBeforeStop) else 1
        assert broken.output_tokens == told
        assert answer.usage == session.account.spending.usage == broken + whole
        assert answer.dollars == session.account.spending.known_dollars > 0
        assert (session.account.replies, session.account.broken_off) == (2, 1)
        assert session.account.last == whole
        markdown = await export_session(s.app, ExportSessionRequest(session.id))
        assert "; 1 broke off and took more than was counted" in markdown.text
        (shown,) = (await status(s.app, StatusRequest())).spending
        assert (shown.replies, shown.broken_off) == (2, 1)
    async with stage(tmp_path / "ws", {}, []) as s:
        assert (await s.app.sessions.open(session.id)).account == session.account


@pytest.mark.parametrize("limits", [{}, {"limits": {"seconds": 60}}], ids=["cancelled", "late"])
async def test_a_reply_that_is_not_waited_for_has_cost_what_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, Any]
) -> None:
    script = [Turn(Text("Hm"), gate=asyncio.Event()), Turn(Text("Time is up."))]
    async with stage(tmp_path / "ws", FILES, script, limits) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        while not s.port.of(TextDelta):  # noqa: ASYNC110 - the recorder sets no event
            await asyncio.sleep(0)
        if limits:
            let_pass(monkeypatch, 45)
        else:
            run.cancel()
        await asyncio.wait({run})
        usage, *of_last_word = usages(s)
        assert len(of_last_word) == len(limits)
        assert usage.input_total > 0
        assert (session.account.replies, session.account.broken_off) == (1 + len(limits), 1)
        assert session.account.last == [usage, *of_last_word][-1]
        assert not isinstance(s.port.events[-1], Usage)  # the run's end is told last


async def test_a_summary_that_breaks_off_has_cost_what_was_told(tmp_path: Path) -> None:
    player = Chatting(Turn(Text("{" * 500), fault=StreamError()))
    async with stage(tmp_path / "ws", FILES, player, {"models": {"maxRetries": 0}}) as s:
        session = await player.talk(s)
        last = session.account.last
        with pytest.raises(ModelError):
            await compact_session(s.app, CompactRequest(session.id))
        assert (session.account.replies, session.account.broken_off) == (9, 1)
        assert session.account.last == last

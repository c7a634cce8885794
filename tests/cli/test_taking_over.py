"""Two chats at two terminals want the same session: one takes it over, the other is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.cli.terminal import CTRL_D
from tests.cli.test_acting import program, workspace
from tests.cli.test_talking import READY, reads
from tests.patience import until
from tests.standin import StandIn, Text, Turn


async def test_a_chat_takes_a_session_over_from_another(tmp_path: Path) -> None:
    workspace(tmp_path)
    gate = asyncio.Event()
    script = [reads(gate), Turn(Text("To two.")), Turn(Text("Back again."))]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as first:
        await first.sees(READY)
        first.type("What does it do?\n")
        await until(lambda: bool(api.requests))
        async with program(tmp_path, api, "chat", "--continue") as second:
            await second.until("“What does it do?” is open in a terminal.")
            await second.until("1  Take over")
            second.type("1\n")
            await second.sees(READY)
            await first.until("Continued in a terminal. What was done so far is kept.")
            await first.until("/takeover takes it back, /new begins another one.")
            second.type("How deep?\n")
            await second.until("To two.")
            await second.sees(READY)
            first.type("And now?\n")
            await first.until("The session is open in a terminal. Take it over with /takeover")
            first.type("/takeover\n")
            await first.until("“What does it do?” is open here now.")
            await second.until("/takeover takes it back, /new begins another one.")
            second.type(CTRL_D)
            assert await second.ended() == 0
        first.type("And now?\n")
        await first.until("Back again.")
        await first.sees(READY)
        first.type(CTRL_D)
        await first.ended()
        assert api.refusals == []
        assert len(api.requests[2].body["messages"]) > len(api.requests[1].body["messages"])

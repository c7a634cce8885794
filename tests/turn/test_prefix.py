"""Forty turns of parallel tools: the prompt only grows, and nearly all of it comes from the cache.

A server with a real cache charges what the stand-in charges: entries at breakpoints, found at most
20 blocks back, none below the smallest size.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from glossator.llm.meter import Spending
from tests.stage import stage
from tests.standin import Text, Thinking, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

TURNS = 40
FILES = {
    f"part_{number:02d}.py": "".join(
        f"def step_{number}_{line}(value):\n    return value + {line}\n" for line in range(12)
    )
    for number in range(TURNS)
}
SCRIPT = [
    Turn(
        Thinking(f"Part {number} is next."),
        ToolUse("Read", {"path": f"part_{number:02d}.py"}),
        ToolUse("Grep", {"pattern": f"step_{number}_1", "output_mode": "content"}),
        ToolUse("Glob", {"pattern": f"part_{number:02d}*"}),
        *(ToolUse("Grep", {"pattern": f"{number}_{n}"}) for n in range(12 if number == 7 else 0)),
    )
    for number in range(TURNS - 1)
]
SETTINGS = {"limits": {"turns": TURNS}}


def texts_of(body: dict[str, Any]) -> tuple[str, str, str]:
    plain = without_cache_marks(body)
    system, tools, messages = (json.dumps(plain[part]) for part in ("system", "tools", "messages"))
    return system, tools, messages[:-1]


async def test_forty_turns_read_their_prefix_from_the_cache(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [*SCRIPT, Turn(Text("Done."))], SETTINGS) as s:
        answer = await s.ask("What does each part do?")
        bodies = [texts_of(request.body) for request in s.api.requests]
    assert (answer.turns, len(bodies)) == (TURNS, TURNS)
    for before, after in pairwise(bodies):
        assert after[:2] == before[:2]
        assert after[2].startswith(before[2])
    assert Spending(answer.usage).read_share >= 0.95


async def test_a_request_names_the_reply_before_it(tmp_path: Path) -> None:
    done = Turn(Text("Done."))
    async with stage(tmp_path, FILES, [*SCRIPT[:3], done, done], SETTINGS) as s:
        answer = await s.ask("What do the first do?")
        await s.ask("And the others?", session_id=answer.session_id)
        named = [r.body["diagnostics"]["previous_message_id"] for r in s.api.requests]
    assert named == [None, "msg_0001", "msg_0002", "msg_0003", "msg_0004"]

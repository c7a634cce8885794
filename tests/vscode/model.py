"""The stand-in as a process, for stories told in VS Code: `python -m tests.vscode.model`.

Its first line is `{"url"}`. Then each line in is answered by one line out: `{"play": [turn]}` gives
it turns to play, `{"parted": number}` waits until that many clients have left in mid-reply, and
`{"tell": true}` asks for `{"requests": [body], "refusals", "left": number of turns}`. A turn is a
list of texts and of `{"Tool": arguments}`; after a null the stream stands still. It ends with its
input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tests.standin import StandIn, Text, ToolUse, Turn

Block = str | Mapping[str, Any] | None


def turn_of(blocks: Sequence[Block]) -> Turn:
    """A reply of the model. It can stand still only after its first block."""
    said = [
        Text(block) if isinstance(block, str) else ToolUse(*next(iter(block.items())))
        for block in blocks
        if block is not None
    ]
    gate = asyncio.Event() if None in blocks else None
    assert gate is None or blocks.index(None) == 1, "A stream stands still after its first block."
    return Turn(*said, gate=gate, gate_after_block=gate is not None)


async def answer(order: Mapping[str, Any], turns: deque[Turn], api: StandIn) -> dict[str, Any]:
    """Do what a line says."""
    turns.extend(map(turn_of, order.get("play", ())))
    if "parted" in order:
        await api.wait_for_disconnect(order["parted"])
    if "tell" not in order:
        return {}
    bodies = [request.body for request in api.requests]
    return {"requests": bodies, "refusals": api.refusals, "left": len(turns)}


async def main() -> None:
    """Serve until the input ends."""
    turns: deque[Turn] = deque()
    async with StandIn(lambda _: turns.popleft()) as api:
        tell({"url": api.base_url})
        while line := await asyncio.to_thread(sys.stdin.readline):
            tell(await answer(json.loads(line), turns, api))


def tell(answer: Mapping[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())

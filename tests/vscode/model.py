"""The stand-in as a process, for stories told in VS Code: `python -m tests.vscode.model`.

Its first line is `{"url"}`. Then each line in is answered by one line out:

- `{"play": [turn]}` gives it the next turns of the conversation. A turn is a list of texts and of
  `{"Tool": arguments}`; after a null the stream stands still, until `{"go": true}` lets go on all
  that stand still by then.
- `{"sides": [[words, turn]]}` gives it replies to requests without tools, each to the next one
  whose text holds these words.
- `{"verdicts": {word: [answer, words]}}` and `{"rewrites": {word: text}}` say how statements that
  hold a word are judged and rewritten, as often as that is asked.
- `{"parted": number}` waits until that many clients have left in mid-reply.
- `{"tell": true}` asks for `{"requests": [body], "refusals", "left": number of turns}`.

What nobody told it is refused. It ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tests.sides import Body, answering, asked, first_text, rewriting, statements
from tests.standin import StandIn, Text, ToolUse, Turn
from tests.standin.errors import Refusal

Block = str | Mapping[str, Any] | None


class Script:
    """What it replies, to whom."""

    def __init__(self) -> None:
        self.turns: deque[Turn] = deque()
        self.sides: list[tuple[str, Turn]] = []
        self.pace = 0.0
        self.verdicts: dict[str, tuple[str, str]] = {}
        self.rewrites: dict[str, str] = {}
        self._playing: list[Turn] = []

    def take(self, order: Mapping[str, Any]) -> None:
        """Keep what a line says of replies, and let streams go on that stand still."""
        self.pace = order.get("pace", self.pace)
        self.turns.extend(map(self._turn, order.get("play", ())))
        self.sides += [(words, self._turn(turn)) for words, turn in order.get("sides", ())]
        self.verdicts |= {word: tuple(each) for word, each in order.get("verdicts", {}).items()}
        self.rewrites |= order.get("rewrites", {})
        if "go" in order:
            for turn in self._playing:
                if turn.gate is not None:
                    turn.gate.set()

    def _turn(self, blocks: Sequence[Block]) -> Turn:
        """A reply of the model. It can stand still only after its first block."""
        said = [
            Text(block) if isinstance(block, str) else ToolUse(*next(iter(block.items())))
            for block in blocks
            if block is not None
        ]
        gate = asyncio.Event() if None in blocks else None
        assert gate is None or blocks.index(None) == 1, "A stream stands after its first block."
        return Turn(*said, gate=gate, gate_after_block=gate is not None, pace=self.pace)

    def __call__(self, body: Body) -> Turn:
        """The reply to a request."""
        self._playing.append(self._reply(body))
        return self._playing[-1]

    def _reply(self, body: Body) -> Turn:
        if kind := asked(body):
            return self._judged(body, kind)
        if "tools" not in body:
            text = first_text(body)
            for n, (words, turn) in enumerate(self.sides):
                if words in text:
                    del self.sides[n]
                    return turn
        if not self.turns:
            raise Refusal(f"There is no reply to: {str(body['messages'][-1])[-500:]}", 500)
        return self.turns.popleft()

    def _judged(self, body: Body, kind: str) -> Turn:
        known = self.verdicts if kind == "verify" else self.rewrites
        for each in statements(body):
            if not any(word in each for word in known):
                raise Refusal(f"Nobody said how to {kind}: {each}", 500)
        if kind == "verify":
            return answering(**self.verdicts)(body)
        return rewriting(**self.rewrites)(body)

    @property
    def left(self) -> int:
        """Turns that were not played."""
        return len(self.turns) + len(self.sides)


async def answer(order: Mapping[str, Any], script: Script, api: StandIn) -> dict[str, Any]:
    """Do what a line says."""
    script.take(order)
    if "parted" in order:
        await api.wait_for_disconnect(order["parted"])
    if "tell" not in order:
        return {}
    bodies = [request.body for request in api.requests]
    return {"requests": bodies, "refusals": api.refusals, "left": script.left}


async def main() -> None:
    """Serve until the input ends."""
    script = Script()
    async with StandIn(script) as api:
        tell({"url": api.base_url})
        while line := await asyncio.to_thread(sys.stdin.readline):
            tell(await answer(json.loads(line), script, api))


def tell(answer: Mapping[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())

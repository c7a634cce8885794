"""Two hundred turns and two compactions: nothing that the user said is lost."""

from itertools import pairwise
from typing import Any

from glossator.context.compaction import is_due
from glossator.core.events import Usage
from tests.context.compacting import Talk, is_asked_for_a_summary, summary_turn, texts_of
from tests.llm.asking import asker
from tests.standin import Text, Thinking, ToolUse, Turn

TURNS = 200
WINDOW = 1_000_000


def words(number: int) -> str:
    """What the user says in a turn; every fifth calls for tools, every tenth for one that fails."""
    wish = f"Wish {number}: call it “n_{number}”,\n  indented, and never {number * 7919}."
    return f"{wish} Look it up." if number % 5 == 0 else wish


class Player:
    """The model; its window is full twice."""

    def __init__(self) -> None:
        self.summaries = 0

    def __call__(self, body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            self.summaries += 1
            return summary_turn(decisions=[f"Decided {n}." for n in range(self.summaries)])
        last = body["messages"][-1]["content"]
        if last[0]["type"] == "text" and last[-1]["text"].endswith("Look it up."):
            number = int(last[-1]["text"].split(":")[0].removeprefix("Wish "))
            calls = [
                ToolUse("Bash", {"gives": f"bulk {number} " * 50, "fails": number % 10 == 0}),
                ToolUse("Read", {"gives": f"bulk {number} " * 50}),
            ]
            return Turn(Thinking("I look."), *calls)
        said = last[-1].get("text", "")
        full = any(said.startswith(f"Wish {number}:") for number in (80, 81, 160, 161))
        usage = {"cache_read_input_tokens": 850_000} if full else None
        return Turn(Thinking("So."), Text(f"Answer. {said[:9]}"), usage=usage)


async def test_two_hundred_turns_lose_nothing_the_user_said() -> None:
    player = Player()
    compactions = []
    async with asker(player) as ask:
        talk = Talk(ask.model)
        for number in range(TURNS):
            reply = await talk.say(words(number))
            if is_due(reply.usage, WINDOW):
                compacted = await talk.compact()
                assert compacted is not None
                compactions.append(number)
                assert compacted.after < compacted.before
                assert not is_due(Usage(compacted.after), WINDOW)
                held = "\n".join(texts_of(compacted.messages))
                lost = [n for n in range(number + 1) if words(n) not in held]
                assert lost == []
        assert compactions == [81, 161]
        held = "\n".join(texts_of(talk.conversation.messages))
        assert [n for n in range(TURNS) if words(n) not in held] == []
        failed = [n for n in range(0, TURNS, 10) if f"bulk {n} " not in held and n < 150]
        assert failed == []
        assert '"Decided 1."' in held
        assert ask.api.refusals == []
        bodies = [request.body["messages"] for request in ask.api.requests]
    shrunk = [n for n, (a, b) in enumerate(pairwise(bodies)) if len(b) < len(a)]
    assert len(shrunk) == 2

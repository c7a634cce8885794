"""A long session is refused in every way that servers have; it goes on, and nothing said is lost."""

import base64
import random
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from glossator.agent.calls import permit_direct_call
from glossator.agent.loop import run_agent
from glossator.agent.run import Agent, RunContext, RunOutcome
from glossator.context.compaction import CarriedState, Compacted, Compactor
from glossator.context.kept import KeptTools
from glossator.context.summary import PromptPrefix
from glossator.core.errors import ModelRefused, RequestTooLong
from glossator.core.events import Event, Notice
from glossator.core.images import Image
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.model import Message, ModelRequest, Reply, ToolSpec
from glossator.prompts import load_prompt
from glossator.settings.model import LimitSettings
from glossator.tools.base import ToolContext
from tests.context.compacting import is_asked_for_a_summary, summary_turn
from tests.standin import Text, Thinking, ToolUse, Turn
from tests.standin.content import located_blocks, nested, plain, tokens_in
from tests.standin.inprocess import InProcess, Refuse
from tests.standin.refusals import (
    ANYWHERE,
    BLIND,
    DOCUMENTS,
    IMAGES,
    OPTIONS,
    PARTS,
    SIGNATURES,
    TOO_LONG,
    TOO_MANY,
    Wording,
)

Json = dict[str, Any]

TIMES = 500
SYSTEM = ("Shared by everybody.", "Of this session. " * 20)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
SPECS = tuple(ToolSpec(name, f"Does {name}.", SCHEMA) for name in ("Bash", "Grep", "Read"))
FRAME = PromptPrefix(SYSTEM, SPECS)
WORDS = [f"Words {number} that I said, and that must not be lost." for number in range(9)]
PDF = base64.b64encode(b"%PDF-1.7 no pages").decode()


def picture(number: int) -> Image:
    """A PNG of one pixel, of a colour of its own."""

    def part(kind: bytes, data: bytes) -> bytes:
        length = len(data).to_bytes(4)
        return length + kind + data + zlib.crc32(kind + data).to_bytes(4)

    head = part(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\x02\0\0\0")
    body = part(b"IDAT", zlib.compress(b"\0" + number.to_bytes(3)))
    content = b"\x89PNG\r\n\x1a\n" + head + body + part(b"IEND", b"")
    return Image("image/png", base64.b64encode(content).decode())


def said(body: Json) -> int:
    """How many of the words a request holds."""
    return sum(words in str(body) for words in WORDS)


def play(body: Json) -> Turn:
    """Each question is answered after two rounds of calls, with thinking before each."""
    if is_asked_for_a_summary(body):
        return summary_turn()
    since = 0
    for message in reversed(body["messages"]):
        if message["role"] == "assistant":
            since += 1
        elif not any(block["type"] == "tool_result" for block in message["content"]):
            break
    thought = Thinking(f"I think about {said(body)}, step {since}. " * 10)
    if since >= 2 or said(body) >= len(WORDS):
        return Turn(thought, Text(f"The answer to {said(body)}."))
    calls = [ToolUse("Read", {"path": f"file_{said(body)}_{since}_{n}.py"}) for n in range(2)]
    return Turn(thought, Text("I look."), *calls)


@pytest.fixture
async def history() -> tuple[Message, ...]:
    """A session of eight questions, with calls, thinking, pictures and a document."""
    api = InProcess(play)
    conversation, model = Conversation(), api.model()
    for number, words in enumerate(WORDS[:-1]):
        shown = load_prompt("user/image").render(image=f"picture_{number}.png")
        conversation.append(user_message(words, shown, picture(number)))
        if number == 3:
            source = {"type": "base64", "media_type": "application/pdf", "data": PDF}
            conversation.messages[-1]["content"].append({"type": "document", "source": source})
        while conversation.unanswered:
            request = ModelRequest(SYSTEM, SPECS, conversation.messages)
            reply = [event async for event in model.stream(request)][-1]
            assert isinstance(reply, Reply)
            conversation.append(reply.message)
            if reply.tool_calls:
                results = [
                    ToolResult(
                        f"{call.arguments['path']}\n" + f"{number}\tcode = {number}\n" * 60,
                        images=(picture(100 + 10 * number),) if place else (),
                    )
                    for place, call in enumerate(reply.tool_calls)
                ]
                conversation.append(tool_answers(list(zip(reply.tool_calls, results, strict=True))))
    assert api.refused == []
    await api.close()
    return conversation.messages


@dataclass
class Session:
    """The session under test, at a server that may refuse."""

    api: InProcess
    conversation: Conversation
    events: list[Event]
    compacted: list[Compacted]

    async def ask(self, question: str) -> RunOutcome:
        model = self.api.model()
        known = model._known
        known.facts = replace(known.facts, window=self.api.window)

        async def no_tools() -> ToolContext:
            raise AssertionError("No tool is called.")

        compactor = Compactor(
            self.conversation,
            model,
            FRAME,
            KeptTools(),
            CarriedState,
            self.compacted.append,
            0.8,
            self.events.append,
        )
        context = RunContext(
            model, self.events.append, no_tools, permit_direct_call, compactor=compactor
        )
        limits = LimitSettings(tokens=10**9, turns=40)
        self.conversation.append(user_message(question))
        return await run_agent(
            Agent("main", SYSTEM, {}, limits, SPECS), self.conversation, context
        )

    @property
    def told(self) -> str:
        return "\n".join(event.message for event in self.events if isinstance(event, Notice))


def parts_of(body: Json) -> Iterator[tuple[str, Json]]:
    """Every part with its place, the outer before the inner."""
    for path, _, block in located_blocks(body):
        yield from nested(path, block)


def while_present(wording: Wording, poison: Json) -> Refuse:
    """Refuses requests that hold this part, and names its place."""

    def refuse(body: Json) -> tuple[int, Json] | None:
        at = next((path for path, part in parts_of(body) if plain(part) == poison), None)
        return None if at is None else (wording.status, wording.say(at=at))

    return refuse


def while_true(wording: Wording, wrong: Callable[[Json], bool], **values: object) -> Refuse:
    """Refuses requests of which this holds."""
    return lambda body: (wording.status, wording.say(**values)) if wrong(body) else None


def choose(kind: str, name: str, wording: Wording, messages: list[Message], rng: random.Random):
    """How the server refuses, and what the notice must name."""
    body = {"messages": messages}
    parts = [(path, plain(part)) for path, part in parts_of(body)]
    of = lambda *types: [part for _, part in parts if part.get("type") in types]  # noqa: E731
    images = of("image")
    match kind:
        case "image":
            return while_present(wording, rng.choice(images)), "image"
        case "document":
            return while_present(wording, rng.choice(of("document"))), "document"
        case "signature":
            old = of("thinking")

            def refuse(body: Json) -> tuple[int, Json] | None:
                at = next((path for path, part in parts_of(body) if plain(part) in old), None)
                return None if at is None else (wording.status, wording.say(at=at))

            return refuse, "thinking"
        case "many":
            most = rng.randrange(len(images))
            count = lambda body: sum(p.get("type") == "image" for _, p in parts_of(body))  # noqa: E731
            return while_true(wording, lambda body: count(body) > most, at=parts[1][0]), "image"
        case "blind":
            seen = lambda body: any(p.get("type") == "image" for _, p in parts_of(body))  # noqa: E731
            return while_true(wording, seen), "images"
        case "part" | "anywhere":
            poison = rng.choice([p for p in of("text", "tool_use", "tool_result", "thinking")
                                 if p.get("text") not in WORDS])
            return while_present(wording, poison), ""
        case "length":
            whole = tokens_in(body)
            limit = round(whole * rng.uniform(0.5, 0.9))
            long = lambda body: tokens_in(body) > limit  # noqa: E731
            return while_true(wording, long, tokens=whole, limit=limit), ""
    option = name.partition(",")[0]
    if option == "max_tokens":
        return while_true(wording, lambda body: body["max_tokens"] > 8192), "tokens"
    if option == "tools":
        tool = rng.choice(SPECS).name

        def refuse_tool(body: Json) -> tuple[int, Json] | None:
            names = [each["name"] for each in body.get("tools", ())]
            if tool not in names:
                return None
            return wording.status, wording.say(tool=names.index(tool))

        return refuse_tool, tool
    if option == "cache_control":
        marked = lambda body: any(option in part for _, part in parts_of(body))  # noqa: E731
        return while_true(wording, marked, at="system.0"), "cache"
    return while_true(wording, lambda body: option in body), ""


KINDS: Mapping[str, Mapping[str, Wording]] = {
    "image": IMAGES,
    "document": DOCUMENTS,
    "signature": SIGNATURES,
    "many": TOO_MANY,
    "blind": BLIND,
    "part": PARTS,
    "anywhere": ANYWHERE,
    "length": TOO_LONG,
    "option": OPTIONS,
}
ROWS = [(kind, name) for kind, rows in KINDS.items() for name in rows]


async def test_whatever_is_refused_the_session_goes_on(history: tuple[Message, ...]) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for turn in range(TIMES):
        kind, name = ROWS[turn % len(ROWS)]
        messages = deepcopy(list(history[: rng.randrange(len(history) // 2, len(history))]))
        while messages[-1]["role"] != "assistant" or messages[-1]["content"][-1]["type"] != "text":
            messages.pop()
        words = sum(words in str(messages) for words in WORDS)
        refuse, must_name = choose(kind, name, KINDS[kind][name], messages, rng)
        window = round(tokens_in({"messages": messages}) * 1.3) if kind == "length" else 1_000_000
        api = InProcess(play_answers, refuse, window)
        session = Session(api, Conversation(messages), [], [])
        where = f"{turn}: {kind}, {name}"
        outcome = await session.ask(WORDS[-1])
        assert outcome.text == "The answer.", where
        assert said(api.accepted[-1]) == words + 1, where
        assert must_name in session.told, f"{where}: {session.told}"
        assert session.told or session.compacted, where
        refused, told = len(api.refused), session.told
        await session.ask("And more?")
        assert kind in ("option", "blind", "length") or len(api.refused) == refused, where
        assert session.told == told or kind in ("option", "blind", "length"), where
        await api.close()


def play_answers(body: Json) -> Turn:
    if is_asked_for_a_summary(body):
        return summary_turn()
    return Turn(Thinking("Now I know."), Text("The answer."))

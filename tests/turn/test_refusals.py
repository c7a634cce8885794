"""A long session is refused in every way that servers have: it goes on, and no word is lost."""

import base64
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import pytest

from glossator.core.errors import ModelRefused
from glossator.core.events import Event, Notice
from glossator.core.images import Image
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.failures import read_refusal
from glossator.llm.model import Message, ModelRequest, Reply, ToolSpec
from glossator.sessions.compaction.compaction import CarriedState, Compacted, Compactor
from glossator.sessions.compaction.kept import KeptTools
from glossator.sessions.compaction.summary import PromptPrefix
from glossator.settings.model import LimitSettings
from glossator.tools.base import ToolContext
from glossator.turn.loop import run_agent
from glossator.turn.run import Agent, RunOutcome
from tests.sessions.compaction.compacting import is_asked_for_a_summary, summary_turn
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
from tests.turn.running import LoneRun

Json = dict[str, Any]

TIMES = 500  # with `make deep`
SYSTEM = ("Shared by everybody.", "Of this session. " * 20)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
SPECS = tuple(ToolSpec(name, f"Does {name}.", SCHEMA) for name in ("Bash", "Grep", "Read"))
FRAME = PromptPrefix(SYSTEM, SPECS)
WORDS = [f"Words {number} that I said, and that must not be lost." for number in range(9)]
AT = "messages.0.content.2"
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
    window: int = 0  # what the model believes

    async def ask(self, *question: str) -> RunOutcome:
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
        context = LoneRun(model, show=self.events.append, context=no_tools, compactor=compactor)
        limits = LimitSettings(tokens=10**9, turns=40)
        self.conversation.append(user_message(*question))
        agent = Agent("main", SYSTEM, {}, limits, SPECS)
        try:
            return await run_agent(agent, self.conversation, context)
        finally:
            self.window = model.window

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


def has(*types: str) -> Callable[[Json], int]:
    """How many parts of these types a request has."""
    return lambda body: sum(part.get("type") in types for _, part in parts_of(body))


def choose(
    kind: str, name: str, wording: Wording, messages: list[Message], rng: random.Random
) -> tuple[Refuse, str]:
    """How the server refuses, and what the notice must name."""
    body: Json = {"messages": messages}

    def any_of(*types: str) -> Json:
        found = [plain(part) for _, part in parts_of(body) if part.get("type") in types]
        return rng.choice([part for part in found if part.get("text") not in WORDS])

    match kind:
        case "image" | "document":
            return while_present(wording, any_of(kind)), kind
        case "signature":
            return while_present(wording, any_of("thinking")), "thinking"
        case "many":
            most = rng.randrange(has("image")(body))
            return while_true(wording, lambda body: has("image")(body) > most, at=AT), "image"
        case "part" | "anywhere":
            return while_present(wording, any_of("text", "tool_use", "tool_result", "thinking")), ""
        case "length":
            whole = tokens_in(body)
            limit = round(whole * rng.uniform(0.5, 0.9))
            too_long = while_true(
                wording, lambda body: tokens_in(body) > limit, tokens=whole, limit=limit
            )
            return too_long, ""
    return refusing_option(name.partition(",")[0], wording, rng)


def refusing_option(option: str, wording: Wording, rng: random.Random) -> tuple[Refuse, str]:
    """Refuses what stands beside the messages."""
    if option == "max_tokens":
        return while_true(wording, lambda body: body["max_tokens"] > 8192), "tokens"
    if option == "cache_control":
        marked = while_true(
            wording, lambda body: any(option in part for _, part in parts_of(body)), at="system.0"
        )
        return marked, "cache"
    if option in BLIND:
        return while_true(wording, lambda body: has("image")(body) > 0), "images"
    if option != "tools":
        return while_true(wording, lambda body: option in body), ""
    tool = rng.choice(SPECS).name

    def refuse_tool(body: Json) -> tuple[int, Json] | None:
        names = [each["name"] for each in body.get("tools", ())]
        return (wording.status, wording.say(tool=names.index(tool))) if tool in names else None

    return refuse_tool, tool


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


@pytest.mark.parametrize("times", [len(ROWS), pytest.param(TIMES, marks=pytest.mark.deep)])
async def test_whatever_is_refused_the_session_goes_on(
    history: tuple[Message, ...], times: int
) -> None:
    """Also with the next question, which is not refused for the same reason again."""
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    for turn in range(times):
        kind, name = ROWS[turn % len(ROWS)]
        where = f"seed {seed}, {turn}: {kind}, {name}"
        messages = upto_an_answer(history, rng)
        words = said({"messages": messages})
        refuse, must_name = choose(kind, name, KINDS[kind][name], messages, rng)
        window = round(tokens_in({"messages": messages}) * 1.3) if kind == "length" else 1_000_000
        api = InProcess(play_answers, refuse, window)
        session = Session(api, Conversation(tuple(messages)), [], [])
        outcome = await session.ask(WORDS[-1])
        assert outcome.text == "The answer.", where
        assert said(api.accepted[-1]) == words + 1, where
        assert must_name in session.told, f"{where}: {session.told}"
        assert session.told or session.compacted, where
        refused = len(api.refused)
        await session.ask("And more?")
        learnt = kind in ("option", "blind", "length")  # by the model, which is another one now
        assert learnt or len(api.refused) == refused, where
        await api.close()


def upto_an_answer(history: Sequence[Message], rng: random.Random) -> list[Message]:
    """The history up to a random answer in its later half."""
    answered = [
        number
        for number, message in enumerate(history, start=1)
        if message["role"] == "assistant" and message["content"][-1]["type"] == "text"
    ]
    return deepcopy(list(history[: rng.choice(answered[len(answered) // 2 :])]))


async def test_a_question_that_is_larger_than_the_window_is_cut() -> None:
    """There is nothing to compact yet, and what the user typed stays."""
    refuse = while_true(TOO_LONG["llama.cpp"], lambda b: tokens_in(b) > 8_000, tokens=9, limit=8192)
    api = InProcess(play_answers, refuse, 200_000)
    attached = load_prompt("user/terminal").render(name="sh", told="line\n" * 90_000)
    session = Session(api, Conversation(), [], [])
    outcome = await session.ask(WORDS[0], attached)
    assert outcome.text == "The answer."
    assert WORDS[0] in str(api.accepted[-1])
    assert "characters left out here" in str(api.accepted[-1])
    assert "Left out: about" in session.told
    assert session.window == 8192
    await api.close()


async def test_a_compaction_that_is_too_long_goes_on_with_less(
    history: tuple[Message, ...],
) -> None:
    """And at last without a model."""
    whole = tokens_in({"messages": list(history)})
    for most, by_model in ((0.5, True), (0.2, False)):
        asked: list[int] = []

        def too_long(body: Json, most: float = most, asked: list[int] = asked) -> bool:
            if is_asked_for_a_summary(body):
                asked.append(tokens_in(body))
            return tokens_in(body) > most * whole * (0.2 if is_asked_for_a_summary(body) else 1)

        api = InProcess(play_answers, while_true(TOO_LONG["bedrock"], too_long), whole)
        session = Session(api, Conversation(deepcopy(tuple(history))), [], [])
        outcome = await session.ask(WORDS[-1])
        assert outcome.text == "The answer."
        assert said(api.accepted[-1]) == len(WORDS)
        assert asked == sorted(asked, reverse=True)
        assert session.compacted[0].by_model is by_model
        await api.close()


@pytest.mark.parametrize("kind", ["no reason", "prefill"])
async def test_what_is_refused_for_good_changes_nothing(
    history: tuple[Message, ...], kind: str
) -> None:
    """The settings may be wrong: the conversation is as it was when they are right."""
    api = InProcess(play_answers, while_true(ANYWHERE[kind], lambda _: True))
    session = Session(api, Conversation(tuple(history)), [], [])
    with pytest.raises(ModelRefused, match="The conversation is kept"):
        await session.ask(WORDS[-1])
    assert session.conversation.messages[:-1] == history
    assert "new session" not in session.told
    api.refuse = lambda _: None
    assert (await session.ask("Now?")).text == "The answer."
    assert api.accepted[-1]["messages"][: len(history)] != []
    await api.close()


def test_every_wording_of_too_long_is_known() -> None:
    """But those without words, which are known by the size of the request."""
    unknown = [
        name
        for name, wording in TOO_LONG.items()
        if read_refusal(str(wording.say(tokens=9_000, limit=8_192))).about != "length"
    ]
    assert unknown == ["no words"]


@pytest.mark.parametrize(
    ("words", "about", "place"),
    [
        (
            "messages.1.content.4: Input tag 'new' is not one of: 'image', 'tool_search_tool'",
            "part",
            (1, 4),
        ),
        (
            "messages.83.content.0.tool_result.content.1.image.source.base64: bad",
            "image",
            (83, 0, 1),
        ),
        ("messages.369.content.0.thinking.signature: Field required", "thinking", (369, 0)),
        ("messages.38.content.0.pdf.source.base64.data: A maximum of 100", "document", (38, 0)),
        ("messages[3].content[1]: no", "part", (3, 1)),
        ("messages.7: all messages must have non-empty content", "part", (7,)),
        ("Jinja Exception", "part", ()),
    ],
)
def test_what_and_where_is_read(words: str, about: str, place: tuple[int, ...]) -> None:
    found = read_refusal(words)
    assert (found.about, found.place) == (about, place)


def test_the_window_that_a_server_names_is_read() -> None:
    for name, wording in TOO_LONG.items():
        found = read_refusal(str(wording.say(tokens=9_000, limit=8_192)))
        assert found.limit == (8_192 if "{limit}" in wording.body else None), name


def play_answers(body: Json) -> Turn:
    """Every question is answered at once."""
    if is_asked_for_a_summary(body):
        return summary_turn()
    return Turn(Thinking("Now I know."), Text("The answer."))


async def test_words_that_are_named_go_alone(history: tuple[Message, ...]) -> None:
    """An older text of the user, which the server will never take, does not end what came since."""
    poison = {"type": "text", "text": WORDS[2]}
    api = InProcess(play_answers, while_present(PARTS["empty"], poison))
    session = Session(api, Conversation(deepcopy(tuple(history))), [], [])
    assert (await session.ask(WORDS[-1])).text == "The answer."
    assert len(api.accepted[-1]["messages"]) == len(history) + 1
    assert f"the user's text “{WORDS[2]}”" in session.told
    await api.close()


async def test_the_question_is_cut_once_nothing_else_can_be(history: tuple[Message, ...]) -> None:
    """The notice says so; a question that fits without the rest stays whole."""
    question = " ".join(f"word{number}" for number in range(4_000))
    size = tokens_in({"messages": [user_message(question)]})
    for limit, whole in ((size * 3 // 2, True), (size // 2, False)):

        def too_long(body: Json, most: int = limit) -> bool:
            return tokens_in(body) > most

        refuse = while_true(TOO_LONG["anthropic"], too_long, tokens=9, limit=limit)
        api = InProcess(play_answers, refuse)
        session = Session(api, Conversation(deepcopy(tuple(history))), [], [])
        assert (await session.ask(question)).text == "The answer."
        assert (question in str(api.accepted[-1])) is whole
        assert ("the middle of your question" in session.told) is not whole
        await api.close()


async def test_at_most_one_compaction_is_paid_for(history: tuple[Message, ...]) -> None:
    """The server names a larger window than it has, so that compacting once is not enough."""
    summaries: list[Json] = []

    def too_long(body: Json) -> bool:
        if is_asked_for_a_summary(body):
            summaries.append(body)
            return False
        return tokens_in(body) > 3_000

    refuse = while_true(TOO_LONG["anthropic"], too_long, tokens=99_000, limit=20_000)
    api = InProcess(play_answers, refuse)
    session = Session(api, Conversation(deepcopy(tuple(history)) * 4), [], [])
    assert (await session.ask(WORDS[-1])).text == "The answer."
    assert len(summaries) == 1
    await api.close()

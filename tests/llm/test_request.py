"""What a request holds: breakpoints, limits, and only what the server understands."""

import copy
import json
import math
from typing import Any

import pytest

from glossator.core.errors import ModelRefused
from glossator.core.tool_result import ToolResult
from glossator.llm.cache_layout import with_breakpoints
from glossator.llm.catalog import CATALOG, facts_of
from glossator.llm.conversation import tool_answers, user_message
from glossator.llm.model import Block, Message, ToolCall
from glossator.llm.profiles import PROFILES
from glossator.llm.request_body import build_body
from glossator.settings.model import Profile
from tests.llm.asking import asker, request_of
from tests.standin import Text, ToolUse, Turn

SONNET = CATALOG["claude-sonnet-5-5"]
FOUND: Block = {
    "type": "search_result",
    "source": "a.py",
    "title": "A",
    "content": [{"type": "text", "text": "x = 1"}, {"type": "text", "text": "y = 2"}],
    "citations": {"enabled": True},
}


def assistant(*blocks: Block) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def marked(body: dict[str, Any]) -> list[str]:
    """The places of a body's breakpoints, such as "system.0" or "messages.2.1"."""
    places = [f"system.{n}" for n, b in enumerate(body.get("system", ())) if "cache_control" in b]
    for number, message in enumerate(body["messages"]):
        blocks = enumerate(message["content"])
        places += [f"messages.{number}.{n}" for n, b in blocks if "cache_control" in b]
    return places


@pytest.mark.parametrize(
    ("system", "messages", "places"),
    [
        (["a"], [user_message("q")], ["system.0", "messages.0.0"]),
        (["a", "b", "c"], [user_message("q")], ["system.0", "system.2", "messages.0.0"]),
        ([], [user_message("q", "r")], ["messages.0.1"]),
        (
            ["a", "b"],
            [user_message("q"), assistant(text("r")), user_message("s"), user_message("t")],
            ["system.0", "system.1", "messages.0.0", "messages.3.0"],
        ),
        (["a"], [{"role": "user", "content": [text("q"), text("")]}], ["system.0", "messages.0.0"]),
        (
            [],
            [user_message("q"), assistant(text("r"), {"type": "thinking", "thinking": "t"})],
            ["messages.0.0", "messages.1.0"],
        ),
        ([], [user_message("q"), assistant({"type": "redacted_thinking"})], ["messages.0.0"]),
    ],
)
def test_breakpoints(system: list[str], messages: list[Message], places: list[str]) -> None:
    body = {"system": [text(words) for words in system], "messages": messages}
    before = copy.deepcopy(body)
    assert marked(with_breakpoints(body)) == places
    assert body == before


def test_a_round_of_many_calls_keeps_the_previous_breakpoint() -> None:
    calls = [ToolCall(f"t{n}", "Grep", {}) for n in range(30)]
    reply = assistant(
        *({"type": "tool_use", "id": c.id, "name": c.name, "input": {}} for c in calls)
    )
    first = [user_message("q")]
    second = [*first, reply, tool_answers([(call, ToolResult("r")) for call in calls])]
    end_of_first = marked(with_breakpoints({"messages": first}))
    assert marked(with_breakpoints({"messages": second})) == [*end_of_first, "messages.2.29"]


def test_the_same_request_gives_the_same_bytes() -> None:
    request = request_of(user_message("q"))
    bodies = [json.dumps(build_body(request, SONNET, PROFILES["anthropic"], "high")) for _ in "ab"]
    assert bodies[0] == bodies[1]


def test_a_full_request() -> None:
    body = build_body(request_of(), SONNET, PROFILES["anthropic"], "high")
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "high"}
    assert body["max_tokens"] == 32_000
    assert list(body["tools"][0]) == ["name", "description", "input_schema"]


@pytest.mark.parametrize(
    ("model", "asked", "sent"),
    [
        ("claude-sonnet-5-5", 1000, 1000),
        ("claude-sonnet-5-5", 10**9, 128_000),
        ("unheard-of", None, 8_000),
    ],
)
def test_output_is_limited(model: str, asked: int | None, sent: int) -> None:
    request = request_of(max_output_tokens=asked)
    body = build_body(request, facts_of(model), PROFILES["anthropic"], None)
    assert body["max_tokens"] == sent
    assert "output_config" not in body
    assert ("thinking" in body) == (model in CATALOG)


def test_the_effort_of_a_request_wins() -> None:
    request = request_of(effort="low")
    body = build_body(request, SONNET, PROFILES["anthropic"], "max")
    assert body["output_config"] == {"effort": "low"}


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - {"anthropic"}))
def test_compatible_servers_get_plain_requests(profile: Profile) -> None:
    messages = (user_message("q"), assistant(text("a")), user_message("r"))
    body = build_body(request_of(*messages), SONNET, PROFILES[profile], "high")
    assert set(body) == {"model", "max_tokens", "system", "tools", "messages"}
    assert "cache_control" not in json.dumps(body)
    assert body["messages"] == list(messages)


def test_search_results_become_text_where_they_are_not_known() -> None:
    result: Block = {"type": "tool_result", "tool_use_id": "t", "content": [FOUND]}
    message: Message = {"role": "user", "content": [result]}
    before = copy.deepcopy(message)

    def sent(profile: Profile) -> Any:
        body = build_body(request_of(message), SONNET, PROFILES[profile], None)
        return body["messages"][0]["content"][0]["content"]

    assert sent("vllm") == [text("A (a.py)\nx = 1\ny = 2")]
    assert sent("litellm") == [{k: v for k, v in FOUND.items() if k != "citations"}]
    assert sent("anthropic") == [FOUND]
    assert message == before


@pytest.mark.parametrize(
    ("said", "sent"), [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "\U0001f600"), ("é", "é")]
)
def test_lone_surrogates_are_replaced(said: str, sent: str) -> None:
    request = request_of(user_message(said))
    body = build_body(request, SONNET, PROFILES["vllm"], None)
    assert body["messages"] == [user_message(sent)]


async def test_what_cannot_be_sent_is_refused_in_words() -> None:
    broken = assistant({"type": "tool_use", "id": "t", "name": "Grep", "input": {"n": math.nan}})
    async with asker([]) as ask:
        with pytest.raises(ModelRefused, match="cannot be sent"):
            await ask.ask(user_message("q"), broken)
        assert ask.api.requests == []


async def test_an_ollama_conversation_goes_over_the_wire_plain() -> None:
    script = [Turn(ToolUse("Grep", {"pattern": "x"})), Turn(Text("Here."))]
    async with asker(script, profile="ollama") as ask:
        question = user_message("Where?")
        reply = await ask.reply(question)
        answers = tool_answers([(call, ToolResult("a.py")) for call in reply.tool_calls])
        await ask.ask(question, reply.message, answers)
        for request in ask.api.requests:
            sent = json.dumps(request.body)
            for word in ("cache_control", "thinking", "output_config", "citations"):
                assert word not in sent
            assert "anthropic-beta" not in request.headers

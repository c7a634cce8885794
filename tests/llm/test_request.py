"""What a request holds: breakpoints, limits, and only what the server understands."""

import copy
import json
import logging
import math
from typing import Any

import pytest

from glossator.core.errors import ModelRefused
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import tool_answers, user_message
from glossator.llm.model import ContentBlock, Message, ToolCall, ToolSpec
from glossator.llm.model_facts import CATALOG, PROFILES, facts_of, profile_of
from glossator.llm.request import CacheLifetime, ModelOptions, build_body, with_breakpoints
from glossator.settings.models import Backend, ModelSettings, Profile
from tests.llm.asking import TOOLS, asker, request_of
from tests.standin import Text, Thinking, ToolSearch, ToolUse, Turn

SONNET = CATALOG["claude-sonnet-5-5"]
FOUND: ContentBlock = {
    "type": "search_result",
    "source": "a.py",
    "title": "A",
    "content": [{"type": "text", "text": "x = 1"}, {"type": "text", "text": "y = 2"}],
    "citations": {"enabled": True},
}


def assistant(*blocks: ContentBlock) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> ContentBlock:
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


@pytest.mark.parametrize(
    ("lifetime", "written"),
    [
        (CacheLifetime.MINUTES, [None, None, None, None]),
        (CacheLifetime.HOUR_FOR_SYSTEM, ["1h", "1h", None, None]),
        (CacheLifetime.HOUR, ["1h", "1h", "1h", "1h"]),
    ],
)
async def test_lifetimes_of_entries(lifetime: CacheLifetime, written: list[str | None]) -> None:
    async with asker([Turn(Text("Hi."))], options=ModelOptions(cache=lifetime)) as ask:
        await ask.ask(user_message("q"), assistant(text("r")), user_message("s"))
        (sent,) = (request.body for request in ask.api.requests)
        assert ask.api.refusals == []
    blocks = [*sent["system"], *(block for m in sent["messages"] for block in m["content"])]
    marks = [block["cache_control"] for block in blocks if "cache_control" in block]
    assert [mark.get("ttl") for mark in marks] == written


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
    assert body["diagnostics"] == {"previous_message_id": None}
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


def test_thinking_is_shown_as_the_user_wants() -> None:
    quiet = ModelOptions(thinking="omitted")
    body = build_body(request_of(), SONNET, PROFILES["anthropic"], None, quiet)
    assert body["thinking"] == {"type": "adaptive", "display": "omitted"}


RARE = ToolSpec("Rare", "Seldom of use.", {"type": "object", "properties": {}}, deferred=True)


def test_deferred_tools_stand_behind_the_search_where_there_is_one() -> None:
    request = request_of(tools=(RARE, *TOOLS))
    tools = build_body(request, SONNET, PROFILES["anthropic"], None)["tools"]
    assert [tool["name"] for tool in tools] == ["Grep", "Glob", "tool_search_tool_bm25", "Rare"]
    assert [tool.get("defer_loading") for tool in tools] == [None, None, None, True]
    tools = build_body(request, SONNET, PROFILES["vllm"], None)["tools"]
    assert [tool["name"] for tool in tools] == ["Rare", "Grep", "Glob"]
    assert all(set(tool) == {"name", "description", "input_schema"} for tool in tools)


async def test_a_tool_that_was_searched_for_is_called_and_keeps_the_prefix() -> None:
    script = [
        Turn(Thinking("I need another."), ToolSearch("rare", ("Rare",)), ToolUse("Rare")),
        Turn(Text("Done.")),
    ]
    async with asker(script) as ask:
        tools = (RARE, *TOOLS)
        question = user_message("q")
        reply = await ask.reply(question, tools=tools)
        assert [call.name for call in reply.tool_calls] == ["Rare"]
        answers = tool_answers([(call, ToolResult("ok")) for call in reply.tool_calls])
        last = await ask.reply(question, reply.message, answers, tools=tools)
        assert (last.text, ask.api.refusals) == ("Done.", [])


@pytest.mark.parametrize(
    ("change", "level", "said"),
    [
        ({}, None, ""),
        ({"system": ("Other.",)}, "WARNING", "system_changed"),
        ({"tools": TOOLS[:1]}, "WARNING", "tools_changed"),
        ({"previous_reply": "msg_of_before"}, "INFO", "previous_message_not_found"),
    ],
)
async def test_a_missed_cache_is_logged(
    change: dict[str, Any], level: str | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with asker([Turn(Text("Hi."))] * 2) as ask:
        first = await ask.reply()
        await ask.ask(**({"previous_reply": first.id} | change))
    told = [record for record in caplog.records if "prompt cache" in record.getMessage()]
    assert [record.levelname for record in told] == ([level] if level else [])
    assert said in "".join(record.getMessage() for record in told)


@pytest.mark.parametrize("backend", ["bedrock", "vertex", "foundry"])
def test_clouds_get_nothing_that_only_the_provider_knows(backend: Backend) -> None:
    profile = profile_of(ModelSettings(backend=backend))
    body = build_body(request_of(tools=(RARE, *TOOLS)), SONNET, profile, None)
    assert "diagnostics" not in body
    assert [tool["name"] for tool in body["tools"]] == ["Rare", "Grep", "Glob"]
    assert not profile.model_limits


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
    result: ContentBlock = {"type": "tool_result", "tool_use_id": "t", "content": [FOUND]}
    message: Message = {"role": "user", "content": [result]}
    before = copy.deepcopy(message)

    def sent(profile: Profile) -> Any:
        body = build_body(request_of(message), SONNET, PROFILES[profile], None)
        return body["messages"][0]["content"][0]["content"]

    assert sent("vllm") == [text("A (a.py)\nx = 1\ny = 2")]
    assert sent("litellm") == [{k: v for k, v in FOUND.items() if k != "citations"}]
    assert sent("anthropic") == [FOUND]
    assert message == before


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


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-haiku-5-5", {"type": "disabled"}),
        ("claude-sonnet-5-5", {"type": "between_tools"}),
        ("claude-opus-5-5", {"type": "adaptive", "display": "summarized"}),
    ],
)
async def test_a_question_that_stands_alone(model: str, thinking: dict[str, str]) -> None:
    """Only what is shared is cached; nothing binds it to a conversation; it thinks little."""
    role = {"model": model, "effort": "max"}  # at which thinking cannot be disabled
    async with asker([Turn(Text("Yes."))], main=role) as asked:
        message = user_message("The document.", "The chunk.")
        await asked.reply(message, system=(), tools=(), shared_blocks=1, thinks=False)
        assert asked.api.refusals == []
        body = asked.api.requests[0].body
    assert marked(body) == ["messages.0.0"]
    assert body["thinking"] == thinking
    assert body["output_config"] == {"effort": "low"}
    assert "diagnostics" not in body


@pytest.mark.parametrize("profile", ["anthropic", "ollama"])
def test_nothing_is_shared_or_nothing_can_be(profile: Profile) -> None:
    blocks = 0 if profile == "anthropic" else 1
    request = request_of(user_message("a", "b"), shared_blocks=blocks, thinks=False)
    body = build_body(request, SONNET, PROFILES[profile], None)
    assert marked(body) == []
    assert ("thinking" in body) == (profile == "anthropic")

"""The valid neighbours of what is refused: the stand-in is strict, not stricter than the API."""

import pytest

from tests.standin import ServerToolUse, StandIn, Text, Thinking, Turn
from tests.standin_tests.client import (
    BASE,
    SCHEMA,
    Json,
    assistant,
    cached,
    chat,
    get,
    post,
    request,
    search_result,
    system,
    text,
    tool,
    tool_result,
    tool_use,
    user,
)

HAIKU = "claude-haiku-5-5"
FORMAT = {"format": {"type": "json_schema", "schema": SCHEMA}}
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"},
}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}
CALLS = (user("Go"), assistant(tool_use("a"), tool_use("b")))
RESULTS = (tool_result("a"), tool_result("b"))
TREE = SCHEMA | {"properties": {"leaf": {"$ref": "#/$defs/leaf"}}, "required": ["leaf"]}

ACCEPTED = {
    "the base": BASE,
    "streamed": request(stream=True),
    "content as a string": chat({"role": "user", "content": "x"}),
    "consecutive user messages": chat(user("x"), user("y")),
    "consecutive assistant messages": chat(user("x"), assistant("y"), assistant("z"), user("x")),
    "results in two user messages": chat(*CALLS, user(RESULTS[0]), user(RESULTS[1])),
    "results in another order": chat(*CALLS, user(*reversed(RESULTS))),
    "text after results": chat(*CALLS, user(*RESULTS, "and")),
    "an error as a result": chat(*CALLS, user(RESULTS[0] | {"is_error": True}, RESULTS[1])),
    "an empty result": chat(*CALLS, user(tool_result("a", ""), tool_result("b", []))),
    "an image as a result": chat(*CALLS, user(tool_result("a", [IMAGE, text()]), RESULTS[1])),
    "system message last": chat(user("x"), system("y")),
    "system message before the assistant": chat(user("x"), system("y"), assistant("z"), user("x")),
    "system message after results": chat(*CALLS, user(*RESULTS), system("y")),
    "four breakpoints": chat(user(cached(), cached()), system=[cached(), cached()]),
    "three and the top level": chat(
        user(*[cached()] * 3), cache_control={"type": "ephemeral", "ttl": "5m"}
    ),
    "5m after 1h": chat(user(cached("5m")), system=[cached("1h")]),
    "breakpoint on a tool": request(tools=[tool(cache_control={"type": "ephemeral"})]),
    "no breakpoint, said aloud": chat(user(text(cache_control=None))),
    "adaptive with display": request(thinking={"type": "adaptive", "display": "summarized"}),
    "sonnet between tools": request(thinking={"type": "between_tools"}),
    "haiku disabled": request(model=HAIKU, thinking={"type": "disabled"}),
    "haiku disabled at high": request(
        model=HAIKU, thinking={"type": "disabled"}, output_config={"effort": "high"}
    ),
    "the most effort": request(output_config={"effort": "max"}),
    "the most tokens": request(max_tokens=128_000),
    "tool choice auto": request(tools=[tool()], tool_choice={"type": "auto"}),
    "tool choice none": request(tools=[tool()], tool_choice={"type": "none"}),
    "one tool at a time": request(
        tools=[tool()], tool_choice={"type": "auto", "disable_parallel_tool_use": True}
    ),
    "a name of 64 characters": request(tools=[tool("a-Z_" * 16)]),
    "a loose schema": request(tools=[tool(schema={"type": "object", "minProperties": 1})]),
    "a tool of the API": request(tools=[{"type": "memory_20250818", "name": "memory"}]),
    "a deferred tool": request(tools=[tool(), tool("b", defer_loading=True)]),
    "20 strict tools": request(tools=[tool(f"t{i}", strict=True) for i in range(20)]),
    "a bound in a loose tool": request(
        tools=[tool(schema={"type": "object", "properties": {"n": {"minimum": 1}}})]
    ),
    "a definition used, not recursive": request(
        tools=[tool(schema=TREE | {"$defs": {"leaf": {"type": "string"}}}, strict=True)]
    ),
    "an escaped backslash before b": request(
        tools=[
            tool(
                strict=True,
                schema=SCHEMA
                | {
                    "properties": {"p": {"type": "string", "pattern": r"(?:a)\\b"}},
                    "required": ["p"],
                },
            )
        ]
    ),
    "an output format": request(output_config=FORMAT),
    "a user's document": chat(user(DOCUMENT)),
    "search results, all cited": chat(user(search_result(), search_result())),
    "search results, none cited": chat(user(search_result(cited=False)), output_config=FORMAT),
    "search results as a result": chat(
        user("x"), assistant(tool_use()), user(tool_result(content=[search_result()]))
    ),
    "an assistant's citations": chat(
        user(search_result()), assistant(text(citations=[])), user("x")
    ),
    "stop sequences and metadata": request(stop_sequences=["END"], metadata={"user_id": "u"}),
    "null inside a tool's input": chat(
        user("x"), assistant(tool_use() | {"input": {"path": None}}), user(tool_result())
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
async def test_accepted(body: Json) -> None:
    async with StandIn([Turn(Text("yes"))]) as api:
        answer = await post(api, body)
    assert answer.status == 200, answer.error
    assert api.refusals == []


CONTEXT, COMPACT, SUMMARY = (
    "context-management-2025-06-27",
    "compact-2026-01-12",
    "compact-2026-09-04",
)
CLEARING = {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 3}}


def compacting(tokens: int) -> Json:
    """A request that compacts on its own from so many tokens on."""
    trigger = {"type": "input_tokens", "value": tokens}
    return request(context_management={"edits": [{"type": "compact_20260112", "trigger": trigger}]})


@pytest.mark.parametrize(
    ("body", "beta", "status"),
    [
        (request(context_management={"edits": [CLEARING]}), CONTEXT, 200),
        (request(context_management={"edits": [CLEARING]}), f"other, {CONTEXT}", 200),
        (request(context_management={"edits": [CLEARING]}), SUMMARY, 400),
        (request(context_management={"edits": [CLEARING]}), COMPACT, 400),
        (compacting(50_000), COMPACT, 200),
        (compacting(49_999), COMPACT, 400),
        (request(compaction={"type": "summarize"}), SUMMARY, 200),
        (request(compaction={"type": "summarize"}), COMPACT, 400),
        (chat(assistant({"type": "compaction", "content": "so far"}), user("x")), SUMMARY, 200),
    ],
)
async def test_beta_fields_with_a_header(body: Json, beta: str, status: int) -> None:
    async with StandIn([Turn(Text("yes"))]) as api:
        answer = await post(api, body, anthropic_beta=beta)
    assert answer.status == status, answer.raw


async def test_a_paused_turn_is_resent_as_it_came() -> None:
    script = [
        Turn(Thinking("…"), ServerToolUse("web_search", {"query": "x"}), stop_reason="pause_turn"),
        Turn(Text("half of"), stop_reason="pause_turn"),
        Turn(Text("done")),
    ]
    async with StandIn(script) as api:
        conversation = [user("x")]
        for _ in script:
            answer = await post(api, chat(*conversation))
            assert answer.status == 200, answer.error
            conversation.append(assistant(*answer.json["content"]))
        assert (await post(api, chat(*conversation))).status == 400  # the last was not paused


async def test_a_paused_search_goes_on_with_what_it_found() -> None:
    script = [Turn(ServerToolUse("web_search"), stop_reason="pause_turn"), Turn(Text("done"))]
    async with StandIn(script) as api:
        paused = assistant(*(await post(api, chat(user("x")))).json["content"])
        found, said = (await post(api, chat(user("x"), paused))).json["content"]
    assert (found["type"], found["tool_use_id"]) == ("web_search_tool_result", "srvtoolu_0001")
    assert said["text"] == "done"


async def test_an_open_server_call_keeps_its_tools() -> None:
    script = [Turn(ServerToolUse("web_search"), stop_reason="pause_turn"), Turn(Text("done"))]
    async with StandIn(script) as api:
        tools = [tool("a"), tool("b")]
        answer = await post(api, request(tools=tools))
        # A client-side call beside the open server call is what a client has to answer.
        turn = assistant(*answer.json["content"], tool_use())
        conversation = [user("Hello"), turn, user(tool_result())]
        changed = await post(api, chat(*conversation, tools=tools[:1]))
        assert changed.error == "tools: must stay the same while srvtoolu_0001 is unanswered"
        assert (await post(api, chat(*conversation, tools=tools))).status == 200


async def test_models() -> None:
    async with StandIn() as api:
        listed = (await get(api, "/v1/models")).json
        haiku = (await get(api, f"/v1/models/{HAIKU}")).json
        assert haiku in listed["data"]
        assert (await get(api, "/v1/models", Authorization="Bearer k")).status == 400
    assert [model["id"] for model in listed["data"]] == [
        HAIKU,
        "claude-sonnet-5-5",
        "claude-opus-5-5",
        "claude-fable-5-1",
    ]
    assert (haiku["max_input_tokens"], haiku["max_tokens"]) == (1_000_000, 128_000)
    assert (haiku["line"], haiku["lifecycle"]) == ("haiku", "active")
    assert haiku["capabilities"]["thinking"]["types"] == {
        "adaptive": {"supported": True},
        "between_tools": {"supported": False},
        "disabled": {"supported": True},
        "enabled": {"supported": False},
    }


async def test_pre_warming_answers_without_a_turn() -> None:
    async with StandIn([Turn(Text("kept"))]) as api:
        warmed = await post(api, request(max_tokens=0, system=[cached(words="word " * 600)]))
        assert warmed.json["content"] == []
        assert warmed.json["usage"]["cache_creation_input_tokens"] > 512
        answer = await post(api, request(system=[cached(words="word " * 600)]))
        assert answer.json["content"][0]["text"] == "kept"
        assert answer.json["usage"]["cache_read_input_tokens"] > 512

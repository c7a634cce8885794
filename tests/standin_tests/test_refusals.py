"""Each thing the API refuses, as the smallest change to a request that it accepts."""

import json
from typing import Any

import pytest

from tests.standin import StandIn, Text, Turn
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

EXTRA = "Extra inputs are not permitted"
HAIKU = "claude-haiku-5-5"
OPUS = "claude-opus-5-5"
FABLE = "claude-fable-5-1"
SERVER_CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FORMAT = {"format": {"type": "json_schema", "schema": SCHEMA}}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "made up"}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}
CITATION = {
    "type": "search_result_location",
    "cited_text": "line",
    "source": "core/text.py",
    "title": "text.py",
    "search_result_index": 0,
    "start_block_index": 0,
    "end_block_index": 1,
}


def strict(properties: Json, **fields: Any) -> Json:
    """A request with one strict tool that has these parameters, all required."""
    schema = SCHEMA | {"properties": properties, "required": list(properties)} | fields
    return request(tools=[tool(schema=schema, strict=True)])


def called(*after: Json, tools: Any = ...) -> Json:
    """A conversation in which the assistant has called tools `a` and `b`."""
    return chat(user("Go"), assistant(tool_use("a"), tool_use("b")), *after, tools=tools)


SHAPE = {
    "no model": (request(model=...), "model: Field required"),
    "no max_tokens": (request(max_tokens=...), "max_tokens: Field required"),
    "no messages": (request(messages=...), "messages: Field required"),
    "empty messages": (chat(), "at least one message is required"),
    "empty content": (chat(user()), "messages.0: all messages must have non-empty content"),
    "empty string": (chat({"role": "user", "content": ""}), "must have non-empty content"),
    "field at the top": (request(foo=1), f"foo: {EXTRA}"),
    "field in a message": (chat(user("x") | {"name": "n"}), f"messages.0.name: {EXTRA}"),
    "field in a block": (chat(user(text(foo=1))), f"messages.0.content.0.foo: {EXTRA}"),
    "field in a result's text": (
        chat(user("x"), assistant(tool_use()), user(tool_result(content=[text(foo=1)]))),
        f"messages.2.content.0.content.0.foo: {EXTRA}",
    ),
    "field in a tool": (request(tools=[tool(foo=1)]), f"tools.0.foo: {EXTRA}"),
    "field in system": (request(system=[text(foo=1)]), f"system.0.foo: {EXTRA}"),
    "field in thinking": (
        request(thinking={"type": "adaptive", "foo": 1}),
        f"thinking.foo: {EXTRA}",
    ),
    "cache scope": (
        request(system=[text(cache_control={"type": "ephemeral", "scope": "global"})]),
        f"system.0.cache_control.scope: {EXTRA}",
    ),
    "SDK parameter that is a header": (request(workspace_id="w"), f"workspace_id: {EXTRA}"),
    "unknown block": (chat(user({"type": "tex"})), "Input tag 'tex'"),
    "block without type": (chat(user({"text": "x"})), "messages.0.content.0.type: Field required"),
    "unknown role": (chat({"role": "robot", "content": "x"}), "Input tag 'robot'"),
    "wrong type": (request(max_tokens="1"), "max_tokens: Input should be a valid integer"),
    "boolean for a number": (request(max_tokens=True), "max_tokens: Input should be"),
    "stream not boolean": (request(stream="yes"), "stream: Input should be a valid boolean"),
    "unknown effort": (request(output_config={"effort": "huge"}), "output_config.effort: Input"),
    "empty text": (chat(user("")), "messages.0.content.0: text content blocks must be non-empty"),
    "empty system text": (request(system=[text("")]), "system.0: text content blocks must be"),
}

BETA = {
    "context_management": (request(context_management={}), f"context_management: {EXTRA}"),
    "compaction": (request(compaction={"type": "summarize"}), f"compaction: {EXTRA}"),
    "mcp_servers": (request(mcp_servers=[]), f"mcp_servers: {EXTRA}"),
    "task_budget": (
        request(output_config={"task_budget": {"type": "tokens", "total": 1}}),
        f"output_config.task_budget: {EXTRA}",
    ),
    "compaction block": (
        chat(assistant({"type": "compaction", "content": "so far"}), user("x")),
        "Input tag 'compaction'",
    ),
    "system message's output_config": (
        chat(user("x"), system("y") | {"output_config": {}}),
        f"messages.1.output_config: {EXTRA}",
    ),
}

VERSION = {
    "temperature": (request(temperature=1), "temperature: sampling parameters"),
    "top_p": (request(top_p=1), "top_p: sampling parameters"),
    "top_k": (request(top_k=1), "top_k: sampling parameters"),
    "assistant document": (
        chat(user("x"), assistant(DOCUMENT), user("y")),
        "`document` blocks are not allowed in assistant messages",
    ),
    "citations on user text": (
        chat(user(text(citations=[CITATION]))),
        "messages.0.content.0.citations",
    ),
    "citations in a search result": (
        chat(user(search_result(content=[text(citations=[CITATION])]))),
        "messages.0.content.0.content.0.citations",
    ),
}

MODELS = {
    "sonnet disabled": (
        request(thinking={"type": "disabled"}),
        "use `adaptive` or `between_tools`",
    ),
    "sonnet enabled": (
        request(thinking={"type": "enabled", "budget_tokens": 1024}),
        "`enabled` is not supported",
    ),
    "opus disabled": (request(model=OPUS, thinking={"type": "disabled"}), "`disabled` is not"),
    "opus enabled": (
        request(model=OPUS, thinking={"type": "enabled", "budget_tokens": 1024}),
        "`enabled` is not supported",
    ),
    "fable disabled": (request(model=FABLE, thinking={"type": "disabled"}), "`disabled` is not"),
    "haiku between tools": (
        request(model=HAIKU, thinking={"type": "between_tools"}),
        "`between_tools` is not supported",
    ),
    "haiku disabled at xhigh": (
        request(model=HAIKU, thinking={"type": "disabled"}, output_config={"effort": "xhigh"}),
        "not supported at effort `xhigh`",
    ),
    "too many max_tokens": (request(max_tokens=128_001), "128001 > 128000"),
    "negative max_tokens": (request(max_tokens=-1), "greater than or equal to 0"),
    "too long a prompt": (request(system="x" * 4_000_100), "prompt is too long"),
    "streamed pre-warming": (request(max_tokens=0, stream=True), "stream: not supported"),
    "thinking pre-warming": (
        request(max_tokens=0, thinking={"type": "adaptive"}),
        "thinking: not supported",
    ),
    "formatted pre-warming": (
        request(max_tokens=0, output_config=FORMAT),
        "output_config.format: not supported",
    ),
}

ROLES = {
    "prefill": (chat(user("x"), assistant("It")), "does not support assistant message prefill"),
    "call from the user": (chat(user(tool_use())), "`tool_use` blocks are not allowed in user"),
    "thinking from the user": (chat(user(THOUGHT)), "`thinking` blocks are not allowed in user"),
    "result from the assistant": (
        chat(user("x"), assistant(tool_result()), user("y")),
        "`tool_result` blocks are not allowed in assistant",
    ),
    "system first": (chat(system("x"), user("y")), "messages.0.content.0: a `system` message"),
    "system before a user turn": (chat(user("x"), system("y"), user("z")), "messages.1.content.0"),
    "system after the assistant": (
        chat(user("x"), assistant("y"), system("z")),
        "a `system` message must follow a user turn",
    ),
    "system between call and result": (
        called(system("z"), user(tool_result("a"), tool_result("b"))),
        "a `system` message must follow a user turn",
    ),
    "system on haiku": (
        chat(user("x"), system("y"), model=HAIKU),
        "takes no `system` messages",
    ),
}

PAIRING = {
    "no results": (called(user("x")), "without `tool_result` blocks immediately after: a, b"),
    "one result missing": (called(user(tool_result("a"))), "immediately after: b"),
    "late result": (
        called(user(tool_result("a")), assistant("x"), user(tool_result("b"))),
        "immediately after: b",
    ),
    "stray result": (
        called(user(tool_result("a"), tool_result("b"), tool_result("c"))),
        "messages.2.content.2: unexpected `tool_use_id`",
    ),
    "result of nothing": (chat(user(tool_result())), "unexpected `tool_use_id`"),
    "result twice": (
        called(user(tool_result("a"), tool_result("b"), tool_result("a"))),
        "each `tool_use` must have a single result",
    ),
    "text first": (
        called(user("x", tool_result("a"), tool_result("b"))),
        "messages.2.content.1: `tool_result` blocks must come before",
    ),
    "text between": (
        called(user(tool_result("a"), "x", tool_result("b"))),
        "messages.2.content.2: `tool_result` blocks must come before",
    ),
    "id twice": (
        chat(user("x"), assistant(tool_use(), tool_use()), user(tool_result())),
        "messages.1.content.1.id: `tool_use` ids must be unique",
    ),
    "text beside an open server call": (
        chat(user("x"), assistant(SERVER_CALL, tool_use()), user(tool_result(), "y")),
        "only `tool_result` blocks may follow the open s",
    ),
}

CACHING = {
    "five breakpoints": (chat(user(*[cached()] * 5)), "A maximum of 4 blocks"),
    "four and the top level": (
        chat(user(*[cached()] * 4), cache_control={"type": "ephemeral"}),
        "A maximum of 4 blocks with cache_control may be provided. Found 5",
    ),
    "nested breakpoints count": (
        chat(
            user(*[cached()] * 4),
            assistant(tool_use()),
            user(tool_result(content=[cached()])),
        ),
        "Found 5",
    ),
    "1h after 5m": (
        chat(user(cached("5m"), cached("1h"))),
        "messages.0.content.1.cache_control.ttl: a ttl='1h'",
    ),
    "1h message after 5m system": (
        chat(user(cached("1h")), system=[cached("5m")]),
        "messages.0.content.0.cache_control.ttl: a ttl='1h'",
    ),
    "on empty text": (
        chat(user(cached(words=""))),
        "cache_control cannot be set for empty text blocks",
    ),
    "on thinking": (
        chat(user("x"), assistant(THOUGHT | {"cache_control": {"type": "ephemeral"}}), user("y")),
        f"messages.1.content.0.cache_control: {EXTRA}",
    ),
    "unknown lifetime": (chat(user(cached("2h"))), "cache_control.ttl: Input should be '5m', '1h'"),
}

TOOLS = {
    "choice any": (
        request(tools=[tool()], tool_choice={"type": "any"}),
        "tool_choice.type: `any` is not supported",
    ),
    "choice tool": (
        request(tools=[tool()], tool_choice={"type": "tool", "name": "Grep"}),
        "tool_choice.type: `tool` is not supported",
    ),
    "choice without tools": (request(tool_choice={"type": "auto"}), "while providing tools"),
    "name with a dot": (request(tools=[tool("a.b")]), "tools.0.name: String should match pattern"),
    "name too long": (request(tools=[tool("a" * 65)]), "tools.0.name: String should match pattern"),
    "name in a call": (
        chat(user("x"), assistant(tool_use(name="a b")), user(tool_result())),
        "messages.1.content.0.name: String should match",
    ),
    "same name twice": (request(tools=[tool(), tool()]), "Tool names must be unique"),
    "schema of no object": (
        request(tools=[tool(schema={"type": "string"})]),
        "tools.0.input_schema.type: Input should be 'object'",
    ),
}

NODE = {"$ref": "#/$defs/node"}
STRICT = {
    "21 tools": (request(tools=[tool(f"t{i}", strict=True) for i in range(21)]), "at most 20"),
    "25 optional": (
        strict({f"p{i}": {"type": "string"} for i in range(25)}, required=[]),
        "at most 24 optional parameters; found 25",
    ),
    "17 unions": (
        strict({f"p{i}": {"type": ["string", "null"]} for i in range(17)}),
        "at most 16 parameters of union type; found 17",
    ),
    "additional properties": (
        request(tools=[tool(schema={"type": "object"}, strict=True)]),
        "'additionalProperties' must be false",
    ),
    "nested additional properties": (
        strict({"p": {"type": "object"}}),
        "tools.0.input_schema.properties.p: for 'object' type",
    ),
    "recursion": (
        strict({"p": NODE}, **{"$defs": {"node": SCHEMA | {"properties": {"next": NODE}}}}),
        "recursive schemas are not supported",
    ),
    "recursion to the root": (strict({"p": {"$ref": "#"}}), "recursive schemas"),
    "numeric bound": (strict({"p": {"type": "integer", "minimum": 1}}), "'minimum' is not"),
    "length bound": (strict({"p": {"type": "string", "maxLength": 9}}), "'maxLength' is not"),
    "array bound": (
        strict({"p": {"type": "array", "items": {"type": "string"}, "minItems": 2}}),
        "'minItems' is supported for 0 and 1 only",
    ),
    "lookahead": (strict({"p": {"type": "string", "pattern": "(?=a)"}}), "'(?=' is not supported"),
    "lookbehind": (strict({"p": {"type": "string", "pattern": "(?<!a)"}}), "'(?<!' is not"),
    "word boundary": (strict({"p": {"type": "string", "pattern": r"\bx"}}), r"'\b' is not"),
    "output format": (
        request(output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}}),
        "output_config.format.schema: for 'object' type",
    ),
}

CITATIONS = {
    "mixed enabled": (
        chat(user(search_result(), search_result(cited=False))),
        "must be the same for all `search_result` blocks",
    ),
    "mixed tool result": (
        chat(
            user("x"),
            assistant(tool_use()),
            user(tool_result(content=[search_result(), text()])),
        ),
        "messages.2.content.0.content: `search_result` blocks cannot be mixed",
    ),
    "from the assistant": (
        chat(user("x"), assistant(search_result()), user("y")),
        "`search_result` blocks are not allowed in assistant",
    ),
    "with an output format": (
        chat(user(search_result()), output_config=FORMAT),
        "output_config.format: not supported together with citations",
    ),
    "empty text": (
        chat(user(search_result(""))),
        "messages.0.content.0.content.0.text: must be non-empty",
    ),
    "no content": (chat(user(search_result(content=[]))), "at least one text block is required"),
}

GROUPS = {
    "shape": SHAPE,
    "beta": BETA,
    "version": VERSION,
    "models": MODELS,
    "roles": ROLES,
    "pairing": PAIRING,
    "caching": CACHING,
    "tools": TOOLS,
    "strict": STRICT,
    "citations": CITATIONS,
}
NAMED = {
    f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()
}
# Counting tokens has no parameters that only a reply has.
COUNTED = {
    name: (body, message)
    for name, (body, message) in NAMED.items()
    if body.get("max_tokens") == BASE["max_tokens"] and "stream" not in body
}


@pytest.mark.parametrize(("body", "message"), NAMED.values(), ids=NAMED)
async def test_refused(body: Json, message: str) -> None:
    async with StandIn([Turn(Text("never played"))]) as api:
        answer = await post(api, body)
    assert message in answer.error
    assert answer.status == 400
    assert answer.json["error"]["type"] == "invalid_request_error"
    assert api.refusals == [(400, answer.error)]


@pytest.mark.parametrize(("body", "message"), COUNTED.values(), ids=COUNTED)
async def test_counting_tokens_refuses_the_same(body: Json, message: str) -> None:
    counted = {key: value for key, value in body.items() if key != "max_tokens"}
    async with StandIn() as api:
        answer = await post(api, counted, "/v1/messages/count_tokens")
    assert answer.status == 400
    assert message in answer.error


@pytest.mark.parametrize(
    ("headers", "status", "type_", "message"),
    [
        ({"Authorization": ""}, 401, "authentication_error", "Bearer <key>"),
        ({"Authorization": "Bearer "}, 401, "authentication_error", "Bearer <key>"),
        ({"Authorization": "", "x_api_key": "k"}, 401, "authentication_error", "Bearer <key>"),
        ({"anthropic_version": ""}, 400, "invalid_request_error", "anthropic-version"),
        ({"anthropic_version": "2023-06-01"}, 400, "invalid_request_error", "2026-10-21"),
    ],
)
async def test_headers(headers: dict[str, str], status: int, type_: str, message: str) -> None:
    async with StandIn() as api:
        answer = await post(api, BASE, **headers)
    assert (answer.status, answer.json["error"]["type"]) == (status, type_)
    assert message in answer.error


async def test_the_shape_of_an_error() -> None:
    async with StandIn() as api:
        answer = await post(api, request(foo=1))
    assert answer.json == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": f"foo: {EXTRA}"},
        "request_id": "req_0001",
    }
    assert answer.headers["request-id"] == "req_0001"
    assert answer.headers["content-type"].startswith("application/json")


async def test_what_is_not_there() -> None:
    async with StandIn() as api:
        unknown_model = await post(api, request(model="claude-3-opus-20240229"))
        unknown_path = await post(api, BASE, "/v1/complete")
        unknown_info = await get(api, "/v1/models/gpt")
    for answer in (unknown_model, unknown_path, unknown_info):
        assert (answer.status, answer.json["error"]["type"]) == (404, "not_found_error")


@pytest.mark.parametrize("raw", [b"{", b"[]", b"\xff"])
async def test_a_body_that_is_no_object(raw: bytes) -> None:
    async with StandIn() as api:
        answer = await post(api, raw)
        assert (answer.status, api.requests[0].body) == (400, {})


async def test_more_than_32_megabytes() -> None:
    body = json.dumps(request(system="x" * (32 * 1024 * 1024))).encode()
    async with StandIn() as api:
        answer = await post(api, body)
    assert (answer.status, answer.json["error"]["type"]) == (413, "request_too_large")


async def test_beyond_the_end_of_the_script() -> None:
    async with StandIn([Turn(Text("only one"))]) as api:
        assert (await post(api, BASE)).status == 200
        answer = await post(api, BASE)
        assert (answer.status, len(api.requests)) == (500, 2)
        assert api.refusals == [(500, answer.error)]
    assert "The script has 1 turns" in answer.error

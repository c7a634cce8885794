"""What the API refuses of a request's parameters, each as the smallest change to a valid one."""

from typing import Any

import pytest

from tests.standin_tests.client import (
    SCHEMA,
    Json,
    assistant,
    chat,
    request,
    search_result,
    system,
    text,
    tool,
    tool_result,
    tool_use,
    user,
)
from tests.standin_tests.refusing import check_counting_refused, check_refused, counted, named

EXTRA = "Extra inputs are not permitted"
HAIKU = "claude-haiku-5-5"
OPUS = "claude-opus-5-5"
FABLE = "claude-fable-5-1"
FORMAT = {"format": {"type": "json_schema", "schema": SCHEMA}}
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
    "blank text": (chat(user(" \n")), "text content blocks must contain non-whitespace text"),
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
    "every tool deferred": (
        request(tools=[tool(defer_loading=True)]),
        "At least one tool must have defer_loading=false",
    ),
    "breakpoint on a deferred tool": (
        request(tools=[tool(), tool("b", defer_loading=True, cache_control={"type": "ephemeral"})]),
        "cache_control cannot be set together with defer_loading",
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
    "a reference to nowhere": (strict({"p": NODE}), "'#/$defs/node' leads nowhere"),
    "no schema": (strict({"p": "string"}), "properties.p: JSON schema is invalid"),
    "a keyword of the wrong type": (
        strict({"p": {"type": "string", "pattern": 1}}),
        "properties.p.pattern: JSON schema is invalid",
    ),
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

GROUPS = {
    "shape": SHAPE,
    "beta": BETA,
    "version": VERSION,
    "models": MODELS,
    "tools": TOOLS,
    "strict": STRICT,
}


@pytest.mark.parametrize(("body", "message"), named(GROUPS))
async def test_refused(body: Json, message: str) -> None:
    await check_refused(body, message)


@pytest.mark.parametrize(("body", "message"), counted(GROUPS))
async def test_counting_tokens_refuses_the_same(body: Json, message: str) -> None:
    await check_counting_refused(body, message)

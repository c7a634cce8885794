"""What the API refuses of a conversation, each as the smallest change to a valid one."""

import base64

import pytest

from tests.standin_tests.client import (
    SCHEMA,
    Json,
    assistant,
    cached,
    chat,
    search_result,
    system,
    text,
    tool_result,
    tool_use,
    user,
)
from tests.standin_tests.refusing import check_counting_refused, check_refused, counted, named

EXTRA = "Extra inputs are not permitted"
HAIKU = "claude-haiku-5-5"
SERVER_CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FORMAT = {"format": {"type": "json_schema", "schema": SCHEMA}}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "made up"}


def called(*after: Json) -> Json:
    """A conversation in which the assistant has called tools `a` and `b`."""
    return chat(user("Go"), assistant(tool_use("a"), tool_use("b")), *after)


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


def pictured(data: str, kind: str = "image/png") -> Json:
    """A question with an image."""
    source = {"type": "base64", "media_type": kind, "data": data}
    return chat(user({"type": "image", "source": source}, "What is it?"))


WIDE = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\0\x23\x28" * 2).decode()
MEDIA = {
    "no image": (pictured("aGk="), "Could not process image"),
    "no base64": (pictured("a"), "messages.0.content.0.image.source.base64: invalid base64 data"),
    "another kind": (pictured("R0lGODlh"), "appears to be a image/gif image"),
    "too wide": (pictured(WIDE), "dimensions exceed max allowed size: 8000 pixels"),
    "cut off": (pictured(WIDE[:28] + "A" * 400), "Could not process image"),
    "too long": (chat(user("word " * 1_000_000)), "tokens > 1000000 maximum"),
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
    "roles": ROLES,
    "media": MEDIA,
    "pairing": PAIRING,
    "caching": CACHING,
    "citations": CITATIONS,
}


@pytest.mark.parametrize(("body", "message"), named(GROUPS))
async def test_refused(body: Json, message: str) -> None:
    await check_refused(body, message)


@pytest.mark.parametrize(("body", "message"), counted(GROUPS))
async def test_counting_tokens_refuses_the_same(body: Json, message: str) -> None:
    await check_counting_refused(body, message)

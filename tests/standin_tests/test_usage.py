"""The prompt cache: what a request reads, writes and pays in full."""

import pytest

from tests.standin import StandIn, Text, Turn
from tests.standin_tests.client import (
    Json,
    assistant,
    cached,
    chat,
    post,
    request,
    text,
    tool,
    user,
)

LONG = "word " * 800  # 1,000 tokens by the stand-in's estimate
CACHED = {"type": "ephemeral"}


async def usages(*bodies: Json) -> list[tuple[int, int, int]]:
    """(plain, written, read) input tokens of these requests, one after another."""
    async with StandIn([Turn(Text("ok"))] * len(bodies)) as api:
        found = [(await post(api, body)).json["usage"] for body in bodies]
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return [(usage[names[0]], usage[names[1]], usage[names[2]]) for usage in found]


async def test_without_a_breakpoint_nothing_is_cached() -> None:
    first, second = await usages(*[request(system=LONG)] * 2)
    assert first == second
    assert first[0] > 1000
    assert first[1:] == (0, 0)


async def test_the_same_prefix_is_written_once_and_then_read() -> None:
    first, second = await usages(*[chat(user("x"), system=[cached(words=LONG)])] * 2)
    assert first[1] > 1000
    assert second == (first[0], 0, first[1])


async def test_a_growing_conversation_reads_what_it_wrote() -> None:
    turns = [user(text(LONG + str(n))) if n % 2 == 0 else assistant("ok") for n in range(5)]
    bodies = [chat(*turns[:n], cache_control=CACHED) for n in (1, 3, 5)]
    first, second, third = await usages(*bodies)
    assert first[2] == 0
    assert second[2] == first[1]
    assert third[2] == second[1] + second[2]
    assert [plain for plain, _, _ in (first, second, third)] == [0, 0, 0]


async def test_the_top_level_marks_a_message_given_as_a_string() -> None:
    body = request(messages=[{"role": "user", "content": LONG}], cache_control=CACHED)
    first, second = await usages(body, body)
    assert (first[0], first[2]) == (0, 0)
    assert second == (0, 0, first[1])


async def test_below_the_minimum_it_stays_uncached() -> None:
    first, second = await usages(*[request(system=[cached()])] * 2)
    assert first == second
    assert first[1:] == (0, 0)


async def test_a_changed_tool_loses_everything() -> None:
    system = [cached(words=LONG)]
    _, second = await usages(
        request(system=system, tools=[tool("a")]), request(system=system, tools=[tool("b")])
    )
    assert second[2] == 0


async def test_effort_loses_the_messages_and_keeps_the_system() -> None:
    body = chat(user(cached(words=LONG)), system=[cached(words=LONG)])
    first, second = await usages(body, body | {"output_config": {"effort": "low"}})
    assert 0 < second[2] < first[1]
    assert second[1] + second[2] == first[1]


async def test_an_entry_is_found_20_blocks_back_and_no_further() -> None:
    start = chat(user(cached(words=LONG)))
    near = chat(user(text(LONG), *[text()] * 19, cached()))
    far = chat(user(text(LONG), *[text()] * 20, cached()))
    _, read = await usages(start, near)
    _, missed = await usages(start, far)
    assert read[2] > 1000
    assert missed[2] == 0


async def test_lifetimes_are_told_apart() -> None:
    async with StandIn([Turn(Text("ok"))]) as api:
        body = chat(user(cached("5m", LONG)), system=[cached("1h", LONG)])
        usage = (await post(api, body)).json["usage"]
    hour = usage["cache_creation"]["ephemeral_1h_input_tokens"]
    minutes = usage["cache_creation"]["ephemeral_5m_input_tokens"]
    assert hour >= 1000
    assert minutes >= 1000
    assert hour + minutes == usage["cache_creation_input_tokens"]


async def test_a_turn_overrides_single_figures() -> None:
    async with StandIn([Turn(Text("ok"), usage={"input_tokens": 900_000})]) as api:
        usage = (await post(api, request())).json["usage"]
    assert usage["input_tokens"] == 900_000
    assert usage["output_tokens"] > 0


async def test_counting_tokens_agrees_with_the_reply() -> None:
    body = chat(user("x"), system=LONG, tools=[tool()])
    async with StandIn([Turn(Text("ok"))]) as api:
        counted = {key: value for key, value in body.items() if key != "max_tokens"}
        count = (await post(api, counted, "/v1/messages/count_tokens")).json
        usage = (await post(api, body)).json["usage"]
    assert count == {"input_tokens": usage["input_tokens"]}


AGAIN = chat(user("x"), assistant("y"), user("z"), system="s", tools=[tool()])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"max_tokens": 7}, None),
        ({"model": "claude-opus-5-5"}, "model_changed"),
        ({"system": "other"}, "system_changed"),
        ({"tools": []}, "tools_changed"),
        ({"messages": [user("other")]}, "messages_changed"),
        ({"tool_choice": {"type": "none"}}, "unavailable"),
    ],
)
async def test_diagnostics_name_what_moved(changes: Json, reason: str | None) -> None:
    async with StandIn([Turn(Text("y"))] * 2) as api:
        opted_in = {"diagnostics": {"previous_message_id": None}}
        first = (await post(api, chat(user("x"), system="s", tools=[tool()], **opted_in))).json
        asked = AGAIN | changes | {"diagnostics": {"previous_message_id": first["id"]}}
        found = (await post(api, asked)).json["diagnostics"]
    assert first["diagnostics"] is None
    assert (found and found["cache_miss_reason"]["type"]) == reason


async def test_diagnostics_know_only_requests_that_opted_in() -> None:
    async with StandIn([Turn(Text("y"))] * 2) as api:
        first = (await post(api, chat(user("x")))).json
        asked = chat(user("x"), diagnostics={"previous_message_id": first["id"]})
        found = (await post(api, asked)).json["diagnostics"]
    assert found == {"cache_miss_reason": {"type": "previous_message_not_found"}}


async def test_a_deferred_tool_is_no_part_of_the_prompt() -> None:
    rare = tool("Rare", defer_loading=True, description=LONG)
    with_rare = request(system=[cached(words=LONG)], tools=[tool(), rare])
    without = with_rare | {"tools": [tool()]}
    first, second = await usages(with_rare, without)
    assert second == (first[0], 0, first[1])


@pytest.mark.parametrize(
    ("named", "reason"), [(None, None), ("msg_x", {"type": "previous_message_not_found"})]
)
async def test_diagnostics_of_no_message(named: str | None, reason: Json | None) -> None:
    async with StandIn([Turn(Text("y"))]) as api:
        answer = await post(api, request(diagnostics={"previous_message_id": named}))
    assert answer.json["diagnostics"] == (reason and {"cache_miss_reason": reason})

"""What thinking is bound to, and what may change around it."""

from collections.abc import Callable
from copy import deepcopy

import pytest

from tests.standin import StandIn, Text, Thinking, ToolUse, Turn
from tests.standin_tests.client import Json, post, request, text, tool, tool_result, user

Change = Callable[[Json], object]

SCRIPT = [
    Turn(Thinking("first"), ToolUse("Grep", {"pattern": "x"})),
    Turn(Thinking("second"), Text("And then."), Thinking("third"), ToolUse("Glob")),
    Turn(Thinking("fourth"), ToolUse("Grep")),
    Turn(Text("done")),
]
START = request(
    system=[text("You read code."), text("Its root is /.")],
    tools=[tool("Grep"), tool("Glob"), tool("Later", defer_loading=True)],
    thinking={"type": "adaptive", "display": "summarized"},
)


async def conversation(api: StandIn) -> Json:
    """The request that answers the third turn; its messages 1, 3 and 5 hold the thinking."""
    body = deepcopy(START)
    for _ in SCRIPT[:-1]:
        answer = await post(api, body)
        content = answer.json["content"]
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        body["messages"] += [
            {"role": "assistant", "content": content},
            user(*(tool_result(id_, "found in many places") for id_ in calls)),
        ]
    return body


def cache_control(body: Json) -> None:
    body["system"][0]["cache_control"] = {"type": "ephemeral"}
    body["messages"][2]["content"][0]["cache_control"] = {"type": "ephemeral"}


UNBOUND: dict[str, Change] = {
    "nothing": lambda _: None,
    "cache_control": cache_control,
    "effort": lambda body: body.update(output_config={"effort": "low"}),
    "max_tokens": lambda body: body.update(max_tokens=7),
    "tool_choice": lambda body: body.update(tool_choice={"type": "none"}),
    "display": lambda body: body.update(thinking={"type": "adaptive", "display": "omitted"}),
    "a deferred tool changed": lambda body: body["tools"][2].update(description="changed"),
    "a deferred tool gone": lambda body: body["tools"].pop(),
    "the oldest thinking gone": lambda body: body["messages"][1]["content"].pop(0),
    "the two oldest gone": lambda body: (
        body["messages"][1]["content"].pop(0),
        body["messages"][3]["content"].pop(0),
    ),
    "a string for its one block": lambda body: body["messages"].__setitem__(
        0, {"role": "user", "content": [text("Hello")]}
    ),
    "a message more at the end": lambda body: body["messages"].append(user("And?")),
}

BOUND: dict[str, Change] = {
    "system": lambda body: body["system"][1].update(text="Its root is /home."),
    "system shortened": lambda body: body["system"].pop(),
    "a tool's description": lambda body: body["tools"][0].update(description="changed"),
    "the order of tools": lambda body: body["tools"].reverse(),
    "a tool more": lambda body: body["tools"].append(tool("New")),
    "the first message": lambda body: body["messages"][0].update(content="Bye"),
    "an old result shortened": lambda body: body["messages"][2]["content"][0].update(content="cut"),
    "a call's input": lambda body: body["messages"][1]["content"][1].update(input={"pattern": "y"}),
    "text between thoughts": lambda body: body["messages"][3]["content"][1].update(text="Or."),
    "a message put in": lambda body: body["messages"].insert(1, user("by the way")),
    "a middle thought gone": lambda body: body["messages"][3]["content"].pop(2),
    "a thought's text": lambda body: body["messages"][3]["content"][0].update(thinking="other"),
    "thoughts swapped": lambda body: body["messages"][3]["content"].insert(
        0, body["messages"][3]["content"].pop(2)
    ),
    "a signature cut": lambda body: body["messages"][1]["content"][0].update(signature="Zm9v"),
    "a signature of another": lambda body: body["messages"][3]["content"][0].update(
        signature=body["messages"][1]["content"][0]["signature"]
    ),
}


@pytest.mark.parametrize("change", UNBOUND.values(), ids=UNBOUND)
async def test_what_may_change(change: Change) -> None:
    async with StandIn(SCRIPT) as api:
        body = await conversation(api)
        change(body)
        answer = await post(api, body)
    assert answer.status == 200, answer.error


@pytest.mark.parametrize("change", BOUND.values(), ids=BOUND)
async def test_what_may_not(change: Change) -> None:
    async with StandIn(SCRIPT) as api:
        body = await conversation(api)
        change(body)
        answer = await post(api, body)
    assert answer.status == 400
    assert "Invalid `signature` in `thinking` block" in answer.error


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop(0),
        lambda content: content[0].update(thinking="other"),
        lambda content: content[0].update(signature="Zm9v"),
    ],
    ids=["gone", "text", "signature"],
)
async def test_the_latest_thinking_is_untouched(change: Change) -> None:
    async with StandIn(SCRIPT) as api:
        body = await conversation(api)
        change(body["messages"][5]["content"])
        answer = await post(api, body)
    assert answer.status == 400
    assert "in the latest assistant message cannot be modified" in answer.error


async def test_a_deferred_tool_counts_once_it_is_referred_to() -> None:
    async with StandIn([Turn(ToolUse("Grep")), Turn(Thinking("…"), Text("a")), Turn()]) as api:
        body = deepcopy(START)
        answer = await post(api, body)
        reference = {"type": "tool_reference", "tool_name": "Later"}
        body["messages"] += [
            {"role": "assistant", "content": answer.json["content"]},
            user(tool_result("toolu_0001", [reference])),
        ]
        answer = await post(api, body)
        body["messages"] += [{"role": "assistant", "content": answer.json["content"]}, user("b")]
        body["tools"][2]["description"] = "changed"
        answer = await post(api, body)
    assert "Invalid `signature`" in answer.error


@pytest.mark.parametrize(
    ("thinking", "seen"),
    [
        (..., ""),
        ({"type": "adaptive"}, ""),
        ({"type": "adaptive", "display": "omitted"}, ""),
        ({"type": "adaptive", "display": "summarized"}, "hm"),
        ({"type": "disabled"}, None),
    ],
)
async def test_thinking_shows_as_the_request_asks(thinking: Json, seen: str | None) -> None:
    async with StandIn([Turn(Thinking("hm"), Text("yes"))]) as api:
        answer = await post(api, request(model="claude-haiku-5-5", thinking=thinking))
    texts = [b["thinking"] for b in answer.json["content"] if b["type"] == "thinking"]
    assert texts == ([] if seen is None else [seen])

"""The real SDK against the stand-in: thinking, parallel tools, results and the final text."""

from typing import Any

from anthropic import AsyncAnthropic

from tests.standin import StandIn, Text, Thinking, ToolUse, Turn

TOOLS = [
    {"name": name, "description": name, "input_schema": {"type": "object", "properties": {}}}
    for name in ("Grep", "Glob")
]


async def test_a_conversation_through_the_sdk() -> None:
    script = [
        Turn(
            Thinking("Two searches at once will do."),
            ToolUse("Grep", {"pattern": "naïve", "limit": 3}),
            ToolUse("Glob", {"pattern": "**/*.py"}),
        ),
        Turn(Thinking("Both found."), Text("It stands in core/text.py.")),
    ]
    async with (
        StandIn(script) as api,
        AsyncAnthropic(api_key="k", base_url=api.base_url, max_retries=0) as client,
    ):
        request: dict[str, Any] = {
            "model": "claude-sonnet-5-5",
            "system": "You read code.",
            "tools": TOOLS,
            "thinking": {"type": "adaptive", "display": "summarized"},
        }
        messages: list[Any] = [{"role": "user", "content": "Where is it?"}]
        async with client.messages.stream(max_tokens=1000, messages=messages, **request) as stream:
            first = await stream.get_final_message()
        assert first.stop_reason == "tool_use"
        content: list[Any] = first.content
        thinking, *calls = content
        assert thinking.thinking == "Two searches at once will do."
        assert [(call.id, call.name, call.input) for call in calls] == [
            ("toolu_0001", "Grep", {"pattern": "naïve", "limit": 3}),
            ("toolu_0002", "Glob", {"pattern": "**/*.py"}),
        ]
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": "found"} for call in calls
        ]
        messages += [first.to_param(), {"role": "user", "content": results}]
        async with client.messages.stream(max_tokens=1000, messages=messages, **request) as stream:
            second = await stream.get_final_message()
        assert second.stop_reason == "end_turn"
        assert second.content[-1].to_dict()["text"] == "It stands in core/text.py."
        messages += [second.to_param(), {"role": "user", "content": "Thank you."}]
        await client.messages.count_tokens(messages=messages, **request)
        assert api.refusals == []
        assert [recorded.path for recorded in api.requests] == [
            "/v1/messages",
            "/v1/messages",
            "/v1/messages/count_tokens",
        ]

"""The real SDK against the stand-in: thinking, parallel tools, results and the final text."""

from typing import Any

import pytest
from anthropic import APIStatusError, AsyncAnthropic, BadRequestError

from tests.standin import StandIn, StreamError, Text, Thinking, ToolUse, Turn

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


async def test_citations_through_the_sdk() -> None:
    cited = {
        "type": "search_result_location",
        "cited_text": "def lines(): ...",
        "source": "core/text.py",
        "title": "text.py",
        "search_result_index": 0,
        "start_block_index": 0,
        "end_block_index": 1,
    }
    found = {
        "type": "search_result",
        "source": "core/text.py",
        "title": "text.py",
        "content": [{"type": "text", "text": "def lines(): ..."}],
        "citations": {"enabled": True},
    }
    async with (
        StandIn(
            [Turn(Text("Lines are split there.", citations=[cited])), Turn(Text("Yes."))]
        ) as api,
        AsyncAnthropic(api_key="k", base_url=api.base_url, max_retries=0) as client,
    ):
        request: dict[str, Any] = {"model": "claude-haiku-5-5", "max_tokens": 100}
        messages: list[Any] = [{"role": "user", "content": [found]}]
        async with client.messages.stream(messages=messages, **request) as stream:
            first = await stream.get_final_message()
        assert first.to_dict()["content"] == [
            {"type": "text", "text": "Lines are split there.", "citations": [cited]}
        ]
        messages += [first.to_param(), {"role": "user", "content": "Sure?"}]
        second = await client.messages.create(messages=messages, **request)
        assert second.to_dict()["content"] == [{"type": "text", "text": "Yes.", "citations": None}]
        assert api.refusals == []


async def test_models_through_the_sdk() -> None:
    async with (
        StandIn() as api,
        AsyncAnthropic(api_key="k", base_url=api.base_url, max_retries=0) as client,
    ):
        listed = [model async for model in client.models.list()]
        fable = await client.models.retrieve("claude-fable-5-1")
    assert fable in listed
    assert fable.capabilities is not None
    assert fable.capabilities.thinking.types.adaptive.supported
    assert not fable.capabilities.thinking.types.disabled.supported
    assert fable.max_input_tokens == 1_000_000


async def test_an_error_through_the_sdk() -> None:
    async with (
        StandIn([Turn(Text("Hello"), fault=StreamError())]) as api,
        AsyncAnthropic(api_key="k", base_url=api.base_url, max_retries=0) as client,
    ):
        request: dict[str, Any] = {"model": "claude-haiku-5-5", "max_tokens": 100}
        messages: list[Any] = [{"role": "user", "content": "x"}]
        with pytest.raises(APIStatusError) as raised:
            async with client.messages.stream(messages=messages, **request) as stream:
                await stream.get_final_message()
        assert (raised.value.status_code, raised.value.type) == (200, "overloaded_error")
        with pytest.raises(BadRequestError, match="must have non-empty content"):
            await client.messages.create(messages=[{"role": "user", "content": ""}], **request)

"""Bodies as bytes: what the SDK itself would send, and nothing encoded twice."""

import json
import operator
from typing import Any

import pytest
from anthropic._utils._json import openapi_dumps

from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.model import ContentBlock, EncodedRequest, Message, ModelRequest, ToolCall
from glossator.llm.model_facts import CATALOG, PROFILES
from glossator.llm.request import build_body, encode_body
from glossator.settings.models import Profile
from tests.llm.asking import asker, request_of
from tests.standin import Text, Turn

SONNET = CATALOG["claude-sonnet-5-5"]
IMAGE: ContentBlock = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
WORDS = ("Where is »naïve« \U0001f600?", 'a "quote" \\ and a\nline\u2028end\x01', "")


def body_of(request: ModelRequest, profile: Profile = "anthropic") -> dict[str, Any]:
    return build_body(request, SONNET, PROFILES[profile], "high")


def grow(conversation: Conversation, number: int) -> None:
    """Another turn: a reply that calls a tool, and the result, every third with an image."""
    call: ContentBlock = {
        "type": "tool_use",
        "id": f"t{number}",
        "name": "Grep",
        "input": {"n": number},
    }
    conversation.append({"role": "assistant", "content": [call]})
    answer = tool_answers([(ToolCall(f"t{number}", "Grep", {}), ToolResult(WORDS[number % 3]))])
    if number % 3 == 0:
        answer["content"][0]["content"] = [{"type": "text", "text": "an image"}, IMAGE]
    conversation.append(answer)


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_growing_conversation_is_encoded_as_the_sdk_would(profile: Profile) -> None:
    conversation = Conversation((user_message("q", *WORDS),))
    for number in range(12):
        request = request_of(*conversation.messages, encoded=conversation.encoded)
        body = body_of(request, profile)
        assert encode_body(body, request.encoded) == openapi_dumps(body)
        grow(conversation, number)
    conversation.restart([user_message("A summary."), *conversation.messages[-2:]])
    request = request_of(*conversation.messages, encoded=conversation.encoded)
    body = body_of(request, profile)
    assert encode_body(body, request.encoded) == openapi_dumps(body)


@pytest.mark.parametrize("profile", ["anthropic", "vllm", "litellm"])
def test_only_the_newest_messages_are_encoded_anew(profile: Profile) -> None:
    conversation = Conversation((user_message("q"),))
    new = []
    for number in range(12):
        grow(conversation, number)
        before = [encoded for _, encoded in conversation.encoded.messages]
        encode_body(body_of(request_of(*conversation.messages), profile), conversation.encoded)
        after = [encoded for _, encoded in conversation.encoded.messages]
        new.append(len(after) - sum(map(operator.is_, before, after)))
    marked = 2 if profile == "anthropic" else 0  # lose their breakpoint
    assert new == [3, *([2 + marked] * 11)]


def test_another_message_in_the_same_place_is_encoded() -> None:
    known = EncodedRequest()
    for words in ("one", "two", "two"):
        body = {"messages": [user_message(words)]}
        assert json.loads(encode_body(body, known)) == body


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ud83d\\\ude00", "\ufffd\\\ufffd"),
        ("é", "é"),
    ],
)
def test_lone_surrogates_are_replaced(said: str, sent: str) -> None:
    message: Message = {"role": "user", "content": [{"type": "text", "text": said, said: {}}]}
    encoded = encode_body({"system": said, "messages": [message]}, EncodedRequest())
    content = [{"type": "text", "text": sent, sent: {}}]
    expected = {"system": sent, "messages": [{"role": "user", "content": content}]}
    assert json.loads(encoded) == expected


async def test_a_request_goes_out_as_the_sdk_would_send_it() -> None:
    async with asker([Turn(Text("Hi."))] * 2) as ask:
        await ask.ask(user_message(*WORDS[:2]))
        (ours,) = ask.api.requests
        client = await ask.model._open()
        async with await client.messages.create(**ours.body) as events:
            assert [event async for event in events]
        theirs = ask.api.requests[1]
        assert ask.api.refusals == []
    assert (ours.path, ours.headers, ours.body) == (theirs.path, theirs.headers, theirs.body)

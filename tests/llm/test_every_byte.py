"""A recorded stream, cut after every single byte: no part of a reply or of a call is used."""

import anthropic
import httpx2

from glossator.core.errors import StreamCut
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.model import ModelEvent, Reply, TextPiece, ToolCall, ToolReady
from glossator.settings.models import ModelSettings
from tests.llm.asking import KEY, request_of
from tests.standin import StandIn, Text, Thinking, ToolUse, Turn
from tests.standin_tests.client import post, request

CALLS = [ToolCall("a", "Grep", {"pattern": 'ü"\\{'}), ToolCall("b", "Glob", {})]
SAID = "Größe: 😀."
USES = [ToolUse(call.name, call.arguments, call.id) for call in CALLS]


async def recorded() -> bytes:
    """The bytes of a streamed reply."""
    async with StandIn([Turn(Thinking("Grübeln."), Text(SAID), *USES, chunk=6)]) as api:
        return (await post(api, request(stream=True))).raw


class Cut(httpx2.AsyncBaseTransport):
    """Answers every request with the first bytes of a stream."""

    def __init__(self, whole: bytes) -> None:
        self.whole = whole
        self.bytes = 0

    async def handle_async_request(self, _request: httpx2.Request) -> httpx2.Response:
        headers = {"content-type": "text/event-stream; charset=utf-8"}
        return httpx2.Response(200, headers=headers, content=self.whole[: self.bytes])


async def events_until_the_end(model: AnthropicModel) -> tuple[list[ModelEvent], str]:
    """The events of one request, and what was said when it was cut, or ""."""
    events: list[ModelEvent] = []
    try:
        async for event in model.stream(request_of()):
            events.append(event)  # noqa: PERF401 - what came before a cut is looked at, too
    except StreamCut as cut:
        return events, str(cut)
    return events, ""


async def test_a_stream_cut_after_any_byte_is_void() -> None:
    transport = Cut(await recorded())
    client = anthropic.AsyncAnthropic(
        api_key=KEY, max_retries=0, http_client=httpx2.AsyncClient(transport=transport)
    )
    settings = ModelSettings(max_retries=0, profile="litellm")
    model = AnthropicModel(settings.main, settings, lambda: client)
    whole: list[Reply] = []
    for cut_at in range(len(transport.whole) + 1):
        transport.bytes = cut_at
        events, cut = await events_until_the_end(model)
        replies = [event for event in events if isinstance(event, Reply)]
        shown = "".join(event.text for event in events if isinstance(event, TextPiece))
        ready = [event.call for event in events if isinstance(event, ToolReady)]
        assert SAID.startswith(shown)
        assert ready == CALLS[: len(ready)]
        assert ("nothing of it was used" in cut) is not bool(replies)
        whole += replies
    await model.close()
    # Whole is a stream whose last event is, with or without the line ends behind it.
    assert 1 <= len(whole) <= 3
    for reply in whole:
        assert (reply.text, list(reply.tool_calls)) == (SAID, CALLS)

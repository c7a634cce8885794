"""One request to the model, shown while it streams."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from glossator.agent.agent import Agent
from glossator.agent.early import EarlyCalls
from glossator.agent.run import RunContext
from glossator.agent.specs import tool_specs
from glossator.core.errors import StreamCut
from glossator.core.events import Notice, TextDelta, TextDiscarded, ThinkingDelta
from glossator.llm import (
    Conversation,
    Message,
    Meter,
    ModelRequest,
    Reply,
    RetryWait,
    TextPiece,
    ThinkingPiece,
)


async def query(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    meter: Meter,
    seconds: float,
    early: EarlyCalls,
    paused: Sequence[Message] = (),
) -> Reply | str:
    """The model's reply to the conversation, or the text it had when so many seconds were over.

    `paused` is what the reply said before the provider paused it. Time in which the user is waited
    for does not count. A reply that is not whole is taken off the screen. Calls are handed to
    `early` as soon as they are whole. Raises `ModelError`.
    """
    early.void()  # what a reply before this one left
    request = ModelRequest(
        agent.system,
        agent.specs or tool_specs(agent.tools),
        (*conversation.messages, *paused),
        previous_reply=conversation.newest_reply,
        encoded=conversation.encoded,
    )
    said, shown = "", False
    try:
        async with run.clock.limit(seconds), aclosing(meter.stream(run.model, request)) as events:
            async for event in events:
                await early.follow(event)
                match event:
                    case TextPiece(text):
                        run.emit(TextDelta(text))
                        said += text
                        shown = True
                    case ThinkingPiece(text):
                        run.emit(ThinkingDelta(text))
                        shown = True
                    case RetryWait():
                        if shown:
                            run.emit(TextDiscarded())
                        said, shown = "", False
                        run.emit(Notice(_wait_notice(event)))
                    case Reply():
                        conversation.newest_reply = event.id
                        return event
    except TimeoutError:
        if shown:
            run.emit(TextDiscarded())
        return said
    raise StreamCut("The model's answer ended before it was complete. Ask again.")


def _wait_notice(wait: RetryWait) -> str:
    seconds = f"{wait.seconds:.0f}" if wait.seconds >= 1 else "less than 1"
    return f"{wait.reason} Asking again in {seconds} s (try {wait.attempt + 1})."

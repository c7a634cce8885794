"""One request to the model, shown while it streams, with the specifications of the tools."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from functools import cache
from typing import Any

from glossator.agent.calls import EarlyCalls
from glossator.agent.run import Agent, RunContext
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
    ToolSpec,
)
from glossator.tools import Registry, ToolArgs

Schema = dict[str, Any]

_LEFT_OUT = frozenset({"title", "additionalProperties", "$defs", "minLength", "maxLength"})
_SELF_EVIDENT = (None, False, "")  # defaults: what is left out is not set


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


def tool_specs(tools: Registry) -> tuple[ToolSpec, ...]:
    """Name, description and schema of each tool, in a fixed order: they open the prompt prefix."""
    return tuple(
        ToolSpec(tool.name, tool.description, _schema(tool.args))
        for _, tool in sorted(tools.items())
    )


@cache
def _schema(args: type[ToolArgs]) -> Schema:
    """The JSON schema in few words: every request is read with it.

    Left out is what pydantic derives from our code (titles, docstrings, names of types), and what
    says nothing: that an optional argument may be null, that a flag is off unless it is set, that
    a count is not negative, how long a text may be. What a call may not hold is still refused when
    it is validated.
    """
    schema = args.model_json_schema()
    return _plain(schema, schema.get("$defs", {}), described=False)


def _plain(schema: Schema, types: dict[str, Schema], *, described: bool = True) -> Schema:
    """A schema without references; `described`: its description is meant for the model."""
    if reference := schema.get("$ref"):
        named = _plain(types[reference.rpartition("/")[2]], types, described=False)
        return named | _plain({k: v for k, v in schema.items() if k != "$ref"}, types)
    if isinstance(choices := schema.get("anyOf"), list):
        some = [choice for choice in choices if choice != {"type": "null"}]
        if len(some) == 1:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return _plain(some[0], types) | _plain(rest, types)
        schema = {**schema, "anyOf": some}
    plain: Schema = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or (key == "description" and not described):
            continue
        if key == "minimum" and value == 0:  # of a count
            continue
        if key == "default" and any(value is each for each in _SELF_EVIDENT):
            continue
        if key == "properties":
            plain[key] = {name: _plain(field, types) for name, field in value.items()}
        elif key == "items":
            plain[key] = _plain(value, types)
        else:
            plain[key] = value
    return plain

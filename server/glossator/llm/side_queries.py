"""A question to a model beside the conversation: one message, and its reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

from glossator.core.errors import ModelError
from glossator.llm.conversation import user_message
from glossator.llm.meter import Meter, Purpose
from glossator.llm.model import Model, ModelRequest, Reply, StopReason
from glossator.llm.models import known_facts

_THINKING_TOKENS = 1_000  # room for a model that cannot do without


async def side_query(
    model: Model,
    meter: Meter,
    purpose: Purpose,
    prompt: str,
    tokens: int,
    schema: Mapping[str, Any] | None = None,
) -> Reply:
    """The reply of at most so many `tokens`, which a server that can holds to `schema`.

    Raises `BudgetSpent`, before it asks, and `ModelError`.
    """
    meter.check()
    request = ModelRequest(
        system=(),
        tools=(),
        messages=(user_message(prompt),),
        max_output_tokens=tokens + (0 if known_facts(model).answers_at_once else _THINKING_TOKENS),
        shared_blocks=0,
        thinks=False,
        output_schema=schema,
    )
    async with aclosing(meter.stream(model, request, purpose)) as events:
        async for event in events:
            if isinstance(event, Reply):
                return event
    raise ModelError("The model ended a reply without its end. Report this.")


async def ask_for_json(
    model: Model,
    meter: Meter,
    purpose: Purpose,
    prompt: str,
    tokens: int,
    schema: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that the model replies. Raises as `side_query`, also for a reply without one."""
    reply = await side_query(model, meter, purpose, prompt, tokens, schema)
    if reply.stop is StopReason.REFUSAL:
        raise ModelError("The model declined.")
    return object_in(reply.text)


def object_in(text: str) -> dict[str, Any]:
    """The JSON object in a reply, whatever stands around it. Raises `ModelError` without one."""
    begin = text.find("{")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, begin) if begin >= 0 else (None, 0)
    except json.JSONDecodeError as error:
        raise ModelError(f"The model's reply is no JSON ({error.msg}).") from error
    if not isinstance(found, dict):
        raise ModelError("The model's reply holds no JSON object.")
    return found

"""About how many tokens requests and their parts take in the window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from glossator.core.window import estimate_tokens
from glossator.llm.model import ContentBlock, Message, ModelRequest, ToolSpec

_IMAGE_TOKENS = 1_600  # the provider's figure for a large picture


def estimate_messages(messages: Sequence[Message]) -> int:
    """About how many tokens messages take in the window."""
    return sum(_tokens(block) for message in messages for block in message["content"])


def estimate_block(block: ContentBlock) -> int:
    """About how many tokens a block of a message takes in the window."""
    return _tokens(block)


def estimate_tool(tool: ToolSpec) -> int:
    """About how many tokens a tool's specification takes in the window."""
    return estimate_tokens(json.dumps([tool.name, tool.description, tool.input_schema]))


def estimate_request(request: ModelRequest) -> int:
    """About how many tokens a request takes in the window."""
    before = sum(map(estimate_tokens, request.system)) + sum(map(estimate_tool, request.tools))
    return before + estimate_messages(request.messages)


def _tokens(value: Any) -> int:  # noqa: ANN401 - any JSON value
    match value:
        case {"type": "image"}:
            return _IMAGE_TOKENS
        case dict():
            return sum(_tokens(part) for name, part in value.items() if name != "signature")
        case list():
            return sum(map(_tokens, value))
        case str():
            return estimate_tokens(value)
    return 1

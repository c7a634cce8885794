"""An append-only conversation, and the one user message that answers a reply's tool calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.core.images import Image
from glossator.core.tool_result import ToolResult
from glossator.llm.model import Block, EncodedRequest, Message, ToolCall


@dataclass(slots=True)
class Conversation:
    """The messages of a session, only ever appended to: providers bind to the prefix.

    `newest_reply` is the provider's id of the last reply to it, and no part of it.
    `encoded` is for requests with these messages.
    """

    _messages: list[Message] = field(default_factory=list)
    newest_reply: str | None = None
    encoded: EncodedRequest = field(default_factory=EncodedRequest, compare=False, repr=False)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        return tuple(self._messages)

    @property
    def unanswered(self) -> bool:
        """Whether the last message waits for a reply that never came."""
        return bool(self._messages) and self._messages[-1]["role"] == "user"

    def append(self, message: Message) -> None:
        """Add the next message."""
        self._messages.append(message)

    def restart(self, messages: Sequence[Message]) -> None:
        """Go on with other messages, as after a compaction: a new prefix, with nothing cached."""
        self._messages = list(messages)
        self.newest_reply = None


def whole_reply(parts: Sequence[Message]) -> Message:
    """One message of a reply and of what it said before it was paused, if it was.

    A call of the server's own tools that was left open is not part of it: nothing but the server's
    answer could follow.
    """
    blocks = [block for part in parts for block in part["content"]]
    answered = {block.get("tool_use_id") for block in blocks}
    content = [b for b in blocks if b.get("type") != "server_tool_use" or b.get("id") in answered]
    if len(parts) == 1 and len(content) == len(blocks):
        return parts[0]
    return {"role": "assistant", "content": content}


def user_message(*parts: str | Image) -> Message:
    """A user message with a block for each image and each non-empty text."""
    return {"role": "user", "content": [_block(part) for part in parts if part]}


def tool_answers(answers: Sequence[tuple[ToolCall, ToolResult]], *reminders: str) -> Message:
    """The one message that answers every call of a reply: results first, reminders after."""
    content: list[Block] = [_tool_result(call, result) for call, result in answers]
    content += [{"type": "text", "text": reminder} for reminder in reminders]
    return {"role": "user", "content": content}


def _tool_result(call: ToolCall, result: ToolResult) -> Block:
    content: str | list[Block] = result.text
    if image := result.image:
        content = [_block(result.text), _block(image)]
    block: Block = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    if result.error:
        block["is_error"] = True
    return block


def _block(part: str | Image) -> Block:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    return {"type": "image", "source": source}

"""An append-only conversation, and what providers demand of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from glossator.core.images import Image
from glossator.core.tool_result import ToolResult
from glossator.llm.model import ContentBlock, EncodedRequest, Message, ToolCall

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_ODD_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_NAME_CHARACTERS = 64
_NAMELESS = "unknown"
_LOST = "The result of this call is not known."
_NOTHING = "(What was here is lost.)"
_NO_WORDS = "(no text)"


@dataclass(slots=True)
class Conversation:
    """The messages of a session, which are only appended to: providers bind to the prefix.

    `newest_reply` is the provider's id of the last reply. `encoded` holds the JSON of the messages.
    """

    messages: tuple[Message, ...] = ()
    newest_reply: str | None = None
    encoded: EncodedRequest = field(default_factory=EncodedRequest, compare=False, repr=False)
    _texts: list[str] | None = field(default=None, compare=False, repr=False)

    @property
    def unanswered(self) -> bool:
        """Whether the last message has no reply."""
        return bool(self.messages) and self.messages[-1]["role"] == "user"

    def text_since(self, begun: int) -> str:
        """The texts of the model's replies behind the first `begun` messages."""
        replies = (m for m in self.messages[begun:] if m["role"] == "assistant")
        texts = (
            block for reply in replies for block in reply["content"] if block["type"] == "text"
        )
        return "\n\n".join(block["text"] for block in texts)

    def was_told(self, opening: str) -> bool:
        """Whether some text in a user message begins like this."""
        return any(text.startswith(opening) for text in self.user_texts)

    @property
    def user_texts(self) -> Sequence[str]:
        """The texts in user messages, oldest first: words, reminders, and no results of calls.

        They are asked for before each request, so messages that were added are all that is read.
        """
        if self._texts is None:
            self._texts = [text for message in self.messages for text in _texts_in(message)]
        return self._texts

    def append(self, message: Message) -> None:
        """Add the next message."""
        self.messages = (*self.messages, message)
        if self._texts is not None:
            self._texts += _texts_in(message)

    def revise(self, message: Message) -> None:
        """Replace the last message, after which nothing was sent."""
        self.messages = (*self.messages[:-1], message)
        self._texts = None

    def amend(self, messages: Sequence[Message]) -> None:
        """Continue without what the provider refused, or with it shortened."""
        self.messages = tuple(messages)
        self._texts = self.newest_reply = None

    def restart(self, messages: Sequence[Message]) -> None:
        """Continue with other messages, as after a compaction."""
        self.messages = tuple(messages)
        self._texts = self.newest_reply = None


def _texts_in(message: Message) -> Iterator[str]:
    if message["role"] == "user":
        yield from (str(block["text"]) for block in message["content"] if "text" in block)


def whole_reply(parts: Sequence[Message]) -> Message:
    """Join the parts of a reply, before and after its pauses, into one message.

    Unanswered calls of the server's own tools are left out, which only the server could answer.
    """
    blocks = [block for part in parts for block in part["content"]]
    answered = {block.get("tool_use_id") for block in blocks}
    content = [b for b in blocks if b.get("type") != "server_tool_use" or b.get("id") in answered]
    if len(parts) == 1 and len(content) == len(blocks):
        return parts[0]
    return {"role": "assistant", "content": content}


def text_of(message: Message) -> str:
    """The texts of a message, one after another."""
    return "".join(block["text"] for block in message["content"] if block.get("type") == "text")


def with_text(reply: Message, text: str) -> Message:
    """A reply that nothing followed, with its text replaced.

    The text goes last. Thinking that stood behind the old text is bound to it, and left out.
    """
    content = reply["content"]
    first = next((n for n, b in enumerate(content) if _is(b, "text")), len(content))
    behind = [b for b in content[first:] if not (_is(b, "text") or _is_thinking(b))]
    return {**reply, "content": [*content[:first], *behind, {"type": "text", "text": text}]}


def user_message(*parts: str | Image) -> Message:
    """A user message with a block for each image and each non-empty text."""
    return {"role": "user", "content": [_block(part) for part in parts if part]}


def tool_answers(answers: Sequence[tuple[ToolCall, ToolResult]], *more: str | Image) -> Message:
    """The one message that answers every call of a reply: results first, `more` after."""
    content: list[ContentBlock] = [_tool_result(call, result) for call, result in answers]
    content += map(_block, more)
    return {"role": "user", "content": content}


def _tool_result(call: ToolCall, result: ToolResult) -> ContentBlock:
    content: str | list[ContentBlock] = result.text
    if result.images:
        content = [_block(result.text), *map(_block, result.images)]
    block: ContentBlock = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    if result.error:
        block["is_error"] = True
    return block


def _block(part: str | Image) -> ContentBlock:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": part.data}
    return {"type": "image", "source": source}


def call_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all tool calls in these messages."""
    return {
        str(block.get("id"))
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if _is(block, "tool_use")
    }


def usable_call(block: ContentBlock, taken: set[str]) -> ContentBlock:
    """The tool call with a valid name and an id that is not `taken`; adds the id to `taken`.

    A valid id stays. The block itself does not change.
    """
    id_ = block.get("id")
    if not isinstance(id_, str) or not _ID.fullmatch(id_) or id_ in taken:
        id_ = next(each for number in count(1) if (each := f"call_{number}") not in taken)
    taken.add(id_)
    name = block.get("name")
    if isinstance(name, str):
        name = _ODD_IN_NAME.sub("_", name)[:_NAME_CHARACTERS]
    new = {**block, "id": id_, "name": name}
    return block if new == block else new


def repair_messages(messages: Sequence[Message]) -> list[Message]:
    """The conversation in a form that the provider accepts; valid messages stay the same objects.

    The provider refuses a request for a tool call whose id is empty, invalid or used before, or
    that has no name or no result in the next message, for blank texts (also in results), and for an
    error without text. Compatible servers send such calls, and a damaged log may hold half a pair.
    The repair of a message depends only on earlier ones, so that the prefix stays the same.
    Source: the provider's "Messages" reference.
    """
    taken: set[str] = set()
    open_calls: list[tuple[object, str]] = []  # the original id of a call, and its repaired one
    result: list[Message] = []
    for message in messages:
        content = _without_blanks(message["content"])
        if message["role"] == "assistant":
            if open_calls or not result:  # the user's message between is lost
                lost: Message = {"role": "user", "content": _results([], open_calls)}
                result.append(_with(lost, lost["content"]))
            calls = [usable_call(b, taken) if _is(b, "tool_use") else b for b in content]
            open_calls = [
                (old.get("id"), new["id"])
                for old, new in zip(content, calls, strict=True)
                if _is(old, "tool_use")
            ]
            content = [_whole_call(b) if _is(b, "tool_use") else b for b in calls]
        else:
            content = _results(content, open_calls)
            open_calls = []
        result.append(_with(message, content))
    return result


def _results(
    content: Sequence[ContentBlock], open_calls: list[tuple[object, str]]
) -> list[ContentBlock]:
    """One result for each call, under its id, then the other blocks; stray results are dropped."""
    given: dict[str, ContentBlock] = {}
    waiting = list(open_calls)
    for block in content:
        if not _is(block, "tool_result"):
            continue
        id_ = block.get("tool_use_id")
        fitting = [each for each in waiting if id_ == each[1]] or [
            each for each in waiting if id_ == each[0]
        ]
        if fitting:
            waiting.remove(fitting[0])
            new = fitting[0][1]
            given[new] = _with_words(block if new == id_ else {**block, "tool_use_id": new})
    answers = list(given.values()) + [_lost(new) for _, new in open_calls if new not in given]
    return answers + [block for block in content if not _is(block, "tool_result")]


def _lost(id_: str) -> ContentBlock:
    return {"type": "tool_result", "tool_use_id": id_, "content": _LOST, "is_error": True}


def _with_words(result: ContentBlock) -> ContentBlock:
    """The result without blank texts; if nothing is left, or an error has no words, it says so."""
    content = result.get("content")
    kept = _without_blanks(content) if isinstance(content, list) else content
    is_mute = not kept or (isinstance(kept, str) and not kept.strip())
    if is_mute and (content or result.get("is_error")):
        kept = [{"type": "text", "text": _NO_WORDS}]
    return result if kept == content else {**result, "content": kept}


def _without_blanks(content: Sequence[ContentBlock]) -> list[ContentBlock]:
    return [b for b in content if not _is(b, "text") or str(b.get("text") or "").strip()]


def _whole_call(block: ContentBlock) -> ContentBlock:
    """The call with a name and an object as its input."""
    name, given = block.get("name"), block.get("input")
    missing: ContentBlock = {}
    if not isinstance(name, str) or not name:
        missing["name"] = _NAMELESS
    if not isinstance(given, dict):
        missing["input"] = {}
    return {**block, **missing} if missing else block


def _with(message: Message, content: list[ContentBlock]) -> Message:
    if not content:
        content = [{"type": "text", "text": _NOTHING}]
    return message if content == message["content"] else {**message, "content": content}


def _is_thinking(block: ContentBlock) -> bool:
    return _is(block, "thinking") or _is(block, "redacted_thinking")


def _is(block: ContentBlock, kind: str) -> bool:
    return block.get("type") == kind

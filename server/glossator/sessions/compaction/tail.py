"""The newest messages of a conversation, which a compaction leaves as they are if it can.

Thinking is bound to every byte before it, so they lose it. The provider demands the thinking of
calls as long as no other reply follows them: such calls and their results are kept as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.core.prompts import load_prompt
from glossator.core.window import estimate_tokens
from glossator.llm import ContentBlock, Message, estimate_messages
from glossator.sessions.compaction.kept import image_gone, result_in_words
from glossator.sessions.compaction.transcript import call_in_words, calls_in, fit, text_of

KEPT = 10  # messages

_FEWER = (4, 2)  # if ten are all messages, or too long
_THINKING = frozenset({"thinking", "redacted_thinking"})
_SERVER = frozenset({"server_tool_use", "tool_search_tool_result"})
_TOOL_RESULT = frozenset({"tool_result"})
_LONGEST = 60_000  # characters of one result


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest messages of a conversation, from number `start` on, made valid."""

    start: int
    messages: list[Message]


def newest(messages: Sequence[Message], first: int, tokens: int) -> Tail | None:
    """The newest messages, within about `tokens` tokens if that is possible.

    None if no message from number `first` on could go. Calls stay with their results, and replies
    with their continuation after a pause.
    """
    tail = None
    for count in (KEPT, *_FEWER):
        start = max(len(messages) - count, 0)
        while start > first and not _may_begin(messages, start):
            start -= 1
        if start > first:
            tail = Tail(start, valid_tail(messages[start:], tokens))
            if estimate_messages(tail.messages) <= tokens:
                break
    return tail


def valid_tail(messages: Sequence[Message], tokens: int) -> list[Message]:
    """The messages, made valid after a new prefix, within about `tokens` tokens.

    Only results are cut, the longest first. Images stay only in the newest message with images, as
    they may make a request too large.
    """
    messages = _without_images(messages)
    kept = [message for message in messages if _without(message, _THINKING)["content"]]
    return without_thinking(_cut(kept, tokens))


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """The messages without thinking, valid as they are; others stay the same objects."""
    messages = [message for message in messages if _without(message, _THINKING)["content"]]
    reply = _newest_reply(messages)
    replies = [messages[number] for number in reply]
    if any(_has(message, _THINKING) for message in replies) and calls_in(replies):
        messages = _as_text(messages, reply)
    return [_without(message, _THINKING) for message in messages]


def _without_images(messages: Sequence[Message]) -> list[Message]:
    """The messages with text in place of images, except the newest message with images."""
    written = list(messages)
    shown = [number for number, message in enumerate(messages) if _shows(message["content"])]
    for number in shown[:-1]:
        content = [_in_words(block) for block in messages[number]["content"]]
        written[number] = {"role": messages[number]["role"], "content": content}
    return written


def _shows(content: object) -> bool:
    return isinstance(content, list) and any(
        block.get("type") == "image" or _shows(block.get("content")) for block in content
    )


def _in_words(block: ContentBlock) -> ContentBlock:
    if block.get("type") == "image":
        return _text(image_gone())
    if isinstance(inner := block.get("content"), list):
        return {**block, "content": [_in_words(part) for part in inner]}
    return block


def _may_begin(messages: Sequence[Message], number: int) -> bool:
    if messages[number]["role"] == "assistant":
        return messages[number - 1]["role"] == "user"
    return not _has(messages[number], _TOOL_RESULT)


def _newest_reply(messages: Sequence[Message]) -> range:
    """The numbers of the last assistant messages in a row: a reply with its pauses."""
    ends = (n for n in range(len(messages), 0, -1) if messages[n - 1]["role"] == "assistant")
    end = next(ends, 0)
    start = end
    while start > 0 and messages[start - 1]["role"] == "assistant":
        start -= 1
    return range(start, end)


def _as_text(messages: Sequence[Message], reply: range) -> list[Message]:
    """The messages with the newest reply's calls, and their results, as text."""
    calls = calls_in([messages[number] for number in reply])
    written = list(messages)
    for number in reply:
        written[number] = _calls_as_text(messages[number])
    for number in range(reply.stop, len(messages)):
        parts = [result_as_text(block, calls) for block in messages[number]["content"]]
        content = [block for part in parts for block in part]
        written[number] = {"role": messages[number]["role"], "content": content}
    return written


def _calls_as_text(message: Message) -> Message:
    kept = [block for block in message["content"] if block.get("type") not in _SERVER]
    made = [call_in_words(block) for block in kept if block.get("type") == "tool_use"]
    content = [block for block in kept if block.get("type") != "tool_use"]
    if made:
        lines = "\n".join(f"- {line}" for line in made)
        content.append(_text(load_prompt("compaction/called").render(calls=lines)))
    return {"role": "assistant", "content": content}


def result_as_text(block: ContentBlock, calls: dict[str, ContentBlock]) -> list[ContentBlock]:
    """The blocks that say in words what a tool's result says; another block is left as it is."""
    if block.get("type") != "tool_result":
        return [block]
    content = block.get("content")
    parts = content if isinstance(content, list) else [_text(text_of(content))]
    texts = [part for part in parts if part.get("type") == "text"]
    kind, text = result_in_words(calls.get(block["tool_use_id"]), {**block, "content": texts})
    others = (part for part in parts if part.get("type") != "text")
    return [_text(load_prompt(f"compaction/{kind}").render(text=text)), *others]


def _cut(messages: Sequence[Message], tokens: int) -> list[Message]:
    """The messages with the texts of their results cut to the budget."""
    texts = [
        text_of(block["content"]) for m in messages for block in m["content"] if _is_text(block)
    ]
    rest = estimate_messages(messages) - sum(map(estimate_tokens, texts))
    shorter = iter(fit(texts, max(tokens - rest, 0), _LONGEST))
    return [_with_texts(message, shorter) for message in messages]


def _is_text(block: ContentBlock) -> bool:
    """Whether a block is a result of nothing but text, which alone can be cut."""
    content = block.get("content")
    parts = content if isinstance(content, list) else [_text("")]
    return block.get("type") == "tool_result" and all(part.get("type") == "text" for part in parts)


def _with_texts(message: Message, texts: Iterator[str]) -> Message:
    """The message with these texts for those of its results, in their order."""
    content = [
        {**block, "content": text}
        if _is_text(block) and (text := next(texts)) != text_of(block["content"])
        else block
        for block in message["content"]
    ]
    return {"role": message["role"], "content": content}


def _without(message: Message, kinds: frozenset[str]) -> Message:
    if not _has(message, kinds):
        return message
    content = [block for block in message["content"] if block.get("type") not in kinds]
    return {"role": message["role"], "content": content}


def _has(message: Message, kinds: frozenset[str]) -> bool:
    return any(block.get("type") in kinds for block in message["content"])


def _text(words: str) -> ContentBlock:
    return {"type": "text", "text": words}

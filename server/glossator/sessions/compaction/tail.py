"""The newest messages of a conversation, which stay after a compaction: made valid, and small.

What the model has answered goes first: its large results and attachments are cut, wherever they
stand, and calls with long arguments become words. Results that it has not read yet stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from glossator.core.context_kinds import Kind
from glossator.core.prompts import load_prompt
from glossator.llm import ContentBlock, Message, estimate_messages
from glossator.sessions.compaction.kept import (
    call_in_words,
    calls_in,
    fit,
    image_gone,
    is_claim,
    result_in_words,
    text_of,
)
from glossator.sessions.compaction.own_texts import TEXTS, prompt_of

KEPT = 10  # messages

_FEWER = (4, 2)  # if ten are all messages, or too long
_THINKING = frozenset({"thinking", "redacted_thinking"})
_SERVER = frozenset({"server_tool_use", "tool_search_tool_result"})
_TOOL_RESULT = frozenset({"tool_result"})
_MAX_RESULT_CHARACTERS = 60_000  # characters of one result
_MAX_ARGUMENTS_CHARACTERS = 2_000  # characters of an answered call
# Told again when it matters, so it would stand in the conversation twice; or about what is gone.
_PASSING = frozenset({"user/memory", "user/editor_state", "user/folder_again", "grounding/facts"})
_INSTRUCTING = frozenset({"user/command", "user/skill"})  # they are what the user asks


@dataclass(frozen=True, slots=True)
class TailLimits:
    """Tokens: of results that the model has answered, and of those that it has not.

    `answered_messages` are those of all messages up to its newest reply: if they are more, fewer
    messages stay.
    """

    answered: int
    unanswered: int
    answered_messages: int


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest messages of a conversation, from number `start` on, made valid."""

    start: int
    messages: list[Message]


def newest(
    messages: Sequence[Message], first: int, limits: TailLimits, lifted: Sequence[str] = ()
) -> Tail | None:
    """The newest messages, within the limits if that is possible.

    None if that leaves nothing from message `first` on to drop. Calls stay with their results, and
    replies with their continuation after a pause. `lifted` as of `CarriedState`.
    """
    tail = None
    for count in (KEPT, *_FEWER):
        start = max(len(messages) - count, 0)
        while start > first and not _may_begin(messages, start):
            start -= 1
        if start > first:
            tail = Tail(start, valid_tail(messages[start:], limits, lifted))
            answered = tail.messages[: _newest_reply(tail.messages).stop]
            if estimate_messages(answered) <= limits.answered_messages:
                break
    return tail


def valid_tail(
    messages: Sequence[Message], limits: TailLimits, lifted: Sequence[str] = ()
) -> list[Message]:
    """The messages, made valid behind a new prefix.

    Of what is not answered only results are cut, the longest first. Images stay only in the newest
    message with images, as they may make a request too large.
    """
    messages = [_up_to_date(message, lifted) for message in _without_images(messages)]
    kept = [message for message in messages if _without(message, _THINKING)["content"]]
    end = _newest_reply(kept).stop
    answered = _cut(kept[:end], limits.answered, _may_be_cut)
    kept = [*answered, *_cut(kept[end:], limits.unanswered, _is_text_result)]
    return without_thinking(_with_short_calls(kept))


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """The messages without thinking, valid as they are; others stay the same objects."""
    messages = [message for message in messages if _without(message, _THINKING)["content"]]
    reply = _newest_reply(messages)
    replies = [messages[number] for number in reply]
    if any(_has(message, _THINKING) for message in replies) and calls_in(replies):
        messages = _as_text(messages, reply)
    return [_without(message, _THINKING) for message in messages]


def result_as_text(block: ContentBlock, calls: dict[str, ContentBlock]) -> list[ContentBlock]:
    """The result of one of the `calls` as blocks that say it in words; other blocks stay."""
    if block.get("type") != "tool_result":
        return [block]
    content = block.get("content")
    parts = content if isinstance(content, list) else [_text(text_of(content))]
    texts = [part for part in parts if part.get("type") == "text"]
    kind, text = result_in_words(calls.get(block["tool_use_id"]), {**block, "content": texts})
    others = (part for part in parts if part.get("type") != "text")
    return [_text(load_prompt(f"compaction/{kind}").render(text=text)), *others]


def _up_to_date(message: Message, lifted: Sequence[str]) -> Message:
    """The message without what is told again, and without what holds no longer."""
    if message["role"] != "user":
        return message
    said = [block for block in message["content"] if prompt_of(_said(block)) not in _PASSING]
    content = [_now(block, lifted) for block in said or message["content"]]
    return {"role": "user", "content": content}


def _now(block: ContentBlock, lifted: Sequence[str]) -> ContentBlock:
    if block.get("type") != "tool_result":
        return block
    text = text_of(block.get("content"))
    if block.get("is_error") and text.startswith(tuple(lifted)):
        return {**block, "content": load_prompt("compaction/lifted").render()}
    return (
        {**block, "content": load_prompt("compaction/gone").render()} if is_claim(text) else block
    )


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
    """The indices of the last assistant messages in a row: a reply and its continuations."""
    ends = (n for n in range(len(messages), 0, -1) if messages[n - 1]["role"] == "assistant")
    end = next(ends, 0)
    start = end
    while start > 0 and messages[start - 1]["role"] == "assistant":
        start -= 1
    return range(start, end)


def _with_short_calls(messages: Sequence[Message]) -> list[Message]:
    """The messages with text in place of calls with long arguments that the model has answered."""
    newest = _newest_reply(messages)
    long = [
        number
        for number, message in enumerate(messages[: newest.start])
        if any(
            len(json.dumps(call["input"])) > _MAX_ARGUMENTS_CHARACTERS
            for call in calls_in([message]).values()
        )
    ]
    return _as_text(messages, long) if long else list(messages)


def _as_text(messages: Sequence[Message], replies: Collection[int]) -> list[Message]:
    """The messages with the calls of these replies, and their results, as text."""
    calls = calls_in([messages[number] for number in replies])
    written = list(messages)
    for number, message in enumerate(messages):
        if number in replies:
            written[number] = _calls_as_text(message)
        elif any(block.get("tool_use_id") in calls for block in message["content"]):
            parts = [
                result_as_text(block, calls) if block.get("tool_use_id") in calls else [block]
                for block in message["content"]
            ]
            content = [block for part in parts for block in part]
            written[number] = {"role": message["role"], "content": content}
    return written


def _calls_as_text(message: Message) -> Message:
    kept = [block for block in message["content"] if block.get("type") not in _SERVER]
    made = [call_in_words(block) for block in kept if block.get("type") == "tool_use"]
    content = [block for block in kept if block.get("type") != "tool_use"]
    if made:
        lines = "\n".join(f"- {line}" for line in made)
        content.append(_text(load_prompt("compaction/called").render(calls=lines)))
    return {"role": "assistant", "content": content}


def _cut(
    messages: Sequence[Message], tokens: int, may_be_cut: Callable[[ContentBlock], bool]
) -> list[Message]:
    """The messages with texts cut, so that they all take no more than about so many tokens."""
    blocks = [block for message in messages for block in message["content"] if may_be_cut(block)]
    texts = iter(fit(list(map(_text_in, blocks)), tokens, _MAX_RESULT_CHARACTERS))
    return [
        {"role": message["role"], "content": list(_with_texts(message, texts, may_be_cut))}
        for message in messages
    ]


def _with_texts(
    message: Message, texts: Iterator[str], may_be_cut: Callable[[ContentBlock], bool]
) -> Iterator[ContentBlock]:
    """The blocks of a message, with the next of `texts` in those that may be cut."""
    for block in message["content"]:
        if may_be_cut(block) and (text := next(texts)) != _text_in(block):
            yield {**block, "text" if block["type"] == "text" else "content": text}
        else:
            yield block


def _may_be_cut(block: ContentBlock) -> bool:
    """Whether a block is a result of text alone, or an attachment."""
    prompt = prompt_of(_said(block))
    own = TEXTS.get(prompt) if prompt not in _INSTRUCTING else None
    return _is_text_result(block) or (own is not None and own.kind is Kind.ATTACHMENT)


def _is_text_result(block: ContentBlock) -> bool:
    content = block.get("content")
    parts = content if isinstance(content, list) else [_text("")]
    return block.get("type") == "tool_result" and all(part.get("type") == "text" for part in parts)


def _text_in(block: ContentBlock) -> str:
    return _said(block) or text_of(block.get("content"))


def _said(block: ContentBlock) -> str:
    """The text of a block of text, "" for any other."""
    return block["text"] if block.get("type") == "text" else ""


def _without(message: Message, kinds: frozenset[str]) -> Message:
    if not _has(message, kinds):
        return message
    content = [block for block in message["content"] if block.get("type") not in kinds]
    return {"role": message["role"], "content": content}


def _has(message: Message, kinds: frozenset[str]) -> bool:
    return any(block.get("type") in kinds for block in message["content"])


def _text(words: str) -> ContentBlock:
    return {"type": "text", "text": words}

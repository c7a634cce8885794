"""Parts of messages by their place: finding them, replacing them, and saying what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.core.prompts import load_prompt
from glossator.llm import ContentBlock, Message
from glossator.sessions.compaction.own_texts import prompt_of
from glossator.sessions.compaction.transcript import call_in_words

MEDIA = {"image": "an image", "document": "a document"}
THINKING = "the model's earlier thinking"

Place = tuple[int, ...]  # numbers of a message, of a block in it, and of a block in that one


def texts_in(messages: Sequence[Message]) -> Iterator[Place]:
    """The places of all texts, also of those in results."""
    for number, message in enumerate(messages):
        for index, block in enumerate(message["content"]):
            if text_at(block):
                yield number, index
            inner = block.get("content")
            for part, inside in enumerate(inner if isinstance(inner, list) else ()):
                if text_at(inside):
                    yield number, index, part


def text_at(block: ContentBlock) -> str:
    """The text of a text block, or of a result of nothing else."""
    if block.get("type") == "text":
        return str(block["text"])
    content = block.get("content")
    return content if block.get("type") == "tool_result" and isinstance(content, str) else ""


def media_in(messages: Sequence[Message]) -> Iterator[Place]:
    """The places of all images and documents."""
    for number, message in enumerate(messages):
        for index, block in enumerate(message["content"]):
            if block.get("type") in MEDIA:
                yield number, index
            inner = block.get("content")
            for part, inside in enumerate(inner if isinstance(inner, list) else ()):
                if inside.get("type") in MEDIA:
                    yield number, index, part


def part_at(messages: Sequence[Message], place: Place) -> ContentBlock:
    """The block at a place, {} where there is none."""
    number, index, *inner = place
    if number >= len(messages) or index >= len(messages[number]["content"]):
        return {}
    block = messages[number]["content"][index]
    if not inner:
        return block
    parts = block.get("content")
    return parts[inner[0]] if isinstance(parts, list) and inner[0] < len(parts) else block


def put_part(messages: list[Message], place: Place, block: ContentBlock) -> None:
    """Replace the block at a place; messages and blocks themselves do not change."""
    number, index, *inner = place
    content = list(messages[number]["content"])
    parts = content[index].get("content")
    if inner and isinstance(parts, list) and inner[0] < len(parts):
        block = {**content[index], "content": [*parts[: inner[0]], block, *parts[inner[0] + 1 :]]}
    content[index] = block
    messages[number] = {"role": messages[number]["role"], "content": content}


def is_said(messages: Sequence[Message], place: Place) -> bool:
    """Whether these are the user's own words."""
    block = part_at(messages, place)
    said = messages[place[0]]["role"] == "user" and block.get("type") == "text" and len(place) == 2
    return said and not prompt_of(block["text"])


def is_gone(block: ContentBlock) -> bool:
    """Whether a line stands here for what a server refused."""
    return text_at(block).startswith(load_prompt("user/refused").opening)


def words_of_user(messages: Sequence[Message]) -> tuple[str, ...]:
    """The user's words in these messages."""
    return tuple(
        block["text"]
        for message in messages
        for block in message["content"]
        if message["role"] == "user"
        and block.get("type") == "text"
        and not prompt_of(block["text"])
    )


def part_in_words(messages: Sequence[Message], place: Place, calls: dict[str, ContentBlock]) -> str:
    """What stands at a place, for the model and the user."""
    block, outer = part_at(messages, place), part_at(messages, place[:2])
    kind = block["type"]
    result = f"the result of {call_in_words(calls.get(outer.get('tool_use_id', '')))}"
    if kind in MEDIA:
        name = result if outer["type"] == "tool_result" else _name_before(messages, place)
        return f"{MEDIA[kind]} ({name})" if name else MEDIA[kind]
    if outer["type"] == "tool_result":
        return result if block is outer else f"a part of {result}"
    if kind == "tool_use":
        return f"the call {call_in_words(block)}"
    if kind == "text":
        whose = "the model's" if messages[place[0]]["role"] == "assistant" else "an attached"
        whose = "the user's" if is_said(messages, place) else whose
        return f"{whose} text “{_start(block['text'])}”"
    return THINKING if "thinking" in kind else f"a part ({kind})"


def _name_before(messages: Sequence[Message], place: Place) -> str:
    """The name of an attached image, which the text before it tells."""
    before = part_at(messages, (place[0], place[1] - 1)) if place[1] else {}
    prompt = load_prompt("user/image")
    text = str(before.get("text", ""))
    return prompt.first_value(text) if text.startswith(prompt.opening) else ""


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:60]}…"

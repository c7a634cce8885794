"""What the provider demands of tool calls in a conversation, and how a broken one is repaired.

It refuses a whole request for one tool call whose id is empty, odd or used before, or that has no
name, for a call without a result in the next message, for blank texts (in results, too), and for an
error without words. Compatible servers send such calls, and a damaged log may hold half of a pair:
without a repair the conversation would be refused for ever.
Source: the provider's "Messages" reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count

from glossator.llm.model import Block, Message

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_ODD_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_NAME_CHARACTERS = 64
_NAMELESS = "unknown"
_LOST = "The result of this call is not known."
_NOTHING = "(What was here is lost.)"
_NO_WORDS = "(no text)"


def call_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all tool calls in these messages."""
    return {
        str(block.get("id"))
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if _is(block, "tool_use")
    }


def usable_call(block: Block, taken: set[str]) -> Block:
    """The tool call with an id that is valid and not `taken`, which is taken from then on.

    One that is both keeps its id; the name keeps what the provider takes of it. The block itself
    is not changed.
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


def repaired(messages: Sequence[Message]) -> list[Message]:
    """The conversation as the provider takes it; messages that it takes as they are stay the same.

    What becomes of a message follows from those before it alone, so that a conversation that goes
    on keeps its prefix.
    """
    taken: set[str] = set()
    open_calls: list[tuple[object, str]] = []  # the id that a call came with, and the one it has
    result: list[Message] = []
    for message in messages:
        content = _without_blanks(message["content"])
        if message["role"] == "assistant":
            if open_calls or not result:  # the user's message in between is gone
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


def _results(content: Sequence[Block], open_calls: list[tuple[object, str]]) -> list[Block]:
    """One result for each call, under its id, then what else there is; strays are left out."""
    given: dict[str, Block] = {}
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


def _lost(id_: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id_, "content": _LOST, "is_error": True}


def _with_words(result: Block) -> Block:
    """The result without blank texts; one that says nothing else, or is a mute error, says so."""
    content = result.get("content")
    kept = _without_blanks(content) if isinstance(content, list) else content
    is_mute = not kept or (isinstance(kept, str) and not kept.strip())
    if is_mute and (content or result.get("is_error")):
        kept = [{"type": "text", "text": _NO_WORDS}]
    return result if kept == content else {**result, "content": kept}


def _without_blanks(content: Sequence[Block]) -> list[Block]:
    return [b for b in content if not _is(b, "text") or str(b.get("text") or "").strip()]


def _whole_call(block: Block) -> Block:
    """The call with a name and an object as its input."""
    name, given = block.get("name"), block.get("input")
    missing: Block = {}
    if not isinstance(name, str) or not name:
        missing["name"] = _NAMELESS
    if not isinstance(given, dict):
        missing["input"] = {}
    return {**block, **missing} if missing else block


def _with(message: Message, content: list[Block]) -> Message:
    if not content:
        content = [{"type": "text", "text": _NOTHING}]
    return message if content == message["content"] else {**message, "content": content}


def _is(block: Block, kind: str) -> bool:
    return block.get("type") == kind

"""Messages as plain text, and texts cut to a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.core.shown import brief_arguments
from glossator.core.window import estimate_tokens
from glossator.llm import ContentBlock, Message

_LONGEST = 20_000  # characters of one part
_PATH_ARGUMENTS = ("path", "file_path", "notebook_path")

_SHORTEST = 200  # characters; a shorter text says nothing
_HEAD = 2 / 3  # of what is kept


def transcript(messages: Sequence[Message], tokens: int) -> str:
    """The messages as text within about `tokens` tokens, without thinking."""
    calls = calls_in(messages)
    parts = [part for message in messages for part in _parts(message, calls)]
    shown = fit([text for _, text in parts], tokens, _LONGEST)
    return "\n\n".join(f"[{who}]\n{text}" for (who, _), text in zip(parts, shown, strict=True))


def calls_in(messages: Sequence[Message]) -> dict[str, ContentBlock]:
    """Every `tool_use` block by its id."""
    blocks = (block for message in messages for block in message["content"])
    return {block["id"]: block for block in blocks if block.get("type") == "tool_use"}


def paths_in(messages: Sequence[Message]) -> list[str]:
    """The paths in tool calls, each once, oldest first."""
    inputs = [call["input"] for call in calls_in(messages).values()]
    found = (value.get(name) for value in inputs for name in _PATH_ARGUMENTS)
    return list(dict.fromkeys(path for path in found if isinstance(path, str) and path))


def call_in_words(call: ContentBlock | None) -> str:
    """A call in one line; of what the user was asked, the whole question."""
    if call is None:
        return "a tool"
    question = call["input"].get("question")
    said = " ".join(question.split()) if isinstance(question, str) else ""
    return f"{call['name']} {said or brief_arguments(call['input'])}".strip()


def text_of(content: object) -> str:
    """The text in a block's content; other parts are named."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text_of_part(part) for part in content)
    return ""


def _text_of_part(part: ContentBlock) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "search_result", "content": list(passages)}:
            return text_of(passages)
    return f"[{part.get('type', 'something')}]"


def _parts(message: Message, calls: dict[str, ContentBlock]) -> Iterator[tuple[str, str]]:
    for block in message["content"]:
        match block:
            case {"type": "text", "text": str(text)}:
                yield message["role"], text
            case {"type": "tool_use"}:
                yield "call", call_in_words(block)
            case {"type": "tool_result", "tool_use_id": str(id_)}:
                fate = "failure" if block.get("is_error") else "result"
                yield f"{fate} of {call_in_words(calls.get(id_))}", text_of(block.get("content"))


def head_and_tail(text: str, characters: int) -> str:
    """The text; if it is longer than `characters`, its beginning and end with a note between."""
    if len(text) <= characters:
        return text
    head = round(characters * _HEAD)
    tail = characters - head
    gone = len(text) - characters
    return f"{text[:head]}\n[… {gone:,} characters left out here …]\n{text[-tail:]}"


def fit(texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    """The texts within about `tokens` tokens, each of at most `longest` characters.

    The longest are cut first: the same limit holds for all, as high as the budget allows.
    """
    limit = longest
    cut = [head_and_tail(text, limit) for text in texts]
    while limit > _SHORTEST and sum(map(estimate_tokens, cut)) > tokens:
        limit = max(_SHORTEST, limit * 3 // 4)
        cut = [head_and_tail(text, limit) for text in texts]
    return cut

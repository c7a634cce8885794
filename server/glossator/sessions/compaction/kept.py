"""What a compaction keeps word for word, in the one message that replaces what goes.

The message holds a block for each text, below a line with its kind, so that the next compaction can
read it again. Of an instruction file only the newest text is kept. `transcript` puts what goes into
words for whoever writes the summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from glossator.core.prompts import load_prompt
from glossator.core.shown import brief_arguments
from glossator.core.tokens import estimate_tokens
from glossator.llm import ContentBlock, Message, user_message
from glossator.sandbox import ended_badly
from glossator.sessions.compaction.own_texts import prompt_of

_MAX_PART_CHARACTERS = 20_000  # characters of one part
_PATH_ARGUMENTS = ("path", "file_path", "notebook_path")

_MIN_CHARACTERS = 200  # characters; a shorter text says nothing
_HEAD = 2 / 3  # of what is kept


def transcript(messages: Sequence[Message], tokens: int) -> str:
    """The messages as text within about `tokens` tokens, without thinking."""
    calls = calls_in(messages)
    parts = [part for message in messages for part in _parts(message, calls)]
    shown = fit([text for _, text in parts], tokens, _MAX_PART_CHARACTERS)
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


def outcomes(messages: Sequence[Message]) -> dict[str, bool]:
    """Whether each call, in words, succeeded the last time."""
    calls = calls_in(messages)
    results = (block for message in messages for block in message["content"])
    return {
        call_in_words(calls.get(block["tool_use_id"])): not (
            block.get("is_error") or ended_badly(text_of(block.get("content")))
        )
        for block in results
        if block.get("type") == "tool_result"
    }


def call_in_words(call: ContentBlock | None) -> str:
    """A call in one line; of a question to the user, the whole question."""
    if call is None:
        return "a tool"
    question = call["input"].get("question")
    said = " ".join(question.split()) if isinstance(question, str) else ""
    return f"{call['name']} {said or brief_arguments(call['input'])}".strip()


def text_of(content: object) -> str:
    """The text in a block's content; parts that are no text are named."""
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
    """The text, or if it is longer than `characters`, its beginning and end with a note between."""
    if len(text) <= characters:
        return text
    head = round(characters * _HEAD)
    tail = characters - head
    gone = len(text) - characters
    return f"{text[:head]}\n[… {gone:,} characters left out here …]\n{text[-tail:]}"


def fit(texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    """The texts within about `tokens` tokens, each of at most `longest` characters.

    All texts have the same limit, as high as the budget allows, so the longest are cut first.
    """
    limit = longest
    cut = [head_and_tail(text, limit) for text in texts]
    while limit > _MIN_CHARACTERS and sum(map(estimate_tokens, cut)) > tokens:
        limit = max(_MIN_CHARACTERS, limit * 3 // 4)
        cut = [head_and_tail(text, limit) for text in texts]
    return cut


_MAX_RESULTS = 20
_MAX_SAID_CHARACTERS = 8_000  # characters of one message of the user
_MAX_FAILURE_CHARACTERS = 2_000
_MAX_RESULT_CHARACTERS = 3_000
_SAID_SHARE = 0.2  # of the window
# Shares of the conversation for failures and results, or so many tokens for each.
_FAILURES_SHARE = 0.02
_RESULTS_SHARE = 0.01
_OUTCOMES_TOKENS = 1_000

_KINDS = ("said", "failure", "result", "summary", "extract", "state", "answered")
_INSTRUCTIONS = "user/instructions"  # kept whole
_CLAIMS = ("tools/unchanged", "user/repeated")  # they say that something is shown above
_FILE = re.compile(r"^(.+), (?:of the (?:user|project)|imported by .+):$", re.MULTILINE)
# not the user's words, but kept as such
_KEPT_WORDS = frozenset({"user/command", "user/image", "user/skill", "user/undone"})


@dataclass(frozen=True, slots=True)
class KeptTools:
    """The names of tools whose results are kept.

    `key`: tools that change or run something, sub-agents, skills. `asking`: results are words of
    the user.
    """

    key: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeptTexts:
    """Texts kept word for word, oldest first; `summary` is the JSON of an earlier compaction."""

    said: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    summary: str = ""
    instructions: tuple[str, ...] = ()


def collect(
    messages: Sequence[Message], weights: KeptTools, lifted: Sequence[str] = ()
) -> KeptTexts:
    """Collect what to keep of `messages`; the first may be an earlier compaction's message.

    Refusals that are `lifted` (as of `CarriedState`) go.
    """
    before = KeptTexts()
    if messages and is_compaction(messages[0]):
        before, messages = _read(messages[0]), messages[1:]
    calls = calls_in(messages)
    said: list[str] = list(before.said)
    failures = [text for text in before.failures if not _is_lifted(text, lifted)]
    results: list[str] = list(before.results)
    instructions: list[str] = list(before.instructions)
    for block in _of_user(messages):
        kind, text = _text_of_user(block, calls)
        tool = text.split(maxsplit=1)[0] if kind == "answered" else ""
        if kind == "said" or tool in weights.asking:
            said.append(text)
        elif kind == "instructions":
            instructions.append(text)
        elif kind == "failure":
            if not _is_lifted(text, lifted):
                failures.append(text)
        elif tool in weights.key:
            (failures if ended_badly(text) else results).append(text)
    newest = _once(results[::-1])[:_MAX_RESULTS]
    return KeptTexts(
        tuple(said), _once(failures), newest[::-1], before.summary, _newest_of_each(instructions)
    )


def message_of(
    kept: KeptTexts,
    summary: str,
    *,
    extracted: bool,
    state: str,
    window: int,
    room: int | None = None,
) -> Message:
    """The message that replaces the others, for a window of so many tokens.

    `state` is the rendered `compaction/state`, or "". What was done is kept by shares of `room`
    tokens: of the conversation, if it takes less than the window.
    """
    texts = [load_prompt("compaction/head").render()]
    texts.append(_entry("extract" if extracted else "summary", summary))
    texts += _entries("said", kept.said, round(window * _SAID_SHARE), _MAX_SAID_CHARACTERS)
    for_failures, for_results = (
        max(round((room or window) * share), _OUTCOMES_TOKENS)
        for share in (_FAILURES_SHARE, _RESULTS_SHARE)
    )
    texts += _entries("failure", kept.failures, for_failures, _MAX_FAILURE_CHARACTERS)
    texts += _entries("result", kept.results, for_results, _MAX_RESULT_CHARACTERS)
    return user_message(*texts, *kept.instructions, state)


def result_in_words(call: ContentBlock | None, result: ContentBlock) -> tuple[str, str]:
    """A tool's result in words, as a text of the kind "answered" or "failure"."""
    text = f"{call_in_words(call)}\n{text_of(result.get('content'))}"
    return ("failure" if result.get("is_error") else "answered"), text


def is_claim(text: str) -> bool:
    """Whether a result says no more than that something is shown above it."""
    return text.startswith(tuple(map(_heading, _CLAIMS)))


def _is_lifted(failure: str, lifted: Sequence[str]) -> bool:
    """Whether a failure in words, below its call, only says what holds no longer."""
    text = failure.partition("\n")[2]
    return text.startswith(tuple(lifted)) or is_claim(text)


def image_gone() -> str:
    """The text that replaces an image."""
    return load_prompt("compaction/image").render()


def is_compaction(message: Message) -> bool:
    """Whether a message was made by a compaction."""
    first = message["content"][0] if message["content"] else {}
    return first.get("text") == load_prompt("compaction/head").render()


def _read(message: Message) -> KeptTexts:
    """The texts in the message of an earlier compaction."""
    found: dict[str, list[str]] = {name: [] for name in ("said", "failure", "result", "summary")}
    instructions = []
    for block in message["content"][1:]:
        kind, text = _kind(block.get("text", ""))
        if prompt_of(text) == _INSTRUCTIONS:
            instructions.append(text)
            continue
        if kind == "extract":
            kind = "summary"
        if kind in found:
            found[kind].append(text)
    return KeptTexts(
        tuple(found["said"]),
        tuple(found["failure"]),
        tuple(found["result"]),
        "".join(found["summary"]),
        tuple(instructions),
    )


def _text_of_user(block: ContentBlock, calls: dict[str, ContentBlock]) -> tuple[str, str]:
    """The kind and text of a block in a user message; the text is "" if it is not kept."""
    if block["type"] == "tool_result":
        return result_in_words(calls.get(block["tool_use_id"]), block)
    kind, text = _kind(block["text"])
    if kind in {"answered", "failure"}:  # results that a compaction kept as text
        return kind, text
    if text.startswith(_heading("user/image")):
        return "said", f"{text}\n{image_gone()}"
    prompt = prompt_of(text)
    if prompt == _INSTRUCTIONS:
        return "instructions", text
    is_said = not prompt or prompt in _KEPT_WORDS
    return "said" if is_said else "", block["text"]


def _kind(text: str) -> tuple[str, str]:
    for kind in _KINDS:
        if text.startswith(_heading(f"compaction/{kind}")):
            return kind, text.removeprefix(_heading(f"compaction/{kind}"))
    return "said", text


def _of_user(messages: Sequence[Message]) -> Iterator[ContentBlock]:
    for message in messages:
        if message["role"] == "user":
            kinds = {"text", "tool_result"}
            yield from (block for block in message["content"] if block.get("type") in kinds)


@cache
def _heading(name: str) -> str:
    """The words that every rendering of a prompt begins with."""
    return load_prompt(name).opening


def _entries(kind: str, texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    return [_entry(kind, text) for text in fit(texts, tokens, longest)]


def _entry(kind: str, text: str) -> str:
    return load_prompt(f"compaction/{kind}").render(text=text)


def _newest_of_each(instructions: Sequence[str]) -> tuple[str, ...]:
    """The texts, of each instruction file only the newest."""
    newest: dict[str, str] = {}
    for text in instructions:
        file = found[1] if (found := _FILE.search(text)) else text
        newest.pop(file, None)  # it goes where the newer text was told
        newest[file] = text
    return tuple(newest.values())


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

"""What a compaction keeps word for word: texts in the one message that stands for what goes.

It holds a block for each text, below a line with its kind, so that the next compaction can read it
again. Of an instruction file only the newest text is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from glossator.core.prompts import load_prompt
from glossator.llm import ContentBlock, Message, user_message
from glossator.sessions.compaction.own_texts import prompt_of
from glossator.sessions.compaction.transcript import call_in_words, calls_in, fit, text_of

_MAX_RESULTS = 20
_LONGEST_SAID = 8_000  # characters of one message of the user
_LONGEST_FAILURE = 2_000
_LONGEST_RESULT = 3_000
# Shares of the window.
_SAID = 0.2
_FAILURES = 0.05
_RESULTS = 0.05

_KINDS = ("said", "failure", "result", "summary", "extract", "state", "answered")
_INSTRUCTIONS = "user/instructions"  # kept whole
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


def collect(messages: Sequence[Message], weights: KeptTools) -> KeptTexts:
    """What to keep of `messages`; the first may be the message of an earlier compaction."""
    before = KeptTexts()
    if messages and is_compaction(messages[0]):
        before, messages = _read(messages[0]), messages[1:]
    calls = calls_in(messages)
    said: list[str] = list(before.said)
    failures: list[str] = list(before.failures)
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
            failures.append(text)
        elif tool in weights.key:
            results.append(text)
    newest = _once(results[::-1])[:_MAX_RESULTS]
    return KeptTexts(
        tuple(said), _once(failures), newest[::-1], before.summary, _newest_of_each(instructions)
    )


def message_of(
    kept: KeptTexts, summary: str, *, extracted: bool, state: str, window: int
) -> Message:
    """The message that replaces what goes, for a window of so many tokens.

    `state` is the rendered `compaction/state`, or "".
    """
    texts = [load_prompt("compaction/head").render()]
    texts.append(_entry("extract" if extracted else "summary", summary))
    texts += _entries("said", kept.said, round(window * _SAID), _LONGEST_SAID)
    texts += _entries("failure", kept.failures, round(window * _FAILURES), _LONGEST_FAILURE)
    texts += _entries("result", kept.results, round(window * _RESULTS), _LONGEST_RESULT)
    return user_message(*texts, *kept.instructions, state)


def result_in_words(call: ContentBlock | None, result: ContentBlock) -> tuple[str, str]:
    """A tool's result as a text of its kind, "answered" or "failure"."""
    text = f"{call_in_words(call)}\n{text_of(result.get('content'))}"
    return ("failure" if result.get("is_error") else "answered"), text


def image_gone() -> str:
    """The text that replaces an image."""
    return load_prompt("compaction/image").render()


def is_compaction(message: Message) -> bool:
    """Whether a message is that of a compaction."""
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
    """The kind of a block of a user message, and its text; "" if it is not kept."""
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
    """The beginning of every rendering of a prompt."""
    return load_prompt(name).opening


def _entries(kind: str, texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    return [_entry(kind, text) for text in fit(texts, tokens, longest)]


def _entry(kind: str, text: str) -> str:
    return load_prompt(f"compaction/{kind}").render(text=text)


def _newest_of_each(instructions: Sequence[str]) -> tuple[str, ...]:
    """The newest text of each instruction file."""
    newest: dict[str, str] = {}
    for text in instructions:
        file = found[1] if (found := _FILE.search(text)) else text
        newest.pop(file, None)  # it goes where the newer text was told
        newest[file] = text
    return tuple(newest.values())


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

"""What a compaction keeps word for word, and the one message that carries it.

That message holds a text block for each thing kept, below a line that says what it is. It can thus
be taken apart again: the next compaction loses nothing that this one kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from glossator.context.fit import fit
from glossator.context.modes import PROMPTS as MODES
from glossator.context.transcript import call_in_words, calls_in, text_of
from glossator.llm import Block, Message, user_message
from glossator.prompts import load_prompt

_MAX_RESULTS = 20
_LONGEST_SAID = 8_000  # characters of one message of the user
_LONGEST_FAILURE = 2_000
_LONGEST_RESULT = 3_000
# Shares of the window.
_SAID = 0.2
_FAILURES = 0.05
_RESULTS = 0.05

_KINDS = ("said", "failure", "result", "summary", "extract", "state", "answered")
# What we, not the user, put into user messages; that an undo took place (user/undone) is kept.
_OURS = (
    "user/abandoned",
    "user/attachment",
    "user/citations",
    "user/last_word",
    "user/not_attached",
    "compaction/image",
    *MODES,
)


@dataclass(frozen=True, slots=True)
class Weights:
    """Which tools' results are kept, by name.

    `key`: tools that change or run something, and sub-agents. `asking`: what they give back is the
    user's own word.
    """

    key: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kept:
    """Texts kept word for word, oldest first; `summary` is the JSON of an earlier compaction."""

    said: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    summary: str = ""


def collect(messages: Sequence[Message], weights: Weights) -> Kept:
    """What to keep of messages that go; the first may be the message of an earlier compaction."""
    before = Kept()
    if messages and is_compaction(messages[0]):
        before, messages = _read(messages[0]), messages[1:]
    calls = calls_in(messages)
    said: list[str] = list(before.said)
    failures: list[str] = list(before.failures)
    results: list[str] = list(before.results)
    for block in _of_user(messages):
        kind, text = _told(block, calls)
        tool = text.split(maxsplit=1)[0] if kind == "answered" else ""
        if kind == "said" or tool in weights.asking:
            said.append(text)
        elif kind == "failure":
            failures.append(text)
        elif tool in weights.key:
            results.append(text)
    newest = _once(results[::-1])[:_MAX_RESULTS]
    return Kept(tuple(said), _once(failures), newest[::-1], before.summary)


def message_of(kept: Kept, summary: str, *, extracted: bool, state: str, window: int) -> Message:
    """The message that takes the place of what goes, fitted to a window of so many tokens.

    `state` is the rendered `compaction/state`, or "".
    """
    texts = [load_prompt("compaction/head").render()]
    texts.append(_entry("extract" if extracted else "summary", summary))
    texts += _entries("said", kept.said, round(window * _SAID), _LONGEST_SAID)
    texts += _entries("failure", kept.failures, round(window * _FAILURES), _LONGEST_FAILURE)
    texts += _entries("result", kept.results, round(window * _RESULTS), _LONGEST_RESULT)
    return user_message(*texts, state)


def result_in_words(call: Block | None, result: Block) -> tuple[str, str]:
    """A tool's result as a text of its kind, "answered" or "failure"."""
    text = f"{call_in_words(call)}\n{text_of(result.get('content'))}"
    return ("failure" if result.get("is_error") else "answered"), text


def image_gone() -> str:
    """What takes the place of an image."""
    return load_prompt("compaction/image").render()


def is_compaction(message: Message) -> bool:
    """Whether a message is what a compaction left."""
    first = message["content"][0] if message["content"] else {}
    return first.get("text") == load_prompt("compaction/head").render()


def _read(message: Message) -> Kept:
    """The message of an earlier compaction, taken apart; what is of no known kind was said."""
    found: dict[str, list[str]] = {name: [] for name in ("said", "failure", "result", "summary")}
    for block in message["content"][1:]:
        kind, text = _kind(block.get("text", ""))
        if kind == "extract":
            kind = "summary"
        if kind in found:
            found[kind].append(text)
    return Kept(
        tuple(found["said"]),
        tuple(found["failure"]),
        tuple(found["result"]),
        "".join(found["summary"]),
    )


def _told(block: Block, calls: dict[str, Block]) -> tuple[str, str]:
    """The kind of a block of a user message, and its text; "" for what we put there."""
    if block["type"] == "tool_result":
        return result_in_words(calls.get(block["tool_use_id"]), block)
    kind, text = _kind(block["text"])
    if kind in {"answered", "failure"}:  # of a call that a compaction kept as text
        return kind, text
    if text.startswith(_heading("user/image")):
        return "said", f"{text}\n{image_gone()}"
    return "" if _is_ours(block["text"]) else "said", block["text"]


def _kind(text: str) -> tuple[str, str]:
    for kind in _KINDS:
        if text.startswith(_heading(f"compaction/{kind}")):
            return kind, text.removeprefix(_heading(f"compaction/{kind}"))
    return "said", text


def _of_user(messages: Sequence[Message]) -> Iterator[Block]:
    for message in messages:
        if message["role"] == "user":
            kinds = {"text", "tool_result"}
            yield from (block for block in message["content"] if block.get("type") in kinds)


def _is_ours(text: str) -> bool:
    return any(text.startswith(_heading(name)) for name in _OURS)


@cache
def _heading(name: str) -> str:
    """What every rendering of a prompt begins with."""
    return load_prompt(name).opening


def _entries(kind: str, texts: Sequence[str], tokens: int, longest: int) -> list[str]:
    return [_entry(kind, text) for text in fit(texts, tokens, longest)]


def _entry(kind: str, text: str) -> str:
    return load_prompt(f"compaction/{kind}").render(text=text)


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

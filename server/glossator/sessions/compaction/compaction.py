"""Compaction: a conversation that fills the window continues as a shorter one, with a new prefix.

Early chatter, results of searches and reads, and thinking go. A structured summary, every word of
the user, every failure, the results of tools that changed something, the state of the session
(`CarriedState`) and the newest messages stay. The old conversation is replaced when the new one is
complete.

Thinking is bound to every byte before it, so the newest messages lose it. The provider demands the
thinking of calls as long as no other reply follows them: such calls and their results are kept as
text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from glossator.core.errors import ModelError
from glossator.core.events import Event, Notice, Usage
from glossator.core.prompts import load_prompt
from glossator.core.tokens import estimate_tokens
from glossator.llm import (
    ContentBlock,
    Conversation,
    Message,
    Meter,
    Model,
    ModelRequest,
    estimate_messages,
    estimate_request,
)
from glossator.sessions.compaction.kept import (
    KeptTools,
    call_in_words,
    calls_in,
    collect,
    fit,
    image_gone,
    is_compaction,
    message_of,
    result_in_words,
    text_of,
)
from glossator.sessions.compaction.summary import (
    Asked,
    PromptPrefix,
    Summary,
    ask_summary,
    extract_summary,
)

KEPT = 10  # messages

_FEWER = (4, 2)  # if ten are all messages, or too long
_THINKING = frozenset({"thinking", "redacted_thinking"})
_SERVER = frozenset({"server_tool_use", "tool_search_tool_result"})
_TOOL_RESULT = frozenset({"tool_result"})
_MAX_RESULT_CHARACTERS = 60_000  # characters of one result


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest messages of a conversation, from number `start` on, made valid."""

    start: int
    messages: list[Message]


def newest(messages: Sequence[Message], first: int, tokens: int) -> Tail | None:
    """The newest messages, within about `tokens` tokens if that is possible.

    None if that leaves nothing from message `first` on to drop. Calls stay with their results, and
    replies with their continuation after a pause.
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
    """The messages, made valid behind a new prefix, within about `tokens` tokens.

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
    """The indices of the last assistant messages in a row: a reply and its continuations."""
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
    """A tool's result as blocks that say it in words; any other block stays as it is."""
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
    shorter = iter(fit(texts, max(tokens - rest, 0), _MAX_RESULT_CHARACTERS))
    return [_with_texts(message, shorter) for message in messages]


def _is_text(block: ContentBlock) -> bool:
    """Whether a block is a result of text alone; only such results can be cut."""
    content = block.get("content")
    parts = content if isinstance(content, list) else [_text("")]
    return block.get("type") == "tool_result" and all(part.get("type") == "text" for part in parts)


def _with_texts(message: Message, texts: Iterator[str]) -> Message:
    """The message with the texts of its results replaced by these, in order."""
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


SHARE = 0.8  # of the window, at which compaction is automatic
_TAIL_SHARE = 0.25  # of the window, for the newest messages

_RETRY_GROWTH_SHARE = 0.1  # of the share: growth before the next automatic attempt


@dataclass(frozen=True, slots=True)
class CarriedState:
    """The state of a session outside its messages, as lines for the model."""

    todos: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()  # the mode, and what the user granted
    files: tuple[str, ...] = ()  # read so far: path and lines
    reports: tuple[str, ...] = ()  # of sub-agents


@dataclass(frozen=True, slots=True)
class Compacted:
    """The new messages of the conversation.

    `before` and `after` are the tokens of a whole request: estimates, scaled to what the provider
    counted for the summary. `by_model` is false for an extracted summary.
    """

    messages: tuple[Message, ...]
    summary: Summary
    by_model: bool
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NoGain:
    """Why the conversation is not compacted."""

    why: str


_TOO_SHORT = NoGain("it is too short")
_NOT_SHORTER = NoGain("what has to be kept takes as much room as all of it")


def is_due(last: Usage, window: int, share: float | None = SHARE) -> bool:
    """Whether the last request and its reply fill `share` of the window; None: never."""
    return share is not None and last.total >= share * window


async def compact(
    messages: Sequence[Message],
    model: Model,
    frame: PromptPrefix,
    weights: KeptTools,
    carried: CarriedState,
    meter: Meter,
) -> Compacted | NoGain:
    """A shorter conversation, if that is possible.

    Never call it between a paused reply and its continuation. Raises `ModelError` (such as
    `BudgetSpent`) if the model cannot be asked, so that the caller can try again later.
    """
    compacted_before = bool(messages) and is_compaction(messages[0])
    tail = newest(messages, int(compacted_before), round(model.window * _TAIL_SHARE))
    if tail is None:
        return _TOO_SHORT
    gone = messages[: tail.start]
    kept = collect(gone, weights)
    heading = partial(message_of, kept, state=_state(carried), window=model.window)

    def tokens(messages: Sequence[Message]) -> int:
        return estimate_request(ModelRequest(frame.system, frame.tools, tuple(messages)))

    before = tokens(messages)
    if tokens((heading("", extracted=False), *tail.messages)) >= before:
        return _NOT_SHORTER  # whatever the summary says
    asked = Asked() if model.offline else await ask_summary(model, frame, messages, meter)
    chosen = asked.summary or extract_summary(gone, kept, carried.todos)
    extracted = asked.summary is None
    head = heading(chosen.model_dump_json(indent=1), extracted=extracted)
    shorter = (head, *tail.messages)
    after = tokens(shorter)
    if after >= before:
        return _NOT_SHORTER
    figures = round(before * asked.scale), round(after * asked.scale)
    return Compacted(shorter, chosen, not extracted, *figures)


def _state(carried: CarriedState) -> str:
    """The state of the session for the model; "" if it is empty."""
    if carried == CarriedState():
        return ""
    return load_prompt("compaction/state").render(
        todos=_lines(carried.todos),
        permissions=_lines(carried.permissions),
        files=_lines(carried.files),
        reports=_lines(carried.reports),
    )


def _lines(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"


@dataclass(slots=True)
class CompactionBackoff:
    """Decides when to try again after an attempt that failed or gained nothing.

    The next attempt waits until a request takes `until` tokens. `notified`: the user was told that
    nothing is gained.
    """

    until: int = 0
    notified: bool = False


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts one conversation: on command, or at `share` of the window (None: never).

    `carried` gives the state that the summary carries over. `refused` says why compacting is
    forbidden now, "" if it is not. `compacted` is called with the result, then `afterwards` is
    awaited. `emit` gets notices for the user.
    """

    conversation: Conversation
    model: Model
    frame: PromptPrefix
    weights: KeptTools
    carried: Callable[[], CarriedState]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE
    emit: Callable[[Event], None] = lambda _: None
    backoff: CompactionBackoff = field(default_factory=CompactionBackoff)
    refused: Callable[[], Awaitable[str]] | None = None
    afterwards: Callable[[], Awaitable[object]] | None = None

    async def compact_if_needed(self, last: Usage, meter: Meter) -> bool:
        """Compact if the last request nearly fills the window; True if it did.

        After a failure, or if nothing was gained, it waits until the conversation has grown.
        """
        due = is_due(last, self.model.window, self.share)
        if not due or last.total < self.backoff.until:
            return False
        try:
            made = await self.compact(meter)
        except ModelError as error:
            self.emit(
                Notice(
                    f"The conversation could not be compacted now, so the run continues. {error}"
                )
            )
        else:
            if isinstance(made, Compacted):
                return True
            if not self.backoff.notified:
                self.emit(
                    Notice(f"The conversation was not compacted: {made.why}. The run continues.")
                )
            self.backoff.notified = True
        self._wait(last.total)
        return False

    async def compact(self, meter: Meter) -> Compacted | NoGain:
        """Compact the conversation, if that makes it shorter. Raises `ModelError`."""
        if self.refused is not None and (why := await self.refused()):
            return NoGain(why)
        messages, carried = self.conversation.messages, self.carried()
        made = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if isinstance(made, Compacted):
            self.conversation.restart(made.messages)
            self._wait(made.after)
            self.backoff.notified = False
            self.compacted(made)
            if self.afterwards is not None:
                await self.afterwards()
        return made

    def _wait(self, tokens: int) -> None:
        self.backoff.until = tokens + round(
            _RETRY_GROWTH_SHARE * (self.share or SHARE) * self.model.window
        )

"""Makes refused messages acceptable: what the server refuses is taken out, step by step.

First goes what stands at the place that the server names, or else the newest part of the kind that
it names. Then go thinking and images; then everything since the last accepted request, which a
record replaces; at last everything, as in a compaction without a model. The user's words stay,
unless the server names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.core.errors import ContentRefused
from glossator.core.prompts import load_prompt
from glossator.core.tokens import estimate_tokens
from glossator.llm import ContentBlock, Message, estimate_messages, user_message
from glossator.sessions.compaction.kept import (
    KeptTools,
    call_in_words,
    calls_in,
    collect,
    fit,
    message_of,
    transcript,
)
from glossator.sessions.compaction.own_texts import prompt_of, words_of_user
from glossator.sessions.compaction.summary import extract_summary
from glossator.sessions.compaction.tail import result_as_text, without_thinking

MEDIA = {"image": "an image", "document": "a document"}
THINKING = "the model's earlier thinking"

BlockPath = tuple[int, ...]  # numbers of a message, of a block in it, and of a block in that one


def texts_in(messages: Sequence[Message]) -> Iterator[BlockPath]:
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
    """The text of a text block, or of a result that is a single text."""
    if block.get("type") == "text":
        return str(block["text"])
    content = block.get("content")
    return content if block.get("type") == "tool_result" and isinstance(content, str) else ""


def media_in(messages: Sequence[Message]) -> Iterator[BlockPath]:
    """The places of all images and documents."""
    for number, message in enumerate(messages):
        for index, block in enumerate(message["content"]):
            if block.get("type") in MEDIA:
                yield number, index
            inner = block.get("content")
            for part, inside in enumerate(inner if isinstance(inner, list) else ()):
                if inside.get("type") in MEDIA:
                    yield number, index, part


def part_at(messages: Sequence[Message], place: BlockPath) -> ContentBlock:
    """The block at a place, {} where there is none."""
    number, index, *inner = place
    if number >= len(messages) or index >= len(messages[number]["content"]):
        return {}
    block = messages[number]["content"][index]
    if not inner:
        return block
    parts = block.get("content")
    return parts[inner[0]] if isinstance(parts, list) and inner[0] < len(parts) else block


def put_part(messages: list[Message], place: BlockPath, block: ContentBlock) -> None:
    """Replace the block at a place; messages and blocks themselves do not change."""
    number, index, *inner = place
    content = list(messages[number]["content"])
    parts = content[index].get("content")
    if inner and isinstance(parts, list) and inner[0] < len(parts):
        block = {**content[index], "content": [*parts[: inner[0]], block, *parts[inner[0] + 1 :]]}
    content[index] = block
    messages[number] = {"role": messages[number]["role"], "content": content}


def is_said(messages: Sequence[Message], place: BlockPath) -> bool:
    """Whether a block is the user's own words."""
    block = part_at(messages, place)
    said = messages[place[0]]["role"] == "user" and block.get("type") == "text" and len(place) == 2
    return said and not prompt_of(block["text"])


def is_gone(block: ContentBlock) -> bool:
    """Whether a line here stands for a part that a server refused."""
    return text_at(block).startswith(load_prompt("user/refused").opening)


def part_in_words(
    messages: Sequence[Message], place: BlockPath, calls: dict[str, ContentBlock]
) -> str:
    """Name the part at a place, for the model and the user."""
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


def _name_before(messages: Sequence[Message], place: BlockPath) -> str:
    """The name of an attached image, which stands in the text before it."""
    before = part_at(messages, (place[0], place[1] - 1)) if place[1] else {}
    prompt = load_prompt("user/image")
    text = str(before.get("text", ""))
    return prompt.first_value(text) if text.startswith(prompt.opening) else ""


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:60]}…"


_MAX_SINGLE_OF_KIND = 2  # so many parts go one by one, then all of their kind
_MAX_SINGLE_PARTS = 8  # parts of no known kind that go one by one
_RECORD_SHARE = 0.15  # of the window, for the record of what goes
_MAX_TEXT_CHARACTERS = 1_000_000  # characters of one text, before any is cut
_TOO_LONG = "the request was too long"
_WORDS = "the middle of your question, as nothing else could go (the session's log keeps all of it)"
_WHY_UNKNOWN = "it did not say why"


@dataclass(frozen=True, slots=True)
class Mended:
    """Messages without what was refused, and what is missing, for the user."""

    messages: tuple[Message, ...]
    missing: str


class Mending:
    """Changes one request's messages step by step while they are refused.

    `window` is the model's, in tokens.
    """

    def __init__(self, messages: Sequence[Message], window: int) -> None:
        self.messages = tuple(messages)
        self.changed = False
        self._tokens = round(window * _RECORD_SHARE)
        self._parts = 0  # that went
        self._last: list[Callable[[str], Mended | None]] = [
            self._once_more,
            self._bare,
            self._since_accepted,
            self._extract,
        ]

    def without(self, refusal: ContentRefused) -> str:
        """Take out what is refused; says what is missing now, "" if nothing more can go."""
        why = refusal.why or _WHY_UNKNOWN
        mended = self._named(refusal, why) or self._words(refusal, why)
        while mended is None and self._last:
            step = self._last.pop(0)
            if step != self._once_more or refusal.is_unexplained:
                mended = step(why)
        if mended is None:
            return ""
        mended = self._unbound(mended)
        self.changed = self.changed or mended.messages != self.messages
        self.messages = mended.messages
        return mended.missing

    def shorter(self, tokens: int, *, question: bool) -> str:
        """Cut the messages to about so many tokens; says what is missing, "" if nothing new is.

        Messages that cannot be made so short are made as short as possible. The user's newest words
        are cut only with `question`.
        """
        before = estimate_messages(self.messages)
        if before <= tokens:
            return ""
        steps = (Mended(self.messages, ""), self._bare(_TOO_LONG), self._extract(_TOO_LONG))
        cut = Mended(self.messages, "")
        for mended in filter(None, steps):
            cut = Mended(fitted(mended.messages, tokens, question=question), mended.missing)
            if estimate_messages(cut.messages) <= tokens:
                break
        gone = before - estimate_messages(cut.messages)
        if gone <= 0:
            return ""
        asked = [text_at(part_at(self.messages, at)) for at in _newest_words(self.messages)]
        words = "" if {*asked} <= {*words_of_user(cut.messages)} else _WORDS
        self.changed, self.messages = True, cut.messages
        lost = (cut.missing, f"about {gone:,} tokens of the longest texts", words)
        return ", ".join(filter(None, lost))

    def _unbound(self, mended: Mended) -> Mended:
        """The messages without thinking, if something before it changed: it is bound to that."""
        pairs = zip(mended.messages, self.messages, strict=False)
        first = next((n for n, (new, old) in enumerate(pairs) if new is not old), None)
        if first is None or without_thinking(mended.messages[first:]) == [*mended.messages[first:]]:
            return mended
        missing = f"{mended.missing}, {THINKING}"
        return Mended(tuple(without_thinking(mended.messages)), missing)

    def _named(self, refusal: ContentRefused, why: str) -> Mended | None:
        """The messages without what the refusal names, by its place or by its kind."""
        if refusal.about == "thinking":
            thoughtless = tuple(without_thinking(self.messages))
            return Mended(thoughtless, THINKING) if thoughtless != self.messages else None
        if refusal.about == "media":
            shown = list(media_in(self.messages))
            return self._gone(shown[: (len(shown) + 1) // 2], why)  # the older half
        self._parts += 1
        if refusal.about == "part":
            return self._part(refusal.place, why)
        shown = list(media_in(self.messages))
        of_kind = [at for at in shown if part_at(self.messages, at)["type"] == refusal.about]
        shown = of_kind or shown
        if self._parts > _MAX_SINGLE_OF_KIND:
            return self._gone(shown, why)
        if (named := _inside(refusal.place, shown)) or not shown:
            return self._gone(named, why)
        newest = [at for at in shown if at[0] == shown[-1][0]]
        return self._gone(newest, why)

    def _part(self, place: BlockPath, why: str) -> Mended | None:
        """The messages without the part at a place, unless it is the user's words."""
        if not place or place[0] >= len(self.messages) or self._parts > _MAX_SINGLE_PARTS:
            return None
        blocks = range(len(self.messages[place[0]]["content"]))
        return self._gone([place] if len(place) > 1 else [(place[0], n) for n in blocks], why)

    def _gone(self, places: Sequence[BlockPath], why: str, *, words: bool = False) -> Mended | None:
        """The messages with a line for each part; calls become text along with their results."""
        messages = list(self.messages)
        calls = calls_in(messages)
        missing: list[str] = []
        for place in places:
            block = part_at(messages, place)
            if not block or is_gone(block) or (is_said(messages, place) and not words):
                continue
            what = part_in_words(messages, place, calls)
            missing.append(what)
            line: ContentBlock = {"type": "text", "text": _line(what, why)}
            if block["type"] == "tool_use":
                _answer_as_text(messages, place[0] + 1, block["id"], calls)
            elif block["type"] == "tool_result":
                line = {**block, "content": line["text"]}
            put_part(messages, place, line)
        return Mended(tuple(messages), _list(missing)) if missing else None

    def _once_more(self, _why: str) -> Mended | None:
        """The same messages once more: a refusal without a reason may have been a passing one."""
        return Mended(self.messages, "nothing, for it may have been a passing fault")

    def _bare(self, why: str) -> Mended | None:
        """The messages without thinking, images and documents."""
        media = self._gone(list(media_in(self.messages)), why)
        messages = media.messages if media else self.messages
        thoughtless = tuple(without_thinking(messages))
        missing = [media.missing] if media else []
        missing += [THINKING] if thoughtless != messages else []
        return Mended(thoughtless, ", ".join(missing)) if missing else None

    def _since_accepted(self, _why: str) -> Mended | None:
        """The messages up to the last accepted request, and a record of what followed."""
        replies = [n for n, each in enumerate(self.messages) if each["role"] == "assistant"]
        if not replies:
            return None
        *accepted, asked = self.messages[: replies[-1]]
        later = self.messages[replies[-1] :]
        record = transcript([_unsaid(each) for each in later], self._tokens)
        told = user_message(load_prompt("user/since").render(record=record), *words_of_user(later))
        joined: Message = {"role": "user", "content": [*asked["content"], *told["content"]]}
        missing = "all since the last answer but your words and a record of it"
        return Mended((*accepted, joined), missing)

    def _extract(self, _why: str) -> Mended | None:
        """A message with the user's words, failures and notes, as a compaction without a model."""
        *gone, newest = self.messages
        if not gone:
            return None
        kept = collect(gone, KeptTools())
        summary = extract_summary(gone, kept, ()).model_dump_json(indent=1)
        head = message_of(kept, summary, extracted=True, state="", window=self._tokens * 5)
        record = transcript([_unsaid(newest)], self._tokens)
        told = user_message(
            load_prompt("user/since").render(record=record), *words_of_user([newest])
        )
        return Mended(
            (head, told), "everything but your words, failures and notes of what was done"
        )

    def _words(self, refusal: ContentRefused, why: str) -> Mended | None:
        """The messages without the user's words that were named; the newest words stay."""
        said = [
            (number, block)
            for number, message in enumerate(self.messages)
            for block in range(len(message["content"]))
            if is_said(self.messages, (number, block))
        ]
        if refusal.place[:2] not in said[:-1]:
            return None
        return self._gone([refusal.place[:2]], why, words=True)


def fitted(messages: Sequence[Message], tokens: int, *, question: bool) -> tuple[Message, ...]:
    """The messages with their longest texts cut to about so many tokens.

    The user's words are cut last, and the newest of them only with `question`.
    """
    written = list(messages)
    places = list(texts_in(messages))
    newest = _newest_words(messages)
    others = [at for at in places if not is_said(messages, at)]
    older = [at for at in places if at not in newest and is_said(messages, at)]
    for group in (others, older, newest if question else []):
        texts = [text_at(part_at(written, at)) for at in group]
        rest = estimate_messages(written) - sum(map(estimate_tokens, texts))
        for at, text in zip(
            group, fit(texts, max(tokens - rest, 0), _MAX_TEXT_CHARACTERS), strict=True
        ):
            block = part_at(written, at)
            if text != text_at(block):
                name = "content" if block["type"] == "tool_result" else "text"
                put_part(written, at, {**block, name: text})
    return tuple(written)


def _newest_words(messages: Sequence[Message]) -> list[BlockPath]:
    """The places of the user's words in the newest message that holds any."""
    said = [at for at in texts_in(messages) if is_said(messages, at)]
    return [at for at in said if at[0] == said[-1][0]]


def _inside(place: BlockPath, shown: Sequence[BlockPath]) -> list[BlockPath]:
    """The places at a place or inside it."""
    return [at for at in shown if place and at[: len(place)] == place]


def _answer_as_text(
    messages: list[Message], number: int, call_id: str, calls: dict[str, ContentBlock]
) -> None:
    """Turn the result of a call that became text into text, too."""
    if number >= len(messages):
        return
    content: list[ContentBlock] = []
    later: list[ContentBlock] = []
    for block in messages[number]["content"]:
        if block.get("tool_use_id") != call_id:
            content.append(block)
            continue
        later += result_as_text(block, calls)
    messages[number] = {"role": "user", "content": [*content, *later]}


def _unsaid(message: Message) -> Message:
    said = set(words_of_user([message]))
    content = [block for block in message["content"] if block.get("text") not in said]
    return {"role": message["role"], "content": content}


def _line(what: str, why: str) -> str:
    return load_prompt("user/refused").render(what=what, why=why)


def _list(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    shown, more = different[:4], len(names) - len(different[:4])
    return ", ".join(shown) + (f" and {more} more" if more else "")

"""Show context: the parts of a session's window, their tokens, why they are there, what is cached.

The figures are estimates, scaled to what the provider counted for a request with the same texts.
What was cut from a text is read from the notes that Glossator itself puts into it for the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from glossator.application import Application
from glossator.commands.answers.context import ContextAnswer, Layer, Part
from glossator.core.context_kinds import Kind
from glossator.core.prompts import load_prompt
from glossator.core.tokens import estimate_tokens
from glossator.llm import (
    CacheLifetime,
    ContentBlock,
    Message,
    estimate_block,
    estimate_messages,
    estimate_tool,
    facts_of,
    profile_of,
)
from glossator.sessions import (
    TEXTS,
    Account,
    ModelCall,
    PromptPrefix,
    Section,
    calls_in,
    prompt_of,
    session_state,
)
from glossator.turn import LEFT_OUT, SECTIONS, SECTIONS_APART, opening_of

_CACHE_LIVES = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
WHY = {
    Kind.SHARED: "who the model is and how it works; the same for everybody",
    Kind.SESSION: "the workspace, the platform and the date; of this session",
    Kind.TOOL: "what the model may call; fixed when the conversation began",
    Kind.SUMMARY: "stands for what a compaction took away",
    Kind.KEPT: "kept word for word by a compaction",
    Kind.STATE: "how things stood at a compaction",
    Kind.QUESTION: "what you said",
    Kind.ATTACHMENT: "what you pointed at",
    Kind.MEMORY: "remembered from earlier sessions; at most five come with a question",
    Kind.FACT: "facts of earlier answers whose lines stand; facts.told says how many",
    Kind.REMINDER: "what Glossator told the model",
    Kind.INSTRUCTIONS: "of folders that were looked into later, or changed",
    Kind.REPLY: "what the model said",
    Kind.THINKING: "what the model thought; it goes back unchanged",
    Kind.CALL: "what the model asked for",
    Kind.RESULT: "what the model was given",
    Kind.IMAGE: "what you showed",
    Kind.OTHER: "what the provider put there; it goes back unchanged",
}
_DEFERRED = "is no part of the prompt until the model searches for it"

_SYSTEM_BLOCKS = (
    ("instructions", ""),
    ("this session", ""),
    ("the whole workspace", "all its files; retrieval.wholeTokens says up to what size"),
)

_BLOCK_KINDS = {
    "text": (Kind.REPLY, "text"),
    "thinking": (Kind.THINKING, "thinking"),
    "redacted_thinking": (Kind.THINKING, "thinking"),
    "image": (Kind.IMAGE, "images"),
}


@dataclass(frozen=True, slots=True)
class ShowContextRequest:
    """A session; without one, the answer is about a new session's first request."""

    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """What a session's next request begins with, and what the session has taken."""

    title: str
    frame: PromptPrefix
    messages: Sequence[Message]
    account: Account
    left_out: tuple[str, ...] = ()


async def show_context(app: Application, request: ShowContextRequest) -> ContextAnswer:
    """What the window holds; no model is asked. Raises `UnknownSession`."""
    held = await _held(app, request.session_id)
    newest = held.account.newest
    counted = newest.usage.input_total if newest and newest.messages else 0
    model, offline, window = app.model.id, app.model.offline, app.model.window
    if offline and newest and newest.model != app.model.id and not app.models.settings.offline:
        facts = facts_of(newest.model)
        model, offline, window = facts.id, False, facts.window
    sent, until = _sent(app, model, newest, counted)
    layers = window_layers(held.frame, held.messages, sent)
    estimated = estimate_sent(held.frame, held.messages, sent)
    share = app.settings.context.compact_at
    cached = sum(layer.cached for layer in layers)
    return ContextAnswer(
        request.session_id,
        held.title,
        model,
        offline,
        window,
        None if share is None else round(share * window),
        sum(layer.tokens for layer in layers),
        cached,
        until.isoformat(timespec="seconds") if cached and until else None,
        counted or None,
        estimated or None,
        _basis(counted, estimated),
        layers,
        held.left_out,
    )


async def _held(app: Application, session_id: str | None) -> _Held:
    """A session in its current state, whichever server has it open; a new one without an id."""
    session = next((each for each in app.sessions.loaded() if each.id == session_id), None)
    if session is not None:
        sections = _sections(session.system, session.kept(SECTIONS))
        frame = PromptPrefix(session.system, session.tools, sections)
        left_out = _left_out(session.kept(LEFT_OUT))
        messages = session.conversation.messages
        held = _Held(session.title, frame, messages, session.account, left_out)
    else:
        state = session_state(() if session_id is None else await app.sessions.records(session_id))
        sections = _sections(state.system, state.kept.get(SECTIONS, []))
        frame = PromptPrefix(state.system, state.tools, sections)
        left_out = _left_out(state.kept.get(LEFT_OUT, []))
        held = _Held(state.title, frame, state.messages, state.account, left_out)
    if not frame.system:  # it was not asked yet
        opening = await opening_of(app)
        frame = PromptPrefix(opening.system, opening.tools, opening.sections)
        return replace(held, frame=frame, left_out=opening.missing)
    return held


def _sections(system: tuple[str, ...], kept: Sequence[Any]) -> tuple[Section, ...]:
    """The sections of the system prompt's second block, as the session kept them last."""
    sections: list[Section] = []
    at = 0
    for name, why, length, *cut in (kept or [()])[-1]:
        sections.append(Section(name, system[1][at : at + length], why, *cut))
        at += length + len(SECTIONS_APART)
    return tuple(sections)


def _left_out(kept: Sequence[Any]) -> tuple[str, ...]:
    return tuple(kept[-1]) if kept else ()


def _sent(
    app: Application, model: str, newest: ModelCall | None, counted: int
) -> tuple[SentRequest, datetime | None]:
    """The part of the newest request that the provider still caches, and until when."""
    profile = profile_of(app.models.settings)
    if newest is None or not counted:
        return SentRequest(searches=profile.tool_search), None
    stored = newest.usage.cache_read_tokens + newest.usage.cache_write_tokens
    ours = stored > 0 and newest.model == model
    lifetime = CacheLifetime(app.settings.models.cache)
    now = datetime.now(UTC)
    opening_until = newest.at + _CACHE_LIVES[lifetime.of_system]
    messages_until = newest.at + _CACHE_LIVES[lifetime.of_messages]
    sent = SentRequest(
        newest.messages,
        counted,
        opening_cached=ours and now < opening_until,
        messages_cached=ours and now < messages_until,
        searches=profile.tool_search,
    )
    return sent, messages_until if sent.messages_cached else opening_until


def _basis(counted: int, estimated: int) -> str:
    if not (counted and estimated):
        return "Estimates: the provider has counted no request of this conversation yet."
    error = (estimated - counted) / counted
    where = "above" if error >= 0 else "below"
    return (
        f"Estimates, scaled to the {counted:,} tokens that were counted for the newest request. Our"
        f" estimate of it was {abs(error):.1%} {where} what the provider counted."
    )


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The newest request: its number of messages, and the tokens that the provider counted.

    `opening_cached` and `messages_cached` say which parts are still in the provider's cache.
    `searches`: the server searches for deferred tools.
    """

    messages: int = 0
    counted: int = 0
    opening_cached: bool = False
    messages_cached: bool = False
    searches: bool = False


def window_layers(
    frame: PromptPrefix, messages: Sequence[Message], sent: SentRequest
) -> tuple[Layer, ...]:
    """The layers of the window: system prompt, tools, conversation."""
    estimated = estimate_sent(frame, messages, sent)
    scale = sent.counted / estimated if sent.counted and estimated else 1.0
    held = _Parts(scale)
    for kind, section in _system(frame):
        told = Told(kind, section.name, section.why, section.cut)
        held.add(told, estimate_tokens(section.text), cached=sent.opening_cached)
    tools = _Parts(scale)
    for tool in frame.tools:
        waits = tool.deferred and sent.searches
        tokens = 0 if waits else estimate_tool(tool)
        told = Told(Kind.TOOL, tool.name, _DEFERRED if waits else "")
        tools.add(told, tokens, cached=sent.opening_cached, deferred=waits)
    said = _Parts(scale)
    calls = calls_in(messages)
    for number, message in enumerate(messages):
        cached = sent.messages_cached and number < sent.messages
        for block in message["content"]:
            said.add(_what(message, block, calls), estimate_block(block), cached=cached)
    return held.layer("system"), tools.layer("tools"), said.layer("conversation")


def estimate_sent(frame: PromptPrefix, messages: Sequence[Message], sent: SentRequest) -> int:
    """About how many tokens the newest request took, as we estimate it; 0 without one."""
    if not sent.messages:
        return 0
    in_prompt = (tool for tool in frame.tools if not (tool.deferred and sent.searches))
    opening = sum(map(estimate_tokens, frame.system)) + sum(map(estimate_tool, in_prompt))
    return opening + estimate_messages(messages[: sent.messages])


def _system(frame: PromptPrefix) -> Iterator[tuple[Kind, Section]]:
    """The parts of the system blocks."""
    for number, text in enumerate(frame.system):
        if number == 1 and frame.sections:
            yield from ((Kind.SESSION, section) for section in frame.sections)
            continue
        kind = Kind.SESSION if number else Kind.SHARED
        name, why = _SYSTEM_BLOCKS[min(number, len(_SYSTEM_BLOCKS) - 1)]
        yield kind, Section(name, text, why or WHY[kind])


class _Parts:
    """Adds up parts of the same kind and name, in order of first appearance."""

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self._held: dict[tuple[Kind, str, str, bool], list[tuple[int, int, str]]] = {}

    def add(self, told: Told, tokens: int, *, cached: bool, deferred: bool = False) -> None:
        """Add one, with its estimated tokens."""
        key = told.kind, told.name, told.why or WHY[told.kind], deferred
        self._held.setdefault(key, []).append((tokens, tokens * cached, told.cut))

    def layer(self, name: str) -> Layer:
        """All parts as a layer."""
        parts = tuple(
            Part(
                kind,
                of,
                why,
                len(each),
                round(sum(tokens for tokens, _, _ in each) * self._scale),
                round(sum(cached for _, cached, _ in each) * self._scale),
                deferred,
                "; ".join(dict.fromkeys(cut for _, _, cut in each if cut)),
            )
            for (kind, of, why, deferred), each in self._held.items()
        )
        tokens, cached = (sum(part.tokens for part in parts), sum(part.cached for part in parts))
        return Layer(name, tokens, cached, parts)


def _what(message: Message, block: ContentBlock, calls: dict[str, ContentBlock]) -> Told:
    """What a block is, for people."""
    match block.get("type"):
        case "text" if message["role"] == "user":
            return told_as(str(block.get("text", "")))
        case "tool_use":
            return Told(Kind.CALL, str(block.get("name", "")))
        case "tool_result":
            call = calls.get(str(block.get("tool_use_id")), {})
            return Told(Kind.RESULT, str(call.get("name", "a tool")))
        case other:
            return Told(*_BLOCK_KINDS.get(str(other), (Kind.OTHER, str(other))))


@dataclass(frozen=True, slots=True)
class Told:
    """A text in a user message; without a `why` it is there as all of its kind are."""

    kind: Kind
    name: str
    why: str = ""
    cut: str = ""


def told_as(text: str) -> Told:
    """What a text in a user message is."""
    prompt = prompt_of(text)
    if not prompt:
        return Told(Kind.QUESTION, "questions")
    known = TEXTS[prompt]
    found = known.cut.findall(text) if known.cut else ()
    name = known.name or load_prompt(prompt).first_value(text)
    return Told(known.kind, name, known.why, "; ".join(dict.fromkeys(found)))

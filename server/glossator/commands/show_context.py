"""Show context: what the window of a session holds, and what of it the provider has cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from glossator.application import Application
from glossator.commands.answers.show_context import ContextAnswer
from glossator.commands.window import SentRequest, estimate_sent, window_layers
from glossator.llm import CacheLifetime, Message, facts_of, profile_of
from glossator.sessions import Account, ModelCall, PromptPrefix, Section, session_state
from glossator.turn import LEFT_OUT, SECTIONS, SECTIONS_APART, opening_of

_LIVES = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}


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
    opening_until = newest.at + _LIVES[lifetime.of_system]
    messages_until = newest.at + _LIVES[lifetime.of_messages]
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

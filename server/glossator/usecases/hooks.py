"""Hooks: those that run, and those that files of the workspace ask for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from glossator.application import Application
from glossator.core.errors import UsageError
from glossator.core.hook_answers import HookList, HookView
from glossator.core.shown import shown_text
from glossator.core.uri import to_uri
from glossator.hooks import HookEvent, Proposal, proposed_hooks
from glossator.permissions import how_to_trust
from glossator.settings import Hook

_COPY = "Not run: copy it into your settings if you want it."
_NEVER = "Not run: Glossator has no such moment."
_MOMENTS = {
    HookEvent.SESSION_START: "when a session begins or goes on",
    HookEvent.PROMPT_SUBMIT: "before a question is answered",
    HookEvent.BEFORE_TOOL: "before calls of {}",
    HookEvent.AFTER_TOOL: "after calls of {}",
    HookEvent.STOP: "when the model has answered",
    HookEvent.BEFORE_COMPACTION: "before a compaction",
}


@dataclass(frozen=True, slots=True)
class ListHooksRequest:
    """Takes nothing."""


async def list_hooks(app: Application, _request: ListHooksRequest) -> HookList:
    """The hooks of the settings with their state, and what the workspace proposes; runs none."""
    own = tuple(app.hooks)
    state, why = await _state(app) if own else ("on", "")
    found = await asyncio.to_thread(proposed_hooks, app.host.snapshot())
    return HookList(
        (
            *(_own(event, hook, state, why) for event, hook in own),
            *map(_proposed, found.hooks),
        ),
        found.problems,
    )


async def _state(app: Application) -> tuple[Literal["on", "untrusted", "unavailable"], str]:
    """Whether the user's hooks run here, and why not."""
    if app.acting.trust.said is False:
        return "untrusted", "This workspace is not trusted; trust it in the editor."
    if not app.acting.trust.is_trusted:
        how = " ".join(map(how_to_trust, app.host.snapshot().roots))
        return "untrusted", f"This workspace is not trusted. {how}"
    await app.ready()
    try:
        shell = await asyncio.to_thread(app.acting.limited, app.host.snapshot())
    except UsageError as error:
        return "unavailable", str(error)
    reason = shell.open_reason
    return ("on", "") if reason is None else ("unavailable", reason)


def _own(
    event: HookEvent, hook: Hook, state: Literal["on", "untrusted", "unavailable"], why: str
) -> HookView:
    return HookView(
        event.setting,
        hook.matcher,
        shown_text(hook.command),
        hook.timeout,
        "user",
        state,
        why,
        _described(event, hook.matcher),
        "",
        "",
    )


def _proposed(found: Proposal) -> HookView:
    event = next((each for each in HookEvent if each.value == found.event), None)
    return HookView(
        shown_text(found.event) if event is None else event.setting,
        shown_text(found.matcher),
        shown_text(found.command),
        found.timeout,
        "project",
        "proposed",
        _NEVER if event is None else _COPY,
        "" if event is None else _described(event, shown_text(found.matcher)),
        found.path,
        to_uri(found.path),
    )


def _described(event: HookEvent, matcher: str) -> str:
    tools = "every tool" if matcher in ("", "*") else matcher
    return f"Runs {_MOMENTS[event].format(tools)}"

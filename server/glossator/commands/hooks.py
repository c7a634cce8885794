"""Hooks: those that run, and those of the workspace, which the user adopts or forgets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.adopting import may_run, watched
from glossator.core.errors import UsageError
from glossator.core.shown import shown, shown_text, some_of
from glossator.core.uri import to_uri
from glossator.core.window import SWITCHED_OFF, ContextKind
from glossator.hooks import (
    HookEvent,
    HookList,
    HookState,
    HookView,
    KnownHook,
    Proposal,
    Proposals,
    proposed_hooks,
)
from glossator.permissions import how_to_trust

_MOMENTS = {
    HookEvent.SESSION_START: "when a session begins or goes on",
    HookEvent.PROMPT_SUBMIT: "before a question is answered",
    HookEvent.BEFORE_TOOL: "before calls of {}",
    HookEvent.AFTER_TOOL: "after calls of {}",
    HookEvent.STOP: "when the model has answered",
    HookEvent.BEFORE_COMPACTION: "before a compaction",
}
_PROPOSED = "The workspace asks for it. Adopt it to let it run."
_CHANGED = "What would run is not what you adopted. Look at it, and adopt it again."


@dataclass(frozen=True, slots=True)
class ListHooksRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class AdoptHookRequest:
    """The id of a hook that the workspace asks for; the user is asked, and shown all of it."""

    id: str


@dataclass(frozen=True, slots=True)
class ForgetHookRequest:
    """The id of a hook that was adopted; it runs no more."""

    id: str


async def list_hooks(app: Application, _request: ListHooksRequest) -> HookList:
    """The hooks of the settings with their state, and those of the workspace; runs none."""
    own = tuple(app.hooks)
    found = await _asked_for(app)
    held_back = await _held_back(app) if own or found.hooks else None
    off = app.switches.off(ContextKind.HOOK)
    return HookList(
        (
            *(_own(each, _off(each.id, off) or held_back) for each in own),
            *(_proposed(app, each, _off(each.id, off) or held_back) for each in found.hooks),
        ),
        found.problems,
    )


async def adopt_hook(app: Application, request: AdoptHookRequest) -> HookList:
    """Let a hook of the workspace run, if the user says so to all that it would run.

    Without a yes the list stays as it is. Raises `UsageError` for one that is not there, that
    changed meanwhile, and before trust.
    """
    asked = await _found(app, request.id)
    if asked.hook is None:
        raise UsageError(f"The hook {asked.id} cannot be adopted. {asked.problem}")
    if not app.acting.trust.is_trusted:
        why = "cannot be adopted in a folder that is not trusted."
        raise UsageError(f"The hook {asked.id} {why} {how_to_trust(asked.folder)}")
    if not await may_run(app, *_shown_to_adopt(app, asked, asked.hook)):
        return await list_hooks(app, ListHooksRequest())
    if (await _found(app, request.id)).sha256 != asked.sha256:
        raise UsageError(
            f"The hook {asked.id} has changed meanwhile. Look at it again, then adopt it."
        )
    await asyncio.to_thread(app.hooks.adopt, asked)
    return await list_hooks(app, ListHooksRequest())


async def forget_hook(app: Application, request: ForgetHookRequest) -> HookList:
    """Take an adoption back. Raises `UsageError` if there is none."""
    asked = await _found(app, request.id)
    if not await asyncio.to_thread(app.hooks.forget, asked):
        raise UsageError(f"The hook {asked.id} was not adopted, so there is nothing to forget.")
    return await list_hooks(app, ListHooksRequest())


async def _asked_for(app: Application) -> Proposals:
    """What the workspace asks for; before trust, no file that a hook names is read."""
    trusted = app.acting.trust.is_trusted
    return await asyncio.to_thread(proposed_hooks, app.host.snapshot(), hashed=trusted)


async def _found(app: Application, hook: str) -> Proposal:
    """What the workspace asks for by this id. Raises `UsageError`."""
    found = (await _asked_for(app)).hooks
    for each in found:
        if each.id == hook:
            return each
    if any(each.id == hook for each in app.hooks):
        raise UsageError(f"The hook {hook} stands in your own settings, so it needs no adoption.")
    known = some_of([each.id for each in found], 10) or "none"
    raise UsageError(
        f"The workspace asks for no hook {shown(hook)}; it asks for: {known}. `glossator hooks`"
        " lists them."
    )


def _shown_to_adopt(app: Application, asked: Proposal, known: KnownHook) -> tuple[str, ...]:
    when = f"{_described(known.event, shown(known.hook.matcher))}, in {shown(known.folder)}"
    return (
        f"May this hook run? {shown(app.host.snapshot().relative(asked.path))} asks for it:",
        shown_text(known.hook.command),
        f"{when}, for {known.hook.timeout:g} seconds at most.",
        watched(app, asked.files),
        "It runs in the sandbox of commands.",
    )


_Held = tuple[HookState, str]  # a state in which a hook does not run, and why


async def _held_back(app: Application) -> _Held | None:
    """Why no hook runs here; None if they do."""
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
    return None if reason is None else ("unavailable", reason)


def _off(hook: str, off: frozenset[str]) -> _Held | None:
    return ("off", SWITCHED_OFF) if hook in off else None


def _own(known: KnownHook, held: _Held | None) -> HookView:
    hook = known.hook
    return HookView(
        known.id,
        known.event.setting,
        hook.matcher,
        shown_text(hook.command),
        hook.timeout,
        "user",
        *(held or ("on", "")),
        _described(known.event, hook.matcher),
        "",
        "",
    )


def _proposed(app: Application, found: Proposal, held: _Held | None) -> HookView:
    known = found.hook
    return HookView(
        found.id,
        shown_text(found.event) if known is None else known.event.setting,
        shown_text(found.matcher),
        shown_text(found.command),
        found.timeout,
        "project",
        *_state(app, found, held),
        "" if known is None else _described(known.event, shown_text(found.matcher)),
        found.path,
        to_uri(found.path),
        app.hooks.was_adopted(found),
    )


def _state(app: Application, found: Proposal, held: _Held | None) -> _Held:
    if found.hook is None:
        return "problem", found.problem
    if held is not None and held[0] in ("off", "untrusted"):
        return held
    if not app.hooks.was_adopted(found):
        return "proposed", _PROPOSED
    if not app.hooks.is_adopted(found):
        return "changed", _CHANGED
    return held or ("on", "")


def _described(event: HookEvent, matcher: str) -> str:
    of_all = matcher in ("", "*")
    when = _MOMENTS[event].format("every tool" if of_all else matcher)
    return f"Runs {when}{f' ({matcher})' if event.occasions and not of_all else ''}"

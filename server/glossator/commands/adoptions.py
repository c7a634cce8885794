"""Hooks and MCP servers: those that run, those that the workspace asks for, and adopting them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.context_kinds import SWITCHED_OFF, ContextKind
from glossator.core.errors import UsageError
from glossator.core.question import Option, Question
from glossator.core.shown import shown, shown_text, some_of
from glossator.core.uri import to_uri
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
from glossator.mcp import McpServerList, log_in, log_out
from glossator.permissions import how_to_trust

_RUN_IT = Option("Adopt it", "It runs from now on, until anything of this changes.")
_LEAVE_IT = Option("Do not run it")
_NAMED_FILES = 10  # that are named
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
_CONNECTING_SECONDS = 60.0  # seconds for servers that are being connected


async def may_run(app: Application, *lines: str) -> bool:
    """Ask the user, and show them the lines that are not empty."""
    question = Question(
        "\n".join(filter(None, lines)), (_RUN_IT, _LEAVE_IT), refusal=_LEAVE_IT.label
    )
    return _RUN_IT.label in (await app.port.ask_user(question)).chosen


def watched(app: Application, files: Iterable[str]) -> str:
    """Which files an adoption is of, as sentences."""
    names = some_of([app.host.snapshot().relative(each) for each in files], _NAMED_FILES)
    if not names:
        return "No file of the workspace is watched for changes: what it uses may change unasked."
    return (
        f"If one of these files changes, you are asked again: {names}. Other files that it uses"
        " may change unasked."
    )


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
    # While the user reads the question, the workspace may put other words into the file: what is
    # adopted must be what was shown.
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
    """The hooks that the workspace asks for; before trust, no file that a hook names is read."""
    trusted = app.acting.trust.is_trusted
    return await asyncio.to_thread(proposed_hooks, app.host.snapshot(), hashed=trusted)


async def _found(app: Application, hook: str) -> Proposal:
    """The proposed hook with this id. Raises `UsageError`."""
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
    """Why no hook runs here; None if hooks run."""
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


@dataclass(frozen=True, slots=True)
class ListMcpServersRequest:
    """With `wait`, the answer comes once each server is connected or has failed to."""

    wait: bool = False


@dataclass(frozen=True, slots=True)
class AdoptMcpServerRequest:
    """The name of a server that the workspace proposes; the user is asked, and shown all of it."""

    name: str


@dataclass(frozen=True, slots=True)
class ForgetMcpServerRequest:
    """The name of a server that was adopted; it is ended."""

    name: str


@dataclass(frozen=True, slots=True)
class RestartMcpServerRequest:
    """The name of a server that runs, or failed to."""

    name: str


@dataclass(frozen=True, slots=True)
class LoginMcpServerRequest:
    """The name of a server at an address; the user's browser is opened, and waited for."""

    name: str


@dataclass(frozen=True, slots=True)
class LogoutMcpServerRequest:
    """The name or the address of a server that the user logged in to; what was kept is deleted."""

    name: str


async def list_mcp_servers(app: Application, request: ListMcpServersRequest) -> McpServerList:
    """The servers of the settings, and what the workspace proposes."""
    return await _servers(app, wait=request.wait)


async def adopt_mcp_server(app: Application, request: AdoptMcpServerRequest) -> McpServerList:
    """Let a proposed server run, if the user says so to all that it would run.

    Without a yes the list stays as it is. Raises `UsageError` for one that is not proposed, or that
    changed meanwhile.
    """
    spec = await app.mcp.proposal(request.name)
    gets = ", ".join(spec.variables)
    program = spec.launch.command[0] if spec.launch and spec.launch.command else ""
    lines = (
        f"May the MCP server {shown(spec.name)} run? {shown(spec.file)} proposes it:",
        spec.words,
        f"Its program is {shown(program)}" if program else "",
        *spec.details,
        f"It gets these variables of your environment: {shown(gets)}." if gets else "",
        watched(app, spec.files) if program else "",
        "It runs outside any sandbox, with your rights."
        if program
        else "What the model asks of it goes to that address.",
    )
    if not await may_run(app, *lines):
        return await _servers(app, wait=False)
    await app.mcp.adopt(request.name, spec.sha256)
    return await _servers(app, wait=True)


async def forget_mcp_server(app: Application, request: ForgetMcpServerRequest) -> McpServerList:
    """Take an adoption back. Raises `UsageError` if there is none."""
    await app.mcp.forget(request.name)
    return app.mcp.listed()


async def restart_mcp_server(app: Application, request: RestartMcpServerRequest) -> McpServerList:
    """End a server and start it again. Raises `UsageError` for one that may not run."""
    await app.mcp.restart(request.name)
    return await _servers(app, wait=True)


async def login_mcp_server(app: Application, request: LoginMcpServerRequest) -> McpServerList:
    """Have the user log in to a server. Raises `UsageError` if nothing came of it."""
    await log_in(app.mcp, request.name, app.port.open_address, app.port.ask_user)
    return await _servers(app, wait=True)


async def logout_mcp_server(app: Application, request: LogoutMcpServerRequest) -> McpServerList:
    """Forget a login. Raises `UsageError` if there is none."""
    await log_out(app.mcp, request.name)
    return await _servers(app, wait=True)


async def _servers(app: Application, *, wait: bool) -> McpServerList:
    await app.mcp.refresh()
    if wait:
        with suppress(TimeoutError):  # the list says which ones are being connected still
            await asyncio.wait_for(app.mcp.settled(), _CONNECTING_SECONDS)
    return app.mcp.listed()

"""Everything that goes into the window, in one list, and what the user turns on or off in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from glossator.application import Application
from glossator.commands.adoptions import (
    ListHooksRequest,
    ListMcpServersRequest,
    list_hooks,
    list_mcp_servers,
)
from glossator.commands.answers.context import (
    ContextAction,
    ContextSource,
    ContextSourceList,
    ContextState,
)
from glossator.commands.facts import ListFactsRequest, list_facts
from glossator.commands.index import index_sources
from glossator.commands.memory import ListMemoriesRequest, list_memories
from glossator.commands.rules import rule_sources
from glossator.core.citations import place
from glossator.core.context_kinds import SWITCHED_OFF, ContextKind
from glossator.core.errors import UsageError
from glossator.core.fact import FactState, FactView
from glossator.core.shown import shown, some_of
from glossator.core.uri import to_uri
from glossator.customizations import CustomizationList
from glossator.mcp import McpServerView, McpState
from glossator.turn import (
    InstructionFile,
    customizations_now,
    further_instructions,
    instructions_now,
    left_out_files,
)
from glossator.workspace import same_file

_UNTRUSTED = "The folder is not trusted. Trust it to have its instructions obeyed."
_FACT_CHANGED = "Its lines changed, so no question is told of it until it is stated again."
_KEPT_IN_SESSIONS = "; sessions that have begun keep what they were told of it"
_TOLD_LATER = "; told once something below its folder is read"
_COUNTING_STATES = frozenset(
    {ContextState.ON, ContextState.STALE, ContextState.WAITING, ContextState.LOGIN}
)
_NEVER_SWITCHED = frozenset({ContextKind.FACT, ContextKind.RULE, ContextKind.INDEX})
_KIND_WORDS = {
    ContextKind.RULE: "permission rule",
    ContextKind.INSTRUCTIONS: "instruction file",
    ContextKind.COMMAND: "slash command",
    ContextKind.AGENT: "sub-agent",
    ContextKind.MCP: "MCP server",
}
_MCP_STATES = {
    McpState.OFF: ContextState.OFF,
    McpState.PROPOSED: ContextState.PROPOSED,
    McpState.CHANGED: ContextState.CHANGED,
    McpState.UNTRUSTED: ContextState.UNTRUSTED,
    McpState.WRONG: ContextState.PROBLEM,
    McpState.CONNECTING: ContextState.WAITING,
    McpState.READY: ContextState.ON,
    McpState.LOGIN: ContextState.LOGIN,
    McpState.WAITING: ContextState.PROBLEM,
}
_Found = tuple[list[ContextSource], tuple[str, ...]]  # sources, and sentences about the rest


@dataclass(frozen=True, slots=True)
class ListContextRequest:
    """Of one `kind`, or of all; with a session, what was allowed in it is listed, too."""

    kind: ContextKind | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class SwitchContextRequest:
    """Turn something `on`, or off, in this workspace, by its id; or by its name."""

    kind: ContextKind
    id: str
    on: bool


async def list_context(app: Application, request: ListContextRequest) -> ContextSourceList:
    """All that goes into the window or would, with what can be done with each."""
    kinds = [request.kind] if request.kind else ContextKind
    return await _listed(app, *kinds, session_id=request.session_id)


async def switch_context(app: Application, request: SwitchContextRequest) -> ContextSourceList:
    """Turn something on or off; while off, it counts for nothing in this workspace.

    A session that has begun keeps what its prompt says. Raises `UsageError`.
    """
    kind, on = request.kind, request.on
    found, _ = await _OF_KIND[kind](app, None)
    source = _meant([_offered(each) for each in found if each.kind is kind], request)
    wanted, done = (
        (ContextAction.TURN_ON, source.state in _COUNTING_STATES)
        if on
        else (ContextAction.TURN_OFF, ContextAction.TURN_ON in source.actions)
    )
    if wanted in source.actions:
        await asyncio.to_thread(_turn, app, kind, source.id, on=on)
    elif not done:
        how = "on" if on else "off"
        raise UsageError(
            f"{source.name} cannot be turned {how}: it is {source.state}. {source.why}"
        )
    return await _listed(app, *ContextKind)


def _turn(app: Application, kind: ContextKind, key: str, *, on: bool) -> None:
    """Turn something on or off; turning on also ends what turned it off by another path."""
    keys = same_file(key, app.switches.off(kind)) if on else [key]
    for each in keys:
        app.switches.turn(kind, each, on=on)


async def _listed(
    app: Application, *kinds: ContextKind, session_id: str | None = None
) -> ContextSourceList:
    of_kinds = dict.fromkeys(_OF_KIND[kind] for kind in kinds)
    found = await asyncio.gather(*(of_kind(app, session_id) for of_kind in of_kinds))
    sources = sorted(
        (_offered(each) for sources, _ in found for each in sources if each.kind in kinds),
        key=lambda each: kinds.index(each.kind),
    )
    return ContextSourceList(
        tuple(sources), tuple(each for _, problems in found for each in problems)
    )


def _meant(found: list[ContextSource], request: SwitchContextRequest) -> ContextSource:
    """The source with that id; or the first with that name that can be turned on or off."""
    wanted = ContextAction.TURN_ON if request.on else ContextAction.TURN_OFF
    named = [each for each in found if request.id in (each.id, each.name)]
    named.sort(key=lambda each: (each.id != request.id, wanted not in each.actions))
    if named:
        return named[0]
    known = some_of([each.name for each in found], 10) or "none"
    what = _KIND_WORDS.get(request.kind, request.kind.value)
    raise UsageError(f"There is no {what} {shown(request.id)} here; there are: {known}.")


async def _instructions(app: Application, _: str | None) -> _Found:
    now, found = app.now(), await further_instructions(app)
    first = await instructions_now(app, now)
    at_once = {each.path for each in (*first.files, *first.off)}
    sources = [
        *(_instruction(each, "" if each.path in at_once else _TOLD_LATER) for each in found.files),
        *(_instruction(each, _KEPT_IN_SESSIONS, off=True) for each in found.off),
    ]
    kind, state = ContextKind.INSTRUCTIONS, ContextState.UNTRUSTED
    for path in await left_out_files(app, now):
        name, uri = now.snapshot.relative(path), to_uri(path)
        sources.append(ContextSource(kind, path, name, "project", state, _UNTRUSTED, "", uri, ()))
    sources.sort(key=lambda each: (each.source != "user", each.name.count("/"), each.name))
    return sources, found.not_seen


def _instruction(file: InstructionFile, more: str, *, off: bool = False) -> ContextSource:
    imported = f"imported by {file.importer}; " if file.importer else ""
    return ContextSource(
        ContextKind.INSTRUCTIONS,
        file.path,
        file.name,
        file.whose,
        ContextState.OFF if off else ContextState.ON,
        SWITCHED_OFF if off else "",
        f"{imported}{len(file.text.strip()):,} characters{more}",
        to_uri(file.path),
        (ContextAction.TURN_ON,) if off else (),
    )


async def _memories(app: Application, _: str | None) -> _Found:
    found = await list_memories(app, ListMemoriesRequest())
    return [
        ContextSource(
            ContextKind.MEMORY,
            each.path,
            each.name,
            each.source,
            ContextState(each.state),
            each.why,
            f"{each.description} ({each.type}, {each.origin})",
            each.uri,
            (ContextAction.FORGET, *_turn_on(app, ContextKind.MEMORY, each.path, each.state)),
        )
        for each in found.memories
    ], found.problems


async def _facts(app: Application, _: str | None) -> _Found:
    found = await list_facts(app, ListFactsRequest())
    return [_fact(each) for each in found.facts], ()


def _fact(fact: FactView) -> ContextSource:
    lines = f"#L{fact.first_line}-L{fact.last_line}"
    stale = fact.state is FactState.STALE
    return ContextSource(
        ContextKind.FACT,
        fact.id,
        fact.statement,
        "project",
        ContextState.STALE if stale else ContextState.ON,
        _FACT_CHANGED if stale else "",
        f"{place(fact.path, fact.first_line, fact.last_line)}{', pinned' if fact.pinned else ''}",
        fact.uri + lines,
        (ContextAction.FORGET, ContextAction.UNPIN if fact.pinned else ContextAction.PIN),
    )


async def _customizations(app: Application, _: str | None) -> _Found:
    found = await customizations_now(app, app.now())
    return [
        ContextSource(
            ContextKind(each.kind),
            each.path,
            each.name,
            each.source,
            ContextState(each.state),
            each.why,
            each.description,
            each.uri,
            _turn_on(app, ContextKind(each.kind), each.path, each.state),
        )
        for each in found.listed
    ], ()


async def _hooks(app: Application, _: str | None) -> _Found:
    found = await list_hooks(app, ListHooksRequest())
    return [
        ContextSource(
            ContextKind.HOOK,
            each.id,
            each.name,
            each.source,
            ContextState.PROBLEM if each.state == "unavailable" else ContextState(each.state),
            each.why,
            ". ".join(filter(None, (each.description, each.command))),
            each.uri,
            (
                *((ContextAction.FORGET,) if each.adopted else ()),
                *_turn_on(app, ContextKind.HOOK, each.id, each.state),
            ),
        )
        for each in found.hooks
    ], found.problems


async def _rules(app: Application, session_id: str | None) -> _Found:
    return list(await rule_sources(app, session_id)), ()


async def _indexes(app: Application, _: str | None) -> _Found:
    return list(index_sources(app)), ()


async def _mcp_servers(app: Application, _: str | None) -> _Found:
    found = await list_mcp_servers(app, ListMcpServersRequest())
    return [_mcp_server(app, each) for each in found.servers], found.problems


def _mcp_server(app: Application, server: McpServerView) -> ContextSource:
    actions: tuple[ContextAction, ...] = (ContextAction.FORGET,) if server.adopted else ()
    if server.state in (McpState.CONNECTING, McpState.READY, McpState.WAITING):
        actions = (*actions, ContextAction.RESTART, ContextAction.TURN_OFF)
    if server.state is McpState.LOGIN:
        actions = (*actions, ContextAction.LOGIN)
    if server.logged_in:
        actions = (*actions, ContextAction.LOGOUT)
    actions = (*actions, *_turn_on(app, ContextKind.MCP, server.name, server.state))
    return ContextSource(
        ContextKind.MCP,
        server.name,
        server.name,
        "user" if server.source == "user" else "project",
        _MCP_STATES[server.state],
        server.why,
        server.description,
        server.uri or "",
        actions,
    )


def _turn_on(
    app: Application, kind: ContextKind, key: str, state: str
) -> tuple[ContextAction, ...]:
    """Whether something can be turned on again: the user turned it off, not a setting."""
    is_off = state == ContextState.OFF and same_file(key, app.switches.off(kind))
    return (ContextAction.TURN_ON,) if is_off else ()


def _offered(given: ContextSource) -> ContextSource:
    """The entry as it is shown, with the actions that its state allows."""
    actions = set(given.actions)
    if given.uri:
        actions.add(ContextAction.OPEN)
    if given.state in _COUNTING_STATES and given.kind not in _NEVER_SWITCHED:
        actions.add(ContextAction.TURN_OFF)
    elif given.state in (ContextState.PROPOSED, ContextState.CHANGED):
        actions |= {ContextAction.ADOPT, ContextAction.TURN_OFF}
    why = "" if given.state is ContextState.ON else given.why.strip()
    return replace(
        given,
        name=shown(given.name),
        why=why and f"{why[0].upper()}{why[1:]}{'' if why.endswith('.') else '.'}",
        detail=shown(given.detail),
        actions=tuple(each for each in ContextAction if each in actions),
    )


_OF_KIND: Mapping[ContextKind, Callable[[Application, str | None], Awaitable[_Found]]] = {
    ContextKind.INSTRUCTIONS: _instructions,
    ContextKind.MEMORY: _memories,
    ContextKind.FACT: _facts,
    ContextKind.SKILL: _customizations,
    ContextKind.COMMAND: _customizations,
    ContextKind.AGENT: _customizations,
    ContextKind.HOOK: _hooks,
    ContextKind.MCP: _mcp_servers,
    ContextKind.RULE: _rules,
    ContextKind.INDEX: _indexes,
}


@dataclass(frozen=True, slots=True)
class ListCustomizationsRequest:
    """Takes nothing."""


async def list_customizations(
    app: Application, _request: ListCustomizationsRequest
) -> CustomizationList:
    """All that there is, with the reasons why something is not used; switched off in settings."""
    found = await customizations_now(app, app.now())
    return CustomizationList(tuple(found.listed), found.left_out)

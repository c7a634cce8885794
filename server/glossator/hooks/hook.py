"""What a hook is, which hooks the workspace's files ask for, and which run.

The user's hooks run, and those of the workspace of which the user adopted exactly this one, unless
they are turned off.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from glossator.core.context_kinds import ContextKind
from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.permissions import (
    Approvals,
    FileDigests,
    Switches,
    ToolRule,
    digest,
    files_named,
    fingerprint,
    is_about,
    parse_rule,
)
from glossator.settings import Hook, HookSettings
from glossator.workspace import WorkspaceSnapshot

_HOOK_FILES = (
    os.path.join(".claude", "settings.json"),
    os.path.join(".claude", "settings.local.json"),
    os.path.join(".claude", "hooks.json"),
)
_MAX_FILE_CHARACTERS = 100_000  # of a file
_MAX_HOOKS = 100  # hooks of a file
_MAX_SECONDS = 600  # that a hook may take at most
_PROJECT = re.compile(r"\$CLAUDE_PROJECT_DIR\b|\$\{CLAUDE_PROJECT_DIR\}")
KIND = "hook"  # of adoptions


class HookEvent(StrEnum):
    """When hooks run; the value is the name that hooks of other agents are told."""

    SESSION_START = "SessionStart"
    PROMPT_SUBMIT = "UserPromptSubmit"
    BEFORE_TOOL = "PreToolUse"
    AFTER_TOOL = "PostToolUse"
    STOP = "Stop"
    BEFORE_COMPACTION = "PreCompact"

    @property
    def setting(self) -> str:
        """The setting that lists its hooks, without `hooks.`."""
        first, *rest = self.name.lower().split("_")
        return first + "".join(map(str.capitalize, rest))

    @property
    def occasions(self) -> tuple[str, ...]:
        """What a matcher can name instead of tools: why a session begins, or is compacted."""
        match self:
            case HookEvent.SESSION_START:  # `clear` never happens here
                return ("startup", "resume", "compact", "clear")
            case HookEvent.BEFORE_COMPACTION:
                return ("auto", "manual")
        return ()


@dataclass(frozen=True, slots=True)
class KnownHook:
    """A hook that can run: one of the user's, or one that a `folder` of the workspace asks for.

    `folder` is "" for the user's own. `rules` are what its matcher names: tools or occasions.
    """

    id: str
    event: HookEvent
    hook: Hook
    rules: tuple[ToolRule, ...]
    folder: str = ""

    def is_for(self, event: HookEvent, about: str) -> bool:
        """Whether it runs at a moment that is `about` a tool or an occasion; "": any."""
        named = not about or any(is_about(rule, about) for rule in self.rules)
        return self.event is event and named


class HookIds:
    """Gives hooks ids that are easy to type: eight digits of a hash of what distinguishes them."""

    def __init__(self) -> None:
        self._given = Counter[str]()

    def id(self, *parts: str) -> str:
        """The id of the next hook of which these are true."""
        said = json.dumps(parts)
        self._given[said] += 1
        return digest(f"{said}{self._given[said]}".encode())[:8]


def rules_of(event: HookEvent, matcher: str, where: str) -> tuple[ToolRule, ...]:
    """The names in a matcher. Raises `UsageError`, which says `where` it stands."""
    names = (matcher.strip() or "*").split("|")
    known = (*event.occasions, "*")
    if event.occasions and (wrong := next((each for each in names if each not in known), None)):
        raise UsageError(
            f"The matcher {shown(wrong)} in {where} names no occasion. Write"
            f" {', '.join(event.occasions)} or *, or several with | between them."
        )
    return tuple(_rule(name, where) for name in names)


def _rule(name: str, where: str) -> ToolRule:
    try:
        rule = parse_rule(name)
    except UsageError:
        rule = None
    if isinstance(rule, ToolRule):
        return rule
    raise UsageError(
        f"The matcher {shown(name)} in {where} names no tool. Write a"
        " tool's name, Edit or Read for all tools that do such, mcp__server, * for every tool, or"
        " several with | between them."
    )


@dataclass(frozen=True, slots=True)
class Proposal:
    """A hook that a file asks for; `event` is as it is written there, `path` absolute.

    `id` names its place: the file, the moment, the matcher, and which one of these it is. It runs
    in `folder`, the one of the workspace that has the file. `hook` is what would run, `problem` why
    nothing can; `sha256` is of all that decides what it does, with the content of `files`; both are
    empty where they were not asked for.
    """

    event: str
    matcher: str
    command: str
    timeout: float | None
    path: str
    id: str = ""
    folder: str = ""
    hook: KnownHook | None = None
    problem: str = ""
    files: tuple[str, ...] = ()
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What files ask for; `problems` are sentences about those that cannot be read."""

    hooks: tuple[Proposal, ...]
    problems: tuple[str, ...]


def proposed_hooks(snapshot: WorkspaceSnapshot, *, hashed: bool = True) -> Proposals:
    """What the files of each folder ask for; blocking. Not `hashed`, no file of a hook is read."""
    digests = FileDigests() if hashed else None
    found, problems = list[Proposal](), list[str]()
    for path in (os.path.join(root, name) for root in snapshot.roots for name in _HOOK_FILES):
        read = snapshot.read(path)
        if isinstance(read, Missing):
            if read.reason is not MissingReason.ABSENT:
                problems.append(f"{snapshot.relative(path)} was not read: {read.message}")
            continue
        if len(read.text) > _MAX_FILE_CHARACTERS:
            problems.append(f"{snapshot.relative(path)} was not read: it is too large.")
            continue
        try:
            said = json.loads(read.text)
        except (ValueError, RecursionError) as error:
            problems.append(f"{snapshot.relative(path)} was not read as JSON: {error}")
            continue
        hooks = tuple(_hooks(said, path))
        named = HookIds()
        found += (_prepared(each, snapshot, named, digests) for each in hooks[:_MAX_HOOKS])
        if len(hooks) > _MAX_HOOKS:
            problems.append(
                f"{snapshot.relative(path)} names {len(hooks) - _MAX_HOOKS:,} more hooks."
            )
    return Proposals(tuple(found), tuple(problems))


def _hooks(said: object, path: str) -> Iterator[Proposal]:
    """The hooks in `{event: [{matcher, hooks: [{command}]}]}`; other forms are left out."""
    of = said.get("hooks", {}) if isinstance(said, dict) else {}
    if not of and isinstance(said, dict) and os.path.basename(path) == "hooks.json":
        of = said
    for event, groups in of.items() if isinstance(of, dict) else ():
        for group in _dicts(groups):
            for each in _dicts(group.get("hooks", [group])):
                if isinstance(command := each.get("command"), str):
                    timeout = each.get("timeout")
                    matcher = group.get("matcher")
                    yield Proposal(
                        event,
                        matcher if isinstance(matcher, str) else "",
                        command,
                        timeout if isinstance(timeout, int | float) else None,
                        path,
                    )


def _prepared(
    asked: Proposal, snapshot: WorkspaceSnapshot, named: HookIds, digests: FileDigests | None
) -> Proposal:
    """The proposal, with what would run; or why nothing can."""
    file = snapshot.relative(asked.path)
    folder = os.path.realpath(os.path.dirname(os.path.dirname(asked.path)))
    named_so = replace(asked, id=named.id(file, asked.event, asked.matcher), folder=folder)
    event = next((each for each in HookEvent if each.value == asked.event), None)
    if event is None:
        return replace(named_so, problem="Glossator has no such moment.")
    try:
        seconds = {} if asked.timeout is None else {"timeout": min(asked.timeout, _MAX_SECONDS)}
        hook = Hook(matcher=asked.matcher or "*", command=asked.command, **seconds)
        rules = rules_of(event, asked.matcher, file)
        files, sha256 = tuple[str, ...](), ""
        if digests is not None:
            meant = _PROJECT.sub(lambda _: folder, hook.command)
            files = files_named({hook.command, meant}, folder, (folder,))
            what = [event.value, hook.matcher, hook.command, hook.timeout]
            sha256 = fingerprint({"hook": what}, files, digests)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return replace(named_so, problem=f"{'.'.join(map(str, first['loc']))}: {first['msg']}.")
    except (UsageError, OSError, ValueError) as error:  # such as a NUL in a path
        return replace(named_so, problem=shown(str(error)))
    known = KnownHook(named_so.id, event, hook, rules, folder)
    return replace(named_so, hook=known, files=files, sha256=sha256)


def _dicts(value: object) -> Sequence[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class Hooks:
    """Raises `UsageError` for a matcher of the settings that cannot be used.

    A hook that `switches` turn off does not run.
    """

    def __init__(self, settings: HookSettings, approvals: Approvals, switches: Switches) -> None:
        named = HookIds()
        self.own = tuple(
            KnownHook(
                named.id("settings", event.value, hook.matcher, hook.command),
                event,
                hook,
                rules_of(event, hook.matcher, f"the setting hooks.{event.setting}"),
            )
            for event in HookEvent
            for hook in getattr(settings, event.name.lower())
        )
        self._approvals = approvals
        self._switches = switches
        self.adopted: tuple[KnownHook, ...] = ()  # as `look` saw them
        self._lost = set[str]()  # ids of those that changed since, as `look` saw them
        self.began = set[str]()  # ids of the sessions whose start hooks know of
        self.notes: dict[str, tuple[str, ...]] = {}  # on the last question, by sessions' ids

    async def look(self, snapshot: WorkspaceSnapshot, *, trusted: bool) -> tuple[str, ...]:
        """Look at what the workspace asks for, if any of it is adopted.

        Returns the ids, each once, of hooks that differ from what was adopted. Before trust no file
        that a hook names is read, so `adopted` are all that once were.
        """
        before, self.adopted = self.adopted, ()
        if not any(self._approvals.names(KIND, root) for root in snapshot.roots):
            return ()
        found = (await asyncio.to_thread(proposed_hooks, snapshot, hashed=trusted)).hooks
        runs = self.is_adopted if trusted else self.was_adopted
        self.adopted = tuple(each.hook for each in found if each.hook is not None and runs(each))
        if not trusted:
            return ()
        lost = {each.id for each in before} | {each.id for each in found if self.was_adopted(each)}
        lost -= {each.id for each in self.adopted} | self._switches.off(ContextKind.HOOK)
        new, self._lost = lost - self._lost, lost
        return tuple(sorted(new))

    def of(self, event: HookEvent, about: str = "") -> tuple[KnownHook, ...]:
        """The hooks that run at a moment `about` a tool or an occasion; "": any."""
        chosen = tuple(each for each in (*self.own, *self.adopted) if each.is_for(event, about))
        off = self._switches.off(ContextKind.HOOK) if chosen else frozenset()
        return tuple(each for each in chosen if each.id not in off)

    def __iter__(self) -> Iterator[KnownHook]:
        """The user's own."""
        return iter(self.own)

    # what a workspace asks for

    def is_adopted(self, proposal: Proposal) -> bool:
        """Whether exactly this was adopted."""
        return bool(proposal.sha256) and self._approvals.is_adopted(
            KIND, proposal.id, proposal.folder, proposal.sha256
        )

    def was_adopted(self, proposal: Proposal) -> bool:
        """Whether this hook, or an earlier one in its place, was adopted."""
        return self._approvals.was_adopted(KIND, proposal.id, proposal.folder)

    def adopt(self, proposal: Proposal) -> None:
        """Let exactly this run from now on. Raises `StoreUnavailable`; blocking."""
        self._approvals.adopt(KIND, proposal.id, proposal.folder, proposal.sha256)

    def forget(self, proposal: Proposal) -> bool:
        """Take an adoption back; False if there was none. Raises `StoreUnavailable`; blocking."""
        self.adopted = tuple(each for each in self.adopted if each.id != proposal.id)
        return self._approvals.forget(KIND, proposal.id, proposal.folder)

"""Hooks that files of the workspace ask for: each runs once the user adopted exactly this one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.hooks.hook import HookEvent, HookIds, KnownHook, rules_of
from glossator.permissions import FileDigests, files_named, fingerprint
from glossator.settings import Hook
from glossator.workspace import WorkspaceSnapshot

_FILES = (
    os.path.join(".claude", "settings.json"),
    os.path.join(".claude", "settings.local.json"),
    os.path.join(".claude", "hooks.json"),
)
_MOST_CHARACTERS = 100_000  # of a file
_MOST = 100  # hooks of a file
_SECONDS = 600  # that a hook may take at most
_PROJECT = re.compile(r"\$CLAUDE_PROJECT_DIR\b|\$\{CLAUDE_PROJECT_DIR\}")


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
    for path in (os.path.join(root, name) for root in snapshot.roots for name in _FILES):
        read = snapshot.read(path)
        if isinstance(read, Missing):
            if read.reason is not MissingReason.ABSENT:
                problems.append(f"{snapshot.relative(path)} was not read: {read.message}")
            continue
        if len(read.text) > _MOST_CHARACTERS:
            problems.append(f"{snapshot.relative(path)} was not read: it is too large.")
            continue
        try:
            said = json.loads(read.text)
        except (ValueError, RecursionError) as error:
            problems.append(f"{snapshot.relative(path)} was not read as JSON: {error}")
            continue
        hooks = tuple(_hooks(said, path))
        named = HookIds()
        found += (_prepared(each, snapshot, named, digests) for each in hooks[:_MOST])
        if len(hooks) > _MOST:
            problems.append(f"{snapshot.relative(path)} names {len(hooks) - _MOST:,} more hooks.")
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
        seconds = {} if asked.timeout is None else {"timeout": min(asked.timeout, _SECONDS)}
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

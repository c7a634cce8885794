"""Hooks that files of the workspace ask for: they are listed for the user, and never run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glossator.core.document import Missing, MissingReason
from glossator.documents import WorkspaceSnapshot

_FILES = (
    os.path.join(".claude", "settings.json"),
    os.path.join(".claude", "settings.local.json"),
    os.path.join(".claude", "hooks.json"),
)
_MOST_CHARACTERS = 100_000  # of a file
_MOST = 100  # hooks of a file


@dataclass(frozen=True, slots=True)
class Proposal:
    """A hook that a file asks for; `event` is as it is written there, `path` absolute."""

    event: str
    matcher: str
    command: str
    timeout: float | None
    path: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """What files ask for; `problems` are sentences about those that cannot be read."""

    hooks: tuple[Proposal, ...]
    problems: tuple[str, ...]


def proposed_hooks(snapshot: WorkspaceSnapshot) -> Proposals:
    """What the files of each folder ask for; blocking."""
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
        found += hooks[:_MOST]
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


def _dicts(value: object) -> Sequence[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

"""Where files describe something, and which files these are; contents are not looked at.

- Of the user: `~/.claude/agents/*.md`, `~/.claude/skills/*/SKILL.md`, `~/.claude/commands/**/*.md`,
  `~/.agents/skills/*/SKILL.md`, and `agents`, `skills` and `commands` beside the user's settings.
- Of the project: the same as at home, in each folder of the workspace.

A folder may hold any number of files: the first by name count, and how many more there are is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from glossator.customizations.answers import CustomizationKind, Owner

SKILL_FILE = "SKILL.md"
MOST = 200  # files of one place

_ENTRIES = 20_000  # of a folder that are looked at
_DEEPEST = 5  # folders of commands within each other
_FOLDERS = 200  # of commands
_BELOW = (  # the home folder, and those of the workspace
    (os.path.join(".claude", "agents"), CustomizationKind.AGENT),
    (os.path.join(".claude", "skills"), CustomizationKind.SKILL),
    (os.path.join(".agents", "skills"), CustomizationKind.SKILL),
    (os.path.join(".claude", "commands"), CustomizationKind.COMMAND),
)
_BESIDE_SETTINGS = (
    ("agents", CustomizationKind.AGENT),
    ("skills", CustomizationKind.SKILL),
    ("commands", CustomizationKind.COMMAND),
)
_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder whose files describe things of one kind."""

    folder: str
    kind: CustomizationKind
    owner: Owner


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, by its absolute path, and the name that its path gives it."""

    path: str
    name: str
    place: Place


def places_of(home: str | None, config: str, roots: Iterable[str]) -> tuple[Place, ...]:
    """The user's own places, then those of the workspace, which may be the home folder."""
    own = [(os.path.join(config, below), kind) for below, kind in _BESIDE_SETTINGS]
    if home:
        home = os.path.realpath(home)
        own = [*((os.path.join(home, below), kind) for below, kind in _BELOW), *own]
    theirs = ((os.path.join(r, below), kind) for r in roots if r != home for below, kind in _BELOW)
    return (
        *(Place(folder, kind, "user") for folder, kind in own),
        *(Place(folder, kind, "project") for folder, kind in theirs),
    )


def files_in(place: Place) -> tuple[list[FoundFile], int]:
    """The first files of a place by name, and how many more there are; blocking."""
    if place.kind is CustomizationKind.AGENT:
        found = [(name, name.removesuffix(_SUFFIX)) for name in _names(place.folder, files=True)]
    elif place.kind is CustomizationKind.SKILL:
        folders = _names(place.folder, files=False)
        found = [(os.path.join(name, SKILL_FILE), name) for name in folders]
    else:
        found = list(_commands(place.folder))
    kept = [FoundFile(os.path.join(place.folder, path), name, place) for path, name in found[:MOST]]
    return kept, max(len(found) - MOST, 0)


def _names(folder: str, *, files: bool) -> list[str]:
    """The Markdown files in a folder or the folders in it, hidden ones left out, sorted."""
    try:
        with os.scandir(folder) as entries:
            looked_at = [each for each in islice(entries, _ENTRIES) if each.name[0] != "."]
            return sorted(
                each.name
                for each in looked_at
                if (each.name.endswith(_SUFFIX) if files else each.is_dir())
            )
    except OSError:  # there is no such folder, or it is closed to us
        return []


def _commands(folder: str) -> Iterator[tuple[str, str]]:
    """Paths within the folder and names, `a:b` for `a/b.md`; links to folders are not followed."""
    for path, folders, names in islice(os.walk(folder), _FOLDERS):
        within = os.path.relpath(path, folder)
        steps = [] if within == os.curdir else within.split(os.sep)
        folders[:] = sorted(name for name in folders if name[0] != ".")
        if len(steps) >= _DEEPEST:
            folders.clear()
        for name in sorted(names)[:_ENTRIES]:
            if name.endswith(_SUFFIX) and name[0] != ".":
                word = ":".join([*steps, name.removesuffix(_SUFFIX)])
                yield os.path.join(*steps, name), word

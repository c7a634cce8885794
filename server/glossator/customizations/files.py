"""The files that describe something: where they are, and reading each once, until it changes.

- Of the user: `~/.claude/agents/*.md`, `~/.claude/skills/*/SKILL.md`, `~/.claude/commands/**/*.md`,
  `~/.agents/skills/*/SKILL.md`, and `agents`, `skills` and `commands` beside the user's settings.
- Of the project: the same as at home, in each folder of the workspace.

A folder may hold any number of files: the first by name count, and how many more there are is told.
Files of the project are read as tools read them: an open document replaces its file, and no link
leads out of the workspace. The user's own may be links to anywhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from glossator.core.document import Missing
from glossator.core.shown import shown_prose
from glossator.customizations.answers import CustomizationKind, Owner
from glossator.customizations.definitions import (
    CustomAgent,
    Skill,
    SlashCommand,
    agent_of,
    command_of,
    skill_of,
)
from glossator.customizations.front_matter import Malformed, read_front_matter
from glossator.customizations.skill_tool import SKILL_FILE
from glossator.workspace import Roots, Stamp, WorkspaceSnapshot, load

Described: TypeAlias = CustomAgent | Skill | SlashCommand

MAX_BYTES = 64_000  # of a file
MOST_FILES = 200  # of one place

_TOO_LARGE = Malformed(f"has more than {MAX_BYTES:,} bytes; make it shorter.")
_ENTRIES = 20_000  # of a folder that are looked at
_MAX_FOLDER_DEPTH = 5  # folders of commands within each other
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
class DefinitionFolder:
    """A folder whose files describe things of one kind."""

    folder: str
    kind: CustomizationKind
    owner: Owner


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, by its absolute path, and the name that its path gives it."""

    path: str
    name: str
    place: DefinitionFolder


def places_of(home: str | None, config: str, roots: Iterable[str]) -> tuple[DefinitionFolder, ...]:
    """The user's own places, then those of the workspace, which may be the home folder."""
    own = [(os.path.join(config, below), kind) for below, kind in _BESIDE_SETTINGS]
    if home:
        home = os.path.realpath(home)
        own = [*((os.path.join(home, below), kind) for below, kind in _BELOW), *own]
    theirs = ((os.path.join(r, below), kind) for r in roots if r != home for below, kind in _BELOW)
    return (
        *(DefinitionFolder(folder, kind, "user") for folder, kind in own),
        *(DefinitionFolder(folder, kind, "project") for folder, kind in theirs),
    )


def files_in(place: DefinitionFolder) -> tuple[list[FoundFile], int]:
    """The first files of a place by name, and how many more there are; blocking."""
    if place.kind is CustomizationKind.AGENT:
        found = [(name, name.removesuffix(_SUFFIX)) for name in _names(place.folder, files=True)]
    elif place.kind is CustomizationKind.SKILL:
        folders = _names(place.folder, files=False)
        found = [(os.path.join(name, SKILL_FILE), name) for name in folders]
    else:
        found = list(_commands(place.folder))
    kept = [
        FoundFile(os.path.join(place.folder, path), name, place)
        for path, name in found[:MOST_FILES]
    ]
    return kept, max(len(found) - MOST_FILES, 0)


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
        if len(steps) >= _MAX_FOLDER_DEPTH:
            folders.clear()
        for name in sorted(names)[:_ENTRIES]:
            if name.endswith(_SUFFIX) and name[0] != ".":
                word = ":".join([*steps, name.removesuffix(_SUFFIX)])
                yield os.path.join(*steps, name), word


class CustomizationReader:
    """Keeps what each file describes, by its path; safe from any thread."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Stamp | str, Described | Malformed]] = {}

    def read(self, file: FoundFile, snapshot: WorkspaceSnapshot) -> Described | Malformed | None:
        """What the file describes, None if there is none; blocking."""
        try:
            status = os.stat(file.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Malformed(f"cannot be read ({error.strerror}); check its links and permissions.")
        if not stat.S_ISREG(status.st_mode):
            return Malformed("is no regular file; put a text file in its place.")
        if status.st_size > MAX_BYTES:
            return _TOO_LARGE
        return (
            self._own(file, Stamp.of(status))
            if file.place.owner == "user"
            else self._of_project(file, snapshot)
        )

    def _of_project(self, file: FoundFile, snapshot: WorkspaceSnapshot) -> Described | Malformed:
        found = snapshot.read(file.path)
        if isinstance(found, Missing):
            return Malformed(f"cannot be read: {found.message}")
        return self._described(file, found.sha256, found.text)

    def _own(self, file: FoundFile, stamp: Stamp) -> Described | Malformed:
        kept = self._kept.get(file.path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        real = os.path.realpath(file.path)
        found = load(Roots.of((os.path.dirname(real),)), real, MAX_BYTES)
        if isinstance(found, Missing):
            return Malformed(f"cannot be read: {found.message}")
        return self._described(file, found.stamp, found.text)

    def _described(self, file: FoundFile, key: Stamp | str, text: str) -> Described | Malformed:
        kept = self._kept.get(file.path)
        if kept is None or kept[0] != key:
            found = _TOO_LARGE if len(text) > MAX_BYTES else _describe(file, text)
            self._kept[file.path] = kept = key, found
        return kept[1]


def _describe(file: FoundFile, text: str) -> Described | Malformed:
    found = read_front_matter(text)
    if isinstance(found, Malformed):
        return found
    found = replace(found, body=shown_prose(found.body))  # people see all that the model reads
    match file.place.kind:
        case CustomizationKind.AGENT:
            return agent_of(found, file.place.owner)
        case CustomizationKind.SKILL:
            return skill_of(found, os.path.dirname(file.path), file.place.owner)
        case CustomizationKind.COMMAND:
            return command_of(found, file.name, file.path, file.place.owner)

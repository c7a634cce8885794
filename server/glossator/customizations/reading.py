"""Reading the files that describe something: each once, until its stamp or text is another.

Files of the project are read as tools read them: an open document replaces its file, and no link
leads out of the workspace. The user's own may be links to anywhere.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import TypeAlias

from glossator.core.document import Missing
from glossator.core.shown import shown_prose
from glossator.customizations.agents import CustomAgent, agent_of
from glossator.customizations.answers import CustomizationKind
from glossator.customizations.front_matter import Malformed, read_front_matter
from glossator.customizations.places import FoundFile
from glossator.customizations.skills import Skill, skill_of
from glossator.customizations.slash_commands import SlashCommand, command_of
from glossator.workspace import Roots, Stamp, WorkspaceSnapshot, load

Described: TypeAlias = CustomAgent | Skill | SlashCommand

MAX_BYTES = 64_000  # of a file

_TOO_LARGE = Malformed(f"has more than {MAX_BYTES:,} bytes; make it shorter.")


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
            return skill_of(found, file)
        case CustomizationKind.COMMAND:
            return command_of(found, file)

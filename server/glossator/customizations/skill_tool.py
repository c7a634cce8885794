"""Skill: loads instructions that files keep, and reads the files beside them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import islice
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.text import split_lines
from glossator.core.tool_result import ToolResult, shorten
from glossator.customizations.definitions import Skill
from glossator.tools import ToolArgs, ToolContext
from glossator.workspace import Roots, WorkspaceSnapshot, load, real_path

SKILL_FILE = "SKILL.md"  # in the folder of each skill

MOST_FILES = 50  # of a skill's folder, that are named


_FILE_BYTES = 1_000_000  # of a file in a skill's folder, that may be read
_PART = 40_000  # characters of it, in one reading
_FOLDERS = 50  # in a skill's folder


def skill_files(
    skill: Skill, snapshot: WorkspaceSnapshot, hidden: Callable[[str], bool] | None = None
) -> tuple[str, ...]:
    """The other files of a skill's folder, by their paths in it; blocking. No link is followed."""
    folder = _folder_of(skill, snapshot)
    if folder is None:
        return ()
    found: list[str] = []
    for path, folders, names in islice(os.walk(folder), _FOLDERS):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        files = (os.path.join(path, name) for name in sorted(names) if name[0] != ".")
        found += (
            os.path.relpath(file, folder)
            for file in files
            if not os.path.islink(file) and not (hidden and hidden(file))
        )
        if len(found) > MOST_FILES:
            break
    return tuple(name for name in found if name != SKILL_FILE)[:MOST_FILES]


def read_skill_file(
    skill: Skill,
    file: str,
    first_line: int,
    snapshot: WorkspaceSnapshot,
    hidden: Callable[[str], bool] | None = None,
) -> str:
    """Lines of a file in the skill's folder, from a number on (1-based); blocking.

    Raises `UsageError` for one that is not there, or cannot be read.
    """
    found = _text_of(skill, file, snapshot, hidden)
    if isinstance(found, MissingReason):
        raise UsageError(
            f"{shown(file)} cannot be read in the folder of the skill {skill.name}: it is"
            f" {found}.\nName a text file that lies there, as Skill lists them."
        )
    return _lines(found, first_line)


def _text_of(
    skill: Skill,
    file: str,
    snapshot: WorkspaceSnapshot,
    hidden: Callable[[str], bool] | None,
) -> str | MissingReason:
    """The text of a file in the skill's folder; a project's file as the editor holds it."""
    folder = _folder_of(skill, snapshot)
    if folder is None:
        return MissingReason.ABSENT
    roots = Roots.of((folder,))
    real = roots.resolve(file)
    if isinstance(real, Missing):
        return real.reason
    if hidden is not None and hidden(real):
        return MissingReason.ABSENT
    own = skill.owner == "user"
    found = load(roots, real, _FILE_BYTES) if own else snapshot.read(real)
    if isinstance(found, Missing):
        return found.reason
    return MissingReason.TOO_LARGE if len(found.text) > _FILE_BYTES else found.text


def _folder_of(skill: Skill, snapshot: WorkspaceSnapshot) -> str | None:
    """The real path of a skill's folder; one of the project must lie in the workspace."""
    if skill.owner == "user":
        return real_path(skill.folder)
    real = snapshot.resolve(skill.folder)
    return real if isinstance(real, str) else None


def _lines(text: str, first_line: int) -> str:
    lines = split_lines(text)
    kept: list[str] = []
    used = 0
    for line in lines[first_line - 1 :]:
        used += len(line) + 1
        if used > _PART and kept:
            break
        kept.append(shorten(line, _PART))
    last = first_line - 1 + len(kept)
    if first_line == 1 and last == len(lines):
        return "\n".join(kept)
    more = f"; go on with line={last + 1}" if last < len(lines) else ""
    return "\n".join([*kept, f"(Lines {first_line}-{last} of {len(lines)}{more}.)"])


class Skills(ABC):
    """The skills that the model may load. Each raises `UsageError` for one that is not there."""

    @abstractmethod
    async def load(self, name: str, arguments: str) -> str:
        """The text of a skill with its arguments, and which files lie in its folder."""

    @abstractmethod
    async def read(self, name: str, file: str, first_line: int) -> str:
        """A file of its folder, from a line on (1-based)."""


class SkillArgs(ToolArgs):
    """Arguments of Skill."""

    name: str = Field(min_length=1, max_length=200)
    arguments: str = Field("", max_length=4_000, description="Values for placeholders in its text.")
    file: str = Field("", max_length=1_000, description="A file in its folder to read instead.")
    line: int = Field(1, ge=1, description="Where to begin.")

    habits: ClassVar = {
        "skill": ("name",),
        "skill_name": ("name",),
        "command": ("name",),
        "args": ("arguments",),
        "path": ("file",),
    }

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept a name with the `/` that a user types."""
        if isinstance(name := given.get("name"), str):
            given["name"] = name.removeprefix("/")
        return given


class SkillTool:
    """Gives the text of a skill, or of a file in its folder."""

    name: ClassVar[str] = "Skill"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SkillArgs
    description = load_prompt("tools/skill").render()

    async def run(self, args: SkillArgs, context: ToolContext) -> ToolResult:
        """Load it."""
        if (skills := context.find(Skills)) is None:
            raise UsageError("There are no skills here.\nGo on without one.")
        if args.file:
            text = await skills.read(args.name, args.file, args.line)
            return ToolResult(text, outcome=f"read {args.file}")
        text = await skills.load(args.name, args.arguments)
        return ToolResult(text, outcome=f"loaded {args.name}")

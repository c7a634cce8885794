"""Skills: folders with a SKILL.md, whose text is instructions for a kind of task.

Of the front matter `name`, `description`, `when_to_use`, `argument-hint`, `user-invocable` and
`disable-model-invocation` count; `IGNORED` has no effect. Source: agentskills.io, and "Skills" of
Claude Code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.text import split_lines
from glossator.core.tool_result import shorten
from glossator.customizations.answers import Owner
from glossator.customizations.describing import description_of, hint_of, name_of
from glossator.customizations.front_matter import FrontMatter, Malformed
from glossator.customizations.places import SKILL_FILE, FoundFile
from glossator.workspace import Roots, WorkspaceSnapshot, load, real_path

IGNORED = ("allowed-tools", "model", "context", "agent", "hooks")  # it grants and starts nothing
MOST_FILES = 50  # of a skill's folder, that are named

_FILE_BYTES = 1_000_000  # of a file in it, that may be read
_PART = 40_000  # characters of it, in one reading
_FOLDERS = 50  # in it


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill; the model may load it unasked if `by_model`, the user by `/name` if `by_user`.

    `ignored` are fields of its front matter that have no effect.
    """

    name: str
    description: str
    body: str
    folder: str
    owner: Owner
    hint: str = ""
    by_model: bool = True
    by_user: bool = True
    ignored: tuple[str, ...] = ()


def skill_of(found: FrontMatter, file: FoundFile) -> Skill | Malformed:
    """The skill that a SKILL.md describes."""
    name = name_of(found, file.name)
    if isinstance(name, Malformed):
        return name
    if not found.body:
        return Malformed("has no text below its front matter; write the instructions there.")
    return Skill(
        name,
        description_of(found),
        found.body,
        os.path.dirname(file.path),
        file.place.owner,
        hint_of(found),
        by_model=not found.flag("disable-model-invocation", default=False),
        by_user=found.flag("user-invocable", default=True),
        ignored=tuple(name for name in IGNORED if name in found.fields),
    )


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
    """The text of a file in the skill's folder; of the project's as the editor holds it."""
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

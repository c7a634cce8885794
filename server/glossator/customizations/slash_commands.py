"""Slash commands: files whose text goes to the model when the user types `/name`.

Of the front matter `description` and `argument-hint` count; `allowed-tools` and `model` have no
effect. Source: Claude Code, "Slash commands".
"""

from __future__ import annotations

from dataclasses import dataclass

from glossator.customizations.answers import Owner
from glossator.customizations.describing import description_of, hint_of, is_name
from glossator.customizations.front_matter import FrontMatter, Malformed
from glossator.customizations.places import FoundFile


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command; the name of one in a folder is `folder:name`."""

    name: str
    description: str
    body: str
    path: str
    owner: Owner
    hint: str = ""


def command_of(found: FrontMatter, file: FoundFile) -> SlashCommand | Malformed:
    """The command that a file describes."""
    if not is_name(file.name):
        return Malformed("has a name that cannot be typed; take letters, digits and hyphens.")
    if not found.body:
        return Malformed("has no text below its front matter; write there what is to be done.")
    return SlashCommand(
        file.name,
        description_of(found),
        found.body,
        file.path,
        file.place.owner,
        hint_of(found),
    )

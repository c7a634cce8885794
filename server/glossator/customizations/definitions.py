"""Sub-agents, skills and slash commands as their files describe them, and what models read of them.

These fields of the front matter count: `description` for all kinds, and

- of sub-agents `name`, `tools`, `disallowedTools` and `model`;
- of skills `name`, `when_to_use`, `argument-hint`, `user-invocable` and `disable-model-invocation`;
  `IGNORED` has no effect;
- of slash commands `argument-hint`; their names come from their paths.

Source: agentskills.io; Claude Code, "Skills", "Subagents" and "Slash commands".
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from glossator.core.prompts import load_prompt
from glossator.core.shown import shown, shown_prose
from glossator.core.tokens import estimate_tokens
from glossator.customizations.answers import Owner
from glossator.customizations.front_matter import FrontMatter, Malformed

IGNORED = ("allowed-tools", "model", "context", "agent", "hooks")  # it grants and starts nothing

MAX_LISTED = 2_000  # tokens of a listing, as estimated

_NAME = re.compile(r"[^\W_][\w.-]{0,63}(?::[^\W_][\w.-]{0,63})*")
_MAX_DESCRIPTION_CHARACTERS = 1_000
_SHORTENED = (500, 250, 120, 60, 0)  # characters of each in a listing that would be too long
_BAD_NAME = Malformed(
    "has a name that cannot be used; take letters, digits and hyphens, 64 at most."
)
_COMMAND = re.compile(r"(?m)(?<![\w`])!`([^`\n]+)`|^```!\n((?:(?!```).*\n)+)```[ \t]*$")
_SLOT = re.compile(r"\$ARGUMENTS(?:\[(\d{1,2})\])?|\$(\d{1,2})(?!\w|[.,]\d)")
_FROM_ZERO = re.compile(r"\$0(?!\w)|\$ARGUMENTS\[")
_FOLDER = "${CLAUDE_SKILL_DIR}"


def is_name(name: str) -> bool:
    """Whether a name is allowed: one word without hidden characters."""
    return _NAME.fullmatch(name) is not None and shown(name) == name


def name_of(found: FrontMatter, otherwise: str = "") -> str | Malformed:
    """The name in the front matter, or the one that the path gives."""
    name = found.text("name") or otherwise
    if not name:
        return Malformed("has no name in its front matter; add one.")
    return name if is_name(name) and ":" not in name else _BAD_NAME


def description_of(found: FrontMatter) -> str:
    """The description on one line; without one, the first paragraph of the text."""
    said = f"{found.text('description')} {found.text('when_to_use')}".strip()
    return one_line(said or found.body.partition("\n\n")[0].lstrip("# "))


def hint_of(found: FrontMatter) -> str:
    """The arguments of a command in words; `[file]` is a list in YAML."""
    hint = found.fields.get("argument-hint", "")
    if isinstance(hint, list):
        hint = f"[{', '.join(map(str, hint))}]"
    return one_line(hint) if isinstance(hint, str) else ""


def one_line(text: str) -> str:
    """A text from a file on one line, without invisible characters, shortened if it is long."""
    line = shown_prose(" ".join(text[: 4 * _MAX_DESCRIPTION_CHARACTERS].split()))
    return (
        line
        if len(line) <= _MAX_DESCRIPTION_CHARACTERS
        else f"{line[:_MAX_DESCRIPTION_CHARACTERS]}…"
    )


def listing(descriptions: Mapping[str, str]) -> str:
    """A line for each name, for the model; says what was cut so that the lines fit."""
    for length in _SHORTENED:
        lines = [_line(name, said, length) for name, said in descriptions.items()]
        if _fits(lines):
            cut = any(len(said) > length for said in descriptions.values())
            return "\n".join([*lines, _note(length)] if cut else lines)
    names = [f"- {name}" for name in descriptions]
    while not _fits(names):
        names = names[: len(names) * 9 // 10]
    left = len(descriptions) - len(names)
    return "\n".join([*names, _note(0), f"({left:,} more are there, but there is no room.)"])


def _note(length: int) -> str:
    cut = f"cut to {length} characters" if length else "left out for want of room"
    return f"(Descriptions are {cut}.)"


def _line(name: str, said: str, length: int) -> str:
    if not said or not length:
        return f"- {name}"
    return f"- {name}: {said if len(said) <= length else f'{said[:length]}…'}"


def _fits(lines: list[str]) -> bool:
    return estimate_tokens("\n".join(lines)) <= MAX_LISTED


@dataclass(frozen=True, slots=True)
class CustomAgent:
    """A sub-agent; `tools` None means all that read, except those in `without`."""

    name: str
    description: str
    prompt: str
    tools: frozenset[str] | None = None
    model: str = ""
    without: frozenset[str] = frozenset()
    owner: Owner = "user"


def agent_of(found: FrontMatter, owner: Owner) -> CustomAgent | Malformed:
    """The sub-agent that a file describes."""
    name = name_of(found)
    if isinstance(name, Malformed):
        return name
    if not found.body:
        return Malformed("has no text below its front matter; write the sub-agent's prompt there.")
    tools = frozenset(found.names("tools"))
    return CustomAgent(
        name,
        description_of(found) if found.text("description") else "",
        found.body,
        tools if tools and tools != {"*"} else None,
        found.text("model"),
        frozenset(found.names("disallowedtools")),
        owner,
    )


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command; the name of one in a folder is `folder:name`."""

    name: str
    description: str
    body: str
    path: str
    owner: Owner
    hint: str = ""


def command_of(found: FrontMatter, name: str, path: str, owner: Owner) -> SlashCommand | Malformed:
    """The command that a file describes, whose name its path gives."""
    if not is_name(name):
        return Malformed("has a name that cannot be typed; take letters, digits and hyphens.")
    if not found.body:
        return Malformed("has no text below its front matter; write there what is to be done.")
    return SlashCommand(name, description_of(found), found.body, path, owner, hint_of(found))


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


def skill_of(found: FrontMatter, folder: str, owner: Owner) -> Skill | Malformed:
    """The skill that the SKILL.md of a folder (an absolute path) describes."""
    name = name_of(found, os.path.basename(folder))
    if isinstance(name, Malformed):
        return name
    if not found.body:
        return Malformed("has no text below its front matter; write the instructions there.")
    return Skill(
        name,
        description_of(found),
        found.body,
        folder,
        owner,
        hint_of(found),
        by_model=not found.flag("disable-model-invocation", default=False),
        by_user=found.flag("user-invocable", default=True),
        ignored=tuple(name for name in IGNORED if name in found.fields),
    )


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text, and the commands in it that were not run."""

    text: str
    not_run: tuple[str, ...] = ()


def render(body: str, arguments: str, folder: str = "") -> Rendered:
    """The text of a skill or a command with its arguments, for the model; `folder` is the skill's.

    `$ARGUMENTS` is all of what was typed, `$1` the first word of it, in quotes or not. Where a text
    has `$0` or `$ARGUMENTS[0]`, numbers count from 0, as in skills of Claude Code. A number that
    nothing was typed for stays. Arguments that the text has no place for stand below it. Commands
    that other agents run before they send the text (`!` before code between back-ticks) are not
    run.
    """
    arguments = arguments.strip()
    not_run: list[str] = []

    def left(found: re.Match[str]) -> str:
        command = (found[1] or found[2]).strip()
        not_run.append(command)
        return load_prompt("user/not_run").render(command=command)

    text = _COMMAND.sub(left, body)
    first = 0 if _FROM_ZERO.search(text) else 1
    words = _words(arguments)
    used = not arguments

    def filled(found: re.Match[str]) -> str:
        nonlocal used
        number = found[1] or found[2]
        at = -1 if number is None else int(number) - first
        if number is not None and not 0 <= at < len(words):
            return found[0]
        used = True
        return arguments if number is None else words[at]

    if folder:
        text = text.replace(_FOLDER, folder)
    text = _SLOT.sub(filled, text)
    if not used:
        text = f"{text}\n\nARGUMENTS: {arguments}"
    return Rendered(text, tuple(not_run))


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # a quotation mark without its partner
        return arguments.split()

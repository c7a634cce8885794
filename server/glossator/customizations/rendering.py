"""The text of a skill or a command with its arguments, as it goes to the model.

`$ARGUMENTS` is all of what was typed, `$1` the first word of it, in quotes or not. Where a text has
`$0` or `$ARGUMENTS[0]`, numbers count from 0, as in skills of Claude Code. A number that nothing
was typed for stays. Arguments that the text has no place for stand below it. Commands that other
agents run before they send the text (`!` before code between back-ticks) are not run.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from glossator.core.prompts import load_prompt

_COMMAND = re.compile(r"(?m)(?<![\w`])!`([^`\n]+)`|^```!\n((?:(?!```).*\n)+)```[ \t]*$")
_SLOT = re.compile(r"\$ARGUMENTS(?:\[(\d{1,2})\])?|\$(\d{1,2})(?!\w|[.,]\d)")
_FROM_ZERO = re.compile(r"\$0(?!\w)|\$ARGUMENTS\[")
_FOLDER = "${CLAUDE_SKILL_DIR}"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text, and the commands in it that were not run."""

    text: str
    not_run: tuple[str, ...] = ()


def render(body: str, arguments: str, folder: str = "") -> Rendered:
    """A body with its arguments; `folder` is the skill's."""
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

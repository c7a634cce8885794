"""What skills, commands and sub-agents are called, and what is said of them in a line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from glossator.core.shown import shown, shown_prose
from glossator.core.window import estimate_tokens
from glossator.customizations.front_matter import FrontMatter, Malformed

MAX_LISTED = 2_000  # tokens of a listing, as estimated

_NAME = re.compile(r"[^\W_][\w.-]{0,63}(?::[^\W_][\w.-]{0,63})*")
_LONGEST = 1_000  # characters of a description
_LENGTHS = (500, 250, 120, 60, 0)  # characters of each in a listing that would be too long
_BAD_NAME = Malformed(
    "has a name that cannot be used; take letters, digits and hyphens, 64 at most."
)


def is_name(name: str) -> bool:
    """Whether something may be called so: one word, in which nothing hides."""
    return _NAME.fullmatch(name) is not None and shown(name) == name


def name_of(found: FrontMatter, otherwise: str = "") -> str | Malformed:
    """The name in the front matter, or the one that the path gives."""
    name = found.text("name") or otherwise
    if not name:
        return Malformed("has no name in its front matter; add one.")
    return name if is_name(name) and ":" not in name else _BAD_NAME


def description_of(found: FrontMatter) -> str:
    """What is said of it, on a line; without a description, the first paragraph of the text."""
    said = f"{found.text('description')} {found.text('when_to_use')}".strip()
    return one_line(said or found.body.partition("\n\n")[0].lstrip("# "))


def hint_of(found: FrontMatter) -> str:
    """What the arguments of a command are; `[file]` is a list in YAML."""
    hint = found.fields.get("argument-hint", "")
    if isinstance(hint, list):
        hint = f"[{', '.join(map(str, hint))}]"
    return one_line(hint) if isinstance(hint, str) else ""


def one_line(text: str) -> str:
    """A text from a file on one line, in which nothing is unseen, cut if it is long."""
    line = shown_prose(" ".join(text[: 4 * _LONGEST].split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def listing(descriptions: Mapping[str, str]) -> str:
    """A line for each name, for the model; says what was cut so that the lines fit."""
    for length in _LENGTHS:
        lines = [_line(name, said, length) for name, said in descriptions.items()]
        if _fits(lines):
            cut = any(len(said) > length for said in descriptions.values())
            return "\n".join([*lines, *(_notes(length) if cut else ())])
    names = [f"- {name}" for name in descriptions]
    while not _fits(names):
        names = names[: len(names) * 9 // 10]
    left = len(descriptions) - len(names)
    return "\n".join([*names, *_notes(0), f"({left:,} more are there, but there is no room.)"])


def _notes(length: int) -> tuple[str, ...]:
    cut = f"cut to {length} characters" if length else "left out for want of room"
    return (f"(Descriptions are {cut}.)",)


def _line(name: str, said: str, length: int) -> str:
    if not said or not length:
        return f"- {name}"
    return f"- {name}: {said if len(said) <= length else f'{said[:length]}…'}"


def _fits(lines: list[str]) -> bool:
    return estimate_tokens("\n".join(lines)) <= MAX_LISTED

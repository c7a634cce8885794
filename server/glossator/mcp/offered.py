"""What a server offers: tools, prompts and resources. `checking.py` makes these of what it sends.

All of it is the server's words, bounded, with nothing hidden in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import shorten

_TEXT = 2_000  # characters
_LINE = 300  # characters of a description in a list


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool: `name` is what the model calls, `own` what the server does.

    `says_reads` is what the server says of itself: that the tool changes nothing. It is a hint.
    """

    server: str
    own: str
    name: str
    description: str
    schema: dict[str, Any]
    says_reads: bool = False


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    """A prompt, with the names of its arguments and those of them that it needs."""

    server: str
    own: str
    name: str
    description: str
    arguments: tuple[str, ...] = ()
    needed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OfferedResource:
    """A resource that can be mentioned as `@server:uri`."""

    server: str
    uri: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Offer:
    """All that a server offers now; `left_out` says what was not taken, and why."""

    tools: tuple[OfferedTool, ...] = ()
    prompts: tuple[OfferedPrompt, ...] = ()
    resources: tuple[OfferedResource, ...] = ()
    instructions: str = ""
    left_out: tuple[str, ...] = ()


def text_of(text: str | None, characters: int = _TEXT) -> str:
    """A server's words of many lines, bounded, with nothing hidden in them."""
    return shorten(shown_text((text or "").strip()), characters)


def line_of(text: str | None) -> str:
    """A server's words on one line."""
    return shorten(shown(" ".join((text or "").split())), _LINE)

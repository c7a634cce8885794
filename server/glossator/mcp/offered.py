"""What a server offers: tools, prompts and resources; and its tools as they were last allowed.

`incoming.py` makes these of what a server sends. All of it is the server's words, bounded, with
nothing hidden in them. A tool that its server describes otherwise since it was allowed is asked
about again, whatever rule allows it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import shorten
from glossator.permissions import Approvals

_TEXT_CHARACTERS = 2_000  # characters
_LINE_CHARACTERS = 300  # characters of a description in a list
_ADOPTED = "mcpTool"  # the kind of adoption


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


def text_of(text: str | None, characters: int = _TEXT_CHARACTERS) -> str:
    """A server's words of many lines, bounded, with nothing hidden in them."""
    return shorten(shown_text((text or "").strip()), characters)


def line_of(text: str | None) -> str:
    """A server's words on one line."""
    return shorten(shown(" ".join((text or "").split())), _LINE_CHARACTERS)


class AgreedTools:
    """Tools as the user agreed to them, kept with what else they adopted (`Approvals`); blocking.

    `roots` are the workspace's folders, the first of which keeps it.
    """

    def __init__(
        self,
        approvals: Approvals,
        roots: Callable[[], tuple[str, ...]],
        tell: Callable[[str], object],
    ) -> None:
        self._approvals, self._roots, self._tell = approvals, roots, tell
        self._now: dict[str, str] = {}  # by name, what was agreed to since the start

    def doubt(self, tool: OfferedTool) -> str:
        """Why the user is asked although a rule allows the tool; "" if nothing changed."""
        sha256 = _hash(tool)
        if tool.name in self._now:
            changed = self._now[tool.name] != sha256
        else:
            changed = any(
                self._approvals.was_adopted(_ADOPTED, tool.name, root)
                and not self._approvals.is_adopted(_ADOPTED, tool.name, root, sha256)
                for root in self._roots()[:1]
            )
        if not changed:
            return ""
        return (
            f"The MCP server {tool.server} describes this tool otherwise than when it was last"
            f" allowed: {tool.description}"
        )

    def agree(self, tool: OfferedTool) -> None:
        """The tool is allowed as it is now."""
        sha256 = _hash(tool)
        if self._now.get(tool.name) == sha256:
            return
        self._now[tool.name] = sha256
        for root in self._roots()[:1]:
            if not self._approvals.is_adopted(_ADOPTED, tool.name, root, sha256):
                try:
                    self._approvals.adopt(_ADOPTED, tool.name, root, sha256)
                except (StoreUnavailable, UsageError) as error:
                    self._tell(f"How {tool.name} is described is not remembered. {error}")


def _hash(tool: OfferedTool) -> str:
    said = json.dumps([tool.own, tool.description, tool.schema], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()

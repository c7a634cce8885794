"""Sub-agents that files describe, each with a prompt of its own.

Of the front matter `name`, `description`, `tools`, `disallowedTools` and `model` count. Source:
Claude Code, "Subagents".
"""

from __future__ import annotations

from dataclasses import dataclass

from glossator.customizations.answers import Owner
from glossator.customizations.describing import description_of, name_of
from glossator.customizations.front_matter import FrontMatter, Malformed


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

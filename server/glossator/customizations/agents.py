"""Sub-agents that files describe: `.claude/agents/*.md` in the workspace and the home folder.

Each file begins with front matter, of which `name`, `description`, `tools`, `disallowedTools` and
`model` count; the rest is the prompt. Source: Claude Code, "Subagents".
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from glossator.core.document import Document
from glossator.core.tool_result import shorten
from glossator.customizations.front_matter import Malformed, read_front_matter
from glossator.documents import WorkspaceSnapshot

FOLDER = os.path.join(".claude", "agents")

_NAME = re.compile(r"[\w-]{1,64}")
_MOST = 50  # listed
_BYTES = 64_000  # of a file
_CHARACTERS = 300  # of a description


@dataclass(frozen=True, slots=True)
class CustomAgent:
    """A sub-agent; `tools` None means all that read, except those in `without`."""

    name: str
    description: str
    prompt: str
    tools: frozenset[str] | None = None
    model: str = ""
    without: frozenset[str] = frozenset()


def custom_agents(
    snapshot: WorkspaceSnapshot | None,
    home: str | None,
    hidden: Callable[[str], bool] | None = None,
) -> dict[str, CustomAgent]:
    """The sub-agents of the user and of the workspace, by name; blocking.

    Those of the user win. Without a snapshot, there are none of the workspace.
    """
    own = _own(home) if home else ()
    texts = [*own, *(() if snapshot is None else _of_workspace(snapshot, hidden))]
    agents: dict[str, CustomAgent] = {}
    for text in texts:
        agent = parse_agent(text)
        if agent is not None and len(agents) < _MOST:
            agents.setdefault(agent.name, agent)
    return agents


def parse_agent(text: str) -> CustomAgent | None:
    """The sub-agent in the text of a file, None without one."""
    found = read_front_matter(text)
    if isinstance(found, Malformed):
        return None
    name = found.text("name")
    if not _NAME.fullmatch(name) or not found.body:
        return None
    tools = frozenset(found.names("tools"))
    return CustomAgent(
        name,
        shorten(found.text("description"), _CHARACTERS),
        found.body,
        tools if tools and tools != {"*"} else None,
        found.text("model"),
        frozenset(found.names("disallowedtools")),
    )


def agents_listing(agents: dict[str, CustomAgent]) -> str:
    """A line for each, for the model."""
    return "\n".join(f"- {each.name}: {each.description}" for each in agents.values())


def _own(home: str) -> Iterator[str]:
    for path in _files(os.path.join(home, FOLDER)):
        try:
            data = Path(path).read_bytes()[: _BYTES + 1]
        except OSError:  # gone, or closed to us: then there is none
            continue
        if len(data) <= _BYTES:
            yield data.decode("utf-8", "replace")


def _of_workspace(
    snapshot: WorkspaceSnapshot, hidden: Callable[[str], bool] | None
) -> Iterator[str]:
    for root in snapshot.roots:
        for path in _files(os.path.join(root, FOLDER)):
            document = snapshot.read(path)
            if not isinstance(document, Document) or (hidden and hidden(path)):
                continue
            if len(document.text) <= _BYTES:
                yield document.text


def _files(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:  # there is none
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".md")]

"""What MCP servers add to a conversation: tools and instructions at its beginning, news later.

The prompt of a conversation never changes. What does not fit into it, or comes later, is told in
messages and reached by ToolSearch and McpCall.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.llm import ToolSpec
from glossator.mcp.hub import McpServers
from glossator.mcp.offered import OfferedTool
from glossator.mcp.tools import described, with_arguments

_DEFERRED_BYTES = 1_000_000  # of tools that the provider searches; they are sent each time
_INSTRUCTIONS_BYTES = 12_000  # of all servers
_MAX_NAMED_TOOLS = 30  # tools
_MAX_TELLINGS = 5  # of one server, whose tools may change all the time


def opening_specs(servers: McpServers, *, searches: bool) -> tuple[ToolSpec, ...]:
    """The tools that a conversation begins with.

    All of them if they fit `mcp.toolTokens`; else deferred ones if the provider `searches`, else
    none.
    """
    specs = [ToolSpec(tool.name, described(tool), tool.schema) for tool in servers.tools()]
    sizes = [_size(spec) for spec in specs]
    if sum(sizes) / BYTES_PER_TOKEN <= servers.settings.tool_tokens:
        return tuple(specs)
    if not searches:
        return ()
    kept: list[ToolSpec] = []
    left = _DEFERRED_BYTES
    for spec, size in zip(specs, sizes, strict=True):
        left -= size
        if left < 0:
            break
        kept.append(ToolSpec(spec.name, spec.description, spec.input_schema, deferred=True))
    return tuple(kept)


def instructions_section(said: Mapping[str, str]) -> str:
    """What servers say about their use, for the system prompt; "" if they say nothing.

    What does not fit is left out; shorter words of a later server may.
    """
    told = _fitting(said, _INSTRUCTIONS_BYTES)
    return load_prompt("system/mcp").render(instructions="\n".join(told)) if told else ""


class News:
    """Tells one conversation what its `system` prompt and `specs` lack, each server once.

    As many tools are told with their arguments as fit `mcp.toolTokens`, so that the model need not
    look for them; of others only the names. What servers say about their use is told as far as it
    fits the room that the prompt has for it.
    """

    def __init__(
        self, servers: McpServers, specs: Iterable[ToolSpec], system: Sequence[str]
    ) -> None:
        self._servers = servers
        self._given = {spec.name for spec in specs}
        self._system = "\n".join(system)
        self._said = set[str]()
        self._room = _INSTRUCTIONS_BYTES
        self._told: dict[str, list[tuple[str, ...]]] = {}
        self._left = servers.settings.tool_tokens * BYTES_PER_TOKEN

    def take(self) -> tuple[str, ...]:
        """What is new since the last time."""
        missing: dict[str, list[OfferedTool]] = {}
        for tool in self._servers.tools():
            if tool.name not in self._given:
                missing.setdefault(tool.server, []).append(tool)
        texts = []
        for server, tools in missing.items():
            names = tuple(tool.name for tool in tools)
            told = self._told.setdefault(server, [])
            if names not in told and len(told) < _MAX_TELLINGS:
                told.append(names)
                texts.append(self._connected(server, tools))
        if said := self._instructions():
            texts.append(load_prompt("user/mcp_instructions").render(instructions=said))
        return tuple(texts)

    def _instructions(self) -> str:
        """What servers say about their use that was not said before."""
        said = self._servers.instructions()
        known = (self._system, *self._said)
        new = {
            name: words
            for name, words in said.items()
            if not any(_as_told(name, words) in text for text in known)
        }
        told = _fitting(new, self._room)
        self._said |= set(told)
        self._room -= sum(len(text.encode()) for text in told)
        return "\n".join(told)

    def _connected(self, server: str, tools: Sequence[OfferedTool]) -> str:
        count = f"{len(tools)} tool{'s' if len(tools) > 1 else ''}"
        told = in_tags("\n\n".join(map(with_arguments, tools)))
        size = len(told.encode())
        if size <= self._left:
            self._left -= size
        else:
            more = (
                f" and {len(tools) - _MAX_NAMED_TOOLS:,} more"
                if len(tools) > _MAX_NAMED_TOOLS
                else ""
            )
            told = f"{', '.join(tool.name for tool in tools[:_MAX_NAMED_TOOLS])}{more}"
        return load_prompt("user/mcp_connected").render(server=server, count=count, tools=told)


def _as_told(name: str, words: str) -> str:
    return f"{name}:\n{in_tags(words)}"


def _fitting(said: Mapping[str, str], left: int) -> list[str]:
    """What servers say, but for what does not fit so many bytes."""
    told: list[str] = []
    for name, words in sorted(said.items()):
        text = _as_told(name, words)
        size = len(text.encode())
        if size <= left:
            left -= size
            told.append(text)
    return told


def _size(spec: ToolSpec) -> int:
    schema = json.dumps(spec.input_schema, ensure_ascii=False)
    return len(f"{spec.name}{spec.description}{schema}".encode())

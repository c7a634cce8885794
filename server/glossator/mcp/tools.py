"""The tools of MCP servers as the model calls them, and the three that reach those it is not shown.

A server's tool is called `mcp__server__tool`. Tools that the prompt has no room for, and those of
servers that connect after a conversation began, are found by ToolSearch and called by McpCall, so
that the prompt stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.question import Question, QuestionAnswer
from glossator.core.shown import in_tags
from glossator.core.terms import query_terms
from glossator.core.tool_result import ToolResult
from glossator.mcp.calls import Begin, ShownProgress, as_tool_result
from glossator.mcp.hub import McpServers
from glossator.mcp.offered import OfferedTool
from glossator.tools import Registry, Tool, ToolArgs, ToolContext

PREFIX = "mcp__"

_MAX_FOUND = 8  # tools that a search shows whole
_FOUND_BYTES = 24_000
_MAX_NAMED = 40  # tools that are named


class McpArgs(ToolArgs):
    """The arguments of a server's tool, as the model gave them."""

    arguments: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, given: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        if isinstance(given, dict) and (problem := cls.problem(given)):
            raise ValueError(problem)
        return {"arguments": given}

    @classmethod
    def problem(cls, _given: dict[str, Any]) -> str:
        """What is wrong with them; "" if nothing is known to be."""
        return ""

    def of_tool(self) -> dict[str, Any]:
        """The arguments as the server gets them."""
        return self.arguments

    def preview(self, _context: ToolContext) -> str:
        """The arguments, as JSON."""
        return _json(self.arguments)


class McpTool:
    """A tool of a server. It acts, as far as anybody knows; only its server says that it does not.

    `begin` shows work in the editor once the server tells how far it is.
    """

    access: ClassVar[Access] = Access.WRITE

    def __init__(self, servers: McpServers, offered: OfferedTool, begin: Begin) -> None:
        self._servers = servers
        self._offered = offered
        self._begin = begin

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self._offered.name

    @property
    def description(self) -> str:
        """The server's words, named as such."""
        return described(self._offered)

    @property
    def args(self) -> type[McpArgs]:
        """Arguments that are held against the server's schema before anybody is asked."""
        servers, offered = self._servers, self._offered

        class Arguments(McpArgs):
            @classmethod
            def names(cls) -> tuple[str, ...]:
                return tuple(offered.schema.get("properties", ()))

            @classmethod
            def problem(cls, given: dict[str, Any]) -> str:
                return _problem(servers, offered, given)

            def asked_to(self) -> str:
                return _asked_to(offered)

            def doubt(self) -> str:
                return servers.agreed.doubt(offered)

            def agreed(self) -> None:
                servers.agreed.agree(offered)

        return Arguments

    async def run(self, args: McpArgs, context: ToolContext) -> ToolResult:
        """Call the server. Raises `UsageError`."""

        async def ask(question: Question) -> QuestionAnswer:
            with context.waiting():
                return await context.ask_user(question)

        title = f"{self._offered.server}: {self._offered.own}"
        shown = ShownProgress(title, self._begin)
        try:
            result, number = await self._servers.calls.tool(
                self._offered, args.arguments, ask, shown, shown.began
            )
        finally:
            shown.end()
        return as_tool_result(result, number=number)


class ToolSearchArgs(ToolArgs):
    """Arguments of ToolSearch."""

    query: str = Field(min_length=1, max_length=300)


class ToolSearch:
    """Finds tools of MCP servers by words."""

    name: ClassVar[str] = "ToolSearch"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = ToolSearchArgs
    description = load_prompt("tools/tool_search").render()

    def __init__(self, servers: McpServers) -> None:
        self._servers = servers

    async def run(self, args: ToolSearchArgs, _context: ToolContext) -> ToolResult:
        """The best tools with their schemas, or the names of all where none fits."""
        tools = self._servers.tools()
        wanted = set(query_terms(args.query)) or {args.query.lower()}
        scored = [(_score(tool, args.query, wanted), tool) for tool in tools]
        best = sorted((each for each in scored if each[0]), key=lambda each: -each[0])
        if not best:
            names = ", ".join(tool.name for tool in tools[:_MAX_NAMED]) or "none"
            more = f" and {len(tools) - _MAX_NAMED:,} more" if len(tools) > _MAX_NAMED else ""
            return ToolResult(f"No tool matches these words. The connected tools: {names}{more}.")
        told: list[str] = []
        for _, tool in best[:_MAX_FOUND]:
            told.append(with_arguments(tool))
            if len("".join(told).encode()) > _FOUND_BYTES:
                break
        others = ", ".join(tool.name for _, tool in best[len(told) : _MAX_NAMED])
        text = load_prompt("tools/tools_found").render(
            tools=in_tags("\n\n".join(told)),
            others=f"\nOther matches: {others}" if others else "",
        )
        return ToolResult(text, outcome=f"{len(best)} tools")


class McpCallArgs(ToolArgs):
    """Arguments of McpCall."""

    tool: str = Field(pattern=r"^mcp__[A-Za-z0-9_-]{1,120}$")
    arguments: dict[str, Any] = Field(default_factory=dict)

    def acting_as(self) -> str:
        """Permission rules and hooks are about the tool that is called."""
        return self.tool

    def of_tool(self) -> dict[str, Any]:
        """The arguments as the server gets them."""
        return self.arguments

    def with_of_tool(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A call of the same tool."""
        return {"tool": self.tool, "arguments": dict(arguments)}

    def preview(self, _context: ToolContext) -> str:
        """The arguments, as JSON."""
        return _json(self.arguments)


class McpCall:
    """Calls a tool of an MCP server that the prompt does not describe."""

    name: ClassVar[str] = "McpCall"
    access: ClassVar[Access] = Access.WRITE
    description = load_prompt("tools/mcp_call").render()

    def __init__(self, servers: McpServers, begin: Begin) -> None:
        self._servers = servers
        self._begin = begin

    @property
    def args(self) -> type[McpCallArgs]:
        """Arguments of a tool that there is, held against its schema before anybody is asked."""
        servers = self._servers

        class Arguments(McpCallArgs):
            @model_validator(mode="after")
            def _known(self) -> Arguments:
                tool = servers.tool(self.tool)
                if tool is None:
                    raise ValueError(f"there is no tool {self.tool}; look with ToolSearch")
                if problem := _problem(servers, tool, self.arguments):
                    raise ValueError(problem)
                return self

            def asked_to(self) -> str:
                tool = servers.tool(self.tool)
                return "" if tool is None else _asked_to(tool)

            def doubt(self) -> str:
                tool = servers.tool(self.tool)
                return "" if tool is None else servers.agreed.doubt(tool)

            def agreed(self) -> None:
                if (tool := servers.tool(self.tool)) is not None:
                    servers.agreed.agree(tool)

        return Arguments

    async def run(self, args: McpCallArgs, context: ToolContext) -> ToolResult:
        """Call the server. Raises `UsageError`."""
        tool = self._servers.tool(args.tool)
        if tool is None:
            raise UsageError(f"The tool {args.tool} no longer exists.\nUse ToolSearch.")
        given = McpArgs.model_validate(args.arguments)
        return await McpTool(self._servers, tool, self._begin).run(given, context)


class McpReadArgs(ToolArgs):
    """Arguments of McpRead."""

    result: int = Field(ge=1, description="The result's number.")
    offset: int = Field(ge=0, description="In bytes.")


class McpRead:
    """Shows more of a result that was too long."""

    name: ClassVar[str] = "McpRead"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = McpReadArgs
    description = load_prompt("tools/mcp_read").render()

    def __init__(self, servers: McpServers) -> None:
        self._servers = servers

    async def run(self, args: McpReadArgs, _context: ToolContext) -> ToolResult:
        """The result from a byte on. Raises `UsageError` for one that is not kept."""
        kept = self._servers.calls.kept(args.result)
        if kept is None:
            raise UsageError(
                f"The result {args.result} is no longer kept.\nMake the call again, for less."
            )
        return as_tool_result(kept, args.offset, args.result)


class ToolsWithMcp(Mapping[str, Tool]):
    """The tools of runs: our own, and while there are servers, those that reach theirs.

    A server's own tools are found by name and not listed: there may be hundreds.
    """

    def __init__(self, own: Registry, servers: McpServers, begin: Begin) -> None:
        self._own = own
        self._servers = servers
        self._begin = begin
        reaching: tuple[Tool, ...] = (
            ToolSearch(servers),
            McpCall(servers, begin),
            McpRead(servers),
        )
        self._reaching = {tool.name: tool for tool in reaching}

    def __getitem__(self, name: str) -> Tool:
        if name in self._own:
            return self._own[name]
        if name in self._reaching:  # also where the last server is gone: the prompt names them
            return self._reaching[name]
        if (offered := self._servers.tool(name)) is not None:
            return McpTool(self._servers, offered, self._begin)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        if self._servers.running:
            yield from self._reaching

    def __len__(self) -> int:
        return len(self._own) + (len(self._reaching) if self._servers.running else 0)


def described(tool: OfferedTool) -> str:
    """What a tool does, as the words of its server."""
    return f"[MCP server {tool.server}] {tool.description}".rstrip()


def with_arguments(tool: OfferedTool) -> str:
    """All that a call needs: the name, what it does, and the schema of its arguments."""
    schema = json.dumps(tool.schema, ensure_ascii=False)
    return f"{tool.name}\n{tool.description}\nArguments: {schema}"


def _score(tool: OfferedTool, query: str, wanted: set[str]) -> int:
    """How well a tool fits the words; 0 if not at all."""
    named = set(query_terms(f"{tool.own} {tool.server}"))
    about = set(query_terms(tool.description))
    exact = 100 if query.strip() in (tool.name, tool.own) else 0
    return exact + 3 * len(wanted & named) + len(wanted & about)


def _asked_to(tool: OfferedTool) -> str:
    return f"Use {tool.own} of the MCP server {tool.server}"


def _problem(servers: McpServers, tool: OfferedTool, arguments: dict[str, Any]) -> str:
    """Why a call cannot be made; "" if it can, as far as is known before anybody is asked."""
    if why := servers.why_not_connected(tool.server):
        return why
    from glossator.mcp.schemas import argument_problem  # noqa: PLC0415 - loaded with the SDK

    return argument_problem(tool.schema, arguments)


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, indent=2) if arguments else ""

"""All MCP servers of one application: which may run, what they offer, and calls to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping

from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.core.looks import look
from glossator.core.ports import EditorPort
from glossator.core.shown import shown, some_of
from glossator.mcp.answers import McpServerList, McpServerView, McpState
from glossator.mcp.calls import Calls
from glossator.mcp.logins import Logins
from glossator.mcp.offered import AgreedTools, OfferedPrompt, OfferedResource, OfferedTool
from glossator.mcp.servers import (
    HANDED,
    Launch,
    ServerSpec,
    handed_servers,
    project_servers,
    user_servers,
)
from glossator.mcp.supervisor import Supervisor, view_of, why_held_back
from glossator.permissions import Approvals, Switches, how_to_trust
from glossator.settings import McpServerSettings, McpSettings

KIND = "mcp"  # of adoptions


class McpServers:
    """Made at start, when nothing runs yet; `refresh` starts what may run, in the background.

    `is_trusted` says whether the workspace is obeyed; `port` shows notices and changes of a
    server's state. Those that `switches` turn off do not run.
    """

    def __init__(
        self,
        settings: McpSettings,
        environment: Mapping[str, str],
        roots: Callable[[], tuple[str, ...]],
        is_trusted: Callable[[], bool],
        port: EditorPort,
        approvals: Approvals,
        switches: Switches,
    ) -> None:
        self.settings = settings
        self.approvals = approvals
        self._switches = switches
        self.agreed = AgreedTools(approvals, roots, port.tell)
        self.logins = Logins(port.tell)
        self.logging_in: set[str] = set()  # servers that the user is logging in to
        self._environment = environment
        self._roots = roots
        self._is_trusted = is_trusted
        self._port = port
        self._handed: dict[str, McpServerSettings] = {}
        self._specs: dict[str, ServerSpec] = {}
        self._shadowed: list[ServerSpec] = []
        self._problems: tuple[str, ...] = ()
        self.running: dict[str, Supervisor] = {}  # those that run, or are to; by name
        self.calls = Calls(self.connected, settings.seconds)
        self._told: set[str] = set()
        self._stopping: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self._closed = False

    async def refresh(self) -> None:
        """Look at settings and workspace again; start and stop what that changes. Quick."""
        async with self._turn:
            if self._closed:
                return
            roots, trusted = self._roots(), self._is_trusted()
            own, proposed, problems = await look(self._read, roots, trusted)
            self._specs = {each.name: each for each in reversed((*own, *proposed))}
            self._shadowed = [each for each in proposed if self._specs[each.name] is not each]
            self._problems = tuple(problems)
            self._tell_wrong(trusted)
            every = self._specs.values()
            wanted = {each.name: each for each in every if self._held_back(each, trusted) is None}
            for name, running in list(self.running.items()):
                same = name in wanted and wanted[name].sha256 == running.spec.sha256
                if not same or running.is_over:
                    del self.running[name]
                    self._stop_soon(running)
            for name, spec in wanted.items():
                if name not in self.running:
                    self._start(spec)

    async def hand_over(self, servers: Mapping[str, McpServerSettings]) -> tuple[str, ...]:
        """Take servers that an editor names; gives those that wait for the user's adoption."""
        self._handed |= servers
        await self.refresh()
        trusted = self._is_trusted()
        waiting = (McpState.PROPOSED, McpState.CHANGED, McpState.UNTRUSTED)
        named = (self._specs[name] for name in servers)
        return tuple(
            each.name
            for each in named
            if each.file == HANDED and self._held_back(each, trusted) in waiting
        )

    async def close(self) -> None:
        """End every server."""
        async with self._turn:
            self._closed = True
            for each in self.running.values():
                self._stop_soon(each)
            self.running.clear()
            if self._stopping:
                await asyncio.wait(self._stopping)

    async def settled(self) -> None:
        """Wait until each server is ready or has failed for the first time."""
        await asyncio.gather(*(each.settled() for each in self.running.values()))

    # what the user sees and decides

    def listed(self) -> McpServerList:
        """The servers as they are now."""
        trusted = self._is_trusted()
        shadowed = (
            f"{shown(each.file)} names a server {shown(each.name)}, which stands in your settings"
            " or in another folder's file already; that one counts."
            for each in self._shadowed
        )
        views = (self._view(each, trusted) for _, each in sorted(self._specs.items()))
        return McpServerList(tuple(views), (*self._problems, *shadowed))

    def left_out(self) -> tuple[str, ...]:
        """What the workspace brings and is not obeyed: `2 MCP servers`; may be empty."""
        if all(each.source != "project" for each in self._specs.values()):
            return ()
        trusted = self._is_trusted()
        count = sum(
            1
            for each in self._specs.values()
            if each.source == "project"
            and self._held_back(each, trusted)
            in (McpState.PROPOSED, McpState.CHANGED, McpState.UNTRUSTED)
        )
        return (f"{count} MCP server{'s' if count > 1 else ''}",) if count else ()

    async def proposal(self, name: str) -> ServerSpec:
        """What a workspace proposes by this name, as it is now. Raises `UsageError`."""
        await self.refresh()
        spec = self._known(name)
        if spec.source != "project":
            raise UsageError(
                f"{name} stands in your own settings, so it needs no adoption. Change it there."
            )
        if spec.problem:
            raise UsageError(f"{name} cannot run as it is described: {spec.problem}")
        if not self._is_trusted():
            why = "cannot be adopted in a folder that is not trusted."
            raise UsageError(f"{name} {why} {how_to_trust(spec.folder)}")
        return spec

    async def adopt(self, name: str, sha256: str) -> None:
        """Adopt the server with this hash. Raises `UsageError` if something else would run."""
        spec = await self.proposal(name)
        if spec.sha256 != sha256:
            raise UsageError(f"{name} has changed meanwhile. Look at it again, then adopt it.")
        await asyncio.to_thread(self.approvals.adopt, KIND, name, spec.folder, sha256)
        await self.refresh()

    async def forget(self, name: str) -> None:
        """Take an adoption back, and end the server. Raises `UsageError` if there was none."""
        await self.refresh()
        spec = self._known(name)
        if not await asyncio.to_thread(self.approvals.forget, KIND, name, spec.folder):
            raise UsageError(f"{name} was not adopted, so there is nothing to forget.")
        await self.refresh()

    async def address_of(self, name: str, *, runs: bool) -> Launch:
        """The address of a server, one that may run now if it `runs`. Raises `UsageError`."""
        await self.refresh()
        spec = self._known(name)
        held_back = runs and self._held_back(spec, self._is_trusted()) is not None
        if spec.launch is None or held_back:
            raise UsageError(self._not_running(spec))
        if not spec.launch.url:
            raise UsageError(f"{name} is a program, so there is no login to it.")
        return spec.launch

    async def restart(self, name: str, *, quiet: bool = False) -> None:
        """End a server and start it again; waits until it is ready or failed.

        `quiet`: the user is not told that it failed.
        """
        await self.refresh()
        spec = self._known(name)
        async with self._turn:
            running = self.running.pop(name, None)
            if running is not None:
                await running.stop()
                running = self._start(spec, told=quiet)
        if running is None:
            raise UsageError(self._not_running(spec))
        await running.settled()

    def _not_running(self, spec: ServerSpec) -> str:
        view = self._view(spec, self._is_trusted())
        return f"{shown(spec.name)} does not run: {(view.why or view.state).rstrip('.')}."

    # what the servers offer

    def tools(self) -> tuple[OfferedTool, ...]:
        """The tools of all servers that are connected, by name."""
        tools = (tool for each in self._ready() for tool in each.offer.tools)
        return tuple(sorted(tools, key=lambda tool: tool.name))

    def tool(self, name: str) -> OfferedTool | None:
        """The tool that the model calls by this name, even if its server is gone now."""
        every = (tool for each in self.running.values() for tool in each.offer.tools)
        if (known := next((tool for tool in every if tool.name == name), None)) is not None:
            return known
        prefix, server, own = (*name.split("__", 2), "", "")[:3]
        running = self.running.get(server)
        if prefix != "mcp" or running is None or running.state is McpState.READY:
            return None
        return OfferedTool(server, own, name, "", {"type": "object"})  # until it tells what it has

    def prompts(self) -> tuple[OfferedPrompt, ...]:
        """The prompts of all servers that are connected."""
        return tuple(prompt for each in self._ready() for prompt in each.offer.prompts)

    def resources(self) -> tuple[OfferedResource, ...]:
        """The resources of all servers that are connected."""
        return tuple(resource for each in self._ready() for resource in each.offer.resources)

    def instructions(self) -> dict[str, str]:
        """What connected servers say about their use, by server."""
        return {
            each.spec.name: each.offer.instructions
            for each in self._ready()
            if each.offer.instructions
        }

    def is_server(self, name: str) -> bool:
        """Whether a server of this name runs, or is supposed to."""
        return name in self.running

    def why_not_connected(self, name: str) -> str:
        """Why a server cannot be called now; "" if it can."""
        try:
            self.connected(name)
        except UsageError as error:
            return str(error).partition("\n")[0]
        return ""

    def connected(self, name: str) -> Supervisor:
        """A server that can be called now. Raises `UsageError`.

        Another process may have turned it off, or taken its adoption or the folder's trust back.
        """
        running = self.running.get(name)
        if running is None:
            known = some_of(sorted(self.running), 10) or "none"
            raise UsageError(f"No MCP server {shown(name)} runs; those that do are: {known}.")
        if (held_back := self._held_back(running.spec, self._is_trusted())) is not None:
            why = why_held_back(running.spec, held_back).rstrip(".")
            raise UsageError(
                f"The MCP server {name} may not run any more: {why}.\nGo on without it."
            )
        if not running.is_ready:
            why = running.why or "it is being connected"
            raise UsageError(
                f"The MCP server {name} is not connected: {why}.\nGo on without it, or try later."
            )
        return running

    def _ready(self) -> Iterator[Supervisor]:
        if not self.running:
            return iter(())
        trusted = self._is_trusted()
        return (
            each
            for each in self.running.values()
            if each.is_ready and self._held_back(each.spec, trusted) is None
        )

    async def _may_start(self, spec: ServerSpec) -> bool:
        """Whether exactly this would run now, and may."""
        trusted = self._is_trusted()
        own, proposed, _ = await asyncio.to_thread(self._read, self._roots(), trusted)
        of_source = own if spec.source == "user" else proposed
        now = next((each for each in of_source if each.name == spec.name), None)
        if now is None or now.sha256 != spec.sha256:
            return False
        return self._held_back(now, trusted) is None and self._is_trusted() == trusted

    def _start(self, spec: ServerSpec, *, told: bool = False) -> Supervisor:
        started = Supervisor(spec, self._roots, self._port, self._may_start, self.logins, told=told)
        self.running[spec.name] = started
        started.start()
        return started

    def _tell_wrong(self, trusted: bool) -> None:
        """Tell the user, once, of servers that cannot run as they are now."""
        wrong = {
            f"The MCP server {self._not_running(each)}"
            for each in self._specs.values()
            if self._held_back(each, trusted) in (McpState.CHANGED, McpState.WRONG)
            and (each.source == "user" or self._was_adopted(each))
        }
        for each in sorted(wrong - self._told):
            self._port.tell(each)
        self._told = wrong

    def _stop_soon(self, running: Supervisor) -> None:
        self._port.context_changed()
        task = asyncio.create_task(running.stop())
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    def _read(
        self, roots: tuple[str, ...], trusted: bool
    ) -> tuple[list[ServerSpec], list[ServerSpec], list[str]]:
        own = user_servers(self.settings.servers, self._environment, roots, trusted=trusted)
        proposed, problems = project_servers(roots, self._environment, trusted=trusted)
        handed = handed_servers(self._handed, roots, self._environment, trusted=trusted)
        return own, [*handed, *proposed], problems

    def _known(self, name: str) -> ServerSpec:
        if (spec := self._specs.get(name)) is None:
            known = some_of(sorted(map(shown, self._specs)), 10) or "none"
            raise UsageError(f"There is no MCP server {shown(name)}; there are: {known}.")
        return spec

    def _held_back(self, spec: ServerSpec, trusted: bool) -> McpState | None:
        """Why a server must not run; None if it may."""
        if not spec.enabled or spec.name in self._switches.off(ContextKind.MCP):
            return McpState.OFF
        if spec.problem:
            return McpState.WRONG
        if not trusted and (spec.source == "project" or spec.influenced):
            return McpState.UNTRUSTED
        if spec.source == "user":
            return None
        if self.approvals.is_adopted(KIND, spec.name, spec.folder, spec.sha256):
            return None
        return McpState.CHANGED if self._was_adopted(spec) else McpState.PROPOSED

    def _was_adopted(self, spec: ServerSpec) -> bool:
        return self.approvals.was_adopted(KIND, spec.name, spec.folder)

    def _view(self, spec: ServerSpec, trusted: bool) -> McpServerView:
        return view_of(
            spec,
            self._held_back(spec, trusted),
            self.running.get(spec.name),
            adopted=spec.source == "project" and self._was_adopted(spec),
            logged_in=spec.launch is not None and self.logins.used_by(spec.launch),
        )

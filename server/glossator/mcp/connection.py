"""One connection to a server, as long as it lasts. The only module that drives the SDK's client.

It belongs to the task that runs `Connection.run`; other tasks call through it meanwhile. Protocol
versions 2025-11-25 and older, and 2026-07-28, are negotiated by the SDK.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

from mcp.client import Client, ClientRequestContext, IncomingMessage, Transport
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_REQUEST,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    GetPromptResult,
    Implementation,
    ListRootsResult,
    PromptListChangedNotification,
    ReadResourceResult,
    ResourceListChangedNotification,
    Root,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import FileUrl

from glossator import __version__
from glossator.core.uri import to_uri
from glossator.mcp.elicitation import Filled
from glossator.mcp.http import address
from glossator.mcp.incoming import MAX_PROMPTS, MAX_RESOURCES, MAX_TOOLS, Checked, Mended
from glossator.mcp.logins import Logins
from glossator.mcp.offered import Offer, text_of
from glossator.mcp.servers import Launch
from glossator.mcp.stdio import Ending, program

_MAX_PAGES = 100  # of one list
_REQUEST_SECONDS = 30.0  # for a list, a ping or a handshake
_FOREVER = (
    86_400.0  # seconds: whoever calls has a limit, in which waiting for a user is not counted
)
_PING_SECONDS = 60.0  # between two pings of a quiet server
_LISTEN_SECONDS = 5.0  # between two subscriptions to changes
_SETTLE_SECONDS = 1.0  # changes of lists within this time are one
_CHANGES = (
    ToolListChangedNotification,
    PromptListChangedNotification,
    ResourceListChangedNotification,
)
_NO_ADDRESS = "Glossator opens no address for a server; ask with a form, or tell the user."

Fill = Callable[[str, Mapping[str, Any]], Awaitable[Filled]]


@dataclass(slots=True)
class Connection:
    """A connection; `fill` puts a form to the user, `offered` is told what the server offers."""

    name: str
    launch: Launch
    roots: Callable[[], tuple[str, ...]]
    fill: Fill
    offered: Callable[[Offer], None]
    logins: Logins
    ending: Ending = field(default_factory=Ending)
    version: str = ""
    busy: int = 0  # calls under way
    _client: Client | None = None
    _mended: Mended | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Connect, and follow what the server offers until it is gone. Raises what the SDK does."""
        async with self._transport() as (read, write):
            self._mended = Mended(read, lambda: self.version)
            client = Client(
                cast(Transport, _Given((self._mended, write))),
                list_roots_callback=self._list_roots,
                elicitation_callback=self._elicit,
                message_handler=self._received,
                client_info=Implementation(name="glossator", version=__version__),
                read_timeout_seconds=_REQUEST_SECONDS,
                cache=None,
            )
            async with client:
                self._client, self.version = client, client.protocol_version
                following = asyncio.create_task(self._follow(client))
                gone = asyncio.create_task(self.ending.gone.wait())
                try:
                    await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
                    if following.done():
                        await following
                finally:
                    self._client = None
                    for task in (following, gone):
                        task.cancel()
                    await asyncio.gather(following, gone, return_exceptions=True)

    async def call(
        self, tool: str, arguments: dict[str, Any], progress: ProgressFnT
    ) -> CallToolResult:
        """Call a tool. Raises `MCPError`, `RuntimeError` for a result of a wrong form, and others.

        A call that is cancelled is cancelled on the server, too.
        """
        self.busy += 1
        try:
            return await self._now().call_tool(
                tool, arguments, read_timeout_seconds=_FOREVER, progress_callback=progress
            )
        finally:
            self.busy -= 1

    async def read(self, uri: str) -> ReadResourceResult:
        """Read a resource."""
        return await self._now().read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, str]) -> GetPromptResult:
        """The messages of a prompt."""
        return await self._now().get_prompt(name, arguments)

    def _now(self) -> Client:
        if self._client is None:
            raise ConnectionError(f"the MCP server {self.name} is not connected")
        return self._client

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[tuple[object, object]]:
        if self.launch.command:
            async with program(self.launch, self.ending) as streams:
                yield streams
        else:
            async with address(self.launch, self.logins, self.ending) as streams:
                yield streams

    async def _follow(self, client: Client) -> None:
        """Report what is offered, at first and after each change; ping meanwhile."""
        listening = asyncio.create_task(self._listen(client))
        try:
            while True:
                self._changed.clear()
                self.offered(await self._offer(client))
                await asyncio.sleep(_SETTLE_SECONDS)
                while not await self._change_within(_PING_SECONDS):
                    if not self.busy and self.version not in MODERN_PROTOCOL_VERSIONS:
                        await client.session.send_ping()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _change_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        return self._changed.is_set()

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes: newer servers report only to subscribers."""
        if self.version not in MODERN_PROTOCOL_VERSIONS:
            return
        can = client.server_capabilities
        while True:
            try:
                async with client.listen(
                    tools_list_changed=can.tools is not None,
                    prompts_list_changed=can.prompts is not None,
                    resources_list_changed=can.resources is not None,
                ) as events:
                    async for _ in events:
                        self._changed.set()
            except SubscriptionLost:
                self._changed.set()  # what was missed is looked up
            except MCPError:  # it tells of no changes
                return
            await asyncio.sleep(_LISTEN_SECONDS)

    async def _offer(self, client: Client) -> Offer:
        can = client.server_capabilities
        assert self._mended is not None  # noqa: S101 - `run` made it
        checked = Checked(self.name, self._mended.left_out)
        checked.left_out.clear()
        tools = await _all(client.list_tools, "tools", MAX_TOOLS) if can.tools else []
        prompts = await _all(client.list_prompts, "prompts", MAX_PROMPTS) if can.prompts else []
        resources = (
            await _all(client.list_resources, "resources", MAX_RESOURCES) if can.resources else []
        )
        return Offer(
            checked.tools(
                (
                    each.name,
                    each.description or each.title or "",
                    each.input_schema,
                    bool(each.annotations and each.annotations.read_only_hint),
                )
                for each in tools
            ),
            checked.prompts(
                (
                    each.name,
                    each.description or each.title or "",
                    [(argument.name, bool(argument.required)) for argument in each.arguments or ()],
                )
                for each in prompts
            ),
            checked.resources(
                (each.uri, each.title or each.name, each.description or "") for each in resources
            ),
            text_of(client.instructions),
            tuple(checked.left_out),
        )

    async def _received(self, message: IncomingMessage) -> None:
        if isinstance(message, _CHANGES):
            self._changed.set()

    async def _list_roots(
        self,
        context: ClientRequestContext,  # noqa: ARG002 - as the SDK calls it
    ) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(to_uri(root))) for root in self.roots()])

    async def _elicit(
        self,
        context: ClientRequestContext,  # noqa: ARG002 - as the SDK calls it
        params: ElicitRequestParams,
    ) -> ElicitResult | ErrorData:
        if not isinstance(params, ElicitRequestFormParams):
            return ErrorData(code=INVALID_REQUEST, message=_NO_ADDRESS)
        filled = await self.fill(params.message, params.requested_schema)
        content = None if filled.content is None else dict(filled.content)
        return ElicitResult.model_validate({"action": filled.action, "content": content})


class _Given:
    """Streams that are open already, as the SDK's client takes them."""

    def __init__(self, streams: object) -> None:
        self._streams = streams

    async def __aenter__(self) -> object:
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        return


async def _all(fetch: Callable[..., Awaitable[Any]], field_name: str, most: int) -> list[Any]:
    """All pages of a list, but not much more than `most` items."""
    items: list[Any] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await fetch(cursor=cursor)
        items += getattr(page, field_name)
        cursor = page.next_cursor
        if cursor is None or len(items) > most:
            break
    return items

"""The methods of the protocol: each converts in, calls what the other edges call, converts out.

What answers takes half a second to import: it is loaded while the client reads the answer to
`initialize`. Source: Model Context Protocol 2025-11-25.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import ListRootsResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from glossator import __version__
from glossator.core.errors import GlossatorError
from glossator.core.paging import page
from glossator.core.prompts import load_prompt
from glossator.core.uri import to_path
from glossator.mcp_server.folders import Folders

_log = logging.getLogger(__name__)

_ROOTS_SECONDS = 5.0  # that a client has to name its folders
_ROOTS = "roots"
_PAGE = 100  # resources of a list
_PROMPTS: Mapping[str, tuple[str, str, str]] = {
    "explain": (
        "Explain code, with the lines that prove it.",
        "place",
        "A path, lines, a name.",
    ),
    "review": ("Review code, each finding with its lines.", "place", "What to review."),
    "find": ("Find where something is done.", "question", "What to look for."),
}

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]


class GlossatorServer:
    """What one process offers; without `roots` its one client is asked for them.

    `close` ends every run.
    """

    def __init__(
        self,
        roots: Sequence[str] | None,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        remembers: bool = False,
    ) -> None:
        """By default the process's environment; `settings` come before the user's file.

        `remembers`: clients may add facts.
        """
        self._given, self._remembers = roots, remembers
        self.folders = Folders(self._find_roots, environment, settings)
        self._session: ServerSession | None = None  # of the client that is asked for the roots
        self._told: ListRootsResult | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)  # clients of today have roots
            self.sdk: Server[Any] = Server(
                "glossator",
                title="Glossator",
                version=__version__,
                instructions=load_prompt("mcp/instructions").render(),
                on_list_tools=self._list_tools,
                on_call_tool=self._call_tool,
                on_list_resources=self._list_resources,
                on_list_resource_templates=self._list_templates,
                on_read_resource=self._read_resource,
                on_list_prompts=self._list_prompts,
                on_get_prompt=self._get_prompt,
                on_roots_list_changed=self._roots_changed,
            )
        self.sdk.middleware.clear()  # a trace of each message, which nobody reads
        self.sdk.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._initialized
        )

    async def close(self) -> None:
        """End all that goes on; no client is told any more."""
        await self.folders.close()

    # the folders

    async def _initialized(self, context: Context, _params: types.NotificationParams) -> None:
        self._session = context.session
        self.folders.open_soon()

    async def _roots_changed(
        self, context: Context, _params: types.NotificationParams | None
    ) -> None:
        if self._given is None:
            self._session = context.session
            self.folders.changed()

    async def _find_roots(self) -> Sequence[str]:
        """The folders given, those that the client names, or the current one.

        Clients of 2026-07-28 name theirs with the first call, and list resources before, once.
        """
        if self._given is not None:
            return self._given
        listed = self._told or await self._listed_roots()
        paths = (to_path(str(each.uri)) for each in listed.roots)
        named = [path for path in paths if path is not None]
        found = [each for each in named if await asyncio.to_thread(os.path.isdir, each)]
        return found or await asyncio.to_thread(_here)

    def _wants_roots(self, context: Context) -> bool:
        """Whether the client is to name its folders with its next call: it takes no requests."""
        offers = context.session.client_capabilities
        return (
            self._given is None
            and self._told is None
            and context.protocol_version in MODERN_PROTOCOL_VERSIONS
            and offers is not None
            and offers.roots is not None
        )

    async def _listed_roots(self) -> ListRootsResult:
        session = self._session
        offers = session.client_capabilities if session is not None else None
        if session is None or offers is None or offers.roots is None:
            return ListRootsResult(roots=[])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                asking = session.list_roots()
            async with asyncio.timeout(_ROOTS_SECONDS):
                return await asking
        except (MCPError, TimeoutError, ValidationError) as error:
            _log.warning("The client did not name its folders: %s", error)
            return ListRootsResult(roots=[])

    # tools

    async def _list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return await _apart(self._tools())

    async def _tools(self) -> types.ListToolsResult:
        app = await self.folders.app()
        from glossator.mcp_server.tools import offered  # noqa: PLC0415 - imported aside

        tools = offered(app, remembers=self._remembers)
        return types.ListToolsResult(tools=[each.declared for each in tools])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if self._wants_roots(context):
            told = (params.input_responses or {}).get(_ROOTS)
            if not isinstance(told, ListRootsResult):
                return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
            self._told = told
            self.folders.changed()
        return await _apart(self._call(context, params))

    async def _call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        app = await self.folders.app()
        from glossator.mcp_server.tools import Call, called  # noqa: PLC0415 - imported aside

        report = context.session.report_progress
        async with Call.following(
            app, self.folders.port, report, remembers=self._remembers
        ) as call:
            return await called(call, params.name, params.arguments or {})

    # resources

    async def _list_resources(
        self, _context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await _apart(self._resources(params.cursor if params else None))

    async def _resources(self, cursor: str | None) -> types.ListResourcesResult:
        app = await self.folders.app()
        from glossator.mcp_server.tools import shown_glosses  # noqa: PLC0415 - imported aside

        found = await shown_glosses(app)
        shown, following = page(found, cursor, _PAGE)
        listed = [
            types.Resource(
                uri=each.uri, name=each.title, description=each.state, mime_type="text/markdown"
            )
            for each in shown
        ]
        return types.ListResourcesResult(resources=listed, next_cursor=following)

    async def _list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """There are none, but clients that see resources ask."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await _apart(self._resource(str(params.uri)))

    async def _resource(self, uri: str) -> types.ReadResourceResult:
        app = await self.folders.app()
        from glossator.mcp_server.tools import gloss_text  # noqa: PLC0415 - imported aside

        try:
            text = await gloss_text(app, uri)
        except GlossatorError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from error
        content = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[content])

    # prompts

    async def _list_prompts(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=name,
                    description=what,
                    arguments=[
                        types.PromptArgument(name=argument, description=means, required=True)
                    ],
                )
                for name, (what, argument, means) in _PROMPTS.items()
            ]
        )

    async def _get_prompt(
        self, _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        what, argument, _ = _PROMPTS.get(params.name, ("", "", ""))
        given = (params.arguments or {}).get(argument, "").strip()
        if not what or not given:
            why = f"give {argument}" if what else f"the prompts are {', '.join(_PROMPTS)}"
            raise MCPError(types.INVALID_PARAMS, f"Prompt {params.name}: {why}.")
        text = load_prompt(f"mcp/{params.name}").render(**{argument: given})
        content = types.TextContent(type="text", text=text)
        message = types.PromptMessage(role="user", content=content)
        return types.GetPromptResult(description=what, messages=[message])


def _here() -> list[str]:
    """The current folder; none where it is the user's home or above it, which is no workspace."""
    here, home = os.getcwd(), os.path.expanduser("~")  # "~" where nobody knows it
    if os.path.isabs(home) and Path(os.path.realpath(home)).is_relative_to(os.path.realpath(here)):
        _log.warning(
            "The current folder is the home or above it, and is not served: name one by -C."
        )
        return []
    return [here]


_ENDED_HERE = "This was ended: its session goes on elsewhere, or was stopped there."


async def _apart(work: Coroutine[Any, Any, T]) -> T:
    """Do the work in a task of its own: the SDK cancels again at every await, also of cleaning up.

    Raises what the work raises; `MCPError` if it was ended here, which is no end of the call's.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if task.cancelled():
            raise MCPError(types.INTERNAL_ERROR, _ENDED_HERE) from None
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task})
        raise

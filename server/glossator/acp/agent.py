"""The agent: one client, a workspace for each set of folders, and the methods of the protocol.

Methods convert in, call what the language server and the terminal call, and convert out. What
answers questions takes half a second to import: it is loaded while the client reads the answer to
`initialize`.
Source: Agent Client Protocol 1.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acp import PROTOCOL_VERSION, schema
from acp.interfaces import Client

from glossator import __version__
from glossator.acp.outbox import Outbox, refusal
from glossator.core import generated_code
from glossator.core.own_process import import_aside
from glossator.core.paging import page
from glossator.core.shown import shown

if TYPE_CHECKING:
    from glossator.acp.workspace import Workspace

_PAGE = 50  # sessions of a list
_WRONG = -32602  # JSON-RPC's wrong parameters
_NOT_FOUND = -32002  # the protocol's resource that is not there
_NOT_OPEN = "This session is not open here. Load it, or begin a new one."
_NOT_LISTED = "This session is of no folder that is open here. List its folder's sessions first."
_LEFT = "The client has left, so nothing is opened any more."

Meta = Any  # the protocol's `_meta`, by name


class GlossatorAgent:
    """Implements `acp.Agent`. `close` ends every run and every workspace."""

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """By default the process's environment; `settings` come before the user's file."""
        self._environment = dict(os.environ if environment is None else environment)
        self._settings = settings or {}
        self._client: Client
        self._outbox: Outbox
        self._capabilities = schema.ClientCapabilities()
        self._name = ""
        self._loading: asyncio.Task[type[Workspace]] | None = None
        self._opening = asyncio.Lock()
        self._leaving = False
        self._workspaces: dict[tuple[str, ...], Workspace] = {}
        self._of_session: dict[str, Workspace] = {}

    def on_connect(self, conn: Client) -> None:
        """The connection by which the client is reached."""
        self._client, self._outbox = conn, Outbox(conn)

    async def close(self) -> None:
        """End all that goes on; the client is not told any more."""
        self._leaving = True
        await self._outbox.close()
        if self._loading is not None:
            await asyncio.wait({self._loading})
        async with self._opening:  # what is being opened is there then
            for workspace in self._workspaces.values():
                await workspace.close()

    async def initialize(
        self,
        protocol_version: int,  # noqa: ARG002 - there is one
        client_capabilities: schema.ClientCapabilities | None = None,
        client_info: schema.Implementation | None = None,
        **_: Meta,
    ) -> schema.InitializeResponse:
        """What this agent can do."""
        self._load_soon()
        self._capabilities = client_capabilities or schema.ClientCapabilities()
        if client_info is not None:
            self._name = f"{client_info.name} {client_info.version}".strip()
        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=schema.Implementation(
                name="glossator", title="Glossator", version=__version__
            ),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(
                    image=True, audio=False, embedded_context=True
                ),
                mcp_capabilities=schema.McpCapabilities(http=True, sse=False),
                session_capabilities=schema.SessionCapabilities(
                    list=schema.SessionListCapabilities(),
                    delete=schema.SessionDeleteCapabilities(),
                    resume=schema.SessionResumeCapabilities(),
                    close=schema.SessionCloseCapabilities(),
                    additional_directories=schema.SessionAdditionalDirectoriesCapabilities(),
                ),
            ),
            auth_methods=[],
        )

    # sessions

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_: Meta,
    ) -> schema.NewSessionResponse:
        """Begin a session in a workspace."""
        workspace = await self._workspace(cwd, additional_directories)
        session_id = str((await workspace.run("newSession")).id)
        return schema.NewSessionResponse(
            session_id=session_id, **await self._took_up(workspace, session_id, mcp_servers)
        )

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: list[Any] | None = None,
        additional_directories: list[str] | None = None,
        **_: Meta,
    ) -> schema.LoadSessionResponse:
        """Go on with a session, and show all of it again."""
        workspace = await self._workspace(cwd, additional_directories)
        await workspace.resume(session_id, shows=True)
        return schema.LoadSessionResponse(**await self._took_up(workspace, session_id, mcp_servers))

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_: Meta,
    ) -> schema.ResumeSessionResponse:
        """Go on with a session that the client shows already."""
        workspace = await self._workspace(cwd, additional_directories)
        await workspace.resume(session_id, shows=False)
        return schema.ResumeSessionResponse(
            **await self._took_up(workspace, session_id, mcp_servers)
        )

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Meta
    ) -> schema.ListSessionsResponse:
        """The sessions of a folder, or of all that are open, those used last first."""
        workspaces = [*self._workspaces.values()]
        if cwd is not None:
            workspaces = [await self._workspace(cwd, None)]
        listed = [each for workspace in workspaces for each in await workspace.sessions()]
        found = {each.session_id: each for each in listed}.values()  # folders may be in several
        newest = sorted(found, key=lambda each: each.updated_at or "", reverse=True)
        sessions, following = page(newest, cursor, _PAGE)
        return schema.ListSessionsResponse(sessions=sessions, next_cursor=following)

    async def close_session(self, session_id: str, **_: Meta) -> schema.CloseSessionResponse:
        """End what goes on in a session; it is kept."""
        self._closed(session_id)
        return schema.CloseSessionResponse()

    async def delete_session(self, session_id: str, **_: Meta) -> schema.DeleteSessionResponse:
        """Delete a session for good; it is one that is listed, or that has nothing in it yet."""
        for workspace in [*self._workspaces.values()]:
            if session_id in {each.session_id for each in await workspace.sessions()}:
                await workspace.run("deleteSession", sessionId=session_id)
                break
        else:
            if session_id not in self._of_session:
                raise refusal(_NOT_LISTED, _NOT_FOUND)
        self._closed(session_id)
        return schema.DeleteSessionResponse()

    def _closed(self, session_id: str) -> None:
        if (workspace := self._of_session.pop(session_id, None)) is not None:
            workspace.closed(session_id)

    # a turn

    async def prompt(self, session_id: str, prompt: list[Any], **_: Meta) -> schema.PromptResponse:
        """Answer a prompt; one that comes while another is answered steers that, or is next."""
        return await self._of(session_id).prompt(session_id, prompt)

    async def cancel(self, session_id: str, **_: Meta) -> None:
        """End the run of a session."""
        if (workspace := self._of_session.get(session_id)) is not None:
            workspace.cancel(session_id)

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Meta
    ) -> schema.SetSessionModeResponse:
        """Change what is done without asking."""
        await self._of(session_id).run("setMode", mode=mode_id, sessionId=session_id)
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Meta
    ) -> schema.SetSessionConfigOptionResponse:
        """Choose the model, how much it thinks, or whether questions are split into tasks."""
        workspace = self._of(session_id)
        await workspace.set_option(session_id, config_id, value)
        return schema.SetSessionConfigOptionResponse(
            config_options=await workspace.options(session_id)
        )

    # workspaces

    def _load_soon(self) -> asyncio.Task[type[Workspace]]:
        """What answers questions; its import begins at the first call."""
        if self._loading is None:
            self._loading = asyncio.create_task(_load())
        return self._loading

    async def _workspace(self, cwd: str, more: Sequence[str] | None) -> Workspace:
        """The workspace of these folders; made when it is first asked for."""
        roots = (cwd, *(more or ()))
        for each in roots:
            if not os.path.isabs(each) or not await asyncio.to_thread(os.path.isdir, each):
                raise refusal(f"{shown(each)} is no folder. Open one that is there.", _WRONG)
        async with self._opening:
            if self._leaving:
                raise refusal(_LEFT)
            if roots not in self._workspaces:
                workspace = await asyncio.shield(self._load_soon())
                self._workspaces[roots] = await workspace.opened(
                    roots,
                    self._client,
                    self._outbox,
                    self._capabilities,
                    self._name,
                    self._environment,
                    self._settings,
                )
        return self._workspaces[roots]

    def _of(self, session_id: str) -> Workspace:
        if (workspace := self._of_session.get(session_id)) is None:
            raise refusal(_NOT_OPEN, _NOT_FOUND)
        return workspace

    async def _took_up(
        self, workspace: Workspace, session_id: str, mcp_servers: Sequence[Any] | None
    ) -> dict[str, Any]:
        """A session is in use from now on; gives its modes and options.

        Other updates of the session follow: the client knows no session before this answer.
        """
        self._of_session[session_id] = workspace
        options = await workspace.options(session_id)
        workspace.took_up(session_id, mcp_servers or ())
        return {"modes": workspace.modes(session_id), "config_options": options}


async def _load() -> type[Workspace]:
    """What answers questions; with it all is made of which code is kept."""
    module = await import_aside("glossator.acp.workspace")
    await asyncio.to_thread(generated_code.end)
    found: type[Workspace] = module.Workspace
    return found

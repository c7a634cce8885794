"""An editor that speaks the Agent Client Protocol, beside the agent in this process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.acp.serve import serve_streams  # first: it decides how the SDK is imported

# isort: split
from acp import PROTOCOL_VERSION, schema, text_block
from acp.client.connection import ClientSideConnection

from glossator.acp.agent import GlossatorAgent
from tests.quiet import quietly
from tests.standin import NAMED, Script, StandIn
from tests.workspace.files.trees import write_tree

LIMIT = 50_000_000  # bytes of a message
Choose = Callable[[schema.ToolCallUpdate, list[schema.PermissionOption]], str | None]


def first_that_allows(
    _call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
) -> str | None:
    return options[0].option_id


@dataclass
class Editor:
    """What the client shows and answers; `buffers` are its unsaved or outdated texts, by path."""

    root: Path
    updates: list[Any] = field(default_factory=list)
    asked: list[tuple[schema.ToolCallUpdate, list[schema.PermissionOption]]] = field(
        default_factory=list
    )
    choose: Choose = first_that_allows
    forms: list[Any] = field(default_factory=list)  # that were shown
    fills: Mapping[str, Any] | None = None  # what the user fills in; None: they decline
    waiting: asyncio.Event | None = None  # questions wait for it
    buffers: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)  # paths
    reads_wait: bool = False  # for ever
    written: list[str] = field(default_factory=list)

    def on_connect(self, conn: object) -> None:
        """The SDK wants it."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        assert session_id
        self.updates.append(update)

    async def request_permission(
        self,
        session_id: str,
        tool_call: schema.ToolCallUpdate,
        options: list[schema.PermissionOption],
        **_: Any,
    ) -> schema.RequestPermissionResponse:
        assert session_id
        self.asked.append((tool_call, options))
        if self.waiting is not None:
            await self.waiting.wait()
        chosen = self.choose(tool_call, options)
        outcome: Any = schema.DeniedOutcome(outcome="cancelled")
        if chosen is not None:
            outcome = schema.AllowedOutcome(outcome="selected", option_id=chosen)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        self.forms.append((message, mode))
        if self.fills is None:
            return schema.DeclineElicitationResponse(action="decline")
        return schema.AcceptElicitationResponse(action="accept", content=dict(self.fills))

    async def read_text_file(
        self, path: str, session_id: str, **_: Any
    ) -> schema.ReadTextFileResponse:
        assert session_id
        self.read.append(path)
        if self.reads_wait:
            await asyncio.Event().wait()
        text = self.buffers.get(path)
        on_disk = await asyncio.to_thread(Path(path).read_text)
        return schema.ReadTextFileResponse(content=on_disk if text is None else text)

    async def write_text_file(
        self, content: str, path: str, session_id: str, **_: Any
    ) -> schema.WriteTextFileResponse:
        assert session_id
        self.written.append(Path(path).name)
        self.buffers.pop(path, None)
        await asyncio.to_thread(_write, Path(path), content)
        return schema.WriteTextFileResponse()

    @property
    def text(self) -> str:
        """All that was said as the answer."""
        return "".join(each.content.text for each in self.of(schema.AgentMessageChunk))

    def of(self, kind: type[Any]) -> list[Any]:
        return [each for each in self.updates if isinstance(each, kind)]


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@dataclass
class Conversation:
    """A session of an editor with the agent, whose model is the stand-in."""

    editor: Editor
    agent: Any  # the client's side of the connection
    api: StandIn
    session_id: str
    served: asyncio.Task[None]
    leave: Callable[[], None]

    async def ask(self, *blocks: Any) -> schema.PromptResponse:
        given = [text_block(each) if isinstance(each, str) else each for each in blocks]
        answer: schema.PromptResponse = await self.agent.prompt(self.session_id, given)
        return answer

    def results(self, number: int) -> dict[str, Any]:
        """The results of tool calls in the n-th request to the model, from 0, by call."""
        content = self.api.requests[number].body["messages"][-1]["content"]
        return {part["tool_use_id"]: part for part in content if part["type"] == "tool_result"}


@asynccontextmanager
async def conversation(
    root: Path,
    files: Mapping[str, str],
    script: Script,
    settings: Mapping[str, Any] | None = None,
    *,
    fs: bool = True,
    mcp_servers: tuple[Any, ...] = (),
    home: Path | None = None,
    forms: bool = False,
    client: str = "",
) -> AsyncIterator[Conversation]:
    """A session in `root`; with `fs` the client has files for us, with `forms` it shows these.

    `client` is the client's name.
    """
    write_tree(root, files)
    async with StandIn(script) as api:
        offers = schema.FileSystemCapabilities(read_text_file=fs, write_text_file=fs)
        elicitation = schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
        capabilities = schema.ClientCapabilities(
            fs=offers, elicitation=elicitation if forms else None
        )
        meets = connected(root, api, settings, capabilities, home, client)
        async with meets as (editor, agent, served):
            session = await agent.new_session(cwd=str(root), mcp_servers=[*mcp_servers])
            yield Conversation(editor, agent, api, session.session_id, *served)
        assert api.refusals == [], repr(api.refusals)


@asynccontextmanager
async def connected(
    root: Path,
    api: StandIn,
    settings: Mapping[str, Any] | None = None,
    capabilities: schema.ClientCapabilities | None = None,
    home: Path | None = None,
    name: str = "",
) -> AsyncIterator[tuple[Editor, Any, tuple[asyncio.Task[None], Callable[[], None]]]]:
    """An editor and its side of a connection to an agent of its own, up to `initialize`.

    And the agent's task, and what has the editor leave.
    """
    environment = {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": api.base_url, **NAMED}
    environment |= {} if home is None else {"HOME": str(home)}
    agent = GlossatorAgent(environment, quietly(settings))
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours, limit=LIMIT)
    served = asyncio.create_task(serve_streams(agent, reader, writer))
    their_reader, their_writer = await asyncio.open_connection(sock=theirs, limit=LIMIT)
    editor: Any = Editor(root)
    client = ClientSideConnection(editor, their_writer, their_reader, use_unstable_protocol=True)
    try:
        info = schema.Implementation(name=name, version="1") if name else None
        await client.initialize(PROTOCOL_VERSION, capabilities, info)
        yield editor, client, (served, their_writer.close)
    finally:
        with suppress(ConnectionError):  # it may have left in the middle of a message
            await client.close()
        their_writer.close()
        await served
        writer.close()

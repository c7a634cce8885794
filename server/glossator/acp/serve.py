"""One connection over the standard streams, from the first message to the last."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pydantic

_log = logging.getLogger(__name__)

_LIMIT = 50_000_000  # bytes of a message; images come in base64


def _import_sdk() -> None:
    """Import the protocol's types without building all their validators: each is built on use.

    And without the words about each field, which pydantic would read out of the source again. It
    has no setting for that; if the name goes, the start is only slower.
    """
    config = pydantic.BaseModel.model_config
    before = config.get("defer_build", False)
    fields: Any = sys.modules.get("pydantic._internal._fields", SimpleNamespace())
    words = getattr(fields, "extract_docstrings_from_cls", None)
    config["defer_build"] = True
    fields.extract_docstrings_from_cls = lambda *_, **__: {}
    try:
        import acp  # noqa: F401, PLC0415 - see above
    finally:
        config["defer_build"] = before
        fields.extract_docstrings_from_cls = words


_import_sdk()

from acp.agent.connection import AgentSideConnection  # noqa: E402 - see above
from acp.schema import DeleteSessionRequest  # noqa: E402

from glossator.acp.agent import GlossatorAgent  # noqa: E402
from glossator.core.message_lines import MessageLines  # noqa: E402
from glossator.core.standard_streams import end_at_last, process_streams  # noqa: E402


async def serve() -> int:
    """Talk to one client until it leaves; gives the process's exit code."""
    async with process_streams(_LIMIT) as (reader, writer):
        await serve_streams(GlossatorAgent(), reader, writer, leaving=lambda: end_at_last(0))
    return 0


async def serve_streams(
    agent: Any,  # noqa: ANN401 - the SDK's types are narrower than its protocol
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """The same over any pair of streams, for an agent that nobody talked to yet.

    `leaving` is called when the client has left, before what goes on is ended.
    """
    connection = AgentSideConnection(
        agent, Lines(reader, writer), listening=False, use_unstable_protocol=True
    )
    # the SDK has the types of this method, and no route for it yet
    router: Any = connection._conn._handler  # noqa: SLF001 - see above
    router.route_request("session/delete", DeleteSessionRequest, agent, "delete_session")
    gc.enable()
    try:
        await connection.listen()
    finally:
        leaving()
        await agent.close()
        with contextlib.suppress(ConnectionError):  # of what was under way when it left
            await asyncio.shield(connection.close())


class Lines:
    """Implements `acp.Transport`; the SDK's own waits for ever once a client is gone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines = MessageLines(reader, writer, _message)

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None once the client has left."""
        return await self._lines.receive()

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message; those that are sent at the same time keep their order.

        Raises `ConnectionError` once nobody reads, but not for an answer: its asker has left.
        """
        try:
            await self._lines.send(json.dumps(message, separators=(",", ":")).encode("ascii"))
        except ConnectionError:
            if "method" in message:
                raise
            _log.info("The client has left before it was answered")

    async def close(self) -> None:
        """Close the way to the client."""
        self._lines.close()


def _message(line: bytes) -> dict[str, Any]:
    """The message on a line, as the SDK expects all to be. Raises `ValueError`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a message is not JSON: {error}") from error
    match message:
        case {"id": object() as given} if not isinstance(given, str | int | float | None):
            raise ValueError("the id of a message is no number and no text")
        case {"method": object() as given} if not isinstance(given, str):
            raise ValueError("the method of a message is no text")
        case {"error": object() as given} if not isinstance(given, dict):
            raise ValueError("the error of a message is no object")
        case dict():
            return message
    raise ValueError("a message is no object")

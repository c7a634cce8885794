"""One connection over the standard streams, from the first message to the last."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pydantic

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
from glossator.acp.lines import Lines  # noqa: E402
from glossator.core.standard_streams import (  # noqa: E402
    end_at_last,
    on_signal,
    open_streams,
    take_streams,
)


async def serve() -> int:
    """Talk to one client until it leaves; gives the process's exit code."""
    reader, writer, written = await open_streams(*take_streams(), _LIMIT)
    on_signal(reader.feed_eof)
    await serve_streams(GlossatorAgent(), reader, writer, leaving=lambda: end_at_last(0))
    writer.close()
    await asyncio.to_thread(written)
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
        with contextlib.suppress(OSError):  # the client is gone
            await connection.listen()
    finally:
        leaving()
        await agent.close()
        with contextlib.suppress(ConnectionError):
            await asyncio.shield(connection.close())

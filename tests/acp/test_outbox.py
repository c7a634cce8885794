"""Updates on their way to the client."""

from __future__ import annotations

from typing import Any

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from acp import schema

from glossator.acp.outbox import Outbox
from glossator.acp.updates import text_update


class Client:
    def __init__(self) -> None:
        self.got: list[tuple[str, str]] = []

    async def session_update(self, session_id: str, update: Any) -> None:
        self.got.append((session_id, getattr(update.content, "text", "")))


async def test_pieces_of_an_answer_that_wait_are_sent_as_one() -> None:
    client: Any = Client()
    outbox = Outbox(client)
    thought = schema.AgentThoughtChunk(
        session_update="agent_thought_chunk",
        content=schema.TextContentBlock(type="text", text="Hm."),
    )
    for session_id, update in (
        ("a", text_update("One, ")),
        ("a", text_update("two.")),
        ("b", text_update("Three.")),
        ("a", thought),
        ("a", thought),
        ("a", text_update("Four.")),
    ):
        outbox.put(session_id, update)
    await outbox.sent()
    outbox.put("a", text_update("Five."))
    await outbox.sent()
    await outbox.close()
    assert client.got == [
        ("a", "One, two."),
        ("b", "Three."),
        ("a", "Hm."),
        ("a", "Hm."),
        ("a", "Four."),
        ("a", "Five."),
    ]

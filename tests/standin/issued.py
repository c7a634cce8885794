"""What the stand-in remembers of the messages it sent, to check how they come back."""

from typing import Any

from tests.standin.content import digest, plain

Json = dict[str, Any]


class Issued:
    """The messages one server has sent: thinking by tool call, and paused turns."""

    def __init__(self) -> None:
        self._thinking: dict[str, list[Json]] = {}
        self._paused: set[str] = set()

    def remember(self, message: Json) -> None:
        """Keep what later requests are checked against."""
        thinking = thinking_in(message["content"])
        for block in message["content"]:
            if block["type"] == "tool_use":
                self._thinking[block["id"]] = thinking
        if message["stop_reason"] == "pause_turn":
            self._paused.add(digest(map(plain, message["content"])))

    def thinking_beside(self, tool_use_id: str) -> list[Json] | None:
        """The thinking blocks sent in one message with this call; None for a call not sent here."""
        return self._thinking.get(tool_use_id)

    def paused(self, content: list[Json]) -> bool:
        """Whether this content is a reply that ended in `pause_turn`."""
        return digest(map(plain, content)) in self._paused


def thinking_in(content: list[Json]) -> list[Json]:
    """The thinking blocks of a message."""
    return [block for block in content if block["type"] in {"thinking", "redacted_thinking"}]

"""What the stand-in remembers of the messages it sent, to check how they come back."""

from dataclasses import dataclass
from typing import Any

from tests.standin.content import digest, measured, plain

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a tool call was sent with: the thinking in its message, the hash of the tools."""

    thinking: list[Json]
    tools: str


class Issued:
    """The messages one server has sent, by the calls in them, and the turns it paused."""

    def __init__(self) -> None:
        self._sent: dict[str, Sent] = {}
        self._paused: set[str] = set()

    def remember(self, message: Json, body: Json) -> None:
        """Keep of a message sent in answer to a body what later requests are checked against."""
        sent = Sent(thinking_in(message["content"]), tools_hash(body))
        for block in message["content"]:
            if block["type"] in {"tool_use", "server_tool_use"}:
                self._sent[block["id"]] = sent
        if message["stop_reason"] == "pause_turn":
            self._paused.add(digest(map(plain, message["content"])))

    def sent_with(self, call_id: str) -> Sent | None:
        """What came with this call; None for a call that was not sent here."""
        return self._sent.get(call_id)

    def paused(self, content: list[Json]) -> bool:
        """Whether this content is a reply that ended in `pause_turn`."""
        return digest(map(plain, content)) in self._paused


def tools_hash(body: Json) -> str:
    """The hash of all tools of a request, deferred ones too."""
    return digest(measured(tool)[1] for tool in body.get("tools", []))


def thinking_in(content: list[Json]) -> list[Json]:
    """The thinking blocks of a message."""
    return [block for block in content if block["type"] in {"thinking", "redacted_thinking"}]

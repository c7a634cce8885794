"""A server with two more sessions, in front of the real one, which `COMMAND` starts.

`python -m tests.vscode.recorded COMMAND`. One session is a run that was recorded, with each kind of
event; it is played when its question is asked, and can be resumed. The other has 500 turns. All
else goes through.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from glossator.core.frames import frame, read_frame

Message = dict[str, Any]
STREAMS = Path(__file__).parents[2] / "vscode-client" / "test" / "panel" / "streams"
TURNS = 500  # a question and an answer each: 1,000 messages
_NOW = "2026-01-01T10:00:00+00:00"
_DELTAS = ("text.delta", "thinking.delta")
_USAGE = dict.fromkeys(("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"), 0)


@dataclass
class Recordings:
    """The two sessions; paths in them are those of the workspace at `root`."""

    run: ClassVar = "recorded"
    long: ClassVar = "recorded-long"
    root: str = "file:///w"
    listed: set[int | str] = field(default_factory=set)  # requests for the list of sessions

    def reply(self, request: Message) -> Iterator[Message]:
        """What the client is sent instead of passing on what it asks; nothing to pass it on."""
        if request.get("method") == "initialize":
            self.root = request["params"]["rootUri"]
        if request.get("method") != "workspace/executeCommand":
            return
        name, arguments = request["params"]["command"], request["params"].get("arguments", [])
        argument = arguments[0] if arguments else {}
        if name == "glossator.listSessions":
            self.listed.add(request["id"])
        elif name == "glossator.resumeSession" and argument["sessionId"] in (self.run, self.long):
            session = self.sessions[argument["sessionId"]]
            resumed = {"session": session, "events": self.events(session["id"]), "undone": []}
            yield _answer(request, resumed)
        elif name == "glossator.ask" and argument["question"] == self.sessions[self.run]["title"]:
            events = self.events(self.run, argument["runId"])
            for params in events:
                yield {"jsonrpc": "2.0", "method": "glossator/event", "params": params}
            yield _answer(request, self._answer_of(events))

    def passed_on(self, message: Message) -> Message:
        """What the server says, as the client is told: its list of sessions is longer."""
        if message.get("id") in self.listed and "result" in message:
            self.listed.discard(message["id"])
            message["result"]["sessions"] += self.sessions.values()
        return message

    @property
    def sessions(self) -> dict[str, Message]:
        """By their ids."""
        title = self.events(self.run)[0]["question"]
        return {
            self.run: _session(self.run, title, 1),
            self.long: _session(self.long, "A thousand messages", TURNS),
        }

    def events(self, session: str, run_id: str = "recorded run") -> list[Message]:
        """Those of a session."""
        if session == self.run:
            return self._stream("grounded", session, run_id)
        return [
            event | ({"question": f"Question {turn}"} if event["kind"] == "run.started" else {})
            for turn in range(1, TURNS + 1)
            for event in _merged(self._stream("answered", session, f"turn {turn}"))
        ]

    def _stream(self, name: str, session: str, run_id: str) -> list[Message]:
        text = (STREAMS / f"{name}.json").read_text(encoding="utf-8")
        messages = json.loads(text.replace("file:///w/", f"{self.root}/"))
        told = [event for each in messages for event in each.get("events", ())]
        return [
            event | {"runId": run_id} | ({"sessionId": session} if "sessionId" in event else {})
            for event in told
        ]

    def _answer_of(self, events: list[Message]) -> Message:
        text = "".join(each["text"] for each in events if each["kind"] == "text.delta")
        citations = [each["citation"] for each in events if each["kind"] == "citation"]
        return {
            "runId": events[0]["runId"],
            "sessionId": events[0]["sessionId"],
            "text": text,
            "citations": citations,
            "uncited": [],
            "corrections": [],
            "stop": "answered",
            "model": events[0]["model"],
            "offline": False,
            "turns": 1,
            "milliseconds": 1000,
            "usage": _USAGE,
            "dollars": None,
            "sessionUsage": _USAGE,
            "sessionDollars": None,
        }


def _merged(events: list[Message]) -> Iterator[Message]:
    """The events, each run of deltas as one, as a resumed session has them."""
    held: Message | None = None
    for event in events:
        if held and event["kind"] == held["kind"] and event["kind"] in _DELTAS:
            held = event | {"text": held["text"] + event["text"]}
            continue
        if held:
            yield held
        held = event
    if held:
        yield held


def _session(name: str, title: str, turns: int) -> Message:
    when = {"createdAt": _NOW, "updatedAt": _NOW}
    return {"id": name, "title": title, "turns": turns, "running": False} | when


def _answer(request: Message, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


async def _pump(source: asyncio.StreamReader, take: Callable[[Message], None]) -> None:
    while isinstance(body := await read_frame(source), bytes):
        take(json.loads(body))


async def main(command: list[str]) -> None:
    """Stand between the two until either ends."""
    server = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**26
    )
    assert server.stdin
    assert server.stdout
    to_server, recordings = server.stdin, Recordings()
    client = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(client), sys.stdin
    )

    def to_client(message: Message) -> None:
        sys.stdout.buffer.write(frame(json.dumps(message).encode()))
        sys.stdout.buffer.flush()

    def asked(request: Message) -> None:
        replies = list(recordings.reply(request))
        for reply in replies:
            to_client(reply)
        if not replies:
            to_server.write(frame(json.dumps(request).encode()))

    from_server = _pump(server.stdout, lambda each: to_client(recordings.passed_on(each)))
    told = asyncio.create_task(from_server)
    await _pump(client, asked)
    to_server.close()
    await told
    await server.wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

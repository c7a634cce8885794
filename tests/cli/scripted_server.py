"""A language server that plays a recording: `scripted_server.py RECORDING`.

A recording is a JSON file: `messages` are sent after the command arrives, then `ending` decides.
Commands that come before it get the answers `earlier`.
Everything that is received goes to stderr, one JSON object a line, after a line with the pid.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

Message = dict[str, Any]


def receive() -> Message:
    """The next message; the program ends with the stream."""
    length = 0
    while (line := sys.stdin.buffer.readline()) not in {b"\r\n", b""}:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        log("end of input")
        sys.exit(1)
    message: Message = json.loads(sys.stdin.buffer.read(length))
    log(json.dumps(message))
    return message


def receive_until(method: str) -> Message:
    """The first message of this method; the ones before it are logged and left."""
    while (message := receive()).get("method") != method:
        pass
    return message


def send(message: Message) -> None:
    """Write one frame."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def log(line: str) -> None:
    """Write to the server's log."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def end_command(command: Message, recording: Message) -> None:
    """Do what `ending` says."""
    match recording["ending"]:
        case "answer" | "answer, then stay":
            send({"id": command["id"], "result": recording["answer"]})
        case "error":
            send({"id": command["id"], "error": recording["error"]})
        case "await cancel":
            cancel = receive_until("$/cancelRequest")
            send(cancelled_event())
            error = {"code": -32800, "message": "Request cancelled"}
            send({"id": cancel["params"]["id"], "error": error})
        case "ignore cancel":
            while True:
                receive()
        case "die":
            log("Traceback: out of parchment")
            os._exit(3)
        case "talk nonsense":
            sys.stdout.buffer.write(b"Hello, world\r\n\r\n")
            sys.stdout.buffer.flush()


def cancelled_event() -> Message:
    """The last event of a cancelled run."""
    return {
        "method": "glossator/event",
        "params": {"runId": "r1", "seq": 9, "kind": "run.cancelled"},
    }


def main() -> None:
    """Play the recording."""
    recording = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    log(f"pid {os.getpid()}")
    initialize = receive_until("initialize")
    if recording["ending"] == "refuse initialize":
        error = {"code": -32602, "message": "bad capabilities"}
        send({"id": initialize["id"], "error": error})
    else:
        send({"id": initialize["id"], "result": {"capabilities": {}}})
        for answer in recording.get("earlier", []):
            send({"id": receive_until("workspace/executeCommand")["id"], "result": answer})
        command = receive_until("workspace/executeCommand")
        for message in recording["messages"]:
            send(message)
            if "id" in message:
                receive()
        end_command(command, recording)
    shutdown = receive_until("shutdown")
    while recording["ending"] == "answer, then stay":
        receive()
    send({"id": shutdown["id"], "result": None})
    receive_until("exit")


if __name__ == "__main__":
    main()

"""Messages that were right once: each is a real one with some of its parts spoiled."""

from __future__ import annotations

import random
from typing import Any

_URI = "untitled:fuzz"
_DOCUMENT = {"uri": _URI, "version": 2}
_START = {"line": 0, "character": 0}
_RANGE = {"start": _START, "end": {"line": 0, "character": 1}}
_FOLDER = {"uri": "file:///nowhere", "name": "nowhere"}
_FILE = {"uri": "file:///nowhere/file", "type": 1, "oldUri": "file:///a", "newUri": "file:///b"}

# Nothing here ends the server or begins work that does not end.
_MESSAGES: list[tuple[str, Any]] = [
    ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
    ("initialized", {}),
    (
        "textDocument/didOpen",
        {"textDocument": _DOCUMENT | {"languageId": "x", "text": "\U0001f41f\r\nb"}},
    ),
    (
        "textDocument/didChange",
        {"textDocument": _DOCUMENT, "contentChanges": [{"range": _RANGE, "text": "\x0c\r"}]},
    ),
    ("textDocument/didSave", {"textDocument": {"uri": _URI}}),
    ("textDocument/didClose", {"textDocument": {"uri": _URI}}),
    ("textDocument/hover", {"textDocument": {"uri": _URI}, "position": _START}),
    (
        "textDocument/codeAction",
        {"textDocument": {"uri": _URI}, "range": _RANGE, "context": {"diagnostics": []}},
    ),
    ("workspace/didChangeWorkspaceFolders", {"event": {"added": [_FOLDER], "removed": [_FOLDER]}}),
    ("workspace/didChangeWatchedFiles", {"changes": [_FILE]}),
    ("workspace/didCreateFiles", {"files": [_FILE]}),
    ("workspace/didRenameFiles", {"files": [_FILE]}),
    ("workspace/executeCommand", {"command": "glossator.status", "arguments": [{}]}),
    (
        "workspace/executeCommand",
        {
            "command": "glossator.ask",
            "arguments": [{"question": "fish?", "attachments": [{"uri": _URI, "firstLine": 1}]}],
            "workDoneToken": "bar",
        },
    ),
    ("window/workDoneProgress/cancel", {"token": "bar"}),
    ("$/cancelRequest", {"id": 1}),
    ("$/setTrace", {"value": "off"}),
    ("fish/swim", {"depth": [1, 2]}),
]
_JUNK: list[Any] = [None, True, 0, -1, 2**40, 1.5, "", "file:///x", "http://[", [], {}]


def spoiled_message(chance: random.Random) -> Any:
    """One message, whole or spoiled; a request about every second time."""
    method, params = chance.choice(_MESSAGES)
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if chance.random() < 0.5:
        message["id"] = f"fuzz-{chance.randrange(2**32)}"
    return _spoil(chance, message, chance.choice([0, 0.03, 0.1]))


def _spoil(chance: random.Random, value: Any, rate: float) -> Any:
    if chance.random() < rate:
        return chance.choice(_JUNK)
    if isinstance(value, list):
        items = value * 2 if chance.random() < rate else value
        return [_spoil(chance, item, rate) for item in items]
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if chance.random() >= rate}
        return {key: _spoil(chance, item, rate) for key, item in kept.items()}
    return value

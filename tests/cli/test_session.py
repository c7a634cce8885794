"""A whole conversation with a server, seen from the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.uri import to_uri
from tests.cli.support import glossator, server_is_gone


def test_the_conversation_in_order(tmp_path: Path) -> None:
    ended = glossator("ask_requests", "ask", "--verbose", "why", "so?", cwd=tmp_path)
    assert ended.methods == [
        "initialize",
        "initialized",
        "workspace/executeCommand",
        "shutdown",
        "exit",
    ]
    replies = [message for message in ended.received if "method" not in message]
    assert [reply["id"] for reply in replies] == ["a", "b", "c", "d", "e"]
    command = ended.received[2]["params"]
    assert command == {"command": "glossator.ask", "arguments": [{"question": "why so?"}]}
    assert "The settings were read with a warning." in ended.err
    assert server_is_gone(ended.err)


def test_initialize_says_where_and_how(tmp_path: Path) -> None:
    second = tmp_path / "second root"
    second.mkdir()
    options = ["-C", str(tmp_path), "-C", str(second), "-C", str(second)]
    ended = glossator("ask", "ask", "-v", "--offline", "--model", "m1", *options, "hi")
    params = ended.received[0]["params"]
    assert isinstance(params["processId"], int)
    assert params["clientInfo"] == {"name": "terminal"}
    assert params["rootUri"] == to_uri(str(tmp_path))
    assert [folder["uri"] for folder in params["workspaceFolders"]] == [
        to_uri(str(tmp_path)),
        to_uri(str(second)),
    ]
    assert params["capabilities"]["experimental"]["glossator"] == {
        "events": True,
        "questions": False,  # nobody is at a pipe
        "permissions": True,  # but what it may do is said all the same
        "reviews": True,
        "saves": True,
        "leaves": True,
    }
    assert params["initializationOptions"] == {
        "settings": {"models": {"offline": True, "main": {"model": "m1"}}}
    }


def test_settings_that_were_not_given_are_not_sent() -> None:
    ended = glossator("ask", "ask", "-v", "hi")
    assert ended.received[0]["params"]["initializationOptions"] == {"settings": {}}


COMMANDS = {"index": "glossator.rebuildIndex"}


@pytest.mark.parametrize(
    ("arguments", "recording", "argument"),
    [
        (["search", "two", "words"], "search", {"query": "two words"}),
        (["search", "x", "--limit", "3"], "search", {"query": "x", "limit": 3}),
        (["tool", "Glob", '{"a": [1]}'], "tool", {"name": "Glob", "arguments": {"a": [1]}}),
        (["tool", "Glob"], "tool", {"name": "Glob", "arguments": {}}),
        (["status"], "status", {"wait": True}),
        (["index"], "index", {"mode": "update"}),
        (["index", "--rebuild"], "index", {"mode": "rebuild"}),
        (["index", "--check"], "index", {"mode": "check"}),
        (["doctor"], "doctor", {}),
    ],
)
def test_each_command_sends_its_argument(
    arguments: list[str], recording: str, argument: dict[str, object]
) -> None:
    ended = glossator(recording, *arguments, "-v")
    assert ended.received[2]["params"] == {
        "command": COMMANDS.get(arguments[0], f"glossator.{arguments[0]}"),
        "arguments": [argument],
    }
    assert ended.code == 0


def test_the_log_is_quiet_without_verbose() -> None:
    assert "pid" not in glossator("status", "status").err


def test_a_question_from_stdin() -> None:
    ended = glossator("ask", "ask", "-v", "-", stdin="why\nis it so?\n")
    assert ended.received[2]["params"]["arguments"] == [{"question": "why\nis it so?"}]

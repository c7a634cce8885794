"""The actions on a file or lines of it: what is sent, and how wrong ones are told of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from glossator.cli import generic
from glossator.cli.app import app
from glossator.cli.launch import ALONE
from glossator.cli.options import document_lines
from glossator.commands.declared import DECLARED, EXPLORE_USAGE, LINE_ACTIONS
from glossator.core.errors import UsageError
from glossator.core.uri import to_uri
from tests.cli.support import Ended, glossator


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, beside a workspace."""
    for name in ("here/app.py", "here/src/12:3", "project/app.py", "project/lib/sea.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("depth = 1\n", "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def sent(ended: Ended) -> list[tuple[str, dict[str, Any]]]:
    return [
        (message["params"]["command"], message["params"]["arguments"][0])
        for message in ended.received
        if message.get("method") == "workspace/executeCommand"
    ]


@pytest.mark.parametrize("action", LINE_ACTIONS, ids=lambda action: action.word)
def test_what_is_sent(here: Path, action: Any) -> None:
    recording = "explored" if action is EXPLORE_USAGE else "ask"
    ended = glossator(recording, action.word, "app.py:1", "as", "you like", "-v", cwd=here)
    lines = {"uri": to_uri(str(here / "app.py")), "firstLine": 1, "lastLine": 1}
    assert sent(ended) == [(action.command, lines | {"instruction": "as you like"})]
    assert ended.code == 0


def test_it_goes_on_with_a_session(here: Path) -> None:
    ended = glossator("ask_continue", "fix", "app.py", "--continue", "-v", cwd=here)
    listed, (command, argument) = sent(ended)
    assert listed[0] == "glossator.listSessions"
    assert (command, argument["sessionId"]) == ("glossator.fix", "s2")


def test_options_that_exclude_each_other(here: Path) -> None:
    ended = glossator("ask", "explain", "app.py", "--continue", "--resume", "s1", cwd=here)
    assert (ended.code, "exclude each other" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("app.py", "here/app.py", None),
        ("app.py:3", "here/app.py", (3, 3)),
        ("app.py:3-17", "here/app.py", (3, 17)),
        ("../here/app.py:3", "here/app.py", (3, 3)),
        ("{root}/here/app.py:3", "here/app.py", (3, 3)),
        ("src/12:3", "here/src/12:3", None),
        ("src/12:3:4", "here/src/12:3", (4, 4)),
    ],
)
def test_lines_of_a_file(here: Path, text: str, path: str, lines: tuple[int, int] | None) -> None:
    found = document_lines(text.format(root=here.parent), [here])
    expected = dict(zip(("firstLine", "lastLine"), lines, strict=True)) if lines else {}
    assert found == {"uri": to_uri(str(here.parent / path)), **expected}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("lib/sea.py:1", "project/lib/sea.py"),
        ("app.py", "project/app.py"),  # the one here is not in the workspace
        ("../project/app.py", "project/app.py"),
        ("src", "here/src"),  # the server says that it is outside
    ],
)
def test_a_path_of_a_workspace_elsewhere(here: Path, text: str, path: str) -> None:
    found = document_lines(text, [here.parent / "project"])
    assert found["uri"] == to_uri(os.path.join(here.parent, path))


@pytest.mark.parametrize("text", ["nowhere.py", "nowhere.py:3", "app.py:3-", "app.py:", "x" * 5000])
def test_no_such_file(here: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"There is no file .* neither here nor in the workspace"):
        document_lines(text, [here])


def test_lines_in_reverse_are_put_right(here: Path) -> None:
    with pytest.raises(UsageError, match=r"reverse; .*: app.py:1-3\."):
        document_lines("app.py:3-1", [here])


def test_the_server_is_started_early_for_every_command_that_asks_it() -> None:
    commands = {
        each.name or getattr(each.callback, "__name__", "") for each in app.registered_commands
    }
    groups = {group.name for group in app.registered_groups}
    asking = {each.terminal.split()[0] for each in DECLARED.values() if each.terminal}
    assert commands | groups == {*asking, *ALONE}
    assert {name.split()[0] for name in generic.ALONE} - asking == ALONE

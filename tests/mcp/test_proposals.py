"""What a workspace proposes runs only once adopted, and asks again after any change."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.mcp import supervisor
from glossator.mcp.answers import McpState
from glossator.mcp.hub import KIND
from glossator.mcp.servers import name_problem, project_servers, user_servers
from glossator.permissions import Approvals, Switches
from glossator.settings.groups import McpServerSettings
from tests.mcp.hubs import ODD, Hub, hub, odd
from tests.patience import until


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def propose(root: Path, **servers: Any) -> None:
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))


def notes_of(root: Path) -> Path:
    return root.parent / "notes"


async def test_it_does_not_run_by_itself(root: Path) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),)) as h:
        view = h.view("odd")
        assert view.state is McpState.PROPOSED
        assert view.description.endswith(f"{ODD} {notes_of(root)}")
        assert view.uri == (root / ".mcp.json").as_uri()
        assert h.servers.left_out() == ("1 MCP server",)
        assert not h.servers.running
    assert not notes_of(root).exists()


async def test_it_runs_once_adopted_and_until_forgotten(root: Path) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
        assert h.view("odd").state is McpState.READY
        assert h.servers.left_out() == ()
    async with hub({}, (str(root),)) as h:  # another server of ours
        assert h.view("odd").state is McpState.READY
        await h.servers.forget("odd")
        assert h.view("odd").state is McpState.PROPOSED
        assert h.servers.tools() == ()
        with pytest.raises(UsageError, match="not adopted"):
            await h.servers.forget("odd")


def turned_off(h: Hub, root: Path) -> None:
    Switches(pytest.fail, lambda: (str(root),)).turn(ContextKind.MCP, "odd", on=False)


def not_adopted(h: Hub, root: Path) -> None:
    assert Approvals(pytest.fail).forget(KIND, "odd", str(root))


def distrusted(h: Hub, root: Path) -> None:
    h.trusted = False


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (turned_off, "You turned it off here."),
        (not_adopted, "the workspace proposes it; adopt it to let it run."),
        (distrusted, "the folder is not trusted, so nothing of it is started."),
    ],
)
async def test_what_another_process_does_counts_for_the_next_call(
    root: Path, happens: Callable[[Hub, Path], None], why: str
) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
        await h.call("mcp__odd__echo", pattern="x")
        happens(h, root)
        assert h.servers.tools() == ()
        with pytest.raises(UsageError, match=re.escape(f"may not run any more: {why}\n")):
            await h.call("mcp__odd__echo", pattern="x")
        await h.servers.refresh()  # as with the next question
        assert not h.servers.running


async def test_adopted_is_not_trusted(root: Path) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
    notes_of(root).unlink()
    async with hub({}, (str(root),), trusted=False) as h:
        assert h.view("odd").state is McpState.UNTRUSTED
        assert h.servers.left_out() == ("1 MCP server",)
    assert not notes_of(root).exists()


async def test_what_changed_meanwhile_is_not_adopted(root: Path) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),)) as h:
        seen = h.view("odd").sha256
        propose(root, odd=odd(notes_of(root), "noise"))
        with pytest.raises(UsageError, match="changed meanwhile"):
            await h.servers.adopt("odd", seen)
    assert not notes_of(root).exists()


def script(root: Path) -> dict[str, Any]:
    """A server whose program is a file of the workspace."""
    (root / "server.py").write_text(ODD.read_text())
    args = ["-I", "-S", "server.py", str(notes_of(root))]
    return {"command": sys.executable, "args": args, "env": {"A": "1"}}


def more_arguments(root: Path, server: dict[str, Any]) -> None:
    propose(root, odd=server | {"args": [*server["args"], "noise"]})


def other_program(root: Path, server: dict[str, Any]) -> None:
    propose(root, odd=server | {"command": "/bin/sh"})


def other_variable(root: Path, server: dict[str, Any]) -> None:
    propose(root, odd=server | {"env": {"A": "2"}})


def other_folder(root: Path, server: dict[str, Any]) -> None:
    propose(root, odd=server | {"cwd": "/"})


def other_content(root: Path, _server: dict[str, Any]) -> None:
    with (root / "server.py").open("a") as file:
        file.write("# another line\n")


def an_address(root: Path, _server: dict[str, Any]) -> None:
    propose(root, odd={"url": "http://127.0.0.1:1/"})


@pytest.mark.parametrize(
    "change",
    [
        more_arguments,
        other_program,
        other_variable,
        other_folder,
        other_content,
        an_address,
    ],
)
async def test_any_change_asks_again(
    root: Path, change: Callable[[Path, dict[str, Any]], None]
) -> None:
    server = script(root)
    propose(root, odd=server)
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
        assert h.view("odd").state is McpState.READY, h.told
        change(root, server)
        for _ in range(2):
            await h.servers.refresh()
        assert h.view("odd").state is McpState.CHANGED
        assert not h.servers.running
        (told,) = h.told
        assert told.startswith("The MCP server odd does not run: what would run is not what you")


@pytest.mark.parametrize(
    "more",
    [
        {"env": {"BASH_ENV": "${workspaceFolder}/a b.sh"}},
        {"env": {"NODE_OPTIONS": "--require='${workspaceFolder}/a b.sh'"}},
        {"args": ["-c", "sh -e '${workspaceFolder}/a b.sh'"]},
        {"args": ["-c", "cd ${workspaceFolder}; . './a b.sh'"], "cwd": "${workspaceFolder}"},
        {"args": ["-r${workspaceFolder}/link"]},
        {"args": ["--from", "file://${workspaceFolder}/a%20b.sh"]},
    ],
)
def test_the_content_of_files_counts_wherever_they_are_named(
    root: Path, more: dict[str, Any]
) -> None:
    file = root / "a b.sh"
    (root / "link").symlink_to(file)
    propose(root, odd={"command": "/bin/sh", **more})
    hashes = set()
    for content in ("one", "two"):
        file.write_text(content)
        (spec,), _ = project_servers((str(root),), {"PATH": "/bin"})
        hashes.add(spec.sha256)
        assert spec.files == (str(file),)
    assert len(hashes - {""}) == 2


def test_before_trust_no_file_is_read_and_then_not_too_much(root: Path) -> None:
    with (root / "big").open("wb") as file:
        file.truncate(60_000_000)
    (root / "other").symlink_to("big")
    with (root / "more").open("wb") as file:
        file.truncate(60_000_000)
    folder = "${workspaceFolder}"
    propose(
        root,
        a={"command": "/bin/sh", "args": [f"{folder}/big", f"{folder}/other"]},
        b={"command": "/bin/sh", "args": [f"{folder}/big", f"{folder}/more"]},
        c={"command": "/bin/sh", "args": [f"{folder}/more"]},
    )
    found, _ = project_servers((str(root),), {"PATH": "/bin"}, trusted=False)
    assert [(spec.sha256, spec.problem) for spec in found] == [("", "")] * 3
    first, second, third = project_servers((str(root),), {"PATH": "/bin"})[0]
    assert first.sha256
    assert "too large" in second.problem
    assert third.sha256  # what another one names takes nothing from it


def test_a_link_is_followed_within_the_workspace_only(root: Path) -> None:
    servers = json.dumps({"mcpServers": {"odd": {"command": "/bin/sh"}}})
    for file in (root / "servers.json", root.parent / "servers.json"):
        file.write_text(servers)
    (root / ".mcp.json").symlink_to("servers.json")
    assert len(project_servers((str(root),), {})[0]) == 1
    (root / ".mcp.json").unlink()
    (root / ".mcp.json").symlink_to("../servers.json")
    found, (problem,) = project_servers((str(root),), {})
    assert found == []
    assert "was not read" in problem


async def test_nothing_is_adopted_before_trust(root: Path) -> None:
    propose(root, odd=odd(notes_of(root)))
    async with hub({}, (str(root),), trusted=False) as h:
        with pytest.raises(UsageError, match="not trusted"):
            await h.servers.adopt("odd", h.view("odd").sha256)


def test_servers_that_are_too_many_are_said(root: Path) -> None:
    propose(root, **{f"s{number}": {"command": "/bin/sh"} for number in range(52)})
    found, problems = project_servers((str(root),), {"PATH": "/bin"})
    assert len(found) == 50
    assert "names 52 servers; only 50 count" in problems[0]


async def test_a_change_also_counts_where_it_is_started_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the model edits the program of a server, and makes that server die."""
    monkeypatch.setattr(supervisor, "FIRST_WAIT", 0.01)
    server = script(root)
    propose(root, odd=server)
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
        other_content(root, server)
        with pytest.raises(UsageError):
            await h.call("mcp__odd__die")
        await until(
            lambda: "has changed, so it is not started" in h.servers.why_not_connected("odd")
        )
        await h.servers.refresh()
        assert h.view("odd").state is McpState.CHANGED
    notes = notes_of(root).read_text().splitlines()
    assert [line.split()[0] for line in notes].count("started") == 1


async def test_a_change_while_the_sdk_is_loaded_counts(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = script(root)
    propose(root, odd=server)
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
    notes_of(root).unlink()

    async def changed(name: str) -> ModuleType:
        other_content(root, server)
        return import_module(name)

    monkeypatch.setattr(supervisor, "import_aside", changed)
    async with hub({}, (str(root),)) as h:
        assert "has changed, so it is not started" in h.servers.why_not_connected("odd")
    assert not notes_of(root).exists()


async def test_a_description_that_says_the_same_does_not(root: Path) -> None:
    """The order of keys, and keys of other clients, change nothing that runs."""
    server = odd(notes_of(root))
    propose(root, odd=server)
    async with hub({}, (str(root),)) as h:
        await h.servers.adopt("odd", h.view("odd").sha256)
        await h.servers.settled()
        propose(root, odd={"autoApprove": ["*"], **dict(reversed(server.items()))})
        await h.servers.refresh()
        assert h.view("odd").state is McpState.READY


async def test_the_users_own_wins_and_needs_no_adoption(root: Path) -> None:
    propose(root, odd={"command": "/bin/false"})
    async with hub({"odd": odd(notes_of(root))}, (str(root),), trusted=False) as h:
        assert h.view("odd").state is McpState.READY
        assert "stands in your settings" in h.servers.listed().problems[0]
        with pytest.raises(UsageError, match="your own settings"):
            await h.servers.proposal("odd")


async def test_ones_own_that_a_workspace_influences_waits_for_trust(root: Path) -> None:
    server = script(root)
    script_of_it = "cd ${workspaceFolder} && " + f"touch {notes_of(root)}"
    own = {
        "file": server | {"args": ["-I", str(root / "server.py"), str(notes_of(root))]},
        "folder": odd(notes_of(root), cwd="${workspaceFolder}"),
        "argument": odd(notes_of(root), "${workspaceFolder}"),
        "option": odd(notes_of(root), "-C${workspaceFolder}"),
        "address": odd(notes_of(root), root.as_uri()),
        "variable": odd(notes_of(root), env={"PYTHONPATH": "/lib:${workspaceFolder}"}),
        "script": {"command": "/bin/sh", "args": ["-c", script_of_it]},
    }
    async with hub(own, (str(root),), trusted=False) as h:
        assert {h.view(name).state for name in own} == {McpState.UNTRUSTED}
    assert not notes_of(root).exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "cannot be read"),
        ("[]", 'no object "mcpServers"'),
        ('{"mcpServers": []}', 'no object "mcpServers"'),
        ("[" * 100_000, "cannot be read"),
        ('{"mcpServers": {}}' + " " * 100_000, "shorten it"),
    ],
)
def test_a_file_that_cannot_be_read(root: Path, text: str, problem: str) -> None:
    (root / ".mcp.json").write_text(text)
    found, problems = project_servers((str(root),), {})
    assert found == []
    assert problem in problems[0]


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ({}, "either a command or a url"),
        ({"command": "x", "url": "http://a"}, "either a command or a url"),
        ({"url": "http://a", "args": ["x"]}, "belong to a command"),
        ({"command": "/bin/sh", "headers": {"a": "b"}}, "belong to a url"),
        ({"command": "/bin/sh", "type": "http"}, "does not fit"),
        ({"url": "file:///etc/passwd"}, "must begin with https://"),
        ({"command": "/bin/sh", "args": ["${NOWHERE}"]}, "no variable NOWHERE"),
        ({"command": "/bin/sh", "args": "x"}, "args: "),
        ({"command": "./nothing"}, "no program ./nothing"),
        ({"command": "/bin/sh", "args": ["a\0b"]}, "cannot be used"),
        ({"command": "/bin/sh", "args": ["\ud800"]}, "cannot be used"),
        ({"command": "a\0b"}, "no program a"),
        ({"command": "/bin/sh", "env": {"A": "\ud800"}}, "cannot be used"),
        ({"command": "/bin/sh", "cwd": "a\0"}, "cannot be used"),
        ({"url": "http://[::1"}, "cannot be used"),
        (7, "it: "),
    ],
)
def test_a_server_that_cannot_run_says_why(root: Path, server: Any, problem: str) -> None:
    propose(root, odd=server)
    ((spec,), _) = project_servers((str(root),), {"PATH": "/bin"})
    assert problem in spec.problem
    assert spec.launch is None


def test_variables_are_filled_in_and_named(root: Path) -> None:
    given = {
        "command": "/bin/sh",
        "args": ["--key=${KEY}", "${EMPTY}", "${PLACE:-here}", "${workspaceFolder}"],
        "env": {"TOKEN": "${KEY}"},
    }
    settings = {"a": McpServerSettings.model_validate(given)}
    environment = {"KEY": "secret", "EMPTY": "", "HOME": "/home/a"}
    (spec,) = user_servers(settings, environment, (str(root),))
    assert spec.launch is not None
    assert spec.launch.command == ("/bin/sh", "--key=secret", "", "here", str(root))
    assert spec.launch.environment["TOKEN"] == "secret"
    assert spec.launch.cwd == "/home/a"  # not the workspace, where its programs could be looked up
    assert spec.variables == ("KEY", "EMPTY", "PLACE")
    assert "secret" not in spec.words + repr(spec.launch.environment.keys())


@pytest.mark.parametrize("name", ["", "a b", "a__b", "_a", "a_", "x" * 31, "é", "a/b", "a.b"])
def test_names_that_rules_could_not_tell_apart(name: str) -> None:
    assert name_problem(name)


@pytest.mark.parametrize("name", ["github", "my-server", "my_server", "x" * 30, "7"])
def test_names(name: str) -> None:
    assert name_problem(name) == ""

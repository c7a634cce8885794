"""Hooks read and write the arguments of calls in the names that Claude Code's hooks know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.application.toolbox import all_tools
from glossator.hooks.execution import ARGUMENT_NAMES, arguments_of, input_of
from glossator.workspace.files.roots import Roots

TOOLS = all_tools(diagnostics=True, agents=True)


@pytest.mark.parametrize(
    ("tool", "ours", "theirs"),
    [
        ("Read", {"path": "a.py", "offset": 2}, {"file_path": "/a.py", "offset": 2}),
        ("Write", {"path": "b/../a.py", "content": "x"}, {"file_path": "/a.py", "content": "x"}),
        (
            "Edit",
            {"path": "link.py", "old_text": "x", "new_text": "y"},
            {"file_path": "/a.py", "old_string": "x", "new_string": "y"},
        ),
        (
            "MultiEdit",
            {"path": "a.py", "edits": [{"old_text": "x", "new_text": "y", "replace_all": True}]},
            {
                "file_path": "/a.py",
                "edits": [{"old_string": "x", "new_string": "y", "replace_all": True}],
            },
        ),
        (
            "Bash",
            {"command": "make", "background": True, "timeout_seconds": 5, "cwd": "b"},
            {"command": "make", "run_in_background": True, "timeout": 5000, "cwd": "/b"},
        ),
        ("Bash", {"command": "make"}, {"command": "make"}),
        (
            "Grep",
            {"pattern": "x", "path": "b", "output_mode": "files", "-i": True},
            {"pattern": "x", "path": "/b", "output_mode": "files_with_matches", "-i": True},
        ),
        ("Glob", {"pattern": "*.py"}, {"pattern": "*.py"}),
        ("Move", {"path": "a.py", "new_path": "c.py"}, {"path": "/a.py", "new_path": "/c.py"}),
        ("Skill", {"name": "swim", "arguments": "far"}, {"skill": "swim", "args": "far"}),
    ],
)
def test_each_way(tmp_path: Path, tool: str, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """What a hook is given means, when it gives it back, the same call."""
    (tmp_path / "a.py").write_text("x\n")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "b").mkdir()
    given = input_of(tool, ours, Roots.of([str(tmp_path)]).locate)
    assert given == {
        key: f"{tmp_path}{value}" if str(value).startswith("/") else value
        for key, value in theirs.items()
    }
    args = TOOLS[tool].args
    back = args.model_validate(arguments_of(tool, given)).of_tool()
    located = {key: given.get("file_path", given.get(key)) for key in ("path", "new_path", "cwd")}
    assert back == ours | {key: path for key, path in located.items() if key in ours}


def test_the_table_names_tools_and_arguments_that_there_are() -> None:
    for tool, names in ARGUMENT_NAMES.items():
        known = set(TOOLS[tool].args.names()) | {"old_text", "new_text"}  # of MultiEdit's edits
        assert names.keys() <= known, tool


def test_arguments_of_servers_are_theirs(tmp_path: Path) -> None:
    given = {"path": "a.py", "old_text": "x"}
    assert input_of("mcp__odd__echo", given, Roots.of([str(tmp_path)]).locate) == given


@pytest.mark.parametrize(
    ("tool", "updated", "meant"),
    [
        ("Read", {"file_path": "/a.py", "path": "b.py"}, {"path": "b.py"}),
        (
            "Bash",
            {"command": "make", "timeout": 9000, "timeout_seconds": 5},
            {"command": "make", "timeout_seconds": 5},
        ),
        (
            "MultiEdit",
            {
                "file_path": "/a.py",
                "edits": [{"old_string": "x", "new_string": "y", "new_text": "z"}],
            },
            {"path": "/a.py", "edits": [{"old_text": "x", "new_text": "z"}]},
        ),
    ],
)
def test_a_hook_may_use_the_names_of_the_tool(
    tool: str, updated: dict[str, Any], meant: dict[str, Any]
) -> None:
    """Beside the names that it was given, which then do not count."""
    args = TOOLS[tool].args
    assert args.model_validate(arguments_of(tool, updated)).of_tool() == meant

"""Arguments as models write them by habit, and what is told of those that are not understood."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from glossator.application.toolbox import all_tools
from glossator.llm.model import ToolCall
from glossator.turn.calls import call_tool, permit_direct_call
from tests.workspaces import MakeWorkspace

TOOLS = all_tools(diagnostics=True, agents=True)
WHY = {"description": "Look for it", "explanation": "…", "reason": "…", "title": "…"}


@pytest.mark.parametrize(
    ("tool", "habit", "own"),
    [
        ("Bash", {"cmd": "ls", **WHY}, {"command": "ls"}),
        ("Bash", {"command": "ls", "timeout": 120_000}, {"command": "ls", "timeout_seconds": 120}),
        ("Bash", {"command": "ls", "timeout": 90}, {"command": "ls", "timeout_seconds": 90}),
        ("Bash", {"command": "ls", "timeout": 900}, {"command": "ls", "timeout_seconds": 600}),
        ("Bash", {"command": "ls", "timeout": 10**7}, {"command": "ls", "timeout_seconds": 600}),
        ("Bash", {"command": "ls", "workdir": "a"}, {"command": "ls", "cwd": "a"}),
        ("Bash", {"command": "ls", "working_directory": "a"}, {"command": "ls", "cwd": "a"}),
        ("Explore", {"prompt": "x", "description": "y"}, {"task": "x"}),
        ("Explore", {"query": "x", "subagent_type": "general-purpose"}, {"task": "x"}),
        ("Explore", {"question": "x", "subagent_type": "law"}, {"task": "x", "agent": "law"}),
        ("Fork", {"prompt": "x", "subagent_type": "law", "description": "y"}, {"task": "x"}),
        (
            "Todo",
            {"todos": [
                {"content": "a", "status": "completed", "id": "1", "priority": "high"},
                {"content": "b", "status": "in_progress", "activeForm": "doing b"},
                {"content": "c", "status": "pending"},
            ]},
            {"steps": [
                {"text": "a", "state": "done"},
                {"text": "b", "state": "active"},
                {"text": "c"},
            ]},
        ),
        ("Todo", {"steps": [{"text": "a", "state": "in-progress"}]},
         {"steps": [{"text": "a", "state": "active"}]}),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_str": "y"}]},
            {"path": "a", "edits": [{"old_text": "x", "new_text": "y"}]},
        ),
        (
            "MultiEdit",
            {"path": "a", "edits": '[{"old_text": "x", "new_text": "[1]", "replace_all": null}]'},
            {"path": "a", "edits": [{"old_text": "x", "new_text": "[1]"}]},
        ),
        ("Todo", {"todos": '[{"text": "a"}]'}, {"steps": [{"text": "a"}]}),
        ("Grep", {"pattern": "a", "path": None, "-i": None, "head_limit": None, "regex": None},
         {"pattern": "a"}),
        ("Read", {"path": "a", "offset": None, "limit": None, "end_line": None}, {"path": "a"}),
        ("Bash", {"command": "ls", "cwd": None, "timeout": None}, {"command": "ls"}),
        ("Write", {"path": "a", "content": "[1]"}, {"path": "a", "content": "[1]"}),
        (
            "AskUser",
            {
                "question": "x",
                "header": "h",
                "multiSelect": True,
                "options": ["a", {"label": "b", "description": "c"}],
            },
            {
                "question": "x",
                "several": True,
                "options": [{"label": "a"}, {"label": "b", "detail": "c"}],
            },
        ),
        ("Grep", {"regex": "a.b", "-w": True}, {"pattern": r"\b(?:a.b)\b"}),
        ("Grep", {"pattern": "a.b(", "-F": True}, {"pattern": r"a\.b\("}),
        ("Grep", {"pattern": "a|b", "fixed_strings": True, "-w": True},
         {"pattern": r"\b(?:a\|b)\b"}),
        ("Grep", {"pattern": "a.b", "-F": False, "-w": False, "-o": False}, {"pattern": "a.b"}),
        ("Grep", {"pattern": "a", "-o": True}, {"pattern": "a", "output_mode": "content"}),
        ("Grep", {"pattern": "a", "file_type": "py", "mode": "count"},
         {"pattern": "a", "type": "py", "output_mode": "count"}),
        ("Grep", {"pattern": "a", "path": ["b"], "glob": ["*.py"]},
         {"pattern": "a", "path": "b", "glob": "*.py"}),
        ("Grep", {"pattern": "a", "include": ["*.py", "*.{ts,tsx}"]},
         {"pattern": "a", "glob": "{*.py,*.{ts,tsx}}"}),
        ("Grep", {"pattern": "a", "exclude": ["*.py", "*.md"]},
         {"pattern": "a", "glob": "!{*.py,*.md}"}),
        ("Grep", {"pattern": "a", "recursive": True}, {"pattern": "a"}),
        ("Symbols", {"symbol": "a", "mode": "definition"}, {"name": "a", "mode": "definitions"}),
        ("Symbols", {"symbol": "a", "mode": "reference"}, {"name": "a", "mode": "references"}),
        ("Symbols", {"symbol": "a", "mode": "caller"}, {"name": "a", "mode": "callers"}),
        *(
            ("Read", {"path": "a", first: 2, last: 4}, {"path": "a", "offset": 2, "limit": 3})
            for first, last in (
                ("start_line", "end_line"), ("line_start", "line_end"), ("start", "end"),
            )
        ),
        ("Read", {"path": "a", "end_line": 4}, {"path": "a", "limit": 4}),
        ("Read", {"path": "a", "start_line": 2}, {"path": "a", "offset": 2}),
        ("Read", {"path": "a", "end": 9_999}, {"path": "a", "limit": 2_000}),
        ("Search", {"query": "a", "max_results": 100}, {"query": "a", "limit": 20}),
        ("Search", {"query": "a", "limit": 50}, {"query": "a", "limit": 20}),
    ],
)  # fmt: skip
def test_what_is_meant(tool: str, habit: dict[str, Any], own: dict[str, Any]) -> None:
    args = TOOLS[tool].args
    meant, expected = args.model_validate(habit), args.model_validate(own)
    assert meant == expected
    assert meant.model_fields_set == expected.model_fields_set


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Bash", {"command": "ls", "timeout": 90, "timeout_seconds": 9}),
        ("Bash", {"command": "ls", "timeout": "soon"}),
        ("Bash", {"command": "ls", "timeout": True}),
        ("Explore", {"prompt": "x", "query": "y"}),
        ("Fork", {"task": "x", "agent": "law"}),
        ("Todo", {"todos": [{"content": "a", "status": "cancelled"}]}),
        ("Grep", {"pattern": "a", "recursive": False}),
        ("Grep", {"pattern": "a", "-r": False}),
        ("Grep", {"pattern": "a", "-o": True, "output_mode": "count"}),
        ("Grep", {"pattern": "a", "-w": "yes"}),
        ("Grep", {"pattern": "a", "glob": ["src", "*.py"]}),  # all of a folder, or a file?
        ("Grep", {"pattern": "a", "glob": ["*.py", "!test_*"]}),
        ("Grep", {"pattern": "a", "glob": []}),
        ("Grep", {"pattern": "a", "invert": True, "reason": "…"}),
        ("Read", {"path": "a", "start": 4, "end": 2}),
        ("Read", {"path": "a", "offset": 2, "end_line": 4, "limit": 1}),
        ("Search", {"query": "a", "limit": 0}),
        ("Write", {"path": "a", "content": "b", "mode": "append"}),
    ],
)
def test_what_may_mean_something_else_is_refused(tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TOOLS[tool].args.model_validate(arguments)


GREP = "It takes pattern, path, glob, type, output_mode, -i, -B, -A, -C, multiline, head_limit,"
EDITS = "Each of edits takes old_text, new_text, replace_all."


@pytest.mark.parametrize(
    ("tool", "arguments", "problem", "takes"),
    [
        ("Grep", {"pattern": "a", "output_mode": "json"}, "output_mode: Input should be", GREP),
        (
            "Grep",
            {"pattern": "a", "path": ["b", "c"]},
            "arguments: path is one file or folder; call Grep for each, or narrow by glob,",
            GREP,
        ),
        (
            "MultiEdit",
            {"path": "a", "edits": [{"old_text": "x", "with": "y"}]},
            "edits.0.new_text: Field required; edits.0.with: Extra inputs are not permitted.",
            EDITS,
        ),
        (
            "MultiEdit",
            {"path": "a", "edits": []},
            "edits: Tuple should have at least 1 item",
            EDITS,
        ),
        (
            "MultiEdit",
            {"edits": [{"old_text": "x"}]},
            "path: Field required; edits.0.new_text: Field required.",
            f"It takes path, edits. {EDITS}",
        ),
        (
            "Todo",
            {"steps": [{"text": "a", "state": "active"}] * 2},
            "steps: only one step can be active at a time.",
            "Each of steps takes text, state.",
        ),
    ],
)
async def test_what_is_wrong_is_told_with_what_would_be_right(
    workspace: MakeWorkspace, tool: str, arguments: dict[str, Any], problem: str, takes: str
) -> None:
    ws = await workspace({"a": ""})
    context = ws.context()
    result = await call_tool(TOOLS, ToolCall("c", tool, arguments), context, permit_direct_call)
    assert result.error
    first, advice = result.text.split("\n")
    assert first.startswith(f"{tool} was not run: {problem}")
    assert advice.startswith(f"Correct the arguments and call it again. {takes}")


async def test_a_path_with_lines(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.md": "1\n2\n3\n4\n5\n", "real:2": "of that name\n", "b": "x\n"})
    assert (await ws.call("Read", path="a.md:2-3")).text.startswith("2\t2\n3\t3\n[L2-L3 of 5;")
    assert (await ws.call("Read", path="a.md:4")).text == "4\t4\n5\t5"
    assert (await ws.call("Read", path="real:2")).text == "1\tof that name"
    assert (await ws.call("Read", path="gone.md:2-3")).text.startswith("gone.md does not exist.")
    for path in ("a.md:3-2", "a.md:0"):
        assert (await ws.call("Read", path=path)).text.startswith(f"{path} does not exist.")
    ws.hidden = lambda path: path.endswith("b")
    assert "permission rules keep b from being read" in (await ws.call("Read", path="b:1")).text


async def test_a_path_with_lines_is_decided_about_by_its_file_too(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"a.md": "1\n"})
    args = TOOLS["Read"].args.model_validate({"path": "a.md:1"})
    assert args.reached(ws.snapshot) == (f"{ws.root}/a.md:1", f"{ws.root}/a.md")


def test_what_no_command_can_hold() -> None:
    with pytest.raises(ValidationError, match="it contains a NUL"):
        TOOLS["Bash"].args.model_validate({"command": "echo a\0b"})

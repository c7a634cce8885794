"""What people read of a failed call: what failed and why, no word that is meant for the model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import glossator
from glossator.core.events import ToolFinished
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {"fish.py": "depth = 1\n", "large.py": "depth = 1\n" * 30_000}
EDIT = {"path": "fish.py", "old_text": "depth", "new_text": "depths"}
NO_EDIT = "Nothing was changed: "
PLAN = (
    "Plan mode only reads: no file is changed, and only shell commands run that are known to"
    " change nothing."
)


@pytest.mark.parametrize(
    ("permissions", "tool", "arguments", "summary"),
    [
        ({"mode": "plan"}, "Edit", EDIT, PLAN),
        ({"mode": "ask"}, "Edit", EDIT, "You refused this."),  # the model reads "The user"
        (
            {"mode": "auto", "deny": ["Edit(fish.py)"]},
            "Edit",
            EDIT,
            "The user's permission rules do not allow this (denied: Edit(fish.py)).",
        ),
        ({}, "Read", {}, "Read was not run: path: Field required."),
        ({}, "Read", {"path": "gone.py"}, "gone.py does not exist."),
        ({}, "Read", {"path": "fish.py", "offset": 9}, "fish.py has 1 lines; there is no line 9."),
        (
            {},
            "Read",
            {"path": "large.py"},
            "large.py has 292 KB in 30,000 lines, too much to read at once.",
        ),
        ({}, "Swim", {}, "There is no tool Swim."),
        (
            {"mode": "auto"},
            "Edit",
            EDIT | {"replace_all": True},
            f"{NO_EDIT}fish.py was not read in this conversation.",
        ),
        (
            {"mode": "auto"},
            "Move",
            {"path": "fish.py", "new_path": "large.py"},
            "Nothing was moved: large.py already exists, and Move replaces nothing.",
        ),
    ],
)
async def test_a_failure_in_a_line(
    tmp_path: Path,
    permissions: dict[str, Any],
    tool: str,
    arguments: dict[str, Any],
    summary: str,
) -> None:
    script = [Turn(ToolUse(tool, arguments, "a")), Turn(Text("Hm."))]
    async with stage(tmp_path, FILES, script, {"permissions": permissions}) as s:
        await s.ask("Dive.")
        (finished,) = s.port.of(ToolFinished)
        assert (finished.summary, finished.error) == (summary, True)
        told = s.results(1)["a"]["content"]
        for_model = summary.replace("You refused", "The user refused")
        assert told.startswith(f"{for_model}\n")  # what to do about it follows


_RAISED = ("UsageError", "Deny", "Refused", "failed", "_refusal")
_TO_THE_MODEL = re.compile(
    r"[.;:,] (?:use|read|give|call|choose|look|try|put|add|do not|make|move it|ask|tell|say|write)"
    r"\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "files", ["tools/*.py", "turn/*.py application/permission_checker.py", "edits/*.py"]
)
def test_instructions_do_not_stand_on_the_first_line(files: str) -> None:
    found = [
        line
        for pattern in files.split()
        for path in sorted(Path(glossator.__file__).parent.glob(pattern))
        for line in _first_lines(ast.parse(path.read_text("utf-8")))
    ]
    assert len(found) > 5
    assert [line for line in found if _TO_THE_MODEL.search(line)] == []


def _first_lines(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _name(node.func) in _RAISED:
            yield _words(node.args[0]).partition("\n")[0]


def _name(called: ast.expr) -> str:
    return getattr(called, "attr", "") or getattr(called, "id", "")


def _words(message: ast.expr) -> str:
    """A message, with … where something is filled in."""
    if isinstance(message, ast.JoinedStr):
        return "".join(map(_words, message.values))
    return str(message.value) if isinstance(message, ast.Constant) else "…"

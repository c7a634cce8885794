"""What every tool shares: arguments, schemas, threads, file types."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from importlib import import_module
from pathlib import Path

import pytest

from glossator.application.toolbox import all_tools, reading_tools
from glossator.core.errors import UsageError
from glossator.tools import base
from glossator.tools.base import Cancellation, cancellable, searching
from glossator.tools.selection import extensions_of
from tests.workspaces import MakeWorkspace

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "server" / "glossator"
DOCS = "\n".join(each.read_text("utf-8") for each in (ROOT / "README.md", *ROOT.glob("docs/*.md")))


def is_tool(kind: type) -> bool:
    """A class with all that a tool has, but for the protocol itself."""
    return kind is not base.Tool and all(map(vars(kind).__contains__, ("name", "access", "run")))


async def test_cancelling_the_await_stops_the_thread() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(cancelled: Cancellation) -> None:
        begun.set()
        cancelled.wait()
        stopped.set()

    task = asyncio.create_task(cancellable(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(stopped.wait, 30)


async def test_searches_take_turns() -> None:
    told: list[str] = []

    def work(_cancelled: Cancellation) -> None:
        told.append("begins")
        time.sleep(0.01)  # so that another could begin
        told.append("ends")

    await asyncio.gather(*(searching(work) for _ in range(6)))
    assert told == ["begins", "ends"] * 6


async def test_a_long_search_keeps_another_waiting_only_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "_SEARCH_WAIT", 0.01)
    other_ran = threading.Event()
    long = asyncio.create_task(searching(lambda _cancelled: other_ran.wait(30)))
    await searching(lambda _cancelled: other_ran.set())
    assert await long


@pytest.mark.parametrize("name", sorted(reading_tools()))
async def test_wrong_arguments_are_told(workspace: MakeWorkspace, name: str) -> None:
    ws = await workspace({"a.py": ""})
    result = await ws.call(name, no_such_argument=1)
    assert result.error
    assert "no_such_argument" in result.text
    assert "Correct the arguments and call it again" in result.text


@pytest.mark.parametrize("tool", reading_tools().values(), ids=lambda tool: tool.name)
def test_every_argument_is_described(tool: object) -> None:
    schema = tool.args.model_json_schema()  # type: ignore[attr-defined] # every tool has arguments
    assert schema["additionalProperties"] is False
    undescribed = [
        name
        for name, field in schema["properties"].items()
        if "description" not in field and "enum" not in field
    ]
    assert undescribed == []


@pytest.mark.parametrize(
    ("name", "given", "asked"),
    [
        ("Bash", {"command": "make"}, "Run this command"),
        ("Edit", {"path": "a.py", "old_text": "a", "new_text": "b"}, "Edit a.py"),
        ("Write", {"path": "a.py", "content": ""}, "Write a.py"),
        ("Move", {"path": "a.py", "new_path": "b.py"}, "Move a.py to b.py"),
        ("Read", {"path": "a.py"}, "Read a.py"),
        ("Grep", {"pattern": "a", "path": "src"}, "Search in src"),
        ("Grep", {"pattern": "a"}, ""),  # the question is then "Use Grep?"
        ("Glob", {"pattern": "*.py"}, ""),
    ],
)
def test_what_a_question_says_that_a_call_would_do(
    name: str, given: dict[str, str], asked: str
) -> None:
    tool = all_tools(diagnostics=False, agents=False)[name]
    assert tool.args.model_validate(given).asked_to() == asked


@pytest.mark.parametrize(
    ("file_type", "ending"),
    [("py", ".pyi"), ("Python", ".py"), (".ts", ".tsx"), ("typescript", ".mts"), ("yml", ".yaml")],
)
def test_file_types(file_type: str, ending: str) -> None:
    assert ending in extensions_of(file_type)


def test_an_unknown_file_type() -> None:
    with pytest.raises(UsageError, match=r"'cobol'\.\nUse glob instead, or one of c, cpp"):
        extensions_of("cobol")


GREPPED = {"a.py": "One\ntwo\none\n", "b.md": "one\n"}


@pytest.mark.parametrize(
    ("tool", "habit", "own"),
    [
        ("Grep", {"regex": "one", "-n": True, "-H": True}, {"pattern": "one"}),
        ("Grep", {"query": "one", "include": "*.py"}, {"pattern": "one", "glob": "*.py"}),
        ("Grep", {"pattern": "one", "case_sensitive": False}, {"pattern": "one", "-i": True}),
        ("Grep", {"pattern": "one", "exclude": "*.md"}, {"pattern": "one", "glob": "!*.md"}),
        ("Grep", {"pattern": "one", "max_results": 1}, {"pattern": "one", "head_limit": 1}),
        ("Grep", {"pattern": "one", "-c": True}, {"pattern": "one", "output_mode": "count"}),
        ("Grep", {"pattern": "one", "output_mode": "files_with_matches"}, {"pattern": "one"}),
        (
            "Grep",
            {"pattern": "one", "file_path": "a.py", "output_mode": "content", "context_lines": 1},
            {"pattern": "one", "path": "a.py", "output_mode": "content", "-C": 1},
        ),
        ("Read", {"file_path": "a.py"}, {"path": "a.py"}),
        ("Glob", {"pattern": "*.py", "directory": "."}, {"pattern": "*.py", "path": "."}),
        ("Search", {"pattern": "one", "max_results": 1}, {"query": "one", "limit": 1}),
    ],
)
async def test_names_that_models_write_by_habit(
    workspace: MakeWorkspace, tool: str, habit: dict[str, object], own: dict[str, object]
) -> None:
    meant = await (await workspace(GREPPED)).call(tool, **habit)
    assert not meant.error, meant.text
    assert meant.text == (await (await workspace(GREPPED)).call(tool, **own)).text


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "one", "regex": "two"},  # which one is meant?
        {"pattern": "one", "-v": True},
        {"pattern": "one", "case_sensitive": "no", "-i": True},
        {"pattern": "one", "exclude": "*.md", "glob": "*.py"},
    ],
)
async def test_what_is_not_understood_is_refused(
    workspace: MakeWorkspace, arguments: dict[str, object]
) -> None:
    result = await (await workspace(GREPPED)).call("Grep", **arguments)
    assert result.error
    assert "It takes pattern, path, glob, type, output_mode, -i, -B" in result.text


def test_each_tool_is_in_the_toolbox_and_in_the_docs() -> None:
    """Those in the room of the tools, in `…_tool` or `…_tools` of an ability, in the toolbox."""
    modules = [
        f"glossator.{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}"
        for path in PACKAGE.rglob("*.py")
        if path.parent.name == "tools" or path.stem.endswith(("_tool", "_tools", "toolbox"))
    ]
    written = {
        value
        for module in map(import_module, modules)
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and is_tool(value)
    }
    known = all_tools(diagnostics=True, agents=True)
    assert {type(tool) for tool in known.values()} == written
    rows = " ".join(re.findall(r"^\| (`.*?) \|", DOCS, re.MULTILINE))
    assert [name for name in known if f"`{name}`" not in rows] == []

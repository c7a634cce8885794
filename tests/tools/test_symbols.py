"""Symbols: definitions, uses, callers and outlines, from a real worker process."""

from __future__ import annotations

import os
import re
import signal

import pytest

from glossator.core.tool_result import ToolResult
from glossator.tools.symbols import MAX_USES
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "zoo/fish.py": '''\
"""Fish."""

import zoo.water


class Fish:
    """Lives in water."""

    def swim(self, depth):
        """Swims at a depth in metres.

        Not deeper.
        """
        return zoo.water.press(depth)


def press(depth):
    # press is not called here
    return "press"
''',
    "zoo/water.py": "def press(depth):\n    return depth / 10\n",
    "app.ts": 'import { press } from "./press";\n\nexport const go = () => press(3);\n',
    "notes.txt": "To press, press.\nimpress\n",
}


def places(result: ToolResult) -> list[str]:
    return re.findall(r"^(\S+?:\d+):", result.text, re.MULTILINE)


def shown(ws: Workspace, result: ToolResult) -> list[tuple[str, int, int]]:
    names = {ws.uri(name): name for name in FILES}
    return [(names[span.uri], span.first_line, span.last_line) for span in result.spans]


async def test_definitions(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", name="swim")
    assert result.text == (
        "zoo/fish.py:9:    def swim(self, depth):"
        "  [method in Fish, lines 9-14: Swims at a depth in metres.]"
    )
    assert shown(ws, result) == [("zoo/fish.py", 9, 9)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("press", ["zoo/fish.py:17", "zoo/water.py:1"]),
        ("press()", ["zoo/fish.py:17", "zoo/water.py:1"]),
        ("water.press", ["zoo/water.py:1"]),
        ("zoo::water::press", ["zoo/water.py:1"]),
        ("zoo.press", ["zoo/fish.py:17", "zoo/water.py:1"]),  # a package, whatever the file
        ("Fish.swim", ["zoo/fish.py:9"]),
        ("fish.Fish.swim", ["zoo/fish.py:9"]),
        ("Bird.swim", []),
        ("Swim", []),
    ],
)
async def test_a_name_may_say_where(workspace: MakeWorkspace, name: str, found: list[str]) -> None:
    ws = await workspace(FILES)
    assert places(await ws.call("Symbols", name=name)) == found


async def test_references_and_callers(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", name="press", mode="references")
    assert result.text.splitlines() == [
        'app.ts:1:import { press } from "./press";  [import]',
        "app.ts:3:export const go = () => press(3);  [call in go]",
        "zoo/fish.py:14:        return zoo.water.press(depth)  [call in Fish > swim]",
        "zoo/fish.py:17:def press(depth):  [definition]",
        "zoo/water.py:1:def press(depth):  [definition]",
        "notes.txt:1:To press, press.  [mentioned]",
        "1 line mentions the name in files of languages that are not parsed.",
    ]
    assert ("zoo/fish.py", 14, 14) in shown(ws, result)
    callers = await ws.call("Symbols", name="press", mode="callers", path="zoo")
    assert callers.text == (
        "zoo/fish.py:14:        return zoo.water.press(depth)  [call in Fish > swim]"
    )


async def test_outline(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", mode="outline", path="zoo/fish.py")
    assert result.text.splitlines() == [
        "zoo/fish.py, 19 lines:",
        "6-14\tclass: class Fish",
        "9-14\t  method: def swim(self, depth)",
        "17-19\tfunction: def press(depth)",
    ]
    assert shown(ws, result) == [("zoo/fish.py", n, n) for n in (6, 9, 17)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"mode": "outline"}, "Give path"),
        ({"mode": "outline", "path": "a.py", "name": "x"}, "no name"),
        ({"mode": "outline", "path": "nowhere.py"}, "does not exist"),
        ({"mode": "outline", "path": "notes.txt"}, "Open it with Read"),
        ({"mode": "callers"}, "Give one whose callers you want"),
        ({"name": "()"}, "is no name of a symbol"),
        ({"name": "x" * 400}, "is no name of a symbol"),
        ({"name": "x", "path": "nowhere"}, "does not exist"),
    ],
)
async def test_what_cannot_be_done(
    workspace: MakeWorkspace, arguments: dict[str, str], says: str
) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", **arguments)
    assert result.error
    assert says in result.text


async def test_nothing_found_is_accounted_for(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, ".gitignore": "*.log\n", "big.log": "def whale(): pass\n"})
    result = await ws.call("Symbols", name="whale")
    assert not result.error
    lines = result.text.splitlines()
    assert lines[0] == "Found no definitions of whale."
    assert lines[1] == "Looked at 5 of 5 files."
    assert "0 hold it" in lines[2]
    assert "*.log (1)" in lines[3]


async def test_a_name_that_is_only_used(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "print(frob)\n", "b.sql": "select frob\n"})
    result = await ws.call("Symbols", name="frob")
    assert result.text.startswith("Found no definitions of frob.")
    assert "2 hold it" in result.text
    assert "b.sql:1:select frob  [mentioned]" in result.text


async def test_the_editors_text_is_what_counts(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.open("zoo/water.py", "\n\ndef press_hard(): pass\n")
    ws.open("new.py", "def press_new(): pass\n")
    assert places(await ws.call("Symbols", name="press_hard")) == ["zoo/water.py:3"]
    assert places(await ws.call("Symbols", name="press_new")) == ["new.py:1"]
    assert places(await ws.call("Symbols", name="press")) == ["zoo/fish.py:17"]
    ws.close("zoo/water.py")
    assert places(await ws.call("Symbols", name="press_hard")) == []
    ws.write("zoo/water.py", "def press_soft(): pass\n")
    assert places(await ws.call("Symbols", name="press_soft")) == ["zoo/water.py:1"]


async def test_a_span_can_be_cited_only_as_it_was(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", name="swim")
    (span,) = result.spans
    ws.open("zoo/fish.py", FILES["zoo/fish.py"])
    (again,) = (await ws.call("Symbols", name="swim")).spans
    assert span == again  # the same text, wherever it is


async def test_too_many_uses(workspace: MakeWorkspace) -> None:
    text = "def f(): pass\n" + "f()\n" * 300
    ws = await workspace({f"m{n}.py": text for n in range(4)})
    result = await ws.call("Symbols", name="f", mode="callers")
    assert len(places(result)) == MAX_USES
    assert result.omitted == 350
    assert "[350 more calls; narrow by path]" in result.text
    assert "2 more files may hold the name and were not read" in result.text
    assert len(result.text.encode()) <= 20_000


async def test_while_the_worker_is_away(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"m{n:02}.py": "def f(): pass\n" for n in range(30)})
    assert len(places(await ws.call("Symbols", name="f"))) == 30
    process_id = ws.worker.state.process_id
    assert process_id is not None
    pending = ws.call("Symbols", name="f", mode="references")
    os.kill(process_id, signal.SIGKILL)
    interrupted = await pending
    assert interrupted.error or "worker process is away" in interrupted.text
    result = await ws.call("Symbols", name="f")
    assert len(places(result)) == 20
    assert "The worker process is away" in result.text
    assert "10 more files may hold the name" in result.text


async def test_what_cannot_be_read_is_said(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n", "b.py": b"def f():\0 pass", "c.py": "#" * 3_000_000})
    ws.open("c.py", "f = 1 #" + "f" * 3_000_000 + " f")
    result = await ws.call("Symbols", name="f", mode="references")
    assert "1 file could not be read as text" in result.text
    assert "1 file with the name too large to parse" in result.text

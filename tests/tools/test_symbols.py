"""Symbols: definitions, uses, callers and outlines, from a real worker process."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable

import pytest

from glossator.core.span import Span
from glossator.core.tool_result import ToolResult
from glossator.symbols.symbol_report import MAX_USES
from tests.exhaustion import no_descriptor_left
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
        ({"mode": "callers", "name": "f", "body": True}, "Leave body out"),
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
    assert "0 contain it" in lines[2]
    assert "*.log (1)" in lines[3]


async def test_a_name_that_is_only_used(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "print(frob)\n", "b.sql": "select frob\n"})
    result = await ws.call("Symbols", name="frob")
    assert result.text.startswith("Found no definitions of frob.")
    assert "2 contain it" in result.text
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
    text = "def f(): pass\n" + "".join(f"f({n})\n" for n in range(300))
    ws = await workspace({f"m{n}.py": text for n in range(4)})
    result = await ws.call("Symbols", name="f", mode="callers")
    assert len(places(result)) == MAX_USES
    assert result.omitted == 350
    assert "[350 more calls; narrow by path]" in result.text
    assert "2 more files may contain the name and were not read" in result.text
    assert len(result.text.encode()) <= 20_000


async def test_while_the_worker_is_away(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"m{n:02}.py": "def f(): pass\n" for n in range(30)})
    assert len(places(await ws.call("Symbols", name="f"))) == 30
    process_id = ws.worker.state.process_id
    assert process_id is not None
    pending = ws.call("Symbols", name="f", mode="references")
    os.kill(process_id, signal.SIGKILL)
    interrupted = await pending
    assert interrupted.error or "worker process is not running" in interrupted.text
    result = await ws.call("Symbols", name="f")
    assert len(places(result)) == 20
    assert "The worker process is not running" in result.text
    assert "10 more files may contain the name" in result.text


async def test_a_worker_that_cannot_start_makes_no_proof(workspace: MakeWorkspace) -> None:
    """A process with too many open files: it may read a file, and start no process."""
    files = {f"m{n:02}.py": "x = 'get_host'\n" for n in range(30)}
    ws = await workspace(files | {"z/last.py": "def get_host(): pass\n"}, index=False)
    with no_descriptor_left(but=4):
        refused = await ws.call("Symbols", name="get_host")
        result = await ws.call("Symbols", name="get_host")
    why = (
        "could not be started (too many files are open; raise the limit with ulimit -n, or restart"
        " Glossator)"
    )
    assert refused.error
    assert refused.text.startswith(f"The worker process {why}; it can be started again in ")
    first, second, third, fourth = result.text.splitlines()[:4]
    assert first == "The search is incomplete."
    assert second.startswith(f"The worker process is not running (it {why}), so few files")
    assert third == "11 more files may contain the name and were not read: narrow by path."
    assert fourth == "Found no definitions of get_host in what was read."


async def test_what_cannot_be_read_is_said_where_nothing_is_found(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"a.py": "x = 1\n", "b.py": b"def f():\0 pass", "c.py": "#" * 3_000_000})
    ws.open("c.py", "f = 1 #" + "f" * 3_000_000 + " f")
    result = await ws.call("Symbols", name="f", mode="references")
    assert "1 file could not be read as text" in result.text
    assert "1 file with the name could not be parsed" in result.text
    ws.write("d.py", "f()\n")
    found = await ws.call("Symbols", name="f", mode="references")
    assert "d.py:1:f()  [call]" in found.text
    assert "could not be read" not in found.text
    assert "1 file with the name could not be parsed" in found.text


async def test_minified_lines_are_counted_and_not_shown(workspace: MakeWorkspace) -> None:
    minified = "function f(a){return a}" + "f(1);" * 200
    ws = await workspace({
        "app.js": f"f(2)\n{minified}\n",
        "lib/app.min.js": "f(3)\nf(4)\n\nf(5)\n",
        "list.txt": "word " * 200 + "f\n",
    })  # fmt: skip
    result = await ws.call("Symbols", name="f", mode="references")
    assert result.text.splitlines() == [
        "app.js:1:f(2)  [call]",
        "app.js: 201 uses in 1 minified line: 2",
        "lib/app.min.js: 3 uses in 3 minified lines: 1-2, 4",
        "list.txt: 1 mention in 1 long line: 1",
        "1 line mentions the name in files of languages that are not parsed.",
    ]
    lines = [(span.uri, span.first_line, span.last_line) for span in result.spans]
    assert lines == [(ws.uri("app.js"), 1, 1)]
    assert result.omitted == 0
    defined = await ws.call("Symbols", name="f")
    assert defined.text == "app.js: 1 definition in 1 minified line: 2"
    assert not defined.spans


async def test_lines_that_are_repeated_are_folded(workspace: MakeWorkspace) -> None:
    calls = "    f()\n    g(1)\n" * 3
    ws = await workspace({"a.py": f"def one():\n{calls}\ndef two():\n    f()\n    f()\n"})
    result = await ws.call("Symbols", name="f", mode="callers")
    assert result.text.splitlines() == [
        "a.py:2:    f()  [call in one]",
        "  … and 2 more like it, lines 4, 6",
        "a.py:10:    f()  [call in two]",
        "a.py:11:    f()  [call in two]",
    ]
    assert lines_of(result.spans) == [2, 10, 11]
    assert lines_of(result.citable) == [4, 6]
    assert result.omitted == 0


async def test_lines_are_vouched_for_only_where_one_sees_what_they_say(
    workspace: MakeWorkspace,
) -> None:
    calls = "    f()\n    g(1)\n" * 30
    ws = await workspace({
        "same.py": f"def one():\n{calls}",
        "alike.py": "def one():\n" + "".join(f"    f({n})\n" for n in range(30)),
        "app.min.js": "f(3)\n",
    })  # fmt: skip
    same = await ws.call("Symbols", name="f", mode="callers", path="same.py")
    *_, last = same.text.splitlines()
    listed = [*range(4, 44, 2)]  # of the others only that they are there
    assert last == f"  … and 29 more like it, lines {', '.join(map(str, listed))}, …"
    assert lines_of(same.citable) == listed
    for path in ("alike.py", "app.min.js"):
        assert not (await ws.call("Symbols", name="f", mode="callers", path=path)).citable


def lines_of(spans: Iterable[Span]) -> list[int]:
    return [line for span in spans for line in range(span.first_line, span.last_line + 1)]


async def test_many_uses_in_one_definition_are_folded(workspace: MakeWorkspace) -> None:
    calls = "".join(f"    f({n}, f({n}))\n" for n in range(30))
    few = "".join(f"    f({n})\n" for n in range(7))
    ws = await workspace({"a.py": f"def many():\n{calls}\ndef few():\n{few}"})
    result = await ws.call("Symbols", name="f", mode="callers")
    lines = result.text.splitlines()
    assert lines[:5] == [
        *(f"a.py:{n + 2}:    f({n}, f({n}))  [call in many]" for n in range(4)),
        "  … and 26 more like it, lines 6-31",
    ]
    assert lines[5:] == [f"a.py:{n + 34}:    f({n})  [call in few]" for n in range(7)]


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("PRESS", ["press: zoo/fish.py:17 and 1 more [function]"]),
        ("pres", ["press: zoo/fish.py:17 and 1 more [function]"]),
        ("Bird.swim", ["swim: zoo/fish.py:9 [method in Fish]"]),
        ("short_help", [
            "get_short_help: help.py:4 [function]",
            "make_default_short_help: help.py:1 [function]",
        ]),
        ("shortHelp", [
            "get_short_help: help.py:4 [function]",
            "make_default_short_help: help.py:1 [function]",
        ]),
        ("get_short_hlep", ["get_short_help: help.py:4 [function]"]),
        ("get_short_help_text", ["get_short_help: help.py:4 [function]"]),
        ("whale", []),
    ],
)  # fmt: skip
async def test_near_names_when_nothing_is_found(
    workspace: MakeWorkspace, asked: str, near: list[str]
) -> None:
    help_ = "def make_default_short_help(): pass\n\n\ndef get_short_help(): pass\n"
    ws = await workspace({**FILES, "help.py": help_})
    result = await ws.call("Symbols", name=asked)
    assert not result.error
    _, _, told = result.text.partition("\nSimilar names:\n")
    assert [line.strip() for line in told.splitlines()] == near
    assert not result.spans


async def test_near_names_are_told_only_where_they_help(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "secret.py": "def presss(): pass\n"})
    assert "Similar" not in (await ws.call("Symbols", name="Fish", mode="callers")).text
    assert "  press: " in (await ws.call("Symbols", name="prss", mode="callers")).text
    ws.open("new.py", "def prss_now(): pass\n")
    ws.hidden = lambda path: path.endswith("secret.py")
    result = await ws.call("Symbols", name="presss", path="zoo")
    assert "  press: " in result.text
    assert "  prss_now: new.py:1" in (await ws.call("Symbols", name="prssnow")).text
    assert "secret" not in result.text


async def test_near_names_are_few(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "".join(f"def near_{n}(): pass\n" for n in range(30))})
    result = await ws.call("Symbols", name="near_x")
    assert result.text.count("a.py:") == 8


async def test_bodies_are_shown_as_read_shows_them(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Symbols", name="press", body=True, path="zoo")
    assert result.text == (
        "zoo/fish.py:17-19  [function]\n"
        "17\tdef press(depth):\n"
        "18\t    # press is not called here\n"
        '19\t    return "press"\n'
        "zoo/water.py:1-2  [function]\n"
        "1\tdef press(depth):\n"
        "2\t    return depth / 10"
    )
    assert shown(ws, result) == [("zoo/fish.py", 17, 19), ("zoo/water.py", 1, 2)]


async def test_bodies_keep_to_their_budget(workspace: MakeWorkspace) -> None:
    body = "".join(f"    x = {n}\n" for n in range(150))
    ws = await workspace({f"m{n}.py": f"def f():\n{body}" for n in range(3)})
    result = await ws.call("Symbols", name="f", include_body=True)
    lines = result.text.splitlines()
    assert lines[0] == "m0.py:1-151  [function]"
    assert lines[152] == "m1.py:1-151  [function]"
    assert lines[202:] == [
        "[go on with Read: path=m1.py, offset=50, limit=102]",
        "m2.py:1:def f():  [function, lines 1-151]",
        "[without their bodies: 1; Read their lines]",
    ]
    last = [span.last_line for span in result.spans]
    assert last == [151, 49, 1]


async def test_a_body_s_long_line_is_cut_and_may_only_be_cited(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": f"def f():\n    return '{'x' * 600}'\n"})
    result = await ws.call("Symbols", name="f", body=True)
    assert "[cut; 613 characters in all]" in result.text
    assert [span.last_line for span in result.spans] == [1]
    assert [span.first_line for span in result.citable] == [2]

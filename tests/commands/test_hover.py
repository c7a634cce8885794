"""Hover: facts of the file's own outline."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from glossator.commands.hover import LOOKING, NO_GLOSS, HoverRequest, hover_at
from glossator.core.document import Document
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import Opened
from tests.patience import SECONDS
from tests.stage import Stage, stage

TEXT = '''\
import os


class Fish:
    def swim(self):
        """Swims."""


Fish().swim()
'''


@pytest.mark.parametrize(
    ("line", "character", "signature", "word"),
    [
        (8, 1, "class Fish", (0, 4)),
        (8, 4, "class Fish", (0, 4)),
        (8, 8, "def swim(self)", (7, 11)),
        (4, 9, "def swim(self)", (8, 12)),
        (0, 8, None, None),  # imported, not defined here
        (1, 0, None, None),
        (8, 99, None, None),  # an editor that is ahead of us, or behind
        (9999, 0, None, None),
    ],
)
async def test_hover(
    tmp_path: Path,
    line: int,
    character: int,
    signature: str | None,
    word: tuple[int, int] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", 20.0)  # on a busy machine
    async with stage(tmp_path, {}, ()) as s:
        uri = to_uri(str(tmp_path / "fish.py"))
        s.app.host.apply(Opened(uri, 1, TEXT))
        answer = await hover_at(s.app, HoverRequest(uri, Position(line, character)))
        if signature is None or word is None:
            assert answer is None
        else:
            assert answer is not None
            assert signature in answer.markdown
            assert (answer.start, answer.end) == ((line, word[0]), (line, word[1]))


FILES = {
    "zoo/__init__.py": "",
    "zoo/water.py": 'def press(depth):\n    """Presses."""\n',
    "zoo/near.py": "def press(): pass\n",
    "other/air.py": "def press(): pass\n\n\ndef blow(): pass\n",
    "script.js": "export function blow() {}\nexport function whistle() {}\n",
    "lib/sound.ts": "export function whistle() {}\n",
}


async def hover_says(s: Stage, name: str, text: str, word: str) -> str | None:
    """What a hover on the first `word` of an open document says."""
    uri = to_uri(str(s.root / name))
    s.app.host.apply(Opened(uri, 1, text))
    line, before = next(
        (number, line.partition(word)[0])
        for number, line in enumerate(text.splitlines())
        if word in line
    )
    answer = await hover_at(s.app, HoverRequest(uri, Position(line, len(before))))
    return None if answer is None else answer.markdown


async def hover_until_known(s: Stage, name: str, text: str, word: str) -> str | None:
    """What hovers say in the end."""
    async with asyncio.timeout(SECONDS):
        while (said := await hover_says(s, name, text, word)) == LOOKING:
            pass
        return said


async def timed_hover(s: Stage, name: str, text: str, word: str) -> tuple[float, str | None]:
    """How many seconds a hover takes, and what it says."""
    begun = time.monotonic()
    said = await hover_says(s, name, text, word)
    return time.monotonic() - begun, said


@pytest.mark.parametrize(
    ("name", "text", "word", "place", "others"),
    [
        ("zoo/fish.py", "from zoo.water import press\n", "press", "zoo/water.py:1-2", 2),
        ("zoo/fish.py", "from . import water\nwater.press()\n", "press", "zoo/water.py:1-2", 2),
        ("top.py", "import other.air\nother.air.press()\n", "press", "other/air.py:1-1", 2),
        ("other/x.py", "press()\n", "press", "other/air.py:1-1", 2),  # the nearest
        ("other/x.py", "blow()\n", "blow", "other/air.py:4-4", 0),  # not the script's
        ("x.ts", "import { whistle } from './lib/sound';\n", "whistle", "lib/sound.ts:1-1", 1),
        ("x.ts", "import { whistle } from './script.js';\n", "whistle", "script.js:2-2", 1),
        ("x.py", "whale()\n", "whale", None, 0),
        ("x.py", "__\n", "__", None, 0),
        ("x.json", '["press"]\n', "press", None, 0),
    ],
)
async def test_names_of_other_files(
    tmp_path: Path,
    name: str,
    text: str,
    word: str,
    place: str | None,
    others: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", 20.0)  # on a busy machine
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        said = await hover_says(s, name, text, word)
        if place is None:
            assert said is None
        else:
            assert said is not None
            said, end = said.removesuffix(NO_GLOSS).rstrip(), said
            assert end == f"{said}\n\n{NO_GLOSS}"
            assert f"function · {place}*" in said
            assert said.endswith(f"*and {others} more of this name*" if others else f"{place}*")


async def test_no_editor_waits_for_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", 0.0)
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        assert await hover_says(s, "x.py", "press()\n", "press") == LOOKING


async def test_what_takes_long_is_told_within_a_second_and_known_later(tmp_path: Path) -> None:
    text = "from zoo.water import press\npress(whale)\n"
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        assert await hover_until_known(s, "x.py", text, "whale") is None
        worker = s.app.worker.state.process_id
        assert worker is not None
        os.kill(worker, signal.SIGSTOP)
        times = [await timed_hover(s, "x.py", text, "press") for _ in range(5)]
        assert {said for _, said in times} == {LOOKING}
        assert min(seconds for seconds, _ in times) < 1  # of several: the machine has other work
        times = [await timed_hover(s, "x.py", f"{text}# {at}\n", "whale") for at in range(5)]
        assert {said for _, said in times} == {None}  # it is nowhere, as far as is known
        assert min(seconds for seconds, _ in times) < 0.5
        os.kill(worker, signal.SIGCONT)
        assert "zoo/water.py:1-2" in (await hover_until_known(s, "x.py", text, "press") or "")


@pytest.mark.parametrize(
    ("text", "word", "said"),
    [
        ("press()\n", "press", LOOKING),
        ("a = {1: f'{press()}'}\n", "press", LOOKING),
        ("# press\n", "press", None),
        ("'press'\n", "press", None),
        ("return 1\n", "return", None),
    ],
)
async def test_only_a_name_of_code_is_said_to_be_looked_up(
    tmp_path: Path, text: str, word: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said is None:
        monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", 20.0)  # on a busy machine
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        s.app._starting = asyncio.create_task(asyncio.sleep(SECONDS))  # the scan takes long
        assert await hover_says(s, "x.py", text, word) == said


async def test_where_a_quick_search_finds_nothing_a_thorough_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", SECONDS)
    monkeypatch.setattr("glossator.commands.hover._SEARCH_SHARE", -1.0)  # not one file is read
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        assert "other/air.py:4" in (await hover_says(s, "other/x.py", "blow()\n", "blow") or "")


async def test_a_large_document_is_parsed_by_the_worker(tmp_path: Path) -> None:
    """What took too long for one hover is there for a later one."""
    text = "".join(f"def f{n}(a, b):\n    return g(a, [b, {n}])\n" for n in range(10_000))
    async with stage(tmp_path, {"other.py": "def f9(): pass\n"}, ()) as s:
        await s.app.ready()
        said = await hover_until_known(s, "big.py", text, "f9(")
        assert s.app.worker.state.process_id is not None
        assert said is not None
        assert "big.py:19-20" in said


async def test_a_worker_that_cannot_start_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    async with stage(tmp_path, FILES, ()) as s:
        await s.app.ready()
        assert await hover_says(s, "x.py", "press()\n", "press") is None
        assert await hover_says(s, "y.py", "def press(): pass\n", "press") is not None


async def test_the_first_hover_of_a_session_waits_for_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", SECONDS)  # on a busy machine
    async with stage(tmp_path, FILES, ()) as s:
        said = await hover_says(s, "x.py", "from zoo.water import press\n", "press")
        assert said is not None
        assert "zoo/water.py:1-2" in said


CELL = "vscode-notebook-cell:/work/nb.ipynb#W{}sZmlsZQ%3D%3D"


@pytest.mark.parametrize(
    ("uri", "name"), [("untitled:Untitled-1", "Untitled-1"), (CELL.format(0), "nb.ipynb (cell)")]
)
async def test_documents_that_are_no_files(
    tmp_path: Path, uri: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", SECONDS)  # on a busy machine
    async with stage(tmp_path, FILES, ()) as s:
        s.app.host.apply(Opened(CELL.format(1), 1, "def swim(): pass\n", "python"))
        text = "from zoo.water import press\n\nclass Eel: pass\n\nEel(); swim()\n"
        s.app.host.apply(Opened(uri, 1, text, "python"))
        told = []
        for place in [(4, 1), (0, 24), (4, 8)]:  # Eel, press, swim
            answer = await hover_at(s.app, HoverRequest(uri, Position(*place), links=True))
            told.append(answer.markdown if answer else "")
        assert "class Eel" in told[0]
        assert f"*class · {name}:3-3*" in told[0]
        assert "No gloss" not in told[0]  # none can be kept of what is no file
        assert "Presses." in told[1]
        assert ("def swim()" in told[2]) == ("notebook" in uri)  # defined in another cell
        assert ("*function · nb.ipynb (cell):1-1*" in told[2]) == ("notebook" in uri)
        assert isinstance(s.app.host.snapshot().read(uri), Document)  # as editors name it

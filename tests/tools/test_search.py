"""Search: hits with their lines, its account when nothing is found, and the editor's text."""

from __future__ import annotations

import re

from glossator.core.tokens import estimate_tokens
from tests.workspaces import MakeWorkspace

FILES = {
    "shapes.py": "class Circle:\n    def area(self):\n        return 3 * self.r ** 2\n",
    "notes.md": "# Colours\n\nRed and blue.\n",
}


async def test_hits_show_their_lines(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Search", query="How is the area computed?")
    assert result.text.startswith("1. shapes.py:2-3 (")
    assert "3\t        return 3 * self.r ** 2" in result.text
    first = result.spans[0]
    assert (first.uri, first.first_line, first.last_line) == (ws.uri("shapes.py"), 2, 3)


async def test_narrowing(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "old/shapes.py": FILES["shapes.py"]})
    result = await ws.call("Search", query="circle area", path="old", glob="*.py", limit=1)
    assert re.findall(r"^\d+\. (.+?):", result.text, re.MULTILINE) == ["old/shapes.py"]


async def test_nothing_found_is_accounted_for(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, ".gitignore": "*.log\n", "zebra.log": "zebra"})
    result = await ws.call("Search", query="zebra stripes")
    assert "looked for zebra, strip" in result.text
    assert "Looked at 3 of 3 files." in result.text
    assert "*.log (1)" in result.text
    empty = await ws.call("Search", query="what is it?")
    assert "no word to look for" in empty.text


async def test_the_editors_text_is_searched(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.open("shapes.py", "def perimeter(): pass\n")
    assert "shapes.py" in (await ws.call("Search", query="perimeter")).text
    assert "Nothing shares" in (await ws.call("Search", query="area")).text
    ws.close("shapes.py")
    assert "Nothing shares" in (await ws.call("Search", query="perimeter")).text


async def test_files_found_by_their_name_alone(workspace: MakeWorkspace) -> None:
    ws = await workspace({"zebra.txt": "stripes\n", "empty_zebra.txt": ""})
    result = await ws.call("Search", query="zebra")
    assert result.text == "1. zebra.txt:1-1\n1\tstripes"


async def test_only_empty_files(workspace: MakeWorkspace) -> None:
    ws = await workspace({"zebra.txt": ""})
    assert not (await ws.call("Search", query="zebra")).error


async def test_letters_that_fold_to_others(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "Congre\u017fs, \u212aelvin\n"})
    assert "a.txt:1-1" in (await ws.call("Search", query="congress")).text
    assert "a.txt:1-1" in (await ws.call("Search", query="Kelvin")).text


async def test_words_beyond_ascii(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "die Übersetzung\n", "b.txt": "перевод\n", "c.txt": "setzung\n"})
    assert "1. a.txt" in (await ws.call("Search", query="Wo ist die Übersetzung?")).text
    assert "1. b.txt" in (await ws.call("Search", query="Где перевод?")).text


async def test_budget(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{n}.txt": ("needle é" + "é" * 600 + "\n") * 60 for n in range(20)})
    result = await ws.call("Search", query="needle")
    assert estimate_tokens(result.text) <= 25_000
    assert result.text.endswith("more chunks; narrow by path or glob, or ask more precisely]")
    assert result.omitted == 20 - len(result.vouched)
    assert "[line cut: 608 characters]" in result.text

"""Read: budgets, paging, what was shown before, and everything that is no plain file."""

from __future__ import annotations

import base64
import json
import os
import re
from typing import Any, Literal
from unicodedata import normalize

import pytest

from glossator.core.tokens import estimate_tokens
from glossator.core.tool_result import ToolResult
from glossator.tools import read
from glossator.tools.read import MAX_TOKENS, read_image
from tests.workspaces import MakeWorkspace, Workspace

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
)


def numbered(result: ToolResult) -> list[tuple[int, str]]:
    """The lines as shown."""
    rows = re.findall(r"^ *(\d+)\t(.*)$", result.text, re.MULTILINE)
    return [(int(number), line) for number, line in rows]


def spanned(result: ToolResult) -> list[int]:
    return [n for span in result.spans for n in range(span.first_line, span.last_line + 1)]


async def read_on(ws: Workspace, path: str, **arguments: int) -> list[tuple[int, str]]:
    """Read to the end by following the advice alone."""
    lines: list[tuple[int, str]] = []
    while True:
        result = await ws.call("Read", path=path, **arguments)
        assert not result.error, result.text
        assert estimate_tokens(result.text) <= MAX_TOKENS
        shown = numbered(result)
        assert len(shown) <= 2_000
        assert spanned(result) == sorted({number for number, _ in shown})
        lines += shown
        advice = re.search(r"go on with (.+)\]$", result.text)
        if advice is None:
            assert result.omitted == 0
            return lines
        assert result.omitted > 0
        arguments = {k: int(v) for k, v in re.findall(r"(offset|limit)=(\d+)", advice[1])}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("one\n", {}),
        ("no end", {}),
        ("\n\n", {}),
        ("a\r\nb\rc\n\u2028d\x0ce\n", {}),
        ("".join(f"line {n}\n" for n in range(1, 5_001)), {}),
        ("".join(f"line {n}\n" for n in range(1, 5_001)), {"limit": 700}),
        ("é" * 1_500 + "\n", {}),
        (("é" * 1_500 + "\n") * 80, {}),
        (("wide " * 300 + "\n") * 400, {"offset": 1, "limit": 90}),
    ],
    ids=range(9),
)
async def test_following_the_advice_gives_every_line_once(
    workspace: MakeWorkspace, text: str, arguments: dict[str, int]
) -> None:
    ws = await workspace({"f.txt": text})
    lines = re.split(r"\r\n|\r|\n", text)
    if lines[-1] == "":
        lines.pop()
    assert await read_on(ws, "f.txt", **arguments) == list(enumerate(lines, start=1))


async def test_large_files_are_paged(workspace: MakeWorkspace) -> None:
    ws = await workspace({"big.txt": ("x" * 99 + "\n") * 3_000})
    for arguments in ({}, {"offset": 5}, {"limit": 5}):
        refused = await ws.call("Read", path="big.txt", **arguments)
        assert refused.error
        assert "292 KB in 3,000 lines" in refused.text
        assert "offset and limit" in refused.text
    assert len(await read_on(ws, "big.txt", offset=1, limit=500)) == 3_000


async def test_long_lines_are_cut(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.min.js": "x" * 5_000 + "\nend\n"})
    (_, cut), (number, end) = numbered(await ws.call("Read", path="a.min.js"))
    assert (
        cut == "x" * 2_000 + " [cut; 5,000 characters in all, go on with offset=1 and column=2001]"
    )
    assert (number, end) == (2, "end")


async def test_unchanged(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\ny = 2\n"})

    async def check(expect: str, **arguments: int) -> None:
        result = await ws.call("Read", path="a.py", **arguments)
        assert ("unchanged" if "above, unchanged" in result.text else result.text) == expect

    full = "1\tx = 1\n2\ty = 2"
    await check(full)
    await check("unchanged")
    await check("unchanged", offset=2)
    ws.open("a.py", "x = 1\ny = 2\n")  # opened, not yet edited: the same text
    await check("unchanged")
    ws.edit("a.py", "x = 3\n")
    await check("1\tx = 3")
    await check("unchanged")
    ws.close("a.py")
    await check(full)
    ws.write("a.py", "z\n")
    await check("1\tz")


async def test_lines_within_what_was_read_are_not_shown_again(workspace: MakeWorkspace) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 101))
    ws = await workspace({"a": text, "long": "long line\n" * 5_000})

    async def is_shown(path: str, offset: int, limit: int | None) -> bool:
        size = {} if limit is None else {"limit": limit}
        result = await ws.call("Read", path=path, offset=offset, **size)
        return "above, unchanged" not in result.text

    assert await is_shown("a", 1, 20)
    assert await is_shown("a", 15, 26)
    assert not await is_shown("a", 18, 20)  # partly in each
    assert not await is_shown("a", 1, 40)
    assert await is_shown("a", 40, 2)
    assert await is_shown("a", 1, None)
    assert not await is_shown("a", 60, None)
    assert await is_shown("long", 1, None)
    assert not await is_shown("long", 1, None), "the page that was shown"
    assert await is_shown("long", 2_000, 2)
    again = await ws.call("Read", path="a", offset=3, limit=2)
    assert again.text == "Already shown above, unchanged: a, L3-L4."
    assert again.outcome == "already shown"


async def test_lines_that_only_grep_showed_are_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a": "one\ntwo\n"})
    await ws.call("Grep", pattern="one", output_mode="content", **{"-A": 1})
    assert (await ws.call("Read", path="a")).text == "1\tone\n2\ttwo"


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("src/app/parse.py", ["src/lib/parse.py", "old/parse.py", "src/lib/parse.pyi"]),
        ("src/lib/parse.ts", ["src/lib/parse.py", "src/lib/parse.pyi", "old/parse.py"]),
        ("src/lib/prase.py", ["src/lib/parse.py", "src/lib/parse.pyi"]),
        ("src/lib/tokens.py", ["src/lib/token.py"]),
        ("src/lib/secrets.py", []),
        ("token", ["src/lib/token.py"]),
        ("app/tokens.py", ["src/lib/token.py"]),
        ("zz", []),
    ],
)
async def test_a_missing_file_names_those_like_it(
    workspace: MakeWorkspace, path: str, near: list[str]
) -> None:
    names = ("src/lib/parse.py", "old/parse.py", "src/lib/parse.pyi", "src/lib/token.py")
    ws = await workspace(dict.fromkeys((*names, "src/lib/secret.py"), "x\n"))
    ws.hidden = lambda file: file.endswith("secret.py")
    result = await ws.call("Read", path=path)
    assert result.error
    step = f"Similar names: {', '.join(near)}." if near else "Use Glob to find its path."
    assert result.text == f"{path} does not exist.\n{step}"


async def test_the_editors_text_is_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "on disk\n"})
    ws.open("a.py", "unsaved\n")
    ws.open("new.py", "never saved\n")
    assert numbered(await ws.call("Read", path="a.py")) == [(1, "unsaved")]
    assert numbered(await ws.call("Read", path="new.py")) == [(1, "never saved")]
    ws.close("a.py")
    ws.close("new.py")
    assert numbered(await ws.call("Read", path="a.py")) == [(1, "on disk")]
    assert (await ws.call("Read", path="new.py")).error


@pytest.mark.parametrize(
    ("path", "arguments", "says"),
    [
        ("nowhere.py", {}, "Use Glob"),
        ("folder", {}, 'Use Glob with "folder/*"'),
        ("folder/x/y", {}, "Use Glob"),
        ("binary", {}, "is binary"),
        ("pipe", {}, "not a regular file"),
        ("../secret", {}, "outside the workspace"),
        ("/etc/passwd", {}, "outside the workspace"),
        ("link", {}, "outside the workspace"),
        ("a\0b", {}, "outside the workspace"),
        ("folder/x", {"offset": 9}, "Give an offset up to 1"),
        ("folder/x", {"offset": 0}, "Correct the arguments"),
        ("folder/x", {"limit": 2_001}, "Correct the arguments"),
        ("huge.txt", {}, "Read part of it with offset and limit"),
    ],
)
async def test_failures_say_what_next(
    workspace: MakeWorkspace, path: str, arguments: dict[str, int], says: str
) -> None:
    files: dict[str, str | bytes] = {"folder/x": "x\n", "binary": b"\0\1", "huge.txt": "x" * 2_000}
    ws = await workspace(files, maxFileBytes=1_000)
    os.mkfifo(ws.root / "pipe")
    (ws.root / "link").symlink_to("/etc/passwd")
    result = await ws.call("Read", path=path, **arguments)
    assert result.error
    assert says in result.text
    assert result.spans == ()


async def test_an_empty_file(workspace: MakeWorkspace) -> None:
    ws = await workspace({"empty": ""})
    assert (await ws.call("Read", path="empty")).text == "empty is empty."


async def test_images(workspace: MakeWorkspace) -> None:
    ws = await workspace({"dot.png": PNG, "fake.png": "<html>"})
    result = await ws.call("Read", path="dot.png")
    (image,) = result.images
    assert image.media_type == "image/png"
    assert base64.b64decode(image.data) == PNG
    again = await ws.call("Read", path="dot.png")
    assert again.images == ()
    assert "unchanged" in again.text
    refused = await ws.call("Read", path="fake.png")
    assert refused.error
    assert "not an image" in refused.text
    assert (await ws.call("Read", path="nowhere.png")).error
    assert (await ws.call("Read", path="../dot.png")).error


async def test_an_image_that_a_rule_hides_is_not_shown_through_a_link_that_changes(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leads elsewhere when it is looked at than when the file is read."""
    ws = await workspace({"in/dot.png": PNG, "private/dot.png": PNG})
    ws.hidden = lambda path: "/private/" in os.path.realpath(path)  # as the rules do
    (ws.root / "link").symlink_to("in")

    def swap_and_read(*arguments: Any) -> ToolResult:
        (ws.root / "link").unlink()
        (ws.root / "link").symlink_to("private")
        return read_image(*arguments)

    monkeypatch.setattr(read, "read_image", swap_and_read)
    result = await ws.call("Read", path="link/dot.png")
    assert (result.error, result.images) == (True, ())
    assert "permission rules keep link/dot.png from being read" in result.text


@pytest.mark.parametrize(("limit", "next_line"), [(1, 2), (2, 3), (3, None)])
async def test_it_is_said_where_to_go_on(
    workspace: MakeWorkspace, limit: int, next_line: int | None
) -> None:
    """Also for the last line alone."""
    ws = await workspace({"a": "one\ntwo\nthree\n"})
    result = await ws.call("Read", path="a", limit=limit)
    advice = re.search(r"go on with offset=(\d+)", result.text)
    assert (int(advice[1]) if advice else None) == next_line
    assert result.omitted == 3 - limit


@pytest.mark.parametrize("ends", ["", "\n"])
async def test_after_a_last_line_that_is_more_than_a_page_there_is_none(
    workspace: MakeWorkspace, ends: str
) -> None:
    """A notebook may be a single line, of which all cells are shown."""
    cell = {"cell_type": "code", "source": ["x = 1\n"] * 20_000, "outputs": [], "metadata": {}}
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    ws = await workspace({"a.ipynb": json.dumps(notebook) + ends})
    result = await ws.call("Read", path="a.ipynb")
    assert "[line 1 goes on for" in result.text
    assert "go on with" not in result.text
    assert result.omitted == 0


async def test_a_guessed_encoding_is_named(workspace: MakeWorkspace) -> None:
    text = "// \u8ba1\u7b97\u4e24\u4e2a\u65e5\u671f\u4e4b\u95f4\u7684\u5929\u6570"
    ws = await workspace({"a.c": text.encode("gb18030"), "b.c": text})
    assert (await ws.call("Read", path="b.c")).text == f"1\t{text}"
    read = await ws.call("Read", path="a.c")
    assert read.text == f"1\t{text}\n[read as gb18030, guessed from its bytes]"


async def test_a_declared_encoding_is_named_as_such(workspace: MakeWorkspace) -> None:
    text = "\u043a\u043b\u044e\u0447"
    files = {"a.ini": text.encode("cp866"), "b.ini": text, "c.ini": "key", "d.ini": b"\xe9\n"}
    ws = await workspace(files, {"*.ini": "cp866", "d.ini": "gbk"})
    lossy = "in gbk, which is declared for it, some bytes would be lost"
    assert [(await ws.call("Read", path=name)).text for name in files] == [
        f"1\t{text}\n[read as cp866, as declared for it]",
        f"1\t{text}",
        "1\tkey",
        f"1\t\xe9\n[read as latin-1, guessed from its bytes; {lossy}]",
    ]


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
async def test_accented_names_open_by_either_spelling(
    workspace: MakeWorkspace, on_disk: Literal["NFC", "NFD"]
) -> None:
    name = "\u00e9t\u00e9/na\u00efve.md"
    ws = await workspace({normalize(on_disk, name): "1\n"})
    for form in ("NFC", "NFD"):
        spelled = normalize(form, name)
        located = ws.snapshot.folders.locate(spelled)
        assert located == str(ws.root / normalize(on_disk, name))
        beside = ws.snapshot.folders.locate(normalize(form, "\u00e9t\u00e9/new.md"))
        assert beside == str(ws.root / normalize(on_disk, "\u00e9t\u00e9") / "new.md")
    assert (await ws.call("Read", path=normalize("NFC", name))).text == "1\t1"
    found = await ws.call("Grep", pattern="1", path=normalize("NFC", "\u00e9t\u00e9"))
    assert found.outcome == "1 file"


async def test_a_long_line_is_read_in_parts(workspace: MakeWorkspace) -> None:
    line = "".join(f"{number};" for number in range(1, 6_000))
    ws = await workspace({"f": f"first\n{line}\nlast\n"})
    first = await ws.call("Read", path="f", offset=2, limit=1)
    assert f"{len(line):,} characters in all, go on with offset=2 and column=2001]" in first.text
    seen, column = numbered(first)[0][1].split(" [cut")[0], 2_001
    while True:
        part = await ws.call("Read", path="f", offset=2, column=column)
        assert not part.spans  # not whole, so it may be cited, but counts as no line for edits
        (row,) = numbered(part)
        seen += row[1]
        more = re.search(r"go on with offset=2 and column=(\d+)", part.text)
        if more is None:
            break
        column = int(more[1])
    assert (row[0], seen) == (2, line)
    beyond = await ws.call("Read", path="f", offset=1, column=9)
    assert "Line 1 of f has 5 characters; there is no column 9." in beyond.text

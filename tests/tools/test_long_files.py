"""Files over the limit: Read shows parts of them, Grep searches one that is named."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.tools.hands import call
from tests.workspaces import MakeWorkspace

LINES = 600_000
LONG = "\n[the file is too large for its lines to be cited or edited]"


@cache
def text() -> bytes:
    """57.6 MB."""
    return b"".join(b"line %090d\n" % number for number in range(1, LINES + 1))


def line(number: int) -> str:
    return f"{number}\tline {number:090d}"


async def test_lines_of_60_mb(workspace: MakeWorkspace) -> None:
    ws = await workspace({"big.log": text()})
    for first in (1, 2, 12_345, 300_000, LINES - 1):
        shown = await ws.call("Read", path="big.log", offset=first, limit=2)
        more = f"; go on with offset={first + 2} and limit=2" if first < LINES - 1 else ""
        note = f"[L{first}-L{first + 1} of {LINES}{more}]"
        assert shown.text == f"{line(first)}\n{line(first + 1)}\n{note}{LONG}"
        assert not shown.spans
    far = await ws.call("Read", path="big.log", offset=LINES + 1, limit=2)
    assert far.error
    assert "there is no line 600,001" in far.text
    whole = await ws.call("Read", path="big.log")
    assert whole.error
    assert "in 600,000 lines, too much to read at once" in whole.text
    ws.hidden = lambda path: path.endswith("big.log")
    hidden = await ws.call("Read", path="big.log", offset=1, limit=1)
    assert hidden.error
    assert "permission rules" in hidden.text


async def test_one_line_of_50_mb(workspace: MakeWorkspace) -> None:
    ws = await workspace({"one.json": "é".encode() * 25_000_000 + b"end\nlast"})
    shown = await ws.call("Read", path="one.json", offset=1, limit=5)
    assert shown.text.startswith("1\t" + "é" * 2_000 + " [cut; 50,000,003 bytes in all, go on")
    assert "\n2\tlast\n[L1-L2 of 2]" in shown.text
    part = await ws.call("Read", path="one.json", offset=1, column=24_999_999)
    assert part.text == f"1\tééend\n[characters 24,999,999-25,000,003 of 25,000,003]{LONG}"
    beyond = await ws.call("Read", path="one.json", offset=1, column=30_000_000)
    assert beyond.error
    assert "there is no column 30,000,000" in beyond.text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("block", [7, 8, 64])
async def test_line_ends_at_the_ends_of_blocks(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, end: str, block: int
) -> None:
    monkeypatch.setattr("glossator.workspace.files.long._BLOCK", block)
    monkeypatch.setattr("glossator.workspace.files.long._WINDOW", 2 * block)
    texts = ["é" * (number % 5) + str(number) for number in range(40)]
    ws = await workspace({"a.txt": "\ufeff" + end.join(texts)}, max_file_bytes=10)
    for first in range(1, 41):
        shown = await ws.call("Read", path="a.txt", offset=first, limit=1)
        assert shown.text.split("\n")[0] == f"{first}\t{texts[first - 1]}"
        assert f"of {len(texts)}" in shown.text
    found = await ws.call("Grep", pattern="3$", path="a.txt", output_mode="content")
    wanted = [f"{number + 1}:{texts[number]}" for number in (3, 13, 23, 33)]
    assert found.text.split("\n") == ["a.txt", *wanted]
    around = await ws.call("Grep", pattern="^13$|^é+13$", path="a.txt", output_mode="count")
    assert around.text == "a.txt:1"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"\0" * 99, "binary or UTF-16"), ("x".encode("utf-16") * 50, "binary or UTF-16")],
)
async def test_other_large_files_are_refused(
    workspace: MakeWorkspace, content: bytes, why: str
) -> None:
    ws = await workspace({"a.bin": content}, max_file_bytes=10)
    shown = await ws.call("Read", path="a.bin", offset=1, limit=1)
    assert shown.error
    assert why in shown.text


async def test_another_encoding(workspace: MakeWorkspace) -> None:
    text = "编码的猜测是由语言决定的。\n".encode("gbk")
    ws = await workspace({"a.txt": text * 20}, max_file_bytes=10)
    shown = await ws.call("Read", path="a.txt", offset=3, limit=1)
    assert shown.text.startswith("3\t编码的猜测是由语言决定的。")
    assert "[read as gb18030, guessed from its bytes]" in shown.text


async def test_grep_in_a_named_file(workspace: MakeWorkspace) -> None:
    ws = await workspace({"big.log": text(), "small.log": b"line 0123456\n"})
    arguments = {"pattern": "(0123456|0599999)$", "path": "big.log"}
    shown = await ws.call("Grep", **arguments, output_mode="content", context=1)
    numbers = re.findall(r"^(\d+[:-])", shown.text, re.MULTILINE)
    assert numbers == "123455- 123456: 123457- 599998- 599999: 600000-".split()
    assert (await ws.call("Grep", **arguments)).text == "big.log"
    assert (await ws.call("Grep", **arguments, output_mode="count")).text == "big.log:2"
    page = await ws.call(
        "Grep", pattern="0$", path="big.log", output_mode="content", offset=2, head_limit=2
    )
    assert "30:line" in page.text
    assert "40:line" in page.text
    assert "offset=4" in page.text
    nothing = await ws.call("Grep", pattern="absent", path="big.log")
    assert "Searched 1 of these files, 57.6 MB." in nothing.text
    everywhere = await ws.call("Grep", pattern="0123456$")
    assert "[not searched: big.log (too large); give a large one as path]" in everywhere.text


async def test_an_edit_is_refused(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "x\n" * 20}, max_file_bytes=10)
    answer = await call(ws, "Edit", path="a.txt", old_text="x", new_text="y")
    assert answer.error
    assert "raise workspace.maxFileBytes to read it whole or edit it" in answer.text


async def test_the_declared_encoding_of_a_long_file(workspace: MakeWorkspace) -> None:
    word = "\u043a\u043b\u044e\u0447"
    raw = f"{word}\n".encode("cp866") * 40
    ws = await workspace({"a.log": raw}, {"*.log": "cp866"}, max_file_bytes=100)
    shown = await ws.call("Read", path="a.log", offset=2, limit=1)
    note = "[L2-L2 of 40; go on with offset=3 and limit=1]"
    assert shown.text == f"2\t{word}\n{note}\n[read as cp866, as declared for it]{LONG}"
    part = await ws.call("Read", path="a.log", offset=2, column=3)
    assert part.text.startswith(f"2\t{word[2:]}\n")
    found = await ws.call("Grep", pattern=word, path="a.log", output_mode="count")
    assert "40" in found.text

"""Grep: modes, context, paging, budgets, line ends, and an account of what was searched."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator

import pytest

from glossator.core.text import split_lines
from glossator.core.tool_result import ToolResult
from glossator.tools import grep
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.search import finder
from glossator.workspace.search.search import TextSearch
from tests.exhaustion import no_descriptor_left
from tests.patience import SECONDS
from tests.workspaces import MakeWorkspace, Workspace


@pytest.fixture(autouse=True)
def _time_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setattr(grep, "_COUNTING_SECONDS", 60)


FILES = {
    "a.py": "import os\n\ndef one():\n    return os.name\n\ndef two():\n    return one()\n",
    "b.md": "# One\n\nSee one.\n",
    "pkg/c.py": "ONE = 1\r\ntwo = 2\rthree = 3\n",
}


def flat(result: ToolResult) -> list[str]:
    """Each line of a text as `path:number:text`, as if its path stood before it; and the others."""
    lines: list[str] = []
    file, begins = "", True
    text, note, notes = result.text.partition("\n[")
    for line in text.split("\n"):
        if shows := re.match(r"(\d+)([:-])", line):
            assert file, result.text
            lines.append(f"{file}{shows[2]}{line}")
        elif line == "--":
            lines.append(line)
        elif line:
            assert begins, result.text
            file = line
        begins = not line
    return lines + f"[{notes}".split("\n") if note else lines


def spanned(ws: Workspace, result: ToolResult) -> list[str]:
    """`path:line` for each line of the spans."""
    return [
        f"{span.uri.removeprefix(ws.uri('') + '/').removeprefix(ws.uri(''))}:{line}"
        for span in result.spans
        for line in range(span.first_line, span.last_line + 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": "one", "-i": False}, ["a.py", "b.md"]),
        ({"pattern": "one", "-i": True}, ["a.py", "b.md", "pkg/c.py"]),
        ({"pattern": "(?i)ONE$", "type": "py"}, []),
        ({"pattern": "one", "output_mode": "count"}, ["a.py:2", "b.md:1"]),
        ({"pattern": "one", "output_mode": "content", "path": "b.md"}, ["b.md:3:See one."]),
        ({"pattern": "= [123]$", "output_mode": "content", "path": "pkg"},
         ["pkg/c.py:1:ONE = 1", "pkg/c.py:2:two = 2", "pkg/c.py:3:three = 3"]),
        ({"pattern": "^two", "output_mode": "content", "glob": "**/*.py"}, ["pkg/c.py:2:two = 2"]),
        ({"pattern": "one", "output_mode": "content", "glob": "!*.py"}, ["b.md:3:See one."]),
        ({"pattern": r"\(\):\n", "output_mode": "content"}, []),
        ({"pattern": r"one\(\):\n.*name$", "output_mode": "content", "multiline": True},
         ["a.py:3:def one():", "a.py:4:    return os.name"]),
        ({"pattern": "two = 2.three", "output_mode": "content", "multiline": True},
         ["pkg/c.py:2:two = 2", "pkg/c.py:3:three = 3"]),
        ({"pattern": "def one[^x]+return one", "output_mode": "content"}, []),
    ],
)  # fmt: skip
async def test_modes_and_filters(
    workspace: MakeWorkspace, arguments: dict[str, object], lines: list[str]
) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Grep", **arguments)
    assert not result.error
    if not lines:
        assert result.text.startswith("No match for ")
        return
    if arguments.get("output_mode") == "content":
        assert flat(result) == lines
        return
    order = sorted if arguments.get("output_mode", "files") == "files" else list
    assert order(result.text.split("\n")) == lines


TEN = {"t": "".join(f"l{n}\n" for n in range(1, 11))}


@pytest.mark.parametrize(
    ("pattern", "context", "shown"),
    [
        ("l3", {"-B": 1}, "2- 3:"),
        ("l3", {"-A": 2}, "3: 4- 5-"),
        ("l3", {"-C": 1}, "2- 3: 4-"),
        ("l[35]", {"-C": 1}, "2- 3: 4- 5: 6-"),  # overlapping
        ("l[36]", {"-C": 1}, "2- 3: 4- 5- 6: 7-"),  # adjacent
        ("l[37]", {"-C": 1}, "2- 3: 4- -- 6- 7: 8-"),
        ("l[34]", {"-A": 3}, "3: 4: 5- 6- 7-"),
        ("l(1|10)$", {"-C": 3}, "1: 2- 3- 4- -- 7- 8- 9- 10:"),
        ("l[258]", {}, "2: 5: 8:"),
        ("l[258]", {"-B": 1, "-C": 1}, "1- 2: 3- 4- 5: 6- 7- 8: 9-"),
    ],
)
async def test_context(
    workspace: MakeWorkspace, pattern: str, context: dict[str, int], shown: str
) -> None:
    ws = await workspace(TEN)
    result = await ws.call("Grep", pattern=pattern, output_mode="content", **context)
    expected = [
        part if part == "--" else f"t{part[-1]}{part[:-1]}{part[-1]}l{part[:-1]}"
        for part in shown.split()
    ]
    assert flat(result) == expected
    assert spanned(ws, result) == [f"t:{p[:-1]}" for p in shown.split() if p != "--"]


@pytest.mark.parametrize("pattern", ["^", "$", "x*", "(?:)", "^$|."])
@pytest.mark.parametrize(
    ("text", "count"),
    [("a\n\nb", 3), ("a\n\nb\n", 3), ("\n", 1), ("\n\n", 2), ("", 0), ("a\r\n\r\nb\r", 3)],
)
async def test_zero_width_matches(
    workspace: MakeWorkspace, pattern: str, text: str, count: int
) -> None:
    ws = await workspace({"f": text})
    for multiline in (False, True):
        result = await ws.call("Grep", pattern=pattern, output_mode="content", multiline=multiline)
        assert not result.error
        lines = split_lines(text) if text else []
        assert len(lines) == count
        assert (
            result.text.startswith("No match")
            if not text
            else flat(result) == [f"f:{number}:{line}" for number, line in enumerate(lines, 1)]
        )


@pytest.mark.parametrize(
    ("arguments", "files", "least", "most"),
    [
        ({}, 400, 10, 25),
        ({}, 60, 35, 38),  # hardly more than there is room for
        ({"head_limit": 250}, 400, 35, 38),
        ({"glob": "*.txt"}, 400, 35, 38),  # of the candidates who knows how many fit
        ({"hides": "nothing.txt"}, 400, 35, 38),  # … or are kept from being shown
        ({"pattern": "hit|first"}, 400, 10, 14),  # one file alone says nothing of others
    ],
)
async def test_no_more_is_looked_for_than_will_be_shown(
    workspace: MakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
    arguments: dict[str, object],
    files: int,
    least: int,
    most: int,
) -> None:
    monkeypatch.setattr(grep, "_LINES_BYTES", 4_000)
    monkeypatch.setattr(grep, "_PAGE_BYTES", 4_000)
    monkeypatch.setattr(finder, "_FIRST_BLOCK", 1)
    monkeypatch.setattr(finder, "_MAX_BLOCK", 1)
    told: list[object] = []
    lines = TextSearch.lines

    def noting(search: TextSearch, selected: Iterator[FileEntry]) -> Iterator[object]:
        for each in lines(search, selected):
            told.append(each)
            yield each

    def counting(search: TextSearch, selected: Iterator[FileEntry]) -> Iterator[object]:
        told.append("counted")
        return counts(search, selected)

    counts = TextSearch.counts
    monkeypatch.setattr(TextSearch, "lines", noting)
    monkeypatch.setattr(TextSearch, "counts", counting)
    texts = {f"{number:03}.txt": "a line with a hit in it, of which there are many\n" * 2
             for number in range(files)}  # fmt: skip
    first = {"000.txt": "first, a line with much text\n" * 55}
    ws = await workspace(texts | first, ripgrep="off")  # which tells of no share
    if hides := arguments.get("hides"):
        ws.hidden = lambda path: path.endswith(str(hides))
    asked = {"pattern": "hit"} | {
        name: value for name, value in arguments.items() if value != hides
    }
    result = await ws.call("Grep", output_mode="content", **asked)
    assert result.omitted
    found = told if "head_limit" in arguments else told[: told.index("counted")]
    assert least <= len(found) <= most


@pytest.mark.parametrize("mode", ["files", "content", "count"])
@pytest.mark.parametrize("limit", [1, 7, 0])
async def test_paging_gives_everything_once(
    workspace: MakeWorkspace, mode: str, limit: int
) -> None:
    ws = await workspace({f"f{n:02d}": f"needle {'x' * 40 * n}\nno\nneedle\n" for n in range(30)})
    arguments = {"pattern": "needle", "output_mode": mode, "head_limit": limit, "-A": 1}
    everything: list[str] = []
    offset = 0
    while True:
        result = await ws.call("Grep", **arguments, offset=offset)
        assert len(result.text.encode()) <= 20_000
        lines = flat(result) if mode == "content" else result.text.split("\n")
        advice = re.fullmatch(r"\[cut at .*, or go on with offset=(\d+)\]", lines[-1])
        if advice is None:
            everything += lines
            break
        everything += lines[:-1]
        assert limit in (0, len(lines) - 1)
        offset = int(advice[1])
        assert offset == len(everything)
    files = [f"f{n:02d}" for n in range(30)]
    found = [line for line in everything if line != "--"]
    expected = {
        "files": files,
        "count": [f"{name}:2" for name in files],
        "content": [
            line
            for n, name in enumerate(files)
            for line in (
                f"{name}:1:{shortened('needle ' + 'x' * 40 * n)}",
                f"{name}-2-no",
                f"{name}:3:needle",
            )
        ],
    }[mode]
    assert sorted(found) == sorted(expected)


def shortened(line: str) -> str:
    if len(line) <= 500:
        return line
    return f"{line[:500]} [cut; {len(line):,} characters in all, encoded data]"


@pytest.mark.parametrize("offset", [0, 12])
async def test_a_first_line_for_which_there_is_hardly_room_is_shown(
    workspace: MakeWorkspace, offset: int
) -> None:
    texts = {f"{n:04}.txt": "needle " + "\N{GRINNING FACE}" * 900 + "\n" for n in range(1_500)}
    ws = await workspace(texts)
    result = await ws.call("Grep", pattern="needle", output_mode="content", offset=offset)
    assert result.text.startswith(f"{offset:04}.txt\n1:needle ")
    if offset:
        assert result.text.endswith(f"or go on with offset={offset + 9}]")
    else:
        assert "[9 of 1,500 lines in 1,500 files; counted by folder:" in result.text


async def test_a_path_for_which_there_is_hardly_room_is_shown(workspace: MakeWorkspace) -> None:
    path = "/".join(["\N{GRINNING FACE}" * 60] * 9 + ["file"])
    ws = await workspace({path: "needle\n", f"other/{path}": "needle\n"})
    assert (await ws.call("Grep", pattern="needle", path=path.split("/")[0])).text == path
    both = (await ws.call("Grep", pattern="needle")).text.split("\n")
    assert both[0] in (path, f"other/{path}")
    assert both[1] == "[1 of 2 files, newest first:"


async def test_what_ends_a_result_is_told(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"{number}": "hit\n" for number in range(600)})
    short = await ws.call("Grep", pattern="hit")
    assert "[250 of 600 files, newest first:" in short.text
    page = await ws.call("Grep", pattern="hit", head_limit=250)
    assert "[cut at head_limit 250; " in page.text
    long = await ws.call("Grep", pattern="hit", output_mode="content")
    assert "[250 of 600 lines in 600 files; counted by folder:" in long.text
    whole = await ws.call("Grep", pattern="hit", head_limit=600)
    assert len(whole.text.splitlines()) == 600


FOLDERS = {
    **{f"src/core/f{number:03}.py": "import needle\n" * 4 for number in range(60)},
    **{f"src/edge/f{number:03}.py": "needle()\n" for number in range(40)},
    **{f"docs/{number:03}.md": "the needle\n" for number in range(10)},
    "setup.py": "needle\n",
}


async def test_of_too_many_lines_there_are_examples_from_everywhere(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(FOLDERS)
    result = await ws.call("Grep", pattern="needle", output_mode="content")
    *_, cut, core, edge, docs, setup, advice = result.text.split("\n")
    shown = [line for line in flat(result) if line.startswith(tuple(FOLDERS))]
    assert cut == f"[{len(shown)} of 291 lines in 111 files; counted by folder:"
    assert [core, edge, docs] == [
        "  240 in 60 files: src/core/",
        "  40: src/edge/",
        "  10: docs/",
    ]
    assert setup == "  1: setup.py"
    assert advice.startswith("Narrow by path, glob or type, or ")
    assert {line.split(":")[0] for line in shown} == FOLDERS.keys()  # of each file at least one
    assert spanned(ws, result) == [":".join(line.split(":")[:2]) for line in shown]
    assert result.omitted


UNEQUAL = {
    "ten folders": {
        f"{folder}/f{n:02}.py": "a needle in a short line\n" * 5
        for folder in "abcdefghij"
        for n in range(40)
    },
    "two files": {
        "formparser.py": "needle\n" * 58,
        "wsgi.py": f"needle {'long ' * 60}\nno\n" * 22,
        "other.py": f"needle {'long ' * 80}\n" * 300,
    },
    "one large file": {
        "a.py": "needle\nno\nno\n" * 5_000,
        **{f"z{n}/f.py": f"needle {'z' * 300}\n" for n in range(9)},
    },
    "a long line in each": {f"{n}/{n}.min.js": f"needle {'x' * 900}\n" * 40 for n in range(9)},
}


@pytest.mark.parametrize("case", UNEQUAL)
@pytest.mark.parametrize("around", [0, 2])
async def test_there_are_examples_from_every_folder_that_is_counted(
    workspace: MakeWorkspace, case: str, around: int
) -> None:
    ws = await workspace(UNEQUAL[case])
    arguments = {"pattern": "needle", "output_mode": "content", "-C": around}
    result = await ws.call("Grep", **arguments)
    text, cut, counts = result.text.partition("\n[")
    assert cut
    lines = [line for line in flat(result) if line.startswith(tuple(UNEQUAL[case]))]
    places = re.findall(r"^  [\d,]+(?: in [\d,]+ files)?: (.+)$", counts, re.MULTILINE)
    assert len(places) >= 3
    for place in places:
        assert any(line.startswith(place) for line in lines), place
    order = [tuple(line.replace("-", ":").split(":")[:1]) for line in lines]
    assert order == sorted(order)
    assert not re.search(r"(^|\n)--(\n\n|$)", text)  # nothing follows it
    assert 4_000 < len(text.encode()) < 18_500
    matches = sum(bool(re.match(r"[^:]*:\d+:", line)) for line in lines)
    assert counts.startswith(f"{matches} of ")


async def test_files_of_unequal_lines_have_about_as_many_examples(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(UNEQUAL["two files"])
    result = await ws.call("Grep", pattern="needle", output_mode="content", path=".")
    shown = [line.split(":")[0] for line in flat(result)]
    many = [shown.count(name) for name in ("formparser.py", "wsgi.py", "other.py")]
    assert min(many) > 5, many


async def test_of_too_many_paths_the_first_are_shown_and_all_counted(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({f"{'long' * 20}/{name}": text for name, text in FOLDERS.items()})
    paths = await ws.call("Grep", pattern="needle")
    assert re.search(r"\n\[\d+ of 111 files, newest first:\n  60: (long)*/src/core/\n", paths.text)
    counts = await ws.call("Grep", pattern="needle", output_mode="count")
    assert counts.text.split("\n")[0].endswith("/src/core/f000.py:4")
    assert re.search(r"\n\[\d+ of 111 files, most of 291 lines first:\n", counts.text)
    assert "  240 in 60 files: " in counts.text


async def test_a_line_more_than_there_is_room_for_changes_little(workspace: MakeWorkspace) -> None:
    sizes = {}
    for lines in (250, 251, 320, 500, 2_000):
        texts = {f"f{n}.py": f"a needle in {'hay' * 8} number {n}\n" for n in range(lines)}
        ws = await workspace(texts)
        result = await ws.call("Grep", pattern="needle", output_mode="content")
        sizes[lines] = len(result.text.encode())
        assert result.omitted == (lines > 250)
    assert sizes[251] > sizes[250] > 12_000
    assert sizes[251] > 0.9 * sizes[320] > sizes[500] > sizes[2_000] > 6_000


async def test_counting_ends_in_time(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "_COUNTING_SECONDS", 0)
    monkeypatch.setattr(finder, "_FIRST_BLOCK", 1)
    ws = await workspace({f"{n}.py": "hit\n" * 20 for n in range(300)}, ripgrep="off")
    result = await ws.call("Grep", pattern="hit", output_mode="content")
    assert re.search(r"\[\d+ of at least [\d,]+ lines in \d+ files?; counted by", result.text)
    assert len(flat(result)) >= 20
    paths = await ws.call("Grep", pattern="hit")
    assert re.search(r"\[\d+ of at least \d+ files, newest first:", paths.text)


async def test_what_was_not_searched_is_named_beside_what_was_found(
    workspace: MakeWorkspace,
) -> None:
    large = {f"big{n}.sql": "x" * 5_000 for n in range(5)}
    ws = await workspace({"a.py": "hit\n", "bin": b"\0hit", **large}, maxFileBytes=1_000)
    for mode, first in (("files", "a.py"), ("count", "a.py:1"), ("content", "a.py\n1:hit")):
        assert (await ws.call("Grep", pattern="hit", output_mode=mode)).text == (
            f"{first}\n[not searched: big0.sql (too large), big1.sql (too large),"
            " big2.sql (too large), 2 more; give a large one as path]"
        )
    assert (await ws.call("Grep", pattern="hit", glob="*.py")).text == "a.py"


@pytest.mark.parametrize("name", ["3:def one():", "12-x", "--", "[1 of 2 lines]"])
async def test_a_name_does_not_look_like_a_line(workspace: MakeWorkspace, name: str) -> None:
    ws = await workspace({name: "one\n", "other": "one\n"})
    lines = (await ws.call("Grep", pattern="one", output_mode="content")).text.split("\n")
    assert lines[lines.index("1:one") - 1] == f"./{name}" or f"./{name}" in lines
    assert name not in lines
    assert "one" in (await ws.call("Read", path=f"./{name}")).text


async def test_utf_16_with_a_single_byte_at_its_end(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "a hit\nb".encode("utf-16") + b"\n"})
    result = await ws.call("Grep", pattern="hit", output_mode="content")
    assert flat(result) == ["a.txt:1:a hit"]
    assert "1\ta hit" in (await ws.call("Read", path="a.txt")).text


async def test_a_carriage_return_in_the_pattern_is_explained(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a": "one\r\ntwo\r\n"})
    for pattern in (r"one\r\ntwo", "one\r\ntwo"):
        result = await ws.call("Grep", pattern=pattern, multiline=True)
        assert r"Every line end is searched as \n, so \r matches nothing." in result.text
    assert (await ws.call("Grep", pattern=r"one\r?\ntwo", multiline=True)).text == "a"
    assert "\\r" not in (await ws.call("Grep", pattern=r"one\nthree", multiline=True)).text


async def test_lines_are_counted_however_far_away_they_are(workspace: MakeWorkspace) -> None:
    texts = {
        f"{size}": "x\n" * size + "needle\n" for size in (2_499, 2_500, 32_768, 32_769, 99_999)
    }
    ws = await workspace(texts)
    result = await ws.call("Grep", pattern="needle", output_mode="content")
    assert set(flat(result)) == {f"{size}:{int(size) + 1}:needle" for size in texts}


async def test_budgets(workspace: MakeWorkspace) -> None:
    ws = await workspace({"many": "hit\n" * 30_000})
    unasked = await ws.call("Grep", pattern="hit", output_mode="content")
    assert 2_000 < len(unasked.text.encode()) <= 3_000
    assert " of 30,000 lines in 1 file; counted by folder:\n  30,000: many\n" in unasked.text
    numbers = [int(line.split(":")[1]) for line in flat(unasked) if line.startswith("many:")]
    assert numbers[0] == 1
    assert numbers[-1] > 25_000
    asked = await ws.call("Grep", pattern="hit", output_mode="content", head_limit=250)
    assert asked.text.count("hit") == 250
    assert "cut at head_limit 250; narrow by path, glob or type, or go on" in asked.text
    assert "offset=250]" in asked.text
    everything = await ws.call("Grep", pattern="hit", output_mode="content", head_limit=0)
    assert 19_000 < len(everything.text.encode()) <= 20_000
    assert "cut at 20 KB" in everything.text
    assert everything.omitted


@pytest.mark.parametrize("mode", ["files", "content", "count"])
async def test_what_is_not_too_much_is_shown_whole(workspace: MakeWorkspace, mode: str) -> None:
    count = 30 if mode == "content" else 15
    ws = await workspace({f"{'folder' * 15}/f{n:02d}": "needle\n" for n in range(count)})
    result = await ws.call("Grep", pattern="needle", output_mode=mode)
    assert len(flat(result) if mode == "content" else result.text.split("\n")) == count
    assert not result.omitted


async def test_long_lines_are_marked(workspace: MakeWorkspace) -> None:
    ws = await workspace({"f": "var a=1;" * 100 + "\n" + "A1b2" * 200 + "\n"})
    result = await ws.call("Grep", pattern=".", output_mode="content")
    minified, encoded = flat(result)
    assert (
        minified
        == f"f:1:{('var a=1;' * 100)[:500]} [cut; 800 characters in all, minified or generated]"
    )
    assert encoded.endswith("[cut; 800 characters in all, encoded data]")


async def test_linear_time(workspace: MakeWorkspace) -> None:
    ws = await workspace({"evil": "a" * 50_000 + "!\n", "lines": "b\n" * 200_000})
    for pattern in ("(a+)+$", "(a|aa)+c", "[^x]+", r"[^x]*\n?y", r"b\s*$"):
        async with asyncio.timeout(SECONDS):  # one that goes back and forth takes years
            result = await ws.call("Grep", pattern=pattern, output_mode="count")
        assert not result.error, result.text


async def test_what_is_left_out_where_one_looks_is_said_first(workspace: MakeWorkspace) -> None:
    rules = "".join(f"*.x{number}\n" for number in range(8)) + "build/\n"
    files = {f"a/f{number % 8}{number}.x{number % 8}": "" for number in range(24)}
    ws = await workspace(
        {**files, ".gitignore": rules, "build/x.js": "needle\n", "pkg/a.py": "", "pkg/b.x1": ""}
    )
    _, first, looked, *_ = (
        await ws.call("Grep", pattern="needle", path="build", glob="*.js")
    ).text.split("\n")
    assert first == (
        "build is left out by rule: .gitignore:9 build/; Read still opens the files in it."
    )
    assert looked == "Looked at 0 of 2 files (under build, glob *.js)."
    *_, last = (await ws.call("Grep", pattern="needle", path="pkg")).text.split("\n")
    assert last == "Left out under pkg by rule: .gitignore:2 *.x1 (1)."
    *_, last = (await ws.call("Grep", pattern="needle")).text.split("\n")
    assert last.endswith("; 4 more rules.")
    *_, last = (await ws.call("Grep", pattern="needle", path="pkg/a.py")).text.split("\n")
    assert last == "Searched 1 of these files, 1 kB."


async def test_globs_are_read_as_by_glob(workspace: MakeWorkspace) -> None:
    ws = await workspace({"pkg/deep/c.py": "one\n", "d/[id]/p.ts": "one\n"})
    for glob in ("deep", "deep/", f"{ws.root}/pkg/**"):
        assert (await ws.call("Grep", pattern="one", glob=glob)).text == "pkg/deep/c.py"
    assert r"write \[ for" in (await ws.call("Grep", pattern="one", glob="d/[id]/*")).text
    assert r"write \[ for" not in (await ws.call("Grep", pattern="two", glob="[cp].*")).text


@pytest.mark.parametrize("name", ["a\nb:1:c", "Icon\r", "x\x1b[2J\\y", "\u2028\x9b", "b\tc"])
async def test_a_name_cannot_forge_lines_and_read_takes_it_back(
    workspace: MakeWorkspace, name: str
) -> None:
    ws = await workspace({f"d/{name}.py": "def one():\n    pass\n"})
    (path,) = {
        (await ws.call("Grep", pattern="one")).text,
        (await ws.call("Glob", pattern="*.py")).text,
        (await ws.call("Grep", pattern="one", output_mode="content")).text.removesuffix(
            "\n1:def one():"
        ),
        (await ws.call("Symbols", name="one")).text.partition(":1:def one():")[0],
    }
    assert path.isprintable()
    assert "def one" in (await ws.call("Read", path=path)).text
    assert (
        "def one" in (await ws.call("Grep", pattern="one", path=path, output_mode="content")).text
    )


async def test_nothing_found_is_accounted_for(workspace: MakeWorkspace) -> None:
    ws = await workspace(
        {
            **FILES,
            ".gitignore": "*.log\n",
            "x.log": "absent",
            "bin": b"\0absent",
            "big": "x" * 5_000,
        },
        maxFileBytes=1_000,
    )
    result = await ws.call("Grep", pattern="absent")
    assert not result.error
    head, looked, searched, unsearched, rules = result.text.split("\n")
    assert head == "No match for absent."
    assert looked == "Looked at 6 of 6 files."
    assert searched == "Searched 4 of these files, 1 kB."
    assert unsearched == "Could not be searched: 1 binary, 1 too large."
    assert "*.log (1)" in rules
    filtered = await ws.call("Grep", pattern="absent", type="md")
    assert "Looked at 1 of 6 files (type md)." in filtered.text
    beyond = await ws.call("Grep", pattern="one", offset=50)
    assert beyond.text.startswith("No match for one after the first 50.")


async def test_a_line_end_in_the_pattern_is_explained(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Grep", pattern=r"import os\n\ndef")
    assert "only with multiline" in result.text


FEED, CARRIAGE = "only with multiline", r"so \r matches nothing"


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        (r"zzz\nname", {FEED}),
        ("zzz\nname", {FEED}),
        (r"zzz\x0a", {FEED}),
        (r"zzz\x{0A}", {FEED}),
        (r"zzz[,\n]", {FEED}),
        (r"zzz\r", {FEED, CARRIAGE}),
        (r"zzz\x0d", {FEED, CARRIAGE}),
        (r"zzz\\\r", {FEED, CARRIAGE}),
        (r"zzz\\name", set()),
        (r"zzz\\r", set()),
        (r"\Qzzz\name\E", set()),
        (r"zzz[^\n]", set()),
        (r"zzz[^]\r[:alpha:]\n]", set()),
        (r"zzz\[^\n]", {FEED}),
    ],
)
async def test_of_line_ends_only_what_holds_is_said(
    workspace: MakeWorkspace, pattern: str, says: set[str]
) -> None:
    ws = await workspace(FILES)
    text = (await ws.call("Grep", pattern=pattern)).text
    assert text.startswith("No match")
    assert {each for each in (FEED, CARRIAGE) if each in text} == says


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pattern": "(a"}, "escape characters such as ( [ { meant literally"),
        ({"pattern": "a{2"}, None),  # a brace that repeats nothing is itself
        ({"pattern": r"(?=a)"}, "no look-around"),
        ({"pattern": r"(a)\1"}, "no look-around and no back-references"),
        ({"pattern": "(((a{100}){100}){100})"}, "cannot be used"),
        ({"pattern": "\ud800"}, "Correct the arguments"),
        ({"pattern": "a" * 2_001}, "at most 2000 characters"),
        ({"pattern": "a", "path": "../x"}, "outside the workspace"),
        ({"pattern": "a", "path": "no/such"}, "Use Glob to find its path"),
        ({"pattern": "a", "glob": "{"}, r"Write \{ for a literal one"),
        ({"pattern": "a", "type": "cobol"}, "Use glob instead, or one of"),
        ({"pattern": "a", "output_mode": "json"}, "Correct the arguments"),
        ({"pattern": "a", "head_limit": -1}, "Correct the arguments"),
    ],
)
async def test_failures_say_what_next(
    workspace: MakeWorkspace, arguments: dict[str, object], says: str | None
) -> None:
    ws = await workspace(FILES)
    result = await ws.call("Grep", **arguments)
    assert result.error == (says is not None)
    assert (says or "") in result.text


async def test_the_editors_text_is_searched(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "on_disk\n", "b.py": "other\n"})

    async def check(pattern: str, *files: str) -> None:
        result = await ws.call("Grep", pattern=pattern)
        found = [] if result.text.startswith("No match") else sorted(result.text.split("\n"))
        assert found == list(files)

    ws.open("a.py", "unsaved\n")
    ws.open("new.py", "unsaved, too\n")
    await check("unsaved", "a.py", "new.py")
    await check("on_disk")
    ws.close("a.py")
    ws.close("new.py")
    await check("unsaved")
    await check("on_disk", "a.py")


async def test_odd_places(workspace: MakeWorkspace) -> None:
    ws = await workspace({os.fsdecode(b"\xff.py"): "hit\n", "ok.py": "hit \u2028 hit\x0chit\n"})
    (ws.root / "loop").symlink_to(ws.root)
    result = await ws.call("Grep", pattern="hit$", output_mode="count")
    assert sorted(result.text.split("\n")) == ["ok.py:1", os.fsdecode(b"\xff.py:1")]


async def test_a_file_alone_is_searched_as_among_others(workspace: MakeWorkspace) -> None:
    """The index is not asked about it; nothing else may tell."""
    ws = await workspace(
        {"plain.py": "hit\n\nhit\n", "crlf.py": "hit\r\nno\rhit", "miss.py": "his\n"}
        | {"changed.py": "on disk\n", "deep/twin.py": "hit\n", "deep/twin.pyi": "hit\n"}
        | {"wide.py": "hit \xe9\n".encode("utf-16"), "binary.py": b"hit\0\n"}
    )
    (ws.root / "link.py").symlink_to("deep/twin.py")
    ws.touched("link.py")
    ws.open("changed.py", "now a hit\n")
    await ws.host.ready()
    every = flat(await ws.call("Grep", pattern="hit", output_mode="content"))
    files = [entry.relative for entry in ws.snapshot.files()]
    assert len(files) == 9
    for file in files:
        alone = await ws.call("Grep", pattern="hit", output_mode="content", path=file)
        real = (ws.root / file).resolve().relative_to(ws.root)
        expected = [line for line in every if line.startswith(f"{real}:")]
        if expected:
            assert flat(alone) == expected
        else:
            assert alone.text.startswith("No match for hit.\nLooked at 1 of 9 files (under")
            assert ("1 binary" in alone.text) == (file == "binary.py")
        if file == "plain.py":
            assert (
                "Looked at 0" in (await ws.call("Grep", pattern="hit", path=file, type="md")).text
            )


@pytest.mark.parametrize(
    ("tool", "asked"), [("Grep", {"pattern": "os"}), ("Read", {"path": "a.py"})]
)
async def test_no_descriptor_is_no_proof_of_absence(
    workspace: MakeWorkspace, tool: str, asked: dict[str, str]
) -> None:
    ws = await workspace(FILES, index=False)  # nothing is written meanwhile
    with no_descriptor_left():
        failed = await ws.call(tool, **asked)
    assert failed.error
    assert "too many files open" in failed.text
    assert "Try again" in failed.text
    assert not (await ws.call(tool, **asked)).error


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\büber\b", ["a.py:1:über = größe(x)"]),
        (r"\<größe\>", ["a.py:1:über = größe(x)"]),
        (r"\w+ = \w+\(", ["a.py:1:über = größe(x)"]),
        (r"\d+\s東", ["b.md:1:٣\u3000東京"]),
        (r"\bgröß\b", []),
    ],
)
async def test_words_are_not_ascii_alone(
    workspace: MakeWorkspace, pattern: str, found: list[str]
) -> None:
    ws = await workspace({"a.py": "über = größe(x)\n", "b.md": "٣\u3000東京\n"})
    result = await ws.call("Grep", pattern=pattern, output_mode="content")
    assert flat(result) == found if found else result.text.startswith("No match")
    assert "ASCII" not in result.text


async def test_a_pattern_that_may_miss_says_so(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "xüber\n"})
    result = await ws.call("Grep", pattern=r"x\Büber")
    assert "only ASCII letters make words" in result.text


WORD = "\u0447\u0438\u0441\u043b\u043e"
RUSSIAN = (
    f"# \u0412\u044b\u0447\u0438\u0441\u043b\u044f\u0435\u0442 {WORD} \u0434\u043d\u0435\u0439\n"
)


async def test_other_encodings_than_unicodes_are_recognised_and_named(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"a.py": RUSSIAN.encode("koi8-r"), "b.py": RUSSIAN})
    found = await ws.call("Grep", pattern=rf"\b{WORD}\b", output_mode="content")
    assert [span.uri for span in found.spans] == [ws.uri("a.py"), ws.uri("b.py")]
    assert found.text.endswith("[encoding guessed from the bytes: a.py (koi8-r)]")
    nothing = await ws.call("Grep", pattern=f"{WORD}{WORD}", path="a.py")
    assert "Encoding guessed from the bytes: a.py (koi8-r)." in nothing.text


@pytest.mark.parametrize("indexed", [False, True])
async def test_a_word_that_only_the_declared_encoding_reads(
    workspace: MakeWorkspace, indexed: bool
) -> None:
    """Its bytes look like Latin-1."""
    files = {"old/a.txt": WORD.encode("cp866"), "old/b.txt": WORD, "c.txt": WORD.encode("cp866")}
    ws = await workspace(files, {"old/**": "ibm866"})
    for path in files:
        os.utime(ws.root / path, (0, 0))
    if indexed:
        await ws.host.index_manager.build()
    found = await ws.call("Grep", pattern=rf"\b{WORD}\b", output_mode="content")
    assert [span.uri for span in found.spans] == [ws.uri("old/a.txt"), ws.uri("old/b.txt")]
    assert "look like" not in found.text


@pytest.mark.parametrize(
    ("pattern", "word"),
    [("needle", "needle"), (r"\bneedle\b", "needle"), ("\\bn\u00e4hle\\b", "n\u00e4hle")],
)
async def test_a_match_far_into_a_line_is_shown(
    workspace: MakeWorkspace, pattern: str, word: str
) -> None:
    line = "\u00e9xneedle," * 60_000 + f" {word} " + "end," * 1_000
    ws = await workspace({"f": f"{line}\n"})
    result = await ws.call("Grep", pattern=pattern, output_mode="content")
    shown = flat(result)[0]
    column = 1 if pattern == "needle" else len("\u00e9xneedle," * 60_000) + 2
    if pattern == "needle":
        assert shown.startswith("f:1:\u00e9xneedle,")
    else:
        assert f",\u00e9xneedle, {word} end,end," in shown
        told = f"[cut; the match is at column {column:,} of {len(line):,} characters, minified or"
        assert told in shown
        assert len(shown) < 700
        read = await ws.call("Read", path="f", offset=1, column=column)
        assert read.text.startswith(f"1\t{word} end,end,")
    assert result.citable


async def test_a_match_near_the_beginning_of_a_line_is_shown_as_before(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"f": "x" * 300 + "needle" + "y" * 900})
    result = await ws.call("Grep", pattern="needle", output_mode="content")
    assert flat(result)[0].startswith("f:1:xxx")

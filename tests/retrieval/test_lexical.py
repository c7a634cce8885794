"""Ranking: the file whose function the question names comes first."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from glossator.retrieval.lexical import Found, rank

from glossator.tools.search import ranked_search
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "text.py": "def split_lines(text):\n    return text.split()\n\ndef join(parts): ...\n",
    "cache.py": "class ReadCache:\n    def evict(self):\n        '''Drop the oldest entries.'''\n",
    "retry.py": "def backoff(attempt):\n    '''The wait between two attempts.'''\n    return 2\n",
    "notes.md": "# Lines\n\nAbout text, a cache, entries and waiting: split or join as you like.\n",
    "long.txt": "text text line split cache entries wait attempt\n" * 200,
}


async def find(ws: Workspace, question: str, limit: int = 5) -> Found:
    _, found = await ranked_search(ws.snapshot, ws.symbols, question, limit)
    return found


@pytest.mark.parametrize(
    ("question", "path", "name"),
    [
        ("Where does it split lines?", "text.py", "split_lines"),
        ("What does split_lines return?", "text.py", "split_lines"),
        ("How are entries evicted from the read cache?", "cache.py", "evict"),
        ("backoff between attempts", "retry.py", "backoff"),
    ],
)
async def test_the_named_function_comes_first(
    workspace: MakeWorkspace, question: str, path: str, name: str
) -> None:
    ws = await workspace(FILES)
    found = await find(ws, question)
    best = found.hits[0].chunk
    assert ws.snapshot.relative(best.document.path) == path
    assert best.name == name
    assert found.files == len(FILES)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= 5


async def test_code_comes_before_tests_and_changelogs_unless_they_are_asked_for(
    workspace: MakeWorkspace,
) -> None:
    others = {
        "CHANGES.md": "- split lines: split_lines splits lines at line ends\n" * 5,
        "tests/test_text.py": "def test_split_lines():\n    assert split_lines('split lines')\n"
        * 5,
        "app.min.js": "splitLines();splitLines();split(lines)\n" * 5,
    }
    ws = await workspace({**FILES, **others})

    async def first(question: str) -> str:
        return ws.snapshot.relative((await find(ws, question)).hits[0].chunk.document.path)

    assert await first("Where does it split lines?") == "text.py"
    assert await first("Where is it tested that it splits lines?") == "tests/test_text.py"
    assert await first("Which changes were there to split lines?") == "CHANGES.md"


async def test_what_defines_a_name_of_the_question_counts_in_full(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(
        {
            "tests/chamber.py": "class EchoChamber:\n    def encode(self):\n        return walls\n",
            "src/hall.py": "def run(hall):\n    return hall.encode(EchoChamber)\n",
            "docs/chamber.md": "# EchoChamber\n\nclass EchoChamber can encode walls.\n",
        }
    )
    best = (await find(ws, "How does EchoChamber encode walls?")).hits[0].chunk
    assert ws.snapshot.relative(best.document.path) == "tests/chamber.py"


async def test_chunks_of_one_function_that_touch_are_one_hit(workspace: MakeWorkspace) -> None:
    lines = "".join(f"    zebra({n})\n\n" for n in range(35))
    inner = "    def inner():\n        zebra()\n"
    ws = await workspace(
        {
            "long.py": f"class A:\n    def other(self):\n        zebra()\n\ndef run():\n{lines}",
            "nested.py": f"def outer():\n    zebra()\n\n{inner}\n    zebra()\n",
        }
    )
    hits = (await find(ws, "zebra", 20)).hits
    name = {hit.chunk.document.path.rpartition("/")[2]: hit.chunk for hit in hits}
    found = {
        (hit.chunk.document.path.rpartition("/")[2], hit.chunk.first_line, hit.chunk.last_line)
        for hit in hits
    }
    assert found == {("long.py", 2, 3), ("long.py", 5, 74), ("nested.py", 1, 7)}
    assert name["nested.py"].within == ("outer",)


@pytest.mark.parametrize(
    ("file", "imports"),
    [
        ("zebras.py", "from herd import (\n    Zebra,\n    ZebraFoal as Foal,\n)\nimport zebra\n"),
        ("api.py", "__all__ = (\n" + '    "Zebra",\n' * 5 + ")\n"),
        ("zebras.go", 'package a\n\nimport (\n\t"a/zebra"\n\tz "b/zebra"\n\t"c/zebra"\n)\n'),
        ("zebras.ts", 'import {\n  Zebra,\n} from "./zebra";\nimport zebra from "zebra";\n'),
        ("zebras.rs", "pub use zebra::{\n    foal::Zebra,\n    Zebra,\n};\nuse zebra::*;\n"),
    ],
)
async def test_imports_come_after_what_says_something(
    workspace: MakeWorkspace, file: str, imports: str
) -> None:
    ws = await workspace({file: imports, "herd.py": "def graze():\n    return zebra\n"})
    hits = (await find(ws, "zebra")).hits
    assert [ws.snapshot.relative(hit.chunk.document.path) for hit in hits] == ["herd.py", file]


async def test_the_same_question_gives_the_same_hits(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "copy.py": FILES["text.py"]})
    hits = [(await find(ws, "split lines")).hits for _ in range(2)]
    assert hits[0] == hits[1]


async def test_nothing_found(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    found = await find(ws, "zebra stripes")
    assert (found.hits, found.terms, found.files) == ((), ("zebra", "strip"), len(FILES))
    assert await find(ws, "what is it?") == Found((), (), 0, 0)


async def test_a_cancelled_search_reads_nothing(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    cancelled = threading.Event()
    cancelled.set()
    assert rank(cancelled, ws.snapshot, ws.snapshot.files(), "split lines").documents == ()


async def test_unreadable_files_are_passed_over(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "split.bin": b"\0split lines", "empty_split.txt": ""})
    assert (await find(ws, "split lines")).files == len(FILES) + 1


async def test_odd_file_names(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "a\rb\nc.txt": "x\n", "zebra.txt": "stripes\n"})
    found = await find(ws, "zebra")
    assert [ws.snapshot.relative(hit.chunk.document.path) for hit in found.hits] == ["zebra.txt"]


async def test_the_editors_text_is_cut_by_its_own_outline(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.open("retry.py", "import x\n\n\ndef backoff_twice(attempt):\n    return 4\n")
    best = (await find(ws, "backoff attempts")).hits[0].chunk
    assert (best.name, best.first_line) == ("backoff_twice", 4)


async def test_a_link_and_its_file_are_one_document(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    os.symlink("retry.py", ws.root / "again.py")
    ws.touched("again.py")
    found = await find(ws, "backoff attempt")
    assert [hit.chunk.name for hit in found.hits].count("backoff") == 1


async def test_without_the_worker_files_are_cut_into_windows(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    assert (await find(ws, "backoff")).unparsed == 0
    process_id = ws.worker.state.process_id
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
    pending = ws.call("Search", query="backoff between attempts")
    result = await pending
    assert result.text.startswith("1. retry.py:1-3\n")
    assert "2 of the best files were not parsed in time" in result.text


async def test_a_file_that_changes_meanwhile_is_cut_into_windows(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    documents = rank(threading.Event(), ws.snapshot, ws.snapshot.files(), "backoff").documents
    (ws.root / "retry.py").write_text("def other(): ...\n")
    assert await ws.symbols.outlines(ws.snapshot, documents, 5.0) == {}

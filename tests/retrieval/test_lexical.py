"""Ranking: the file whose function the question names comes first."""

from __future__ import annotations

import threading

import pytest

from glossator.retrieval.lexical import Found, search
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "text.py": "def split_lines(text):\n    return text.split()\n\ndef join(parts): ...\n",
    "cache.py": "class ReadCache:\n    def evict(self):\n        '''Drop the oldest entries.'''\n",
    "retry.py": "def backoff(attempt):\n    '''The wait between two attempts.'''\n    return 2\n",
    "notes.md": "# Lines\n\nAbout text, a cache, entries and waiting: split or join as you like.\n",
    "long.txt": "text text line split cache entries wait attempt\n" * 200,
}


def find(ws: Workspace, question: str, limit: int = 5, *, cancelled: bool = False) -> Found:
    flag = threading.Event()
    if cancelled:
        flag.set()
    return search(ws.snapshot, ws.snapshot.files(), question, limit, flag)


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
    found = find(ws, question)
    best = found.hits[0].chunk
    assert ws.snapshot.relative(best.document.path) == path
    assert best.name == name
    assert found.files == len(FILES)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= 5


async def test_the_same_question_gives_the_same_hits(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "copy.py": FILES["text.py"]})
    hits = [find(ws, "split lines").hits for _ in range(2)]
    assert hits[0] == hits[1]


async def test_nothing_found(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    found = find(ws, "zebra stripes")
    assert (found.hits, found.terms, found.files) == ((), ("zebra", "strip"), len(FILES))
    assert find(ws, "what is it?") == Found((), (), 0)


async def test_a_cancelled_search_reads_nothing(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    assert find(ws, "split lines", cancelled=True).files == 0


async def test_unreadable_files_are_passed_over(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "split.bin": b"\0split lines", "empty_split.txt": ""})
    assert find(ws, "split lines").files == len(FILES) + 1

"""What counts for more: small made-up corpora in which one weight alone decides the order."""

from __future__ import annotations

import os
import threading

import pytest
from glossator.retrieval.lexical import Ranking, rank

from glossator.tools.search import ranked_search
from tests.workspaces import MakeWorkspace, Workspace


def ranked(ws: Workspace, question: str) -> Ranking:
    return rank(threading.Event(), ws.snapshot, ws.snapshot.files(), question)


def files_of(ws: Workspace, question: str) -> list[str]:
    return [ws.snapshot.relative(each.path) for each in ranked(ws, question).documents]


async def names_of(ws: Workspace, question: str, limit: int = 20) -> list[str]:
    """The hits, best first, as `file name`."""
    _, found = await ranked_search(ws.snapshot, ws.symbols, question, limit)
    chunks = [hit.chunk for hit in found.hits]
    return [f"{ws.snapshot.relative(each.document.path)} {each.name}".strip() for each in chunks]


async def test_a_word_in_a_path_counts_more_than_once_in_a_text(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "one zebra.\n", "zebra.txt": "one horse.\n"})
    assert files_of(ws, "zebra") == ["zebra.txt", "a.txt"]
    often = await workspace({"a.txt": "zebra zebra zebra.\n", "zebra.txt": "horse horse horse.\n"})
    assert files_of(often, "zebra") == ["a.txt", "zebra.txt"]


async def test_a_method_counts_with_the_name_of_its_class(workspace: MakeWorkspace) -> None:
    """More than what mentions it twice, less than what speaks of nothing else."""
    ws = await workspace(
        {
            "a.py": "def mention():\n    return 'zebra', 'zebra'\n",
            "b.py": "def praise():\n    return 'zebra zebra zebra zebra zebra zebra'\n",
            "c.py": "class Zebra:\n    def graze(self):\n        return 'grass'\n",
        }
    )
    names = await names_of(ws, "zebra")
    assert [each for each in names if not each.endswith("Zebra")] == [
        "b.py praise",
        "c.py graze",
        "a.py mention",
    ]


async def test_a_document_of_several_names_has_the_score_of_the_best(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"plain.txt": "one zebra here.\n", "two.txt": "zebra, zebra...\n"})
    os.symlink("plain.txt", ws.root / "zebra.txt")
    ws.touched("zebra.txt")
    ranking = ranked(ws, "zebra")
    assert [ws.snapshot.relative(each.path) for each in ranking.documents] == [
        "plain.txt",
        "two.txt",
    ]
    scores = [ranking.scores[each.path] for each in ranking.documents]
    assert scores == sorted(scores, reverse=True)


async def test_of_equal_places_that_in_the_better_file_comes_first(
    workspace: MakeWorkspace,
) -> None:
    place = "def one():\n    return 'stripes'\n\n\ndef two():\n    return '{}'\n"
    ws = await workspace({"a.py": place.format("horses"), "b.py": place.format("zebras")})
    names = await names_of(ws, "zebra stripes")
    assert names.index("b.py one") < names.index("a.py one")


async def test_no_file_takes_all_the_places(workspace: MakeWorkspace) -> None:
    many = "".join(f"def f{n}():\n    return 'zebra zebra'\n\n\n" for n in range(9))
    ws = await workspace({"a.py": many, "b.py": "def other():\n    return 'zebra'\n"})
    names = await names_of(ws, "zebra")
    assert len([each for each in names if each.startswith("a.py")]) == 3
    assert "b.py other" in names


@pytest.mark.parametrize("text", ["split_lines(text)", "Split_Lines(text)"])
async def test_a_whole_name_is_counted_before_its_parts(
    workspace: MakeWorkspace, text: str
) -> None:
    """It is rare, and its parts are everywhere."""
    ws = await workspace(
        {
            "a.txt": "where lines are split, and so on\n",
            "b.txt": f"{text} is called here, once\n",
            "c.txt": "to split all the lines is a job.\n",
            "d.txt": "a split of the lines into parts.\n",
        }
    )
    assert files_of(ws, "split_lines")[0] == "b.txt"

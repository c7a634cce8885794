"""The ranking is the same whether the index names the files to read or every file is read."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

import pytest
from glossator.retrieval.lexical import Found, best_chunks, rank

from glossator.documents.snapshot import WorkspaceSnapshot
from tests.search.searching import indexed, pending, write

WORDS = "cache Cache caching evict entry entries line split_lines \u017fplit é Été".split()


def found(snapshot: WorkspaceSnapshot, question: str) -> Found:
    never = threading.Event()
    ranking = rank(never, snapshot, snapshot.files(), question)
    return best_chunks(never, ranking, {}, 20)


def content(random: Random) -> bytes:
    text = "\n".join(" ".join(random.choices(WORDS, k=4)) for _ in range(random.randrange(12)))
    encoding = random.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"])
    return random.choice([b"", b"", b"", b"\0"]) + text.encode(encoding, "replace")


@pytest.mark.parametrize("seed", range(3))
async def test_the_index_changes_nothing(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    names = random.sample([f"{a}_{b}.txt" for a in ("cache", "x", "lines") for b in range(20)], 40)
    write(tmp_path, {name: content(random) for name in names})
    snapshot = await pending(tmp_path)
    for question in ("evicted entries", "split_lines", "cache", "été", "nothing of this", "lines?"):
        expected = found(snapshot, question)
        assert found(indexed(snapshot), question) == expected, question
        assert expected.files == sum(
            not (tmp_path / n).read_bytes().startswith(b"\0") for n in names
        )

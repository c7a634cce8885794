"""The vectors of chunks in the worker's memory: of the context, too, and only of what exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import pytest

from glossator.retrieval import VectorPlace, VectorStore, text_key
from glossator.retrieval.chunks import work
from glossator.retrieval.chunks.candidate import chunk_key
from glossator.retrieval.chunks.chunk_index import IndexDamaged
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.requests import Synced, SyncRequest, VectorsRequest
from glossator.retrieval.contexts.context_file import keep_contexts
from glossator.retrieval.embeddings.chunk_vectors import LOADED
from glossator.retrieval.embeddings.embedder import unit
from glossator.retrieval.embeddings.vector_index import VectorsHere
from glossator.symbols import Library
from glossator.worker import Slices

ROOM, MODEL = 10**8, "a:model"
CODE = "def split_lines(text):\n    return text.split()"


_T = TypeVar("_T")


def result(slices: Slices[_T]) -> _T:
    """What a job gives, without its pauses."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return cast(_T, end.value)


class Workspace:
    """A root whose chunks are indexed in this process, and given vectors by a fake embedder."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root = root
        self.place = VectorPlace(MODEL, str(state / "vectors.db"), ROOM)
        self.contexts = str(state / "contexts.db")
        self.library = Library((str(root),), 10**6, 0, {})

    def sync(self, *again: str) -> Synced:
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        stamps = {
            str(path.relative_to(self.root)): b"%d" % path.stat().st_mtime_ns for path in files
        }
        return result(
            work.sync(
                SyncRequest(
                    self.library,
                    str(self.root),
                    stamps,
                    (),
                    whole=True,
                    max_bytes=ROOM,
                    contexts=self.contexts,
                    again=frozenset(str(self.root / path) for path in again),
                )
            )
        )

    def embed(self, *paths: str) -> list[str]:
        """Gives the texts that had no vector."""
        asked = VectorsRequest(self.library, str(self.root), paths, self.contexts, self.place)
        texts = result(work.load_vectors(asked))
        rows = unit(np.random.default_rng(1).normal(size=(len(texts), 8)).astype(np.float32))
        store = VectorStore(self.place.file, ROOM, MODEL)
        store.put(dict(zip(map(text_key, texts), rows, strict=True)))
        store.close()
        assert result(work.load_vectors(asked)) == ()
        return list(texts)

    @property
    def count(self) -> int:
        """How many vectors are in memory."""
        kept = LOADED[self.place]
        assert isinstance(kept, VectorsHere)
        return len(kept)


@pytest.fixture
def workspace(state: Path, tree: Path) -> Iterator[Workspace]:
    state.mkdir()
    work._OPENED.clear()  # of other tests that worked in this process
    LOADED.clear()
    made = Workspace(tree, state)
    made.sync()
    yield made
    work._OPENED.clear()
    LOADED.clear()


def test_a_context_is_embedded_with_its_chunk_and_replaces_what_was(workspace: Workspace) -> None:
    files = "notes.md", "src/cache.py", "src/lines.py"
    assert len(workspace.embed(*files)) == workspace.count == 3
    key = chunk_key("src/lines.py", Chunk(1, 2, (), ("split_lines",), ("function",)), CODE)
    keep_contexts(workspace.contexts, {key: "It parts a document."})
    assert workspace.embed(*files) == []  # the index comes first
    workspace.sync("src/lines.py")
    assert workspace.embed(*files) == [f"lines.py\nIt parts a document.\n{CODE}"]
    assert workspace.count == 3
    keep_contexts(workspace.contexts, {key: "It tears a document up."})
    workspace.sync("src/lines.py")
    assert len(workspace.embed(*files)) == 1
    assert workspace.count == 3


def test_vectors_of_chunks_that_are_gone_leave_the_memory(workspace: Workspace) -> None:
    copy = workspace.root / "other" / "lines.py"
    copy.parent.mkdir()
    copy.write_text(f"{CODE}\n")
    workspace.sync()
    workspace.embed("src/cache.py", "src/lines.py", "other/lines.py")
    assert workspace.count == 2  # both files hold one chunk
    (workspace.root / "src" / "cache.py").write_text("class Other:\n    def evict(self): ...\n")
    workspace.sync()
    assert workspace.count == 1
    copy.unlink()
    workspace.sync()
    assert workspace.count == 1  # of the file that is left
    (workspace.root / "src" / "lines.py").unlink()
    workspace.sync()
    assert workspace.count == 0


def test_damage_in_one_root_harms_no_other(
    workspace: Workspace, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "other.py").write_text("def other(): ...\n")
    damaged = Workspace(tmp_path / "b", state)
    damaged.sync()
    workspace.embed("src/cache.py", "src/lines.py")
    index = work._OPENED[str(workspace.root)]

    def fail(_key: bytes) -> bool:
        raise IndexDamaged("a segment is gone")

    monkeypatch.setattr(work._OPENED[str(damaged.root)], "holds", fail)
    for name in ("cache.py", "lines.py"):
        (workspace.root / "src" / name).unlink()
    done = workspace.sync()
    assert (done.damage, work._OPENED[str(workspace.root)]) == ("", index)
    assert str(damaged.root) not in work._OPENED  # it is opened and verified again
    assert workspace.count == 1  # one was kept, as nobody could tell
    assert damaged.sync().damage == ""

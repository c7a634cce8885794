"""Vectors on disk and in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval import PackedVectors, Vectors, VectorStore
from glossator.retrieval.embeddings.embedder import packed, unit
from glossator.retrieval.embeddings.vector_index import VectorIndex
from tests.lsp.support.chance import seeded

ROOM = 50_000_000
DIMENSION = 32


def vectors(count: int, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return unit(rows)


def keyed(rows: Vectors, start: int = 0) -> dict[bytes, PackedVectors]:
    return {b"%d" % (start + at): row for at, row in enumerate(packed(rows))}


def test_packing_keeps_the_direction() -> None:
    rows = vectors(50)
    again = unit(packed(rows).astype(np.float32))
    assert (rows * again).sum(axis=1).min() > 0.9999
    assert np.abs(packed(rows)).max(axis=1).tolist() == [127] * 50
    assert not packed(np.zeros((1, 4), np.float32)).any()


def test_what_was_stored(tmp_path: Path) -> None:
    rows = vectors(3)
    store = VectorStore(str(tmp_path / "vectors"), ROOM, "a:model")
    assert store.dimension() is None
    store.put({b"a": rows[0], b"b": rows[1]})
    store.put({})
    assert store.known([b"a", b"c"]) == {b"a"}
    assert store.dimension() == DIMENSION
    store.close()
    found = VectorStore(str(tmp_path / "vectors"), ROOM, "a:model").get([b"b", b"c"])
    np.testing.assert_array_equal(found[b"b"], packed(rows[1]))
    assert list(found) == [b"b"]
    other = VectorStore(str(tmp_path / "vectors"), ROOM, "another:model")
    assert other.known([b"a"]) == set()


def test_another_dimension_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "vectors")
    store = VectorStore(path, ROOM, "a:model")
    store.put({b"a": vectors(1)[0]})
    with pytest.raises(EmbeddingFailed, match=r"vectors of 5 numbers, and made some of 32") as told:
        store.put({b"b": np.ones(5, np.float32)})
    assert path in str(told.value)
    assert store.known([b"b"]) == set()


def nearest(rows: dict[bytes, PackedVectors], question: Vectors, count: int) -> list[bytes]:
    cosines = {key: float(unit(row.astype(np.float32)) @ question) for key, row in rows.items()}
    return sorted(cosines, key=lambda key: -cosines[key])[:count]


@pytest.mark.parametrize("approximate_above", [1_000_000, 200])
def test_adding_removing_and_searching(approximate_above: int) -> None:
    """Against a search of everything, exactly and, where most rows are in the graph, nearly so."""
    chance = seeded()
    index = VectorIndex(DIMENSION, approximate_above)
    there: dict[bytes, PackedVectors] = {}
    made = 0
    found = wanted = 0
    for round_ in range(12):
        fresh = keyed(vectors(chance.randrange(1, 300), seed=round_), made)
        made += len(fresh)
        index.add(fresh)
        there |= fresh
        gone = chance.sample(sorted(there), chance.randrange(len(there) // 2))
        index.remove([*gone, b"never there"])
        for key in gone:
            del there[key]
        index.link(chance.randrange(400))
        assert len(index) == len(there)
        question = vectors(1, seed=1_000 + round_)[0]
        hits = index.search(question, 10)
        assert [cosine for _, cosine in hits] == sorted((c for _, c in hits), reverse=True)
        for key, cosine in hits:
            assert abs(cosine - unit(there[key].astype(np.float32)) @ question) < 0.02
        best = nearest(there, question, 10)
        wanted += len(best)
        found += len({key for key, _ in hits} & set(best))
    assert found >= wanted * 0.9
    assert (index._graph is not None) == (approximate_above == 200)


def test_the_graph_grows_a_little_at_a_time() -> None:
    index = VectorIndex(DIMENSION, approximate_above=50)
    index.add(keyed(vectors(50)))
    assert not index.link(10)
    index.add(keyed(vectors(50, seed=1), 50))
    steps = 1
    while index.link(30):
        steps += 1
    assert steps == 4
    row = vectors(50, seed=1)[7]
    assert index.search(row, 1)[0][0] == b"57"


def test_edges_of_an_index() -> None:
    index = VectorIndex(DIMENSION)
    question = vectors(1)[0]
    assert index.search(question, 5) == []
    assert index.cosines(question, [b"0"]) == [None]
    index.add(keyed(vectors(2)))
    index.add(keyed(vectors(2, seed=9)))  # the same keys: the same content
    assert len(index) == 2
    assert [key for key, _ in index.search(question, 5)] == [b"0", b"1"]
    cosines = index.cosines(question, [b"0", b"?", b"1"])
    assert cosines == [pytest.approx(1, abs=0.001), None, pytest.approx(0.2, abs=0.6)]
    with pytest.raises(EmbeddingFailed, match="5 numbers instead of 32"):
        index.add({b"2": np.ones(5, np.int8)})
    index.remove([b"0", b"1"])
    assert len(index) == 0
    assert b"0" not in index
    assert index.search(question, 5) == []

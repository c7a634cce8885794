"""Embeddings: chunks a second on this machine, and searches of 100,000 vectors and of more.

The vectors are made up, in clusters as those of texts are.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import psutil

from glossator.retrieval import Vectors, VectorStore, embedding_text
from glossator.retrieval.embeddings.embedder import packed, unit
from glossator.retrieval.embeddings.local import DIMENSION, MiniLm
from glossator.retrieval.embeddings.vector_index import VectorIndex
from tests.benchmarks.measure import Figure, Row, show, show_figures

ROWS = 100_000
GRAPH_ROWS = 300_000
LINKED = 1_000  # rows that are added to the graph at a time
NEAREST = 100  # what a search asks for
QUESTIONS = 200
CANDIDATES = 300  # what the reranker is given
CLUSTERS = 200
CHUNKS = 60
LINES = 25  # of a chunk


def run(source: Path, folder: Path) -> bool:
    """`source` holds Python files to embed; `folder` takes the vectors."""
    return all([_embedding(source), _exact(), _graph(), _loading(folder)])


def _embedding(source: Path) -> bool:
    before = _resident()
    model = MiniLm()
    texts = _chunks(source)
    seconds = []
    for text in texts:
        started = time.perf_counter()
        model.embed_documents([text])
        seconds.append(time.perf_counter() - started)
    questions = []
    for _ in range(20):
        started = time.perf_counter()
        model.embed_query("where are the settings of a workspace read and merged?")
        questions.append((time.perf_counter() - started) * 1000)
    show("A question is embedded", [Row("all-MiniLM-L6-v2", questions)])
    return show_figures(
        "Embedding on this machine",
        [
            Figure(
                f"chunks of {LINES} lines", len(texts) / sum(seconds), "a second",
                detail=f"{os.cpu_count()} processors",
            ),
            Figure("memory", (_resident() - before) / 1e6, "MB"),
        ],
    )  # fmt: skip


def _exact() -> bool:
    rows, questions = _made_up(ROWS)
    before = _resident()
    index = VectorIndex(DIMENSION)
    index.add({b"%016d" % at: row for at, row in enumerate(packed(rows))})
    held = _resident() - before
    times, found = _searched(index, rows, questions)
    met = show("An exact search", [Row(f"of {ROWS:,} vectors", times, 20)])
    return met & show_figures(
        "An exact index of bytes",
        [
            Figure("recall at 20 against floats", found, "", 0.97, at_least=True),
            Figure("memory", held / 1e6, "MB", 120),
        ],
    )


def _graph() -> bool:
    """Exact and in the graph, over one index: before it is linked, and after."""
    rows, questions = _made_up(GRAPH_ROWS)
    index = VectorIndex(DIMENSION)
    small = packed(rows)
    del rows
    before = _resident()
    index.add({b"%016d" % at: row for at, row in enumerate(small)})
    held = _resident() - before
    exact_times, exact = _nearest(index, questions)
    before = _resident()
    started = time.perf_counter()
    while index.link(LINKED):
        pass
    built = time.perf_counter() - started
    linked = _resident() - before
    graph_times, graph = _nearest(index, questions)
    found = sum(len(one & other) for one, other in zip(exact, graph, strict=True))
    show(
        f"A search of {GRAPH_ROWS:,} vectors for {NEAREST}",
        [Row("exact", exact_times), Row("in the graph", graph_times)],
    )
    return show_figures(
        "The graph (HNSW)",
        [
            Figure(
                f"recall at {NEAREST} against exact", found / NEAREST / len(questions), "", 0.9,
                at_least=True,
            ),
            Figure("95 % of searches, exact", float(np.percentile(exact_times, 95)), "ms"),
            Figure("95 % of searches, in the graph", float(np.percentile(graph_times, 95)), "ms"),
            Figure("to add 1,000", built / GRAPH_ROWS * 1000, "s"),
            Figure("memory of the vectors", held / 1e6, "MB"),
            Figure("memory of the graph", linked / 1e6, "MB"),
        ],
    )  # fmt: skip


def _loading(folder: Path) -> bool:
    rows, _ = _made_up(ROWS)
    keys = [b"%016d" % at for at in range(ROWS)]
    path = folder / "vectors"
    store = VectorStore(str(path), 1_000_000_000, "made:up")
    started = time.perf_counter()
    for at in range(0, ROWS, 1_000):
        store.put(dict(zip(keys[at : at + 1_000], rows[at : at + 1_000], strict=True)))
    kept = time.perf_counter() - started
    started = time.perf_counter()
    index = VectorIndex(DIMENSION)
    index.add(store.get(keys))
    loaded = time.perf_counter() - started
    store.close()
    return show_figures(
        f"{ROWS:,} vectors on disk",
        [
            Figure("to keep them, by the thousand", kept, "s"),
            Figure("to load them into an index", loaded, "s"),
            Figure("the file", path.stat().st_size / 1e6, "MB"),
        ],
    )


def _searched(index: VectorIndex, rows: Vectors, questions: Vectors) -> tuple[list[float], float]:
    """Times in ms, and the share of the nearest 20 that were among the first 20 found."""
    times = []
    found = 0
    for question in questions:
        best = set(np.argpartition(-(rows @ question), 20)[:20].tolist())
        started = time.perf_counter()
        hits = index.search(question, CANDIDATES)
        times.append((time.perf_counter() - started) * 1000)
        found += len(best & {int(key) for key, _ in hits[:20]})
    return times, found / 20 / len(questions)


def _nearest(index: VectorIndex, questions: Vectors) -> tuple[list[float], list[set[bytes]]]:
    """Times in ms, and what was found."""
    times, found = [], []
    for question in questions:
        started = time.perf_counter()
        hits = index.search(question, NEAREST)
        times.append((time.perf_counter() - started) * 1000)
        found.append({key for key, _ in hits})
    return times, found


def _made_up(count: int) -> tuple[Vectors, Vectors]:
    random = np.random.default_rng(0)
    centres = random.normal(size=(CLUSTERS, DIMENSION)).astype(np.float32)
    near = centres[random.integers(0, CLUSTERS, count)] * np.float32(0.7)
    rows = unit(near + random.normal(size=(count, DIMENSION)).astype(np.float32))
    noise = random.normal(size=(QUESTIONS, DIMENSION)).astype(np.float32) * np.float32(0.03)
    return rows, unit(rows[random.integers(0, count, QUESTIONS)] + noise)


def _chunks(source: Path) -> list[str]:
    chunks: list[str] = []
    for file in sorted(source.rglob("*.py")):
        lines = file.read_text("utf-8", "replace").splitlines()
        chunks.extend(
            embedding_text(file.name, (), "\n".join(lines[at : at + LINES]))
            for at in range(0, len(lines) - LINES, LINES)
        )
    return chunks[:: max(1, len(chunks) // CHUNKS)][:CHUNKS]


def _resident() -> int:
    resident: int = psutil.Process().memory_info().rss
    return resident

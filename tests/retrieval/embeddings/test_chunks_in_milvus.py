"""Search with the vectors in a Milvus that is there, is gone, and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.retrieval.embeddings import embedding as embedding_module
from glossator.retrieval.embeddings.embedder import Access
from tests.patience import SECONDS, until
from tests.retrieval.conftest import MakeKept
from tests.retrieval.embeddings.test_embedding import embedding


@contextmanager
def milvus(folder: Path) -> Iterator[Access]:
    """A Milvus Lite that serves as a cluster does."""
    # imported here: it takes a second, and most processes of tests need none
    from milvus_lite.adapter.grpc.server import start_server_in_thread  # noqa: PLC0415

    server, database, port = start_server_in_thread(str(folder), "127.0.0.1", 0)
    try:
        yield Access(f"http://127.0.0.1:{port}", "MILVUS_TOKEN", "a-secret-token")
    finally:
        server.stop(grace=0).wait()
        database.close()


async def test_a_milvus_that_goes_and_comes_back(
    kept: MakeKept, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_module, "_FAILED_SECONDS", 0.1)
    server = await kept(tree)
    with milvus(tmp_path / "milvus") as access:
        made = await embedding(server, tree, milvus=access)
        found = await server.search("partition a string")
        assert server.name(found.hits[0]) == "src/lines.py"
        assert found.hits[0].places["vectors"].rank == 1
        assert found.problem == ""
    found = await server.search("split lines")
    assert server.name(found.hits[0]) == "src/lines.py"
    assert "Search goes by words alone: Milvus (127.0.0.1" in found.problem
    assert "secret" not in found.problem
    (tree / "src" / "warm.py").write_text("def celsius(fahrenheit):\n    return fahrenheit - 32\n")
    server.host.sweep("test")
    await server.host.ready()
    await server.index.settle()
    await until(lambda: "Chunks are not embedded: Milvus" in made.problem)
    with milvus(tmp_path / "milvus") as access:  # at another port, where no pause is under way
        made.place = replace(made.place, milvus=access)
        async with asyncio.timeout(SECONDS):
            await made.settle()
        found = await server.search("how hot is it outside")
        first = min(found.hits, key=lambda hit: hit.places["vectors"].rank)
        assert (server.name(first), found.problem) == ("src/warm.py", "")


async def test_a_search_that_lost_the_milvus_has_it_connected_again(
    kept: MakeKept, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_module, "_FAILED_SECONDS", 0.1)
    server = await kept(tree)
    with milvus(tmp_path / "milvus") as access:
        made = await embedding(server, tree, milvus=access)
        assert (await server.search("partition a string")).problem == ""
        await until(lambda: not made.busy)
    assert "Search goes by words alone" in (await server.search("split lines")).problem
    await until(lambda: made.busy)  # nobody edited anything
    await until(lambda: "Chunks are not embedded: Milvus" in made.problem)

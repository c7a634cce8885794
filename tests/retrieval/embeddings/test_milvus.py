"""Vectors in a Milvus: a real one (Milvus Lite) in this process, and some that are gone."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, TypeVar, cast

import grpc  # type: ignore[import-untyped] # comes without types
import numpy as np
import pytest
from milvus_lite.server_manager import server_manager_instance as lite

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings import milvus
from glossator.retrieval.embeddings.chunk_vectors import opened_vectors
from glossator.retrieval.embeddings.embedder import Access, Vectors, unit
from glossator.retrieval.embeddings.milvus import MilvusVectors
from glossator.retrieval.embeddings.vector_index import VectorsHere
from glossator.retrieval.embeddings.vector_store import VectorPlace, VectorStore
from glossator.worker import Slices
from tests.patience import SECONDS

_T = TypeVar("_T")
ROOM, MODEL = 10**8, "a:model"
TOKEN = "root:a-secret-token"
ROWS = unit(np.random.default_rng(2).normal(size=(8, 16)).astype(np.float32))
KEYS = [bytes([n]) * 16 for n in range(8)]


def result(slices: Slices[_T]) -> _T:
    """What a call gives, without its pauses."""
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return cast(_T, end.value)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = str(tmp_path_factory.mktemp("milvus") / "team.db")
    yield path
    lite.release_server(path)


def machine(folder: Path, url: str, model: str = MODEL) -> MilvusVectors:
    """A colleague with a file of vectors of their own."""
    place = VectorPlace(model, str(folder / "vectors.db"), ROOM, Access(url, "MILVUS_TOKEN", TOKEN))
    made = opened_vectors(place)
    assert isinstance(made, MilvusVectors)
    return made


def embed(folder: Path, rows: dict[bytes, Vectors], model: str = MODEL) -> None:
    """As the worker that embeds does it."""
    folder.mkdir(exist_ok=True)
    store = VectorStore(str(folder / "vectors.db"), ROOM, model)
    store.put(rows)
    store.close()


def test_what_one_embeds_the_other_finds(database: str, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    embed(one, dict(zip(KEYS[:6], ROWS, strict=False)))
    mine = machine(one, database)
    assert result(mine.take_in("zoo", KEYS)) == set(KEYS[6:])
    other.mkdir()
    theirs = machine(other, database)
    with pytest.raises(EmbeddingFailed, match="not connected yet"):
        result(theirs.nearest("zoo", ROWS[3], 2))
    assert result(theirs.take_in("zoo", KEYS)) == set(KEYS[6:])
    found = result(theirs.nearest("zoo", ROWS[3], 2))
    here = VectorsHere(VectorPlace(MODEL, str(one / "vectors.db"), ROOM))
    result(here.take_in("zoo", KEYS))
    expected = result(here.nearest("zoo", ROWS[3], 6))
    assert [key for key, _ in found] == [key for key, _ in expected]
    np.testing.assert_allclose([at for _, at in found], [at for _, at in expected], atol=0.01)
    wanted = [KEYS[5], KEYS[7], KEYS[0]]
    cosines = result(theirs.cosines("zoo", ROWS[3], wanted))
    assert cosines[1] is None
    for cosine, same in zip(cosines, result(here.cosines("zoo", ROWS[3], wanted)), strict=True):
        assert cosine == (None if same is None else pytest.approx(same, abs=0.01))


def test_projects_and_models_are_apart(database: str, tmp_path: Path) -> None:
    embed(tmp_path, {KEYS[0]: ROWS[0]})
    quoted = 'a "quoted" \\ project'
    mine = machine(tmp_path, database)
    assert result(mine.take_in(quoted, KEYS[:1])) == set()
    assert [key for key, _ in result(mine.nearest(quoted, ROWS[3], 5))] == KEYS[:1]
    assert result(mine.nearest("elsewhere", ROWS[3], 5)) == []
    (tmp_path / "new").mkdir()
    another = machine(tmp_path / "new", database, "another:model")
    assert result(another.take_in(quoted, KEYS[:1])) == {KEYS[0]}
    assert result(another.nearest(quoted, ROWS[3], 5)) == []


def test_another_dimension_is_told(database: str, tmp_path: Path) -> None:
    embed(tmp_path, {KEYS[0]: ROWS[0]}, "grown:model")
    mine = machine(tmp_path, database, "grown:model")
    result(mine.take_in("zoo", KEYS[:1]))
    with pytest.raises(EmbeddingFailed, match="vectors of 3 numbers, and those in Milvus have 16"):
        result(mine.nearest("zoo", unit(np.ones(3, np.float32)), 1))
    assert result(mine.nearest("zoo", ROWS[0], 1))  # by the connection that there is


def test_a_vector_of_zeros_is_not_sent(database: str, tmp_path: Path) -> None:
    embed(tmp_path, {KEYS[0]: np.zeros(16, np.float32), KEYS[1]: ROWS[1]}, "zero:model")
    mine = machine(tmp_path, database, "zero:model")
    assert result(mine.take_in("zoo", KEYS[:2])) == set()
    assert [key for key, _ in result(mine.nearest("zoo", ROWS[1], 5))] == [KEYS[1]]


def asked() -> None:
    pytest.fail("Milvus was asked.")


def test_a_killed_milvus_fails_at_once_and_gets_what_it_lacks_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = str(tmp_path / "own.db")
    embed(tmp_path, {KEYS[0]: ROWS[0]})
    mine = machine(tmp_path, database)
    try:
        assert result(mine.take_in("zoo", KEYS[:2])) == {KEYS[1]}
        lite.release_server(database)
        with pytest.raises(EmbeddingFailed, match=r"cannot be used .* Check the network") as told:
            result(mine.nearest("zoo", ROWS[0], 1))
        assert TOKEN not in str(told.value)
        embed(tmp_path, {KEYS[1]: ROWS[1]})  # paid for while it was gone
        with monkeypatch.context() as nothing:
            nothing.setattr(milvus, "_library", asked)  # neither is Milvus asked again so soon,
            with pytest.raises(EmbeddingFailed, match="cannot be used"):
                result(mine.take_in("zoo", KEYS[:2]))
            monkeypatch.setattr(milvus, "_PAUSE", 0.0)
            with pytest.raises(EmbeddingFailed, match="cannot be used"):  # nor ever by a search
                result(mine.nearest("zoo", ROWS[0], 1))
        assert result(mine.take_in("zoo", KEYS[:2])) == set()
        assert next(iter(result(mine.nearest("zoo", ROWS[1], 2))))[0] == KEYS[1]
    finally:
        lite.release_server(database)


@pytest.fixture
def black_hole() -> Iterator[str]:
    """Accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_a_silent_server_is_not_waited_for(
    black_hole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus, "_CONNECT_SECONDS", 0.2)
    mine = machine(tmp_path, black_hole)
    pauses: list[object] = []
    with pytest.raises(EmbeddingFailed):
        pauses.extend(mine.take_in("zoo", KEYS))
    assert len(pauses) > 5  # others got their turns
    with pytest.raises(EmbeddingFailed, match=r"Milvus \(127\.0\.0\.1:"):
        next(mine.nearest("zoo", ROWS[0], 1))  # without a pause


class _Client:
    """One that takes its time, and says when it is closed."""

    def __init__(self) -> None:
        self.go_on, self.closed = Event(), Event()

    def search(self, *_: object, **__: object) -> list[list[object]]:
        assert self.go_on.wait(SECONDS)
        return [[]]

    def close(self) -> None:
        assert self.go_on.is_set()  # not while it is used
        self.closed.set()


def test_a_connection_that_is_given_up_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus, "_SEARCH_SECONDS", 0.02)
    mine, client = machine(tmp_path, "http://127.0.0.1:9"), _Client()
    mine._opened = milvus._Opened(cast(Any, client), 16)
    with pytest.raises(EmbeddingFailed, match="did not answer"):
        result(mine.nearest("zoo", ROWS[0], 1))
    client.go_on.set()
    assert client.closed.wait(SECONDS)


def test_a_late_connection_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus, "_CONNECT_SECONDS", 0.01)
    monkeypatch.setattr(milvus, "_IMPORT_SECONDS", 0.01)
    mine, client = machine(tmp_path, "http://127.0.0.1:9"), _Client()

    def connected(_seconds: float) -> milvus._Opened:
        client.search()
        return milvus._Opened(cast(Any, client), 16)

    monkeypatch.setattr(mine, "_connected", connected)
    with pytest.raises(EmbeddingFailed, match="did not answer"):
        result(mine.take_in("zoo", KEYS))
    client.go_on.set()
    assert client.closed.wait(SECONDS)


def test_a_broken_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(EmbeddingFailed, match=r"pymilvus cannot be used.* Run: pip install"):
        result(machine(tmp_path, "http://127.0.0.1:9").take_in("zoo", KEYS))


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(EmbeddingFailed, match=f"127.0.0.1:{port}"):
        result(machine(tmp_path, f"http://127.0.0.1:{port}").take_in("zoo", KEYS))


class _Refusing(grpc.GenericRpcHandler):  # type: ignore[misc] # of a library without types
    """A Milvus to which every token is wrong."""

    def service(self, handler_call_details: object) -> object:
        def refuse(_request: bytes, context: grpc.ServicerContext) -> None:
            context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "auth check failure, please check username and password are correct",
            )

        return grpc.unary_unary_rpc_method_handler(refuse)


def test_a_wrong_token_is_told(tmp_path: Path) -> None:
    server = grpc.server(ThreadPoolExecutor(2), (_Refusing(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        mine = machine(tmp_path, f"http://127.0.0.1:{port}")
        with pytest.raises(EmbeddingFailed, match=r"accept the token.* MILVUS_TOKEN") as told:
            result(mine.take_in("zoo", KEYS))
        assert TOKEN not in str(told.value)
    finally:
        server.stop(0).wait()


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("auth check failure, please check username", "did not accept the token.*MILVUS_TOKEN"),
        (f"no\nsuch {TOKEN} thing\u202e", r"cannot be used \(no such \*\*\* thing\\u202e\)"),
        ("x" * 1_000, r"cannot be used \(x{300}\)"),
    ],
)
def test_failures_are_told_with_a_next_step(tmp_path: Path, detail: str, told: str) -> None:
    mine = machine(tmp_path, "http://127.0.0.1:1")
    failure = str(mine._failure(detail))
    assert TOKEN not in failure
    with pytest.raises(EmbeddingFailed, match=told):
        raise EmbeddingFailed(failure)


@pytest.mark.parametrize(
    ("found", "distance"),
    [
        ("short", 0.5),
        (7, 0.5),
        ("z" * 48, 0.5),
        ("0" * 48, "0.5"),
        ("0" * 48, float("nan")),
        ("0" * 48, 17.0),
    ],
)
def test_odd_hits_are_refused(found: object, distance: object) -> None:
    with pytest.raises(ValueError, match=r"hit|cosine|hex"):
        milvus._checked(found, distance)


def test_a_place_says_no_secret(tmp_path: Path) -> None:
    place = VectorPlace(
        MODEL, str(tmp_path), ROOM, Access("https://host:19530", "MILVUS_TOKEN", TOKEN)
    )
    assert TOKEN not in repr(place) + place.in_words
    assert place.leaves_machine
    assert not replace(place, milvus=Access("/tmp/a.db", "MILVUS_TOKEN")).leaves_machine

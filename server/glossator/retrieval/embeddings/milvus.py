"""The vectors of a team in a Milvus: made once, searched by all, in nobody's memory.

One collection for each model. A row is a vector under the hash of its text and of the project, so
that nothing is ever out of date and everybody may write. A search asks within the project, which is
the partition key, and its caller drops what this workspace has no chunk of: other branches. Of what
comes back, keys and numbers are used, once they look like such.

Every call runs in a thread and has a deadline. After one that failed the connection is closed, and
`take_in` alone makes another one, a while later: a search waits for no connection.
What is embedded here is in the file first (see `VectorPlace`), so that a Milvus that is gone costs
no vector: it is sent what it lacks when it is back.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from glossator.core.errors import EmbeddingFailed
from glossator.core.shown import shown
from glossator.retrieval.embeddings.embedder import Access, PackedVectors, Vectors, unit
from glossator.retrieval.embeddings.vector_store import VectorPlace, VectorStore
from glossator.worker import Slices

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_T = TypeVar("_T")
_FORMAT = 1  # of the collections; another one is another collection
_SEARCH_SECONDS = 1.0  # that a search waits, for each of two questions
_CONNECT_SECONDS = 10.0
_KNOWN_SECONDS = 10.0
_PUT_SECONDS = 30.0
_IMPORT_SECONDS = 60.0  # more, for a connection, as the first one imports pymilvus
_PAUSE = 30.0  # seconds after a failure, in which nothing is asked
_SLICE = 0.005  # seconds between two looks at the thread
_MORE = 3  # times as many as were asked for, since some are of other versions
_ROWS = 500  # in one request: 6 MB with 1,536 numbers each
_INDEX = {"M": 16, "efConstruction": 200}
_MIN_EXPANSION = 400  # candidates of a search in the graph
_PROJECT = 16  # characters of the part of an id that stands for the project
_ID = _PROJECT + 32  # of an id
_LONGEST_DETAIL = 300  # characters of the server's own words
_SHORTEST_SECRET = 8  # characters; what is shorter guards nothing
_REFUSED_TOKEN = ("auth check failure", "unauthenticated", "permission deny", "permission denied")
_BROKEN = ImportError, OSError, AttributeError, LookupError, RuntimeError, TypeError, ValueError
_CHECK = "Check the network, the cluster, and retrieval.vectorStore."


@dataclass(slots=True)
class _Opened:
    """A client, and how many numbers the collection's vectors have, None before there is one."""

    client: MilvusClient
    dimension: int | None


class MilvusVectors:
    """`KeptVectors` of a Milvus cluster, or of the file of a Milvus Lite."""

    def __init__(self, place: VectorPlace, access: Access) -> None:
        """Nothing is asked before it has to be. Raises `StoreUnavailable`."""
        self._place, self._access = place, access
        self._name = access.server or access.url
        self._store = VectorStore(place.file, place.max_bytes, place.model_id)
        self._collection = f"glossator_{_FORMAT}_{_hash(place.model_id)}"
        self._opened: _Opened | None = None
        self._failed_at = -math.inf
        self._problem = ""

    def take_in(self, project: str, keys: Collection[bytes]) -> Slices[set[bytes]]:
        """Ask which are there, and send what is only in the file."""
        if self._opened is None:
            self._opened = yield from self._in_time(
                _CONNECT_SECONDS, self._connected, _IMPORT_SECONDS
            )
        known: set[bytes] = set()
        for some in _parts(list(keys)):
            wanted = {_id(project, key): key for key in some}
            which = f"{_within(project)} and {_among(wanted)}"
            known |= yield from self._ask(_KNOWN_SECONDS, partial(self._known, which, wanted))
        lacking = set(keys) - known
        kept = self._store.get(lacking)
        for some in _parts(list(kept)):
            rows = {_id(project, key): kept[key] for key in some}
            yield from self._ask(_PUT_SECONDS, partial(self._put, _hash(project), rows))
        return lacking - kept.keys()

    def forget(self, key: bytes) -> None:
        """It stays: another branch or a colleague may have it."""

    def nearest(
        self, project: str, question: Vectors, count: int
    ) -> Slices[list[tuple[bytes, float]]]:
        """The nearest vectors of the project."""
        search = partial(self._search, question, _within(project), count * _MORE)
        found = yield from self._ask(_SEARCH_SECONDS, search)
        return sorted(found.items(), key=lambda each: -each[1])

    def cosines(
        self, project: str, question: Vectors, keys: Sequence[bytes]
    ) -> Slices[list[float | None]]:
        """The cosines, found by a search among these vectors alone."""
        if not keys:
            return [None] * len(keys)
        which = f"{_within(project)} and {_among(_id(project, key) for key in keys)}"
        search = partial(self._search, question, which, len(keys))
        found = yield from self._ask(_SEARCH_SECONDS, search)
        return [found.get(key) for key in keys]

    # What follows runs in threads.

    def _known(
        self, which: str, wanted: Mapping[str, bytes], opened: _Opened, seconds: float
    ) -> set[bytes]:
        if opened.dimension is None:
            return set()
        rows = opened.client.query(
            self._collection, filter=which, output_fields=["id"], timeout=seconds
        )
        return {wanted[row["id"]] for row in rows if row["id"] in wanted}

    def _put(
        self, project: str, rows: Mapping[str, PackedVectors], opened: _Opened, seconds: float
    ) -> None:
        """A vector of zeros has no direction, and is not sent."""
        there = {key: unit(row.astype(np.float32)) for key, row in rows.items() if row.any()}
        if not there:
            return
        dimension = len(next(iter(there.values())))
        if opened.dimension is None:
            opened.dimension = self._made(opened.client, dimension, seconds)
        self._check(opened, dimension)
        data = [{"id": key, "project": project, "vector": row} for key, row in there.items()]
        opened.client.upsert(self._collection, data, timeout=seconds)

    def _search(
        self, question: Vectors, which: str, limit: int, opened: _Opened, seconds: float
    ) -> dict[bytes, float]:
        if opened.dimension is None:
            return {}
        self._check(opened, len(question))
        (hits,) = opened.client.search(
            self._collection,
            [question.astype(np.float32)],
            filter=which,
            limit=limit,
            search_params={"params": {"ef": max(limit, _MIN_EXPANSION)}},
            timeout=seconds,
        )
        return dict(_checked(hit["id"], hit["distance"]) for hit in hits[:limit])

    def _check(self, opened: _Opened, dimension: int) -> None:
        if opened.dimension != dimension:
            raise EmbeddingFailed(
                f"{self._place.model_id} makes vectors of {dimension} numbers, and those in Milvus"
                f" have {opened.dimension}, so another model has its name. Name the former one in"
                f" retrieval.embeddingModel, or drop the collection {self._collection}."
            )

    def _made(self, client: MilvusClient, dimension: int, seconds: float) -> int | None:
        """The dimension of a new collection, or of one that somebody else made just now."""
        library = _library()
        schema = client.create_schema(
            auto_id=False, enable_dynamic_field=False, description=self._place.model_id
        )
        text = library.DataType.VARCHAR
        schema.add_field("id", text, is_primary=True, max_length=_ID)
        schema.add_field("project", text, max_length=_PROJECT, is_partition_key=True)
        schema.add_field("vector", library.DataType.FLOAT_VECTOR, dim=dimension)
        index = client.prepare_index_params()
        index.add_index("vector", index_type="HNSW", metric_type="COSINE", params=_INDEX)
        try:
            client.create_collection(
                self._collection, schema=schema, index_params=index, timeout=seconds
            )
        except library.MilvusException:
            if not client.has_collection(self._collection, timeout=seconds):
                raise
        return self._dimension(client, seconds)

    def _dimension(self, client: MilvusClient, seconds: float) -> int | None:
        if not client.has_collection(self._collection, timeout=seconds):
            return None
        described = client.describe_collection(self._collection, timeout=seconds)
        client.load_collection(self._collection, timeout=seconds)
        fields = {each["name"]: each["params"] for each in described["fields"]}
        return int(fields["vector"]["dim"])

    def _connected(self, seconds: float) -> _Opened:
        client = _library().MilvusClient(
            self._access.url,
            token=self._access.key,
            timeout=seconds,
            dedicated=True,  # or a broken connection would be used again
            server_pem_path=self._access.certificates,
        )
        with ExitStack() as closing:
            closing.callback(client.close)
            opened = _Opened(client, self._dimension(client, seconds))
            closing.pop_all()
        return opened

    def _work(self, call: Callable[[float], _T], seconds: float) -> _T:
        """What a call gives; whatever pymilvus and gRPC raise is told as `EmbeddingFailed`."""
        library = _library()
        try:
            return call(seconds)
        except (library.MilvusException, OSError) as error:
            # why a connection fails, a wrong token included, is told by what gRPC raised
            details = getattr(error.__cause__, "details", None)
            why = details() if callable(details) else ""
            raise self._failure(f"{getattr(error, 'message', error)}: {why}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:  # an odd reply
            raise self._failure(f"an unusable reply: {error}") from error

    def _failure(self, detail: str) -> EmbeddingFailed:
        words = " ".join(detail.split())
        if len(self._access.key) >= _SHORTEST_SECRET:
            words = words.replace(self._access.key, "***")
        if any(each in words.lower() for each in _REFUSED_TOKEN):
            return EmbeddingFailed(
                f"Milvus ({self._name}) did not accept the token, or does not let it do this. Set"
                f" the environment variable {self._access.variable}.",
                retry_after=_PAUSE,
            )
        said = shown(words[:_LONGEST_DETAIL].rstrip(".: "))
        return EmbeddingFailed(
            f"Milvus ({self._name}) cannot be used ({said}). {_CHECK}", retry_after=_PAUSE
        )

    # What follows does not.

    def _ask(self, seconds: float, call: Callable[[_Opened, float], _T]) -> Slices[_T]:
        """What a call gives by the connection there is. Raises `EmbeddingFailed`."""
        if self._opened is None:
            problem = self._problem or f"Milvus ({self._name}) is not connected yet; wait a while."
            raise EmbeddingFailed(problem, retry_after=_PAUSE)
        return (yield from self._in_time(seconds, partial(call, self._opened)))

    def _in_time(self, seconds: float, call: Callable[[float], _T], more: float = 0) -> Slices[_T]:
        """What a call gives within `seconds` and `more`, while other jobs go on.

        Raises `EmbeddingFailed`; when trying again may help, the connection is closed.
        """
        if time.monotonic() - self._failed_at < _PAUSE:
            raise EmbeddingFailed(self._problem, retry_after=_PAUSE)
        pool = ThreadPoolExecutor(1, "glossator-milvus")
        running = pool.submit(self._work, call, seconds)
        taken = False
        try:
            given = yield from self._result(running, seconds + more)
            taken = True
        except EmbeddingFailed as failure:
            if failure.retry_after is not None:
                self._failed_at, self._problem = time.monotonic(), str(failure)
                if self._opened is not None:
                    pool.submit(self._opened.client.close)  # after what runs
                    self._opened = None
            raise
        else:
            return given
        finally:
            if not taken:  # it is too late, or cancelled
                running.add_done_callback(_close_unused)
            pool.shutdown(wait=False)

    def _result(self, running: Future[_T], seconds: float) -> Slices[_T]:
        until = time.monotonic() + seconds
        while not running.done():
            if time.monotonic() > until:
                raise EmbeddingFailed(
                    f"Milvus ({self._name}) did not answer in {seconds:g} s. {_CHECK}",
                    retry_after=_PAUSE,
                )
            wait([running], _SLICE)
            yield None
        return running.result()


def _close_unused(late: Future[_T]) -> None:
    """Close a connection that nobody waited for; in its thread."""
    if late.exception() is None and isinstance(made := late.result(), _Opened):
        made.client.close()


def _library() -> ModuleType:
    """Imported where it is used: it takes seconds.

    It would read a file `.env` in a folder above its own, which may be the workspace; and both it
    and gRPC write what fails to the standard error.
    """
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    os.environ["GRPC_VERBOSITY"] = "NONE"
    try:
        import pymilvus  # noqa: PLC0415
    except _BROKEN as error:
        raise EmbeddingFailed(
            f"The package pymilvus cannot be used ({shown(str(error)[:_LONGEST_DETAIL])})."
            " Run: pip install --force-reinstall 'glossator[milvus]'"
        ) from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    return pymilvus


def _checked(found: object, distance: object) -> tuple[bytes, float]:
    """The key and the cosine of a hit. Raises `ValueError` if it is something else."""
    if not isinstance(found, str) or len(found) != _ID or not isinstance(distance, float):
        raise ValueError("a hit is no key with a number")
    if not -1.01 < distance < 1.01:
        raise ValueError("a cosine is out of range")
    return bytes.fromhex(found[_PROJECT:]), distance


def _hash(name: str) -> str:
    """Stands for a project or a model: no name needs to be quoted, and none is told."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_PROJECT]


def _id(project: str, key: bytes) -> str:
    return _hash(project) + key.hex()


def _within(project: str) -> str:
    """A filter for the rows of a project."""
    return f'project == "{_hash(project)}"'


def _among(ids: Iterable[str]) -> str:
    """A filter for some rows; ids are hexadecimal."""
    return "id in [" + ", ".join(f'"{each}"' for each in ids) + "]"


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[at : at + _ROWS] for at in range(0, len(keys), _ROWS))

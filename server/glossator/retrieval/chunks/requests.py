"""What is asked of the worker about chunks, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from glossator.retrieval.chunks.cutting import Chunk
from glossator.symbols import Library
from glossator.worker import JobProgress

if TYPE_CHECKING:
    from glossator.retrieval.embeddings.embedder import Vectors
    from glossator.retrieval.embeddings.vector_store import VectorPlace


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """The changed files of a root, to be read into its index of chunks in the order given.

    `stamps`: by relative path. `whole`: files that are not among them are gone; else only those in
    `gone` are, and those in `stamps` are read whatever the index knows. The index takes at most
    `max_bytes` of disk. `contexts`: the file with what a model wrote about chunks, "" for none.
    Files in `again`, by absolute path, are read though they did not change.
    """

    library: Library
    root: str
    stamps: Mapping[str, bytes]
    gone: tuple[str, ...]
    whole: bool
    max_bytes: int
    contexts: str = ""
    again: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync: how many files were read, how many are in the index, and its size.

    `left`, relative paths, found no room. `busy`: another server writes, nothing was done. `damage`
    says what was wrong with an index that was begun again; all files are to be compared then.
    """

    read: int = 0
    files: int = 0
    disk_bytes: int = 0
    left: tuple[str, ...] = ()
    busy: bool = False
    damage: str = ""


@dataclass(frozen=True, slots=True)
class ChunkStatus:
    """The state of the index: `files` are in it, of `listed` ones; `pending` are to be read.

    `state` is "on" or says why nothing is indexed; `problem`: why it is behind, with a next step.
    `stopped`: by the user.
    """

    state: str
    files: int
    listed: int
    building: JobProgress | None
    problem: str
    pending: int = 0
    disk_bytes: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Compare an index with the files whose `stamps`, by relative path, are those in it."""

    library: Library
    root: str
    stamps: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Stages:
    """Which stages of a search are on."""

    lexical: bool = True
    vectors: bool = True
    rerank: bool = True


ALL_STAGES = Stages()


class StageRank(NamedTuple):
    """Where a stage put a chunk, from 1 on, and its score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Reason:
    """How far a feature of the reranker put a chunk above the average candidate, or below it.

    `value` is the feature's, `weight` the difference to the average candidate's in the score.
    """

    feature: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk of the file at an absolute path; `digest` begins the SHA-256 of its text.

    The score is comparable within one search only; `places` are by stage. `reasons` are those of
    the reranker, the weightiest first, if they were asked for.
    """

    path: str
    digest: bytes
    chunk: Chunk
    score: float
    places: Mapping[str, StageRank]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class CutFile:
    """The chunks of the file at an absolute path whose text has this SHA-256."""

    path: str
    sha256: str
    chunks: tuple[Chunk, ...]


LOADING = "Search goes by words alone while vectors are loaded; ask again in a while."


@dataclass(frozen=True, slots=True)
class ChunksFound:
    """The best chunks, and the question's terms that nothing holds.

    `chunks` are in the indexes, of `files` files. `pending`: how many of the files that were asked
    about are in no index. `unusable` are the roots whose index cannot be read. `problem` says why
    no vectors were asked that there are, with a next step; it is `LOADING` while this process has
    none yet. `lost`: whether the vectors are to be loaded again.
    """

    hits: tuple[FoundChunk, ...] = ()
    absent: frozenset[str] = frozenset()
    chunks: int = 0
    files: int = 0
    pending: int = 0
    unusable: tuple[str, ...] = ()
    problem: str = ""
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is known of files that are not in the index: their scores, by absolute path.

    `frequency`: by term, how many of `total` files hold it. `others`, absolute paths, hold a word
    of the question, too, and are not read for this search.
    """

    files: Mapping[str, float]
    frequency: Mapping[str, int]
    total: int
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question, to be answered by chunks below `roots`, none of which holds another.

    `fresh` are absolute paths of files that are read now, because they changed or are not in the
    index; `corpus` says what is known of them. `only`: the files to search, None for all.
    `indexed`: whether there is an index. `explain`: the reasons are told, too. `contexts`: as in a
    `SyncRequest`.
    """

    library: Library
    roots: tuple[str, ...]
    question: str
    limit: int
    fresh: frozenset[str] = frozenset()
    corpus: Corpus | None = None
    only: frozenset[str] | None = None
    stages: Stages = ALL_STAGES
    indexed: bool = True
    vector: QuestionVector | None = None
    explain: bool = False
    contexts: str = ""


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """The vector of a question, and where those of the chunks are kept."""

    vector: Vectors
    place: VectorPlace


@dataclass(frozen=True, slots=True)
class VectorsRequest:
    """The vectors of the chunks of some files, by relative path, are to be ready for searches.

    `contexts`: as in a `SyncRequest`.
    """

    library: Library
    root: str
    paths: tuple[str, ...]
    contexts: str
    place: VectorPlace

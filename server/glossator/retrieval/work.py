"""What the jobs on chunks do, in the worker process."""

from __future__ import annotations

import logging
import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from time import monotonic

from glossator.core.document import text_hash
from glossator.core.text import split_lines
from glossator.embeddings import VectorStore
from glossator.files import state_folder
from glossator.retrieval.candidate import DIGEST_BYTES, Candidate, candidates_of, digest_of
from glossator.retrieval.chunk_index import (
    MOST_OF_FILE,
    ChunkIndex,
    IndexBusy,
    IndexDamaged,
    IndexedFile,
    IndexWriter,
    Matches,
    clear,
)
from glossator.retrieval.chunks import Chunk, cut
from glossator.retrieval.features import relevant
from glossator.retrieval.ranker import rank
from glossator.retrieval.requests import (
    ChunksFound,
    CutFile,
    FoundChunk,
    SearchRequest,
    Synced,
    SyncRequest,
    VectorsRequest,
)
from glossator.retrieval.vectors import ChunkVectors
from glossator.retrieval.words import question_of
from glossator.symbols import Library, Outlines, SourceText, outline_by_lines, outlines, read
from glossator.worker import JobProgress, Slices

_log = logging.getLogger(__name__)

FOLDER = "chunks"  # in the state folder of a root
_SLICE_SECONDS = 0.03
_COMMIT_SECONDS = 3.0  # of work, after which a search sees it and a kill costs no more
_MOST_FRESH = 300  # chunks of such texts that are ranked
_RECENT_CHUNKS = 5_000  # of texts that are not in the index, remembered by content


def sync(asked: SyncRequest) -> Slices[Synced]:
    """Bring the index up to date; a damaged one is begun again."""
    try:
        return (yield from _sync(asked))
    except IndexDamaged as damage:
        _log.warning("%s It is built again.", damage)
        _forget(asked.root)
        return (yield from _sync(asked))


def _sync(asked: SyncRequest) -> Slices[Synced]:
    index = _opened(asked.root)
    known = index.known
    stale = [
        path
        for path, stamp in asked.stamps.items()
        if not asked.whole or path not in known or known[path].stamp != stamp
    ]
    gone = [path for path in known if path not in asked.stamps] if asked.whole else asked.gone
    gone = [path for path in gone if path in known]
    if not stale and not gone:
        return Synced(0, len(known))
    try:
        with index.writing() as writer, outlines(asked.library) as kept:
            for path in gone:
                writer.drop(path)
            done = yield from _put(asked, writer, stale, kept)
            writer.commit()
    except IndexBusy:
        return Synced(0, len(index.known), busy=True)
    left = len(stale) - done
    problem = (
        f"The index of chunks takes all the disk space it may; {left:,} files are searched by"
        " reading. Raise workspace.indexBytes."
        if left
        else ""
    )
    return Synced(done, len(index.known), problem)


def _put(
    asked: SyncRequest, writer: IndexWriter, paths: Sequence[str], kept: Outlines
) -> Slices[int]:
    pause_at = monotonic() + _SLICE_SECONDS
    commit_at = monotonic() + _COMMIT_SECONDS
    for done, path in enumerate(paths):
        now = monotonic()
        if now >= commit_at:
            writer.commit()
            kept.flush()
            if _disk_bytes(_folder(asked.root)) > asked.max_bytes:
                return done
            commit_at = monotonic() + _COMMIT_SECONDS
        if now >= pause_at:
            yield JobProgress(done, len(paths))
            pause_at = monotonic() + _SLICE_SECONDS
        text = read(asked.library, os.path.join(asked.root, path))
        if text is None:  # no text; not to be read again before it changes
            writer.put(path, IndexedFile(asked.stamps[path], bytes(DIGEST_BYTES)), (), ())
            continue
        lines = split_lines(text.text)
        file = IndexedFile(asked.stamps[path], digest_of(text.sha256))
        writer.put(path, file, lines, chunks_of(text, lines, kept))
    return len(paths)


def cut_files(library: Library, paths: Sequence[str]) -> Slices[tuple[CutFile, ...]]:
    """The chunks of files that are texts."""
    found: list[CutFile] = []
    pause_at = monotonic() + _SLICE_SECONDS
    with outlines(library) as kept:
        for path in paths:
            text = read(library, path)
            if text is not None:
                chunks = chunks_of(text, split_lines(text.text), kept)
                found.append(CutFile(path, text.sha256, chunks))
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS
    return tuple(found)


def search(asked: SearchRequest) -> Slices[ChunksFound]:
    """The best chunks of the indexes and of the fresh files."""
    question = question_of(asked.question)
    matches, files = Matches(), 0
    fresh = set(asked.fresh)
    vectors = None
    if (given := asked.vector) is not None and asked.stages.vectors:
        vectors = _vectors_of(given.model_id, given.place, given.max_bytes)
    for root in asked.roots if asked.indexed else ():
        try:
            index = _opened(root)
            fresh -= _as_indexed(index, asked)
            only = None if asked.only is None else frozenset(_below(root, asked.only))
            without = frozenset(_below(root, fresh))
            found = index.search(question, only, without)
            if vectors is not None and asked.vector is not None:
                vectors.add_nearest(index, asked.vector.vector, found, only, without)
            matches.add(found)
            files += len(index.known)
        except IndexDamaged as damage:  # the next sync builds it again
            _log.warning("%s It is built again.", damage)
            _forget(root)
        yield None
    read_now = yield from _read(asked, fresh)
    matches.candidates += relevant(question, read_now, _MOST_FRESH)
    if asked.corpus is not None:
        matches.files.update(asked.corpus.files)
        if matches.chunks == 0:
            matches.chunks = asked.corpus.total
            matches.frequency = Counter(asked.corpus.frequency)
    yield None
    absent = frozenset(term for term in question.terms if not matches.frequency[term])
    similarity = None
    if vectors is not None and given is not None:
        similarity = vectors.similarity(given.vector, matches.candidates)
    ranked = rank(question, matches, asked.limit, asked.stages, similarity, explain=asked.explain)
    hits = tuple(
        FoundChunk(
            os.path.join(at.root, at.path),
            at.digest,
            at.chunk,
            each.score,
            each.places,
            each.reasons,
        )
        for each in ranked
        for at in (each.candidate,)
    )
    return ChunksFound(hits, absent, matches.chunks, files)


def _as_indexed(index: ChunkIndex, asked: SearchRequest) -> set[str]:
    """The open documents whose texts are those in the index."""
    texts = asked.library.open_texts
    return {
        os.path.join(index.root, path)
        for path in _below(index.root, texts)
        if path in index.known
        and index.known[path].digest == digest_of(text_hash(texts[os.path.join(index.root, path)]))
    }


def _read(asked: SearchRequest, paths: Iterable[str]) -> Slices[list[Candidate]]:
    """The chunks of fresh files."""
    found: list[Candidate] = []
    pause_at = monotonic() + _SLICE_SECONDS
    with outlines(asked.library) as kept:
        for path in paths:
            if asked.only is not None and path not in asked.only:
                continue
            text = read(asked.library, path)
            if text is not None:
                root = next((at for at in asked.roots if path.startswith(os.path.join(at, ""))), "")
                found += _RECENT.of(root, text, kept)
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS
    return found


def load_vectors(asked: VectorsRequest) -> Slices[tuple[str, ...]]:
    """Take in the vectors that are kept of some files' chunks; the texts that have none."""
    vectors = _vectors_of(asked.model_id, asked.place, asked.max_bytes)
    return (yield from vectors.load(_opened(asked.root), asked))


@cache
def _vectors_of(model_id: str, place: str, max_bytes: int) -> ChunkVectors:
    return ChunkVectors(VectorStore(place, max_bytes, model_id))


def chunks_of(text: SourceText, lines: Sequence[str], kept: Outlines) -> tuple[Chunk, ...]:
    """The chunks of a text, by its outline."""
    symbols = kept.of(text) if text.language is not None else outline_by_lines(lines, text.path)
    return cut(lines, symbols)[:MOST_OF_FILE]


def _below(root: str, paths: Iterable[str]) -> Iterator[str]:
    prefix = os.path.join(root, "")
    return (path[len(prefix) :] for path in paths if path.startswith(prefix))


@dataclass(slots=True)
class _Recent:
    """The chunks of the last texts that were read for a search, by path and content."""

    kept: OrderedDict[tuple[str, str], list[Candidate]] = field(default_factory=OrderedDict)
    count: int = 0

    def of(self, root: str, text: SourceText, outlined: Outlines) -> list[Candidate]:
        """The chunks of a text at an absolute path below `root`."""
        key = text.path, text.sha256
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        lines = split_lines(text.text)
        path = next(_below(root, (text.path,)), text.path) if root else text.path
        digest, chunks = digest_of(text.sha256), chunks_of(text, lines, outlined)
        made = [each for each, _ in candidates_of(root, path, digest, lines, chunks)]
        self.kept[key] = made
        self.count += len(made)
        while self.count > _RECENT_CHUNKS and len(self.kept) > 1:
            self.count -= len(self.kept.popitem(last=False)[1])
        return made


_RECENT = _Recent()
_OPENED: dict[str, ChunkIndex] = {}


def _folder(root: str) -> str:
    return str(state_folder.root_folder(root) / FOLDER)


def _opened(root: str) -> ChunkIndex:
    """The index of a root, opened once. Raises `OSError` and `IndexDamaged`."""
    if root not in _OPENED:
        state_folder.prepare(root)
        try:
            _OPENED[root] = ChunkIndex(root, _folder(root))
        except IndexDamaged as damage:
            _log.warning("%s It is built again.", damage)
            clear(_folder(root))
            _OPENED[root] = ChunkIndex(root, _folder(root))
    return _OPENED[root]


def _forget(root: str) -> None:
    """Begin the index of a root again."""
    _OPENED.pop(root, None)
    clear(_folder(root))


def _disk_bytes(folder: str) -> int:
    total = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                total += entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue  # merged meanwhile
    return total

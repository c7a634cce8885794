"""What the jobs on chunks do, in the worker process."""

from __future__ import annotations

import logging
import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

from glossator.core.document import text_hash
from glossator.core.text import split_lines
from glossator.files import state_folder
from glossator.retrieval.candidate import DIGEST_BYTES, Candidate, candidates_of
from glossator.retrieval.chunk_index import (
    ChunkIndex,
    IndexBusy,
    IndexDamaged,
    IndexedFile,
    IndexWriter,
    Matches,
    clear,
)
from glossator.retrieval.chunks import Chunk, cut
from glossator.retrieval.features import trimmed
from glossator.retrieval.jobs import ChunksFound, FoundChunk, SearchChunks, SyncChunks, Synced
from glossator.retrieval.ranker import rank
from glossator.retrieval.words import question_of
from glossator.symbols import Outlines, SourceText, outline_by_lines, outlines, read
from glossator.worker import JobProgress, Slices

_log = logging.getLogger(__name__)

FOLDER = "chunks"  # in the state folder of a root
MAX_CHUNKS = 400  # of one file, about 1 MB; what follows is data
_SLICE_SECONDS = 0.03
_COMMIT_SECONDS = 3.0  # of work, after which a search sees it and a kill costs no more
_RECENT_CHUNKS = 5_000  # of texts that are not in the index, remembered by content


def sync(job: SyncChunks) -> Slices[Synced]:
    """Bring the index up to date; a damaged one is begun again."""
    try:
        return (yield from _sync(job))
    except IndexDamaged as damage:
        _log.warning("%s It is built again.", damage)
        _forget(job.root)
        return (yield from _sync(job))


def _sync(job: SyncChunks) -> Slices[Synced]:
    index = _opened(job.root)
    known = index.known
    stale = [
        path
        for path, stamp in job.stamps.items()
        if not job.whole or path not in known or known[path].stamp != stamp
    ]
    gone = [path for path in known if path not in job.stamps] if job.whole else job.gone
    gone = [path for path in gone if path in known]
    if not stale and not gone:
        return Synced(0, len(known))
    try:
        with index.writing() as writer, outlines(job.library) as kept:
            for path in gone:
                writer.drop(path)
            done = yield from _put(job, writer, stale, kept)
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


def _put(job: SyncChunks, writer: IndexWriter, paths: Sequence[str], kept: Outlines) -> Slices[int]:
    pause_at = monotonic() + _SLICE_SECONDS
    commit_at = monotonic() + _COMMIT_SECONDS
    for done, path in enumerate(paths):
        now = monotonic()
        if now >= commit_at:
            writer.commit()
            kept.flush()
            if _disk_bytes(_folder(job.root)) > job.max_bytes:
                return done
            commit_at = monotonic() + _COMMIT_SECONDS
        if now >= pause_at:
            yield JobProgress(done, len(paths))
            pause_at = monotonic() + _SLICE_SECONDS
        text = read(job.library, os.path.join(job.root, path))
        if text is None:  # no text; not to be read again before it changes
            writer.put(path, IndexedFile(job.stamps[path], bytes(DIGEST_BYTES)), (), ())
            continue
        lines = split_lines(text.text)
        file = IndexedFile(job.stamps[path], digest_of(text.sha256))
        writer.put(path, file, lines, _chunks(text, lines, kept))
    return len(paths)


def search(job: SearchChunks) -> Slices[ChunksFound]:
    """The best chunks of the indexes and of the fresh files."""
    question = question_of(job.question)
    matches, files = Matches(), 0
    fresh = set(job.fresh)
    for root in job.roots if job.indexed else ():
        try:
            index = _opened(root)
            fresh -= _as_indexed(index, job)
            only = None if job.only is None else frozenset(_below(root, job.only))
            matches.add(index.search(question, only, frozenset(_below(root, fresh))))
            files += len(index.known)
        except IndexDamaged as damage:  # the next sync builds it again
            _log.warning("%s It is built again.", damage)
            _forget(root)
        yield None
    yield from _read(job, fresh, matches)
    if job.corpus is not None:
        matches.files.update(job.corpus.files)
        if matches.chunks == 0:
            matches.chunks = job.corpus.total
            matches.frequency = Counter(job.corpus.frequency)
    yield None
    absent = frozenset(term for term in question.terms if not matches.frequency[term])
    ranked = rank(question, trimmed(question, matches), job.limit, job.stages)
    hits = tuple(
        FoundChunk(os.path.join(at.root, at.path), at.digest, at.chunk, each.score, each.places)
        for each in ranked
        for at in (each.candidate,)
    )
    return ChunksFound(hits, absent, matches.chunks, files)


def _as_indexed(index: ChunkIndex, job: SearchChunks) -> set[str]:
    """The open documents whose texts are those in the index."""
    texts = job.library.open_texts
    return {
        os.path.join(index.root, path)
        for path in _below(index.root, texts)
        if path in index.known
        and index.known[path].digest == digest_of(text_hash(texts[os.path.join(index.root, path)]))
    }


def _read(job: SearchChunks, paths: Iterable[str], matches: Matches) -> Slices[None]:
    """Add the chunks of fresh files."""
    pause_at = monotonic() + _SLICE_SECONDS
    with outlines(job.library) as kept:
        for path in paths:
            if job.only is not None and path not in job.only:
                continue
            text = read(job.library, path)
            if text is not None:
                root = next((at for at in job.roots if path.startswith(os.path.join(at, ""))), "")
                matches.candidates += _RECENT.of(root, text, kept)
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS


def digest_of(sha256: str) -> bytes:
    """The part of a text's SHA-256 that the index keeps."""
    return bytes.fromhex(sha256)[:DIGEST_BYTES]


def _chunks(text: SourceText, lines: Sequence[str], kept: Outlines) -> tuple[Chunk, ...]:
    symbols = kept.of(text) if text.language is not None else outline_by_lines(lines, text.path)
    return cut(lines, symbols)[:MAX_CHUNKS]


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
        digest, chunks = digest_of(text.sha256), _chunks(text, lines, outlined)
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

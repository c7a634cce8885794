"""What the jobs on chunks do, in the worker process."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic

from glossator.core.document import text_hash
from glossator.core.text import split_lines
from glossator.retrieval.chunks import chunk_folder
from glossator.retrieval.chunks.candidate import (
    DIGEST_BYTES,
    NOT_SEARCHED,
    RECENT,
    Candidate,
    below,
    chunks_of,
    digest_of,
)
from glossator.retrieval.chunks.chunk_index import (
    ChunkIndex,
    IndexBusy,
    IndexDamaged,
    IndexedFile,
    IndexWriter,
    Matches,
    begin_again,
)
from glossator.retrieval.chunks.requests import (
    CheckRequest,
    ChunksFound,
    Corpus,
    FoundChunk,
    SearchRequest,
    Synced,
    SyncRequest,
    VectorsRequest,
)
from glossator.retrieval.chunks.words import QuestionWords, hash_of, question_of, terms
from glossator.retrieval.contexts.context_file import context_in
from glossator.retrieval.embeddings.chunk_vectors import LOADED, NearQuestion, load, loaded_here
from glossator.retrieval.features import relevant
from glossator.retrieval.ranker import rank
from glossator.symbols import Library, Outlines, SourceText, outlines, read
from glossator.worker import JobProgress, Slices, Trouble, attempt
from glossator.workspace import index_folder, prepare_index_folder

_log = logging.getLogger(__name__)

FOLDER = "chunks"  # in the state folder of a root
_SLICE_SECONDS = 0.03
_COMMIT_SECONDS = 3.0  # of work, after which a search sees it and a kill costs no more
_MAX_FRESH = 300  # chunks of such texts that are ranked
_NO_TEXT, _FAILED = bytes(DIGEST_BYTES), b"\xff" * DIGEST_BYTES  # in place of a text's digest


def sync(asked: SyncRequest) -> Slices[Synced]:
    """Bring the index up to date; a damaged one is begun again. Raises `OSError`."""
    try:
        try:
            return (yield from _sync(asked))
        except IndexDamaged as damage:
            _log.warning("The index of chunks of %s is built again: %s", asked.root, damage)
            _OPENED.pop(asked.root, None)
            begin_again(_folder(asked.library, asked.root))
            return replace((yield from _sync(asked)), damage=str(damage))
    except IndexBusy:
        return Synced(busy=True)
    except OSError:
        _OPENED.pop(asked.root, None)  # the next try looks at the checksums
        raise


def _sync(asked: SyncRequest) -> Slices[Synced]:
    index, folder = _opened(asked.library, asked.root), _folder(asked.library, asked.root)
    yield from _verify(index)
    known = index.known
    stale = [path for path in asked.stamps if not _same(asked, path, known.get(path))]
    gone = [path for path in known if path not in asked.stamps] if asked.whole else asked.gone
    gone = [path for path in gone if path in known]
    left: tuple[str, ...] = ()
    if stale or gone:
        before = yield from _keys(index, [*stale, *gone])
        with index.writing() as writer, outlines(asked.library) as kept:
            for path in gone:
                writer.drop(path)
            left = yield from _put(asked, writer, stale, kept)
            writer.commit()
        yield from _forget_vectors(before)
    size = chunk_folder.disk_bytes(folder)
    return Synced(len(stale) - len(left), len(index.known), size, left)


def _same(asked: SyncRequest, path: str, known: IndexedFile | None) -> bool:
    """Whether a file is as it was indexed; one that is said to have changed is read to tell."""
    place = os.path.join(asked.root, path)
    if known is None or known.stamp != asked.stamps[path] or place in asked.again:
        return False
    if asked.whole:  # what failed is looked at again: this program may know better
        return known.digest != _FAILED
    text = read(asked.library, place)
    return known.digest == (_NO_TEXT if text is None else digest_of(text.sha256))


def _keys(index: ChunkIndex, paths: Iterable[str]) -> Slices[set[bytes]]:
    """The keys of the chunks that files have in the index; none while no vectors are here."""
    keys: set[bytes] = set()
    pause_at = monotonic() + _SLICE_SECONDS
    for path in paths if loaded_here() else ():
        keys.update(at.key for at in index.of_file(path))
        if monotonic() >= pause_at:
            yield None
            pause_at = monotonic() + _SLICE_SECONDS
    return keys


def _forget_vectors(keys: Iterable[bytes]) -> Slices[None]:
    """Forget vectors of chunks that are in no index any more; the disk keeps them, by content."""
    pause_at = monotonic() + _SLICE_SECONDS
    for key in keys:
        if not any(_holds(root, key) for root in list(_OPENED)):
            for vectors in loaded_here():
                vectors.forget(key)
        if monotonic() >= pause_at:
            yield None
            pause_at = monotonic() + _SLICE_SECONDS


def _holds(root: str, key: bytes) -> bool:
    """Whether a chunk of the root has this key; an index that cannot tell may have one."""
    try:
        return _OPENED[root].holds(key)
    except (IndexDamaged, OSError) as error:  # the root's next sync sees to it
        _log.warning("The index of chunks of %s is opened again: %s", root, error)
        del _OPENED[root]
        return True


def _verify(index: ChunkIndex) -> Slices[None]:
    if not index.verified:
        if bad := (yield from index.damaged_files()):
            raise IndexDamaged(f"{', '.join(bad)} differs from its checksum")
        index.verified = True


def _put(
    asked: SyncRequest, writer: IndexWriter, paths: Sequence[str], kept: Outlines
) -> Slices[tuple[str, ...]]:
    """Index the files; returns those that found no room."""
    left: list[str] = []
    folder = _folder(asked.library, asked.root)
    full = chunk_folder.disk_bytes(folder) > asked.max_bytes
    context_of = context_in(asked.contexts)
    pause_at = monotonic() + _SLICE_SECONDS
    commit_at = monotonic() + _COMMIT_SECONDS
    for done, path in enumerate(paths):
        now = monotonic()
        if now >= commit_at:
            writer.commit()
            kept.flush()
            full = full or chunk_folder.disk_bytes(folder) > asked.max_bytes
            commit_at = monotonic() + _COMMIT_SECONDS
        if now >= pause_at:
            yield JobProgress(done, len(paths))
            pause_at = monotonic() + _SLICE_SECONDS
        if full:
            writer.drop(path)  # of what it was before
            left.append(path)
            continue
        text = read(asked.library, os.path.join(asked.root, path))
        if text is None:  # no text; not to be read again before it changes
            writer.put(path, IndexedFile(asked.stamps[path], _NO_TEXT), (), ())
            continue

        def put(path: str = path, text: SourceText = text) -> None:
            lines = split_lines(text.text)
            file = IndexedFile(asked.stamps[path], digest_of(text.sha256))
            writer.put(path, file, lines, chunks_of(text, lines, kept), context_of)

        if attempt(text.item(NOT_SEARCHED), put) is not None:
            writer.put(path, IndexedFile(asked.stamps[path], _FAILED), (), ())
    return tuple(left)


def check(asked: CheckRequest) -> Slices[tuple[str, ...]]:
    """What is wrong with the index, each with a next step; nothing is changed. Raises `OSError`."""
    remedy, folder = "rebuild the index.", _folder(asked.library, asked.root)
    try:
        index = ChunkIndex(asked.root, folder)
        bad = yield from index.damaged_files()
        if bad:
            return tuple(f"{name} of {folder} is damaged; {remedy}" for name in bad)
        known = index.known
    except IndexDamaged as damage:
        return (f"The index of chunks of {asked.root} is damaged ({damage}); {remedy}",)
    problems: list[str] = []
    pause_at = monotonic() + _SLICE_SECONDS
    for done, (path, file) in enumerate(known.items()):
        if asked.stamps.get(path) == file.stamp:
            text = read(asked.library, os.path.join(asked.root, path))
            digest = _NO_TEXT if text is None else digest_of(text.sha256)
            if file.digest not in (digest, _FAILED):
                place = os.path.join(asked.root, path)
                problems.append(f"{place} is not as Search has it indexed; {remedy}")
        if monotonic() >= pause_at:
            yield JobProgress(done, len(known))
            pause_at = monotonic() + _SLICE_SECONDS
    return tuple(problems)


def renew(root: str, reading: str) -> Slices[bool]:
    """Delete the index, to be built again; false while another server writes. Raises `OSError`."""
    _OPENED.pop(root, None)
    yield None
    try:
        begin_again(str(index_folder(root, reading) / FOLDER))
    except IndexBusy:
        return False
    return True


def search(asked: SearchRequest) -> Slices[ChunksFound]:
    """The best chunks of the indexes and of the fresh files."""
    question = question_of(asked.question)
    matches, files, unusable = Matches(), 0, []
    fresh = set(asked.fresh)
    given = asked.vector if asked.stages.vectors else None
    near = None if given is None else NearQuestion(LOADED.get(given.place), given.vector)
    pending = set(asked.corpus.others if asked.corpus is not None else ())
    for root in asked.roots if asked.indexed else ():
        try:
            index = _opened(asked.library, root)
            same = _as_indexed(index, asked)
            only = None if asked.only is None else frozenset(below(root, asked.only))
            without = frozenset(below(root, fresh - same))
            found = index.search(question, only, without)
            if not asked.stages.lexical:
                found.candidates = []
            if near is not None:
                yield from near.add_nearest(index, found, only, without)
            matches.add(found)
            fresh -= same
            files += len(index.known)
            if pending:
                pending.difference_update(os.path.join(root, path) for path in index.known)
        except (IndexDamaged, IndexBusy, OSError) as error:  # the next sync sees to it
            _log.warning("The index of chunks of %s is not searched: %s", root, error)
            _OPENED.pop(root, None)
            unusable.append(root)
        yield None
    read_now = yield from _read(asked, fresh)
    matches.candidates += relevant(question, read_now, _MAX_FRESH)
    if asked.corpus is not None:
        matches.files.update(asked.corpus.files)
        if matches.chunks == 0:
            matches.chunks = asked.corpus.total
            matches.frequency = Counter(asked.corpus.frequency)
    yield None
    absent = _absent(question, matches, read_now, asked.corpus)
    similarity = None if near is None else (yield from near.similarity(matches.candidates))
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
    problem, lost = ("", False) if near is None else (near.problem, near.lost)
    left, bad = len(pending), tuple(unusable)
    return ChunksFound(hits, absent, matches.chunks, files, left, bad, problem, lost)


def _absent(
    question: QuestionWords, matches: Matches, read_now: Sequence[Candidate], corpus: Corpus | None
) -> frozenset[str]:
    """The terms that are in nothing that was searched."""
    held: set[int] = set()
    for candidate in read_now:
        held.update(candidate.hashes.tolist())
        held.update(map(hash_of, candidate.context_terms(terms([candidate.path]), 1)))
    return frozenset(
        term
        for term in question.terms
        if not matches.frequency[term]
        and hash_of(term) not in held
        and not (corpus is not None and corpus.frequency.get(term))
    )


def _as_indexed(index: ChunkIndex, asked: SearchRequest) -> set[str]:
    """The open documents whose texts are those in the index."""
    texts = asked.library.open_texts
    return {
        os.path.join(index.root, path)
        for path in below(index.root, texts)
        if path in index.known
        and index.known[path].digest == digest_of(text_hash(texts[os.path.join(index.root, path)]))
    }


def _read(asked: SearchRequest, paths: Iterable[str]) -> Slices[list[Candidate]]:
    """The chunks of fresh files."""
    found: list[Candidate] = []
    context_of = context_in(asked.contexts)
    pause_at = monotonic() + _SLICE_SECONDS
    with outlines(asked.library) as kept:
        for path in paths:
            if asked.only is not None and path not in asked.only:
                continue
            text = read(asked.library, path)
            if text is not None:
                root = next((at for at in asked.roots if path.startswith(os.path.join(at, ""))), "")
                cut = partial(RECENT.of, root, text, kept, context_of)
                candidates = attempt(text.item(NOT_SEARCHED), cut)
                found += () if isinstance(candidates, Trouble) else candidates
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS
    return found


def load_vectors(asked: VectorsRequest) -> Slices[tuple[str, ...]]:
    """Have the vectors of some files' chunks ready; the texts that have none."""
    return (yield from load(_opened(asked.library, asked.root), asked, context_in(asked.contexts)))


_OPENED: dict[str, ChunkIndex] = {}


def _folder(library: Library, root: str) -> str:
    return str(library.folder(root) / FOLDER)


def _opened(library: Library, root: str) -> ChunkIndex:
    """The index of a root, opened once. Raises `OSError`, `IndexBusy` and `IndexDamaged`."""
    if root not in _OPENED:
        prepare_index_folder(root, library.folders.reading(root))
        _OPENED[root] = ChunkIndex(root, _folder(library, root))
    return _OPENED[root]

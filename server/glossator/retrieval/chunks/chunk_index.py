"""The lexical index of the chunks of one root: tantivy finds candidates and keeps their terms.

There is one document for each chunk and one for each file. A chunk is found by the terms of its
lines and of its structural context: its path, the enclosing definitions and what it defines. The
record stored beside is what the ranking needs, so that no file is read for a search. A file's
document tells with which stamp it was read, and which text that was. Nobody sees what is written
before it is committed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

import tantivy

from glossator.core.errors import GlossatorError
from glossator.retrieval.chunks import chunk_folder
from glossator.retrieval.chunks.candidate import (
    MOST_OF_FILE,
    Candidate,
    candidates_of,
    decode,
    encode,
)
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.words import QuestionWords, terms
from glossator.workspace import writing

_HEAP_BYTES = 30_000_000
_CHUNKS, _NAMED, _FILES = 300, 60, 200  # candidates: by terms, by names; files that are scored
_COUNTED = 1_000  # chunks; in more of them, those that were replaced may be counted, too
_PATH_TIMES = 2
_KEPT = 5_000  # candidates, some 8 MB, until the index changes


class IndexBusy(GlossatorError):
    """Another server writes to the index."""


class IndexDamaged(GlossatorError):
    """The index cannot be read; it is begun again."""


@dataclass(slots=True)
class Matches:
    """Candidates for a question, and what is known of the corpus.

    `files`: BM25 scores of files by absolute path. `frequency`: by term, of how many `chunks` it
    is in.
    """

    candidates: list[Candidate] = field(default_factory=list)
    files: dict[str, float] = field(default_factory=dict)
    frequency: Counter[str] = field(default_factory=Counter)
    chunks: int = 0

    def add(self, other: Matches) -> None:
        """Take in those of another index."""
        self.candidates += other.candidates
        self.files.update(other.files)
        self.frequency.update(other.frequency)
        self.chunks += other.chunks


class ChunkIndex:
    """The chunks of `root`; for one thread. `folder` is where it is kept, None: in memory.

    `verified`: whether its checksums were compared since it was opened; for its user.
    """

    def __init__(self, root: str, folder: str | None = None) -> None:
        """Open it, or begin a new one. Raises `OSError`, `IndexBusy` and `IndexDamaged`."""
        builder = tantivy.SchemaBuilder()
        for name in ("path", "part", "key"):
            builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
        for name in ("text", "names", "whole"):
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_bytes_field("record", stored=True)
        self._schema = builder.build()
        self.root = root
        self._folder = folder
        self._seen: tuple[int, int] | None = None
        self._known: dict[str, IndexedFile] | None = None
        self._kept: dict[tuple[int, int], Candidate] = {}  # by place in what is opened now
        self.verified = False
        if folder is not None:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not chunk_folder.is_current(folder):
                begin_again(folder)
        self._index = self._opened()
        self._reload()

    @property
    def known(self) -> Mapping[str, IndexedFile]:
        """The indexed files by relative path."""
        self._reload()
        if self._known is None:
            searcher = self._index.searcher()
            files = self._term("part", "file")
            with _damage():
                found = (
                    searcher.doc(address)
                    for _, address in searcher.search(files, max(searcher.num_docs, 1)).hits
                )
                self._known = {
                    path_of(_text(at)): IndexedFile(record[8:], record[:8])
                    for at in found
                    for record in (_record(at),)
                }
        return self._known

    @contextmanager
    def writing(self) -> Iterator[IndexWriter]:
        """What is written is seen at each `commit`. Raises `IndexBusy` and `OSError`."""
        with _alone(self._folder):
            if self._folder is not None:  # tantivy reads only then which files others wrote
                self._index, self._kept = self._opened(), {}
            with writes():
                writer = self._index.writer(_HEAP_BYTES, 1)
            known = dict(self.known)
            try:
                yield IndexWriter(self.root, writer, known, self._committed)
            finally:
                with writes():
                    writer.wait_merging_threads()  # and gives the lock back

    def search(
        self,
        question: QuestionWords,
        only: frozenset[str] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Matches:
        """The candidates, in the files `only` and not in those `without`, by relative path."""
        self._reload()
        searcher, kept = self._index.searcher(), self._kept
        looked_for = tuple(dict.fromkeys((*question.terms, *question.compounds)))
        among = self._among(only, without)
        found: dict[tuple[int, int], Candidate] = {}
        with _damage():
            for name, wanted, limit in (
                ("text", looked_for, _CHUNKS),
                ("names", question.compounds, _NAMED),
            ):
                for _, address in self._best(searcher, self._any(name, wanted), among, limit):
                    key = (address.segment_ord, address.doc)
                    if key not in kept:
                        kept[key] = decode(self.root, _record(searcher.doc(address)))
                    found[key] = kept[key]
            prefix = os.path.join(self.root, "")
            files = {
                prefix + path_of(_text(searcher.doc(address))): score
                for score, address in self._best(
                    searcher, self._any("whole", question.terms), among, _FILES
                )
            }
            frequency = Counter({term: self._frequency(searcher, term) for term in looked_for})
            if only is not None:  # what is in no other file must not be told
                for term in looked_for:
                    if frequency[term] and not self._best(
                        searcher, self._term("text", term), among, 1
                    ):
                        frequency[term] = 0
        if len(kept) > _KEPT:
            kept.clear()
        chunks = searcher.num_docs - len(self.known)
        return Matches(list(found.values()), files, frequency, chunks)

    def of_file(self, path: str) -> list[Candidate]:
        """The chunks of a file."""
        return self._where("path", [path_key(path)], MOST_OF_FILE + 1)

    def by_key(
        self, keys: Sequence[bytes], only: frozenset[str] | None, without: frozenset[str]
    ) -> list[Candidate]:
        """The chunks with these keys, in the files `only` and not in those `without`."""
        found = self._where("key", [key.hex() for key in keys], 2 * len(keys))
        return [
            each
            for each in found
            if each.path not in without and (only is None or each.path in only)
        ]

    def holds(self, key: bytes) -> bool:
        """Whether a chunk has this key."""
        self._reload()
        with _damage():
            query = self._term("key", key.hex())
            return bool(self._index.searcher().search(query, 1, count=False).hits)

    def _where(self, name: str, values: Sequence[str], limit: int) -> list[Candidate]:
        self._reload()
        searcher = self._index.searcher()
        if not values:
            return []
        with _damage():
            hits = searcher.search(self._any(name, values), limit, count=False).hits
            return [
                decode(self.root, _record(at))
                for _, address in hits
                for at in (searcher.doc(address),)
                if at.get_first("part") == "chunk"
            ]

    def damaged_files(self) -> Generator[None, None, tuple[str, ...]]:
        """The files with another checksum than their own; pauses after each part it reads."""
        found: list[str] = []
        if self._folder is not None:
            for name in chunk_folder.damage(self._folder):
                found += filter(None, [name])
                yield
        return tuple(found)

    def _opened(self) -> tantivy.Index:
        with _damage():
            index = tantivy.Index(self._schema, self._folder)
            index.config_reader("manual")
        return index

    def _among(
        self, only: frozenset[str] | None, without: frozenset[str]
    ) -> tuple[tantivy.Occur, tantivy.Query] | None:
        """What a document must fulfil, besides a question."""
        known = self.known
        left_out = without if only is None else {path for path in known if path not in only}
        if only is not None and len(left_out) > len(known) // 2:
            how, paths = tantivy.Occur.Must, [at for at in known if at in only - without]
        else:
            how = tantivy.Occur.MustNot
            paths = [path for path in left_out | without if path in known]
        if not paths and how is tantivy.Occur.MustNot:
            return None
        return how, tantivy.Query.term_set_query(self._schema, "path", list(map(path_key, paths)))

    def _best(
        self,
        searcher: tantivy.Searcher,
        query: tantivy.Query,
        among: tuple[tantivy.Occur, tantivy.Query] | None,
        limit: int,
    ) -> list[tuple[float, tantivy.DocAddress]]:
        if among is not None:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), among])
        return searcher.search(query, limit, count=False).hits

    def _frequency(self, searcher: tantivy.Searcher, term: str) -> int:
        """The number of chunks with a term; if it is small, replaced chunks are not counted."""
        frequency = searcher.doc_freq("text", term)
        if 0 < frequency < _COUNTED:
            return len(searcher.search(self._term("text", term), frequency, count=False).hits)
        return frequency

    def _any(self, name: str, wanted: Iterable[str]) -> tantivy.Query:
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, self._term(name, term)) for term in wanted]
        )

    def _term(self, name: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, name, term, "freq")

    def _reload(self) -> None:
        """See what was committed, also by another server."""
        seen = None if self._folder is None else chunk_folder.stamp(self._folder)
        if seen is None or seen != self._seen:
            with _damage():
                self._index.reload()
            self._kept = {}
            if seen != self._seen:
                self._known = None
            self._seen = seen

    def _committed(self, known: dict[str, IndexedFile]) -> None:
        self._reload()
        self._known = known


def begin_again(folder: str) -> None:
    """Delete what is indexed there. Raises `IndexBusy` and `OSError`."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with _alone(folder):
        chunk_folder.begin_again(folder)


@contextmanager
def _alone(folder: str | None) -> Iterator[None]:
    """Lock the folder within the block, so that nobody else writes."""
    with nullcontext(True) if folder is None else writing(folder) as ours:
        if not ours:
            raise IndexBusy("Another server writes to the index of chunks; wait until it ends.")
        yield


@contextmanager
def _damage() -> Iterator[None]:
    """Tantivy tells of damage as `ValueError`, or by a panic."""
    try:
        yield
    except _damaging() as error:
        raise IndexDamaged(f"{error}") from error


def _damaging() -> tuple[type[BaseException], ...]:
    """`ValueError`, and what libraries in Rust raise for a panic, which no module has by name."""
    panics = (at for at in BaseException.__subclasses__() if at.__name__ == "PanicException")
    return (ValueError, *panics)


def _text(document: tantivy.Document) -> str:
    """The path of a document as a term."""
    return str(document.get_first("path"))


def _record(document: tantivy.Document) -> bytes:
    """What is stored beside a document. Raises `ValueError` if there is nothing."""
    record = document.get_first("record")
    if record is None:
        raise ValueError("a document has no record")
    return bytes(record)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """How a file was when it was indexed: its stamp, and the beginning of its text's SHA-256."""

    stamp: bytes
    digest: bytes


class IndexWriter:
    """Writes to a `ChunkIndex`; nobody sees it before `commit`."""

    def __init__(
        self,
        root: str,
        writer: tantivy.IndexWriter,
        known: dict[str, IndexedFile],
        committed: Callable[[dict[str, IndexedFile]], None],
    ) -> None:
        """`committed` hears what is known after each commit."""
        self._root, self._writer, self._known = root, writer, known
        self._committed = committed

    def put(
        self,
        path: str,
        file: IndexedFile,
        lines: Sequence[str],
        chunks: Sequence[Chunk],
        context_of: Callable[[bytes], str] = lambda _: "",
    ) -> None:
        """Index a file at a relative path, in place of what was there; see `candidates_of`."""
        # before anything is written, as a text may make it fail
        made = [*candidates_of(self._root, path, file.digest, lines, chunks, context_of)]
        self.drop(path)
        of_path = terms([path])
        whole = of_path * _PATH_TIMES
        for candidate, found in made:
            context = candidate.context_terms(of_path, _PATH_TIMES)
            document = tantivy.Document()
            document.add_text("path", path_key(path))
            document.add_text("part", "chunk")
            document.add_text("key", candidate.key.hex())
            inside = " ".join(found)
            document.add_text("text", " ".join((inside, *context)))
            names = " ".join(candidate.chunk.defines).casefold()
            document.add_text("names", names.encode("utf-8", "replace").decode())
            document.add_bytes("record", encode(candidate))
            self._add(document)
            whole.append(inside)
        document = tantivy.Document()
        document.add_text("path", path_key(path))
        document.add_text("part", "file")
        document.add_text("whole", " ".join(whole))
        document.add_bytes("record", file.digest + file.stamp)
        self._add(document)
        self._known[path] = file

    def drop(self, path: str) -> None:
        """Forget a file."""
        if self._known.pop(path, None) is not None:
            with writes():
                self._writer.delete_documents_by_term("path", path_key(path))

    def commit(self) -> None:
        """Let everybody see what was written. Raises `OSError`."""
        with writes():
            self._writer.commit()
        self._committed(dict(self._known))

    def _add(self, document: tantivy.Document) -> None:
        with writes():
            self._writer.add_document(document)


def path_key(path: str) -> str:
    """A relative path as a term: file names may be any bytes, terms are UTF-8."""
    return os.fsencode(path).decode("latin-1")


def path_of(key: str) -> str:
    """The path that is such a term."""
    return os.fsdecode(key.encode("latin-1"))


@contextmanager
def writes() -> Iterator[None]:
    """Tantivy tells of a failed write as `ValueError`."""
    try:
        yield
    except ValueError as error:
        raise OSError(f"it cannot be written: {error}") from error

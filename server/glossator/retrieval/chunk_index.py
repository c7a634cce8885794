"""The lexical index of the chunks of one root: tantivy finds candidates and keeps their terms.

There is one document for each chunk and one for each file. A chunk is found by the terms of its
lines and of its structural context: its path, the enclosing definitions and what it defines. The
record stored beside is what the ranking needs, so that no file is read for a search. A file's
document tells with which stamp it was read, and which text that was.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

import tantivy

from glossator.core.errors import GlossatorError
from glossator.retrieval.candidate import Candidate, candidates_of, decode, encode
from glossator.retrieval.chunks import Chunk
from glossator.retrieval.words import QuestionWords, terms

VERSION = "2"  # of what is indexed: chunks, terms, records
_MARK = "version"
_HEAP_BYTES = 30_000_000
_CHUNKS, _NAMED, _FILES = 300, 60, 200  # candidates: by terms, by names; files that are scored
_PATH_TIMES = 2
_SEVERAL = 20  # more candidates for each one that a filter may leave out
_MOST = 6_000
MOST_OF_FILE = 400  # chunks, about 1 MB; what follows is data


class IndexBusy(GlossatorError):
    """Another server writes to the index."""


class IndexDamaged(GlossatorError):
    """The index cannot be read; it is begun again."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """How a file was when it was indexed: its stamp, and the beginning of its text's SHA-256."""

    stamp: bytes
    digest: bytes


@dataclass(slots=True)
class Matches:
    """Candidates for a question, and what is known of the corpus.

    `files`: BM25 scores of files by path. `frequency`: by term, of how many `chunks` it is in.
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
    """The chunks of `root`; for one thread. `folder` is where it is kept, None: in memory."""

    def __init__(self, root: str, folder: str | None = None) -> None:
        """Open it, or begin a new one. Raises `OSError` and `IndexDamaged`."""
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
        if folder is not None:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _begin_again_if_old(folder)
        with _damage():
            self._index = tantivy.Index(self._schema, folder)
            self._index.config_reader("manual")
        self._known: dict[str, IndexedFile] | None = None
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
                    at.get_first("path"): IndexedFile(record[8:], record[:8])
                    for at in found
                    for record in (bytes(at.get_first("record")),)
                }
        return self._known

    @contextmanager
    def writing(self) -> Iterator[IndexWriter]:
        """What is written is seen at each `commit`. Raises `IndexBusy`."""
        try:
            writer = self._index.writer(_HEAP_BYTES, 1)
        except ValueError as error:
            if "lock" in str(error).lower():
                raise IndexBusy("Another server writes to the index of chunks.") from error
            raise IndexDamaged(str(error)) from error
        known = dict(self.known)
        try:
            yield IndexWriter(self, writer, known)
        finally:
            writer.wait_merging_threads()  # and gives the lock back

    def search(
        self,
        question: QuestionWords,
        only: frozenset[str] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Matches:
        """The candidates, in the files `only` and not in those `without`, by relative path."""
        self._reload()
        searcher = self._index.searcher()
        looked_for = (*question.terms, *question.compounds)
        found: dict[tuple[int, int], Candidate] = {}
        with _damage():
            for name, wanted, limit in (
                ("text", looked_for, _CHUNKS),
                ("names", question.compounds, _NAMED),
            ):
                taken = 0
                for address in self._best(searcher, name, wanted, _bounded(limit, only, without)):
                    key = (address.segment_ord, address.doc)
                    if key in found:
                        continue
                    candidate = decode(self.root, bytes(searcher.doc(address).get_first("record")))
                    if candidate.path in without or (
                        only is not None and candidate.path not in only
                    ):
                        continue
                    found[key] = candidate
                    taken += 1
                    if taken >= limit:
                        break
            files = {
                searcher.doc(address).get_first("path"): score
                for score, address in searcher.search(
                    self._any("whole", question.terms), _FILES, count=False
                ).hits
            }
            frequency = Counter({term: searcher.doc_freq("text", term) for term in looked_for})
        chunks = searcher.num_docs - len(self.known)
        return Matches(list(found.values()), files, frequency, chunks)

    def of_file(self, path: str) -> list[Candidate]:
        """The chunks of a file."""
        return self._where("path", [path], MOST_OF_FILE + 1)

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

    def _where(self, name: str, values: Sequence[str], limit: int) -> list[Candidate]:
        self._reload()
        searcher = self._index.searcher()
        if not values:
            return []
        with _damage():
            hits = searcher.search(self._any(name, values), limit, count=False).hits
            return [
                decode(self.root, bytes(at.get_first("record")))
                for _, address in hits
                for at in (searcher.doc(address),)
                if at.get_first("part") == "chunk"
            ]

    def _best(
        self, searcher: tantivy.Searcher, name: str, wanted: Sequence[str], limit: int
    ) -> Iterator[tantivy.DocAddress]:
        if wanted:
            hits = searcher.search(self._any(name, wanted), limit, count=False).hits
            yield from (address for _, address in hits)

    def _any(self, name: str, wanted: Iterable[str]) -> tantivy.Query:
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, self._term(name, term)) for term in wanted]
        )

    def _term(self, name: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, name, term, "freq")

    def _reload(self) -> None:
        """See what was committed, also by another server."""
        seen = None if self._folder is None else _stamp(os.path.join(self._folder, "meta.json"))
        if seen is None or seen != self._seen:
            with _damage():
                self._index.reload()
            if seen != self._seen:
                self._known = None
            self._seen = seen

    def committed(self, known: dict[str, IndexedFile]) -> None:
        """For `IndexWriter`: what is known from now on."""
        self._reload()
        self._known = dict(known)


class IndexWriter:
    """Writes to a `ChunkIndex`; nobody sees it before `commit`."""

    def __init__(
        self, index: ChunkIndex, writer: tantivy.IndexWriter, known: dict[str, IndexedFile]
    ) -> None:
        self._index, self._writer, self._known = index, writer, known

    def put(
        self, path: str, file: IndexedFile, lines: Sequence[str], chunks: Sequence[Chunk]
    ) -> None:
        """Index a file at a relative path, in place of what was there."""
        self.drop(path)
        of_path = terms([path])
        whole: Counter[str] = Counter()
        for candidate, counts in candidates_of(self._index.root, path, file.digest, lines, chunks):
            context = candidate.context_terms(of_path, _PATH_TIMES)
            document = tantivy.Document()
            document.add_text("path", path)
            document.add_text("part", "chunk")
            document.add_text("key", candidate.key.hex())
            document.add_text("text", " ".join(chain(counts.elements(), context)))
            document.add_text("names", " ".join(at.lower() for at in candidate.chunk.defines))
            document.add_bytes("record", encode(candidate))
            self._writer.add_document(document)
            whole.update(counts)
        document = tantivy.Document()
        document.add_text("path", path)
        document.add_text("part", "file")
        document.add_text("whole", " ".join(chain(whole.elements(), of_path * _PATH_TIMES)))
        document.add_bytes("record", file.digest + file.stamp)
        self._writer.add_document(document)
        self._known[path] = file

    def drop(self, path: str) -> None:
        """Forget a file."""
        if self._known.pop(path, None) is not None:
            self._writer.delete_documents_by_term("path", path)

    def commit(self) -> None:
        """Let everybody see what was written. Raises `OSError`."""
        try:
            self._writer.commit()
        except ValueError as error:
            raise OSError(f"the index of chunks cannot be written ({error})") from error
        self._index.committed(self._known)


def _bounded(limit: int, only: frozenset[str] | None, without: frozenset[str]) -> int:
    if only is None:
        return limit + (_SEVERAL * len(without) if without else 0)
    return min(limit * _SEVERAL, _MOST)


def _begin_again_if_old(folder: str) -> None:
    """Delete an index of another version."""
    mark = os.path.join(folder, _MARK)
    try:
        with open(mark, encoding="ascii") as file:
            version = file.read()
    except FileNotFoundError:
        version = ""
    if version != VERSION:
        clear(folder)
        with open(mark, "w", encoding="ascii") as file:
            file.write(VERSION)


def clear(folder: str) -> None:
    """Delete an index; the folder stays."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)


@contextmanager
def _damage() -> Iterator[None]:
    """Tantivy tells of damage as `ValueError`, or by a panic."""
    try:
        yield
    except (ValueError, *_panics()) as error:
        raise IndexDamaged(f"The index of chunks is damaged: {error}") from error


def _panics() -> Iterator[type[BaseException]]:
    """What libraries in Rust raise for a panic; no module has it by name."""
    return (each for each in BaseException.__subclasses__() if each.__name__ == "PanicException")


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino

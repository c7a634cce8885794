"""Writes to the index of chunks: what a chunk and a file are found by, and what is kept beside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import tantivy

from glossator.retrieval.chunks.candidate import candidates_of, encode
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.words import terms

_PATH_TIMES = 2


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
            document.add_text("names", _names(candidate.chunk))
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


def _names(chunk: Chunk) -> str:
    return " ".join(chunk.defines).casefold().encode("utf-8", "replace").decode()


@contextmanager
def writes() -> Iterator[None]:
    """Tantivy tells of a failed write as `ValueError`."""
    try:
        yield
    except ValueError as error:
        raise OSError(f"it cannot be written: {error}") from error

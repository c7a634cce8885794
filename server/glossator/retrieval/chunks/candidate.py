"""The chunks of a text as the index keeps them: where each is, what is around it, and its terms.

Terms are kept as the CRC-32 of their UTF-8, so that a search compares numbers. Texts that are read
for a search are remembered with their chunks.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from glossator.core.text import split_lines
from glossator.retrieval.chunks.cutting import Chunk, cut
from glossator.retrieval.chunks.requests import CutFile
from glossator.retrieval.chunks.words import terms
from glossator.retrieval.embeddings.embedder import embedding_text, text_key
from glossator.symbols import Library, Outlines, SourceText, outline_by_lines, outlines, read
from glossator.worker import Slices, Trouble, attempt

DIGEST_BYTES = 8
MOST_OF_FILE = 400  # chunks, about 1 MB; what follows is data
_FIELD, _ITEM = "\x1e", "\x1f"  # between the strings of a record
_HEAD = struct.Struct("<I8s16sIIIHH")  # checksum; digest, key, lines, terms, distinct, strings
_SUM = struct.Struct("<I")
_NAMES, _NAME = 40, 200  # of a kind in a record, and characters of each
_PLAIN = str.maketrans(_FIELD + _ITEM, "  ")
_MAX_TERMS = 60_000  # distinct ones, of a chunk that is one long line
_READ = 1_000_000  # characters of such a line; what follows is data
_RECENT_CHUNKS = 5_000
_SLICE_SECONDS = 0.03
NOT_SEARCHED = "is not in the index for Search"  # if it fails at a file


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk of the file at `path` below `root`; `digest` begins the SHA-256 of its text.

    `key` stands for the text that is embedded, its context included. `hashes` and `counts` are of
    the distinct terms of its lines, `length` is their number.
    """

    root: str
    path: str
    digest: bytes
    key: bytes
    chunk: Chunk
    length: int
    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint8]

    @property
    def place(self) -> str:
        """The absolute path of its file."""
        return os.path.join(self.root, self.path)

    def context_terms(self, of_path: list[str], path_times: int) -> list[str]:
        """The terms of its structural context."""
        return [*[*of_path] * path_times, *terms(self.chunk.within), *terms(self.chunk.defines)]


def candidates_of(
    root: str,
    path: str,
    digest: bytes,
    lines: Sequence[str],
    chunks: Sequence[Chunk],
    context_of: Callable[[bytes], str] = lambda _: "",
) -> Iterator[tuple[Candidate, list[str]]]:
    """The chunks of a file with the terms of their lines, as often as each is there.

    `context_of` gives what a model wrote about the chunk with a `chunk_key`; its terms count as the
    chunk's own, and it is embedded with it.
    """
    for chunk in chunks:
        inside = "\n".join(lines[chunk.first_line - 1 : chunk.last_line])
        context = context_of(chunk_key(path, chunk, inside))
        key = text_key(chunk_text(path, chunk, inside, context))
        found = terms((inside[:_READ], context))
        counts = Counter(found)
        if len(counts) > _MAX_TERMS:
            counts = Counter(dict(counts.most_common(_MAX_TERMS)))
            found = [*counts.elements()]
        hashes = np.fromiter(map(zlib.crc32, map(str.encode, counts)), "<u4", len(counts))
        times = np.fromiter(counts.values(), "<i8", len(counts))
        capped = np.minimum(times, 255).astype("u1")
        yield Candidate(root, path, digest, key, chunk, counts.total(), hashes, capped), found


def chunk_text(path: str, chunk: Chunk, inside: str, context: str = "") -> str:
    """The text that is embedded for a chunk with these lines, and what a model wrote about it."""
    return embedding_text(path.rpartition("/")[2], chunk.within, inside, context)


def chunk_key(path: str, chunk: Chunk, inside: str) -> bytes:
    """What a context is kept by: the chunk with these lines, wherever in its document they are.

    `path` is relative to the root: files of one name may hold equal chunks.
    """
    return text_key(f"{path}\n{chunk_text(path, chunk, inside)}")


def digest_of(sha256: str) -> bytes:
    """The part of a text's SHA-256 that the index keeps."""
    return bytes.fromhex(sha256)[:DIGEST_BYTES]


def encode(candidate: Candidate) -> bytes:
    """The candidate as bytes that begin with their checksum; overlong names are cut."""
    chunk = candidate.chunk
    names = (
        _ITEM.join(name[:_NAME].translate(_PLAIN) or " " for name in each[:_NAMES])
        for each in (chunk.within, chunk.defines, chunk.kinds)
    )
    strings = _FIELD.join((*names, candidate.path)).encode("utf-8", "surrogatepass")
    head = _HEAD.pack(
        0,
        candidate.digest,
        candidate.key,
        chunk.first_line,
        chunk.last_line,
        candidate.length,
        len(candidate.hashes),
        len(strings),
    )
    parts = (head[_SUM.size :], strings, candidate.hashes.tobytes(), candidate.counts.tobytes())
    record = b"".join(parts)
    return _SUM.pack(zlib.crc32(record)) + record


def decode(root: str, record: bytes) -> Candidate:
    """The candidate below `root` that `encode` made bytes of. Raises `ValueError` for others."""
    if len(record) < _HEAD.size:
        raise ValueError("a record is cut short")
    expected, digest, key, first, last, length, distinct, size = _HEAD.unpack_from(record)
    if zlib.crc32(memoryview(record)[_SUM.size :]) != expected:
        raise ValueError("a record has another checksum")
    at = _HEAD.size + size
    strings = record[_HEAD.size : at].decode("utf-8", "surrogatepass")
    within, defines, kinds, path = strings.split(_FIELD, 3)
    chunk = Chunk(first, last, _items(within), _items(defines), _items(kinds))
    hashes = np.frombuffer(record, "<u4", distinct, at)
    counts = np.frombuffer(record, "u1", distinct, at + 4 * distinct)
    return Candidate(root, path, digest, key, chunk, length, hashes, counts)


def _items(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(_ITEM)) if joined else ()


def chunks_of(text: SourceText, lines: Sequence[str], kept: Outlines) -> tuple[Chunk, ...]:
    """The chunks of a text, by its outline."""
    symbols = kept.of(text) if text.language is not None else outline_by_lines(lines, text.path)
    return cut(lines, symbols, MOST_OF_FILE)


def cut_files(library: Library, paths: Sequence[str]) -> Slices[tuple[CutFile, ...]]:
    """The chunks of files that are texts; one that makes it fail is left out."""
    found: list[CutFile] = []
    pause_at = monotonic() + _SLICE_SECONDS
    with outlines(library) as kept:
        for path in paths:
            text = read(library, path)
            if text is not None:
                cut = partial(chunks_of, text, split_lines(text.text), kept)
                chunks = attempt(text.item(NOT_SEARCHED), cut)
                if not isinstance(chunks, Trouble):
                    found.append(CutFile(path, text.sha256, chunks))
            if monotonic() >= pause_at:
                yield None
                pause_at = monotonic() + _SLICE_SECONDS
    return tuple(found)


def below(root: str, paths: Iterable[str]) -> Iterator[str]:
    """Those of `paths` that lie below a root, relative to it."""
    prefix = os.path.join(root, "")
    return (path[len(prefix) :] for path in paths if path.startswith(prefix))


@dataclass(slots=True)
class _Recent:
    """The chunks of the last texts that were read for a search, by path and content."""

    kept: OrderedDict[tuple[str, str], list[Candidate]] = field(default_factory=OrderedDict)
    count: int = 0

    def of(
        self,
        root: str,
        text: SourceText,
        outlined: Outlines,
        context_of: Callable[[bytes], str] = lambda _: "",
    ) -> list[Candidate]:
        """The chunks of a text at an absolute path below `root`; see `candidates_of`."""
        key = text.path, text.sha256
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        lines = split_lines(text.text)
        path = next(below(root, (text.path,)), text.path) if root else text.path
        digest, chunks = digest_of(text.sha256), chunks_of(text, lines, outlined)
        made = [each for each, _ in candidates_of(root, path, digest, lines, chunks, context_of)]
        self.kept[key] = made
        self.count += len(made)
        while self.count > _RECENT_CHUNKS and len(self.kept) > 1:
            self.count -= len(self.kept.popitem(last=False)[1])
        return made


RECENT = _Recent()

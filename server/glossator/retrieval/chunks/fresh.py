"""The chunks of texts: of whole files, and of those that are read for a search and remembered."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from glossator.core.text import split_lines
from glossator.retrieval.chunks.candidate import Candidate, candidates_of, digest_of
from glossator.retrieval.chunks.chunk_index import MOST_OF_FILE
from glossator.retrieval.chunks.cutting import Chunk, cut
from glossator.retrieval.chunks.requests import CutFile
from glossator.symbols import Library, Outlines, SourceText, outline_by_lines, outlines, read
from glossator.worker import Slices, Trouble, attempt

_RECENT_CHUNKS = 5_000
_SLICE_SECONDS = 0.03
NOT_SEARCHED = "is not in the index for Search"  # if it fails at a file


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

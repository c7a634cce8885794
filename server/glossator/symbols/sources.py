"""The files and open documents that symbol jobs read, and their outlines, stored by content.

For the worker process: reading and parsing block.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from time import monotonic

from glossator.core.document import Missing, text_hash
from glossator.core.errors import StoreUnavailable
from glossator.core.file_kinds import language_of
from glossator.store import Blobs, BlobStatistics
from glossator.symbols.outline import OUTLINE_LIMIT, outline
from glossator.symbols.symbol import SYMBOLS_VERSION, Symbol, dump
from glossator.symbols.symbol import load as parsed
from glossator.worker import Item, Trouble, attempt
from glossator.workspace import (
    EncodingRule,
    Loaded,
    Roots,
    index_folder,
    load,
    masked,
    outermost,
    prepare_index_folder,
)

logger = logging.getLogger(__name__)

SLICE = 0.03  # seconds of work between two chances for other jobs

_DATABASE = "symbols.db"
_PLAIN = re.compile(r"\w+")  # what stands in JSON as it is
_OUTLINES_A_WRITE = 200  # outlines that are written in one transaction
_RECENT_SYMBOLS = 50_000  # of open documents that are remembered, about 20 MB


@dataclass(frozen=True, slots=True)
class Library:
    """Where texts are read from, and the disk space for their outlines (0: none are stored).

    The outlines lie in the state folder of the first root; any will do, as the key is the content.
    `open_texts` are the open documents by real path, as far as a job needs them: they mask their
    files. A text of more than `parse_limit` characters is not parsed.
    """

    roots: tuple[str, ...]
    max_file_bytes: int
    kept_bytes: int = 0
    open_texts: Mapping[str, str] = field(default_factory=dict)
    parse_limit: int = OUTLINE_LIMIT
    encodings: tuple[EncodingRule, ...] = ()

    @staticmethod
    def of(
        folders: Roots,
        max_file_bytes: int,
        kept_bytes: int,
        open_texts: Mapping[str, str],
        parse_limit: int = OUTLINE_LIMIT,
    ) -> Library:
        """The library of a workspace."""
        sizes = (max_file_bytes, kept_bytes)
        return Library(folders.paths, *sizes, open_texts, parse_limit, folders.encodings)

    @property
    def folders(self) -> Roots:
        """The roots, with the encodings declared for their files."""
        return _roots(self.roots, self.encodings)

    def folder(self, root: str) -> Path:
        """The state folder of an outermost root."""
        return index_folder(root, self.folders.reading(root))


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text at one moment, and its language if it has a grammar."""

    path: str
    text: str
    sha256: str
    language: str | None
    in_file: bool  # or only in the editor

    def item(self, lack: str) -> Item:
        """The text as an item of `attempt`."""
        return Item(self.path, lack, self.sha256)


def read(library: Library, path: str) -> SourceText | None:
    """The text at an absolute path, the editor's first; None if it cannot be read as text."""

    def from_disk(at: str) -> Loaded | Missing:
        return load(library.folders, at, library.max_file_bytes)

    found = masked(library.open_texts, path, from_disk)
    if isinstance(found, Missing):
        return None
    if isinstance(found, str):
        return editor_text(path, found)
    return SourceText(path, found.text, found.sha256, language_of(path, found.text), in_file=True)


def read_each(
    library: Library, paths: Iterable[str], seconds: float
) -> Iterator[SourceText | None]:
    """The texts at these paths that can be read, for so many seconds; None ends a slice."""
    begun = slice_begun = monotonic()
    for path in paths:
        now = monotonic()
        if now - begun > seconds:
            return
        if now - slice_begun > SLICE:
            yield None
            slice_begun = monotonic()
        if (text := read(library, path)) is not None:
            yield text


def editor_text(path: str, text: str) -> SourceText:
    """The text of an open document."""
    return SourceText(path, text, text_hash(text), language_of(path, text), in_file=False)


@dataclass(slots=True)
class Outlines:
    """The outlines of texts, looked up by content or made; `made` counts the latter.

    Outlines of files are stored on disk. Every letter typed makes a new text, so of open documents
    only the last outlines are kept, in memory.
    """

    _blobs: Blobs | None
    _parse_limit: int = OUTLINE_LIMIT
    made: int = 0
    _unwritten: dict[str, dict[bytes, bytes]] = field(default_factory=dict)

    def of(self, text: SourceText, word: str = "") -> tuple[Symbol, ...]:
        """The symbols of a text; none in a language without a grammar, or if parsing fails.

        The result may be empty if no symbol contains `word`: searching the stored bytes is quicker
        than parsing them.
        """
        if text.language is None or len(text.text) > self._parse_limit:
            return ()
        recent = _RECENT.get(text)
        if recent is not None:
            return recent
        namespace, key = f"outline {SYMBOLS_VERSION} {text.language}", bytes.fromhex(text.sha256)
        if kept := self._get(namespace, key):
            if _PLAIN.fullmatch(word) and word.encode() not in kept:
                return ()
            try:
                return parsed(kept)
            except ValueError as damage:
                logger.warning("The outline kept of %s: %s", text.path, damage)
        symbols = attempt(text.item("has no outline"), partial(outline, text.text, text.language))
        if isinstance(symbols, Trouble):
            return ()
        self.made += 1
        if not text.in_file:
            _RECENT.keep(text, symbols)
        elif self._blobs is not None:
            self._unwritten.setdefault(namespace, {})[key] = dump(symbols)
            if sum(map(len, self._unwritten.values())) >= _OUTLINES_A_WRITE:
                self.flush()
        return symbols

    def flush(self) -> None:
        """Write the new outlines."""
        for namespace, values in self._unwritten.items():
            if self._blobs is not None:
                try:
                    self._blobs.put(namespace, values)
                except StoreUnavailable as problem:
                    self._do_without(problem)
        self._unwritten.clear()

    def _get(self, namespace: str, key: bytes) -> bytes | None:
        if self._blobs is not None:
            try:
                return self._blobs.get(namespace, [key]).get(key)
            except StoreUnavailable as problem:
                self._do_without(problem)
        return None

    def _do_without(self, problem: StoreUnavailable) -> None:
        logger.warning("%s", problem)
        self._blobs = None


class _Recent:
    """The last outlines of open documents; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outlines: OrderedDict[tuple[str | None, str], tuple[Symbol, ...]] = OrderedDict()
        self._symbols = 0

    def get(self, text: SourceText) -> tuple[Symbol, ...] | None:
        key = text.language, text.sha256
        with self._lock:
            if key in self._outlines:
                self._outlines.move_to_end(key)
            return self._outlines.get(key)

    def keep(self, text: SourceText, symbols: tuple[Symbol, ...]) -> None:
        with self._lock:
            self._symbols += len(symbols) - len(
                self._outlines.pop((text.language, text.sha256), ())
            )
            self._outlines[text.language, text.sha256] = symbols
            while self._symbols > _RECENT_SYMBOLS and len(self._outlines) > 1:
                self._symbols -= len(self._outlines.popitem(last=False)[1])


_RECENT = _Recent()


def statistics(roots: Roots) -> BlobStatistics | None:
    """Figures of what is kept on disk for these roots; None if nothing is, or it cannot be read."""
    if not roots.paths:
        return None
    first = outermost(roots.paths)[0]
    path = index_folder(first, roots.reading(first)) / _DATABASE
    if not path.exists():
        return None
    try:
        with closing(Blobs(str(path), 0)) as blobs:
            return blobs.statistics()
    except StoreUnavailable as problem:
        logger.warning("%s", problem)
        return None


@contextmanager
def outlines(library: Library) -> Iterator[Outlines]:
    """The outlines of a library; new ones are written at the end at the latest."""
    shelf = Outlines(_opened(library), library.parse_limit)
    try:
        yield shelf
    finally:
        shelf.flush()


def _opened(library: Library) -> Blobs | None:
    if not library.kept_bytes or not library.roots:
        return None
    try:
        first = outermost(library.roots)[0]
        return _blobs(first, library.folders.reading(first), library.kept_bytes)
    except (OSError, StoreUnavailable) as problem:
        logger.warning("Outlines are not kept: %s", problem)
        return None


@cache
def _blobs(root: str, reading: str, max_bytes: int) -> Blobs:
    return Blobs(str(prepare_index_folder(root, reading) / _DATABASE), max_bytes)


@cache
def _roots(paths: tuple[str, ...], encodings: tuple[EncodingRule, ...]) -> Roots:
    return Roots(paths, encodings)

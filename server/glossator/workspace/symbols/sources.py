"""What symbol jobs read: files and open documents, and their outlines, kept by content.

For the worker process: reading and parsing here take the time they take.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from glossator.core.document import Missing, text_hash
from glossator.core.errors import StoreUnavailable
from glossator.store.blobs import Blobs
from glossator.workspace.disk import load
from glossator.workspace.roots import Roots, outermost
from glossator.workspace.state_folder import prepare
from glossator.workspace.symbols.codec import SYMBOLS_VERSION, dump
from glossator.workspace.symbols.codec import load as parsed
from glossator.workspace.symbols.languages import language_of
from glossator.workspace.symbols.outline import outline
from glossator.workspace.symbols.symbol import Symbol

logger = logging.getLogger(__name__)

_DATABASE = "symbols.db"
_PLAIN = re.compile(r"\w+")  # what stands in JSON as it is
_TOGETHER = 200  # outlines that are written in one transaction


@dataclass(frozen=True, slots=True)
class OpenText:
    """An open document as the editor holds it."""

    path: str
    text: str


Source: TypeAlias = str | OpenText  # a file's absolute path, or the text that masks it


@dataclass(frozen=True, slots=True)
class Library:
    """Where texts are read from, and how much room their outlines have on disk (0: none is kept).

    The outlines are kept with the state of the first root; the key being the content, no matter
    which it is.
    """

    roots: tuple[str, ...]
    max_file_bytes: int
    kept_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A text at one moment, and the language it is written in if we understand it."""

    path: str
    text: str
    sha256: str
    language: str | None


def read(library: Library, source: Source) -> Text | None:
    """The text of a source; None for a file that cannot be read as text."""
    if isinstance(source, OpenText):
        language = language_of(source.path, source.text)
        return Text(source.path, source.text, text_hash(source.text), language)
    loaded = load(_roots(library.roots), source, library.max_file_bytes)
    if isinstance(loaded, Missing):
        return None
    return Text(source, loaded.text, loaded.sha256, language_of(source, loaded.text))


@dataclass(slots=True)
class Outlines:
    """The outlines of texts, looked up by content or made; `made` counts the latter."""

    _blobs: Blobs | None
    made: int = 0
    _unwritten: dict[str, dict[bytes, bytes]] = field(default_factory=dict)

    def of(self, text: Text, word: str = "") -> tuple[Symbol, ...]:
        """The symbols of a text in a language we understand; none for any other.

        The result may be empty, too, where no symbol has `word` anywhere: looking for it in what is
        kept is quicker than to take that apart.
        """
        if text.language is None:
            return ()
        namespace, key = f"outline {SYMBOLS_VERSION} {text.language}", bytes.fromhex(text.sha256)
        if kept := self._get(namespace, key):
            if _PLAIN.fullmatch(word) and word.encode() not in kept:
                return ()
            try:
                return parsed(kept)
            except ValueError as damage:
                logger.warning("The outline kept of %s: %s", text.path, damage)
        symbols = outline(text.text, text.language)
        self.made += 1
        if self._blobs is not None:
            self._unwritten.setdefault(namespace, {})[key] = dump(symbols)
            if sum(map(len, self._unwritten.values())) >= _TOGETHER:
                self.flush()
        return symbols

    def flush(self) -> None:
        """Write what was made."""
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


@contextmanager
def outlines(library: Library) -> Iterator[Outlines]:
    """The outlines of a library; those that are made are written at the end at the latest."""
    shelf = Outlines(_opened(library))
    try:
        yield shelf
    finally:
        shelf.flush()


def _opened(library: Library) -> Blobs | None:
    if not library.kept_bytes or not library.roots:
        return None
    try:
        return _blobs(outermost(library.roots)[0], library.kept_bytes)
    except (OSError, StoreUnavailable) as problem:
        logger.warning("Outlines are not kept: %s", problem)
        return None


@cache
def _blobs(root: str, max_bytes: int) -> Blobs:
    return Blobs(str(prepare(root) / _DATABASE), max_bytes)


@cache
def _roots(paths: tuple[str, ...]) -> Roots:
    return Roots(paths)

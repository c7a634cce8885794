"""Generated contexts on disk: all that were paid for, and those that are indexed with chunks.

A context is foreign text: a model wrote it about a document that may say anything, or a colleague's
file brought it. It is cleaned whenever it is kept or read, it is only ever indexed, and it is never
shown to a model as an instruction nor cited.

They were paid for, so they are kept in a file of their own, whose bound of 2 GB holds some three
million. Beyond it those that were not used for the longest time go. There a context has the key of
all that it follows from, the whole document included (see `passages.py`). For the index it is kept
by the chunk it is about, so that an edit elsewhere in the document does not lose it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import PATTERNS
from glossator.store import Blobs, unavailable
from glossator.workspace import index_base

_log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_BYTES = 2_000_000_000
MAX_CHARACTERS = 1_000  # of a context; 100 tokens have some 400

_NAMESPACE = "contexts"
_LOST = "generated contexts are neither found nor kept"
_UNSEEN = re.compile(PATTERNS["unseen"])
_KEY = re.compile(r"[0-9a-f]{64}")
_FORMAT = {"format": "glossator-contexts", "version": 1}
_LONGEST_LINE = 20_000  # characters of a line in a shared file

_CHUNKS = "chunks"
_MAX_INDEXED_BYTES = 1_000_000_000  # some two million
_NOT_INDEXED = "generated contexts are not indexed"


def clean_context(text: str) -> str:
    """A context as it may be indexed: one line of bounded length without hidden characters."""
    words = " ".join(_UNSEEN.sub(" ", text).encode("utf-8", "ignore").decode().split())
    return words[:MAX_CHARACTERS].rstrip()


class ContextStore(Protocol):
    """Contexts by key (a SHA-256). What it gives was cleaned by `clean_context`.

    Methods raise `StoreUnavailable`. When `put` returns, the contexts outlive this process.
    """

    async def get(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The contexts there are for `keys`."""

    async def put(self, contexts: Mapping[bytes, str]) -> None:
        """Keep contexts, all or none."""

    async def close(self) -> None:
        """Give everything back; safe to call again."""


class ContextFile:
    """A `ContextStore` in one SQLite file, which several processes may use."""

    def __init__(self, path: str, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._blobs: Blobs | None = None
        self._thread = ThreadPoolExecutor(1, "contexts")  # a connection belongs to one thread

    async def get(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The contexts there are for `keys`."""
        wanted = tuple(keys)
        found = await self._run(lambda blobs: blobs.get(_NAMESPACE, wanted))
        texts = {
            key: clean_context(value.decode("utf-8", "ignore")) for key, value in found.items()
        }
        return {key: text for key, text in texts.items() if text}

    async def put(self, contexts: Mapping[bytes, str], noted: str = "") -> None:
        """Keep contexts, all or none; with `noted`, also a note of that name about each."""
        values = {key: clean_context(text).encode() for key, text in contexts.items()}
        await self._run(lambda blobs: blobs.put(_NAMESPACE, values, noted))

    async def noted(self, note: str, most: int) -> list[bytes]:
        """At most so many keys with a note."""
        return await self._run(lambda blobs: blobs.keys(note, most))

    async def count(self, note: str) -> int:
        """How many keys have a note."""
        return await self._run(lambda blobs: blobs.count(note))

    async def forget(self, note: str, keys: Iterable[bytes]) -> None:
        """Take a note away; the contexts stay."""
        await self._run(lambda blobs: blobs.drop(note, keys))

    async def close(self) -> None:
        """Give the file back; safe to call again."""
        if self._blobs is not None:
            blobs, self._blobs = self._blobs, None
            await asyncio.get_running_loop().run_in_executor(self._thread, blobs.close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[Blobs], T]) -> T:
        def run() -> T:
            if self._blobs is None:
                try:
                    Path(self._path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                except OSError as error:
                    raise unavailable(self._path, error) from error
                self._blobs = Blobs(self._path, self._max_bytes, _LOST)
            return work(self._blobs)

        # Shielded: what was paid for is kept, even if the one who asked for it is cancelled.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, run))


async def export_contexts(contexts: ContextStore, keys: Iterable[bytes]) -> str:
    """The contexts of these keys as JSON lines, for `import_contexts` of a colleague.

    Only of these keys, so that those of other workspaces stay here.
    """
    found = await contexts.get(keys)
    rows = ({"key": key.hex(), "context": found[key]} for key in sorted(found))
    lines = (json.dumps(row, ensure_ascii=False) for row in (_FORMAT, *rows))
    return "".join(f"{line}\n" for line in lines)


async def import_contexts(contexts: ContextStore, exported: str) -> int:
    """Keep what a colleague exported; gives how many contexts that were missing.

    A context that is here already stays. Raises `UsageError` for anything else than an export,
    and keeps nothing then.
    """
    brought = dict(_read_lines(exported))
    known = await contexts.get(brought)
    fresh = {key: text for key, text in brought.items() if key not in known}
    if fresh:
        await contexts.put(fresh)
    return len(fresh)


def _read_lines(exported: str) -> Iterator[tuple[bytes, str]]:
    lines = exported.split("\n")
    if not lines or _parsed(lines[0]) != _FORMAT:
        raise UsageError(
            "This file holds no exported contexts of a version that is known. Export them again,"
            " with the same version of Glossator."
        )
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        match _parsed(line):
            case {"key": str(key), "context": str(context)} if _KEY.fullmatch(key):
                if text := clean_context(context):
                    yield bytes.fromhex(key), text
            case _:
                raise UsageError(
                    f"Line {number} of the file is no exported context, so nothing was taken from"
                    " it. Export the contexts again."
                )


def _parsed(line: str) -> object:
    if len(line) > _LONGEST_LINE:
        return None
    try:
        parsed: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed


def contexts_file() -> str:
    """The file with what models wrote about chunks of any workspace."""
    return str(index_base().parent / "contexts" / "chunks.sqlite")


def context_in(place: str) -> Callable[[bytes], str]:
    """What gives the context of the chunk with a key, from the file `place`; "": none has any."""
    return _opened(place).of if place else lambda _: ""


def keep_contexts(
    place: str, contexts: Mapping[bytes, str], *, replace: bool = True
) -> frozenset[bytes]:
    """Keep contexts by key of their chunks; which of it is new.

    With `replace` others that were kept go, without it they stay. Raises `OSError` and
    `StoreUnavailable`.
    """
    return _opened(place).put(contexts, replace=replace)


class ChunkContexts:
    """The contexts in one SQLite file; belongs to one thread."""

    def __init__(self, place: str) -> None:
        """Its folder is made. Raises `OSError`."""
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        self._blobs = Blobs(place, _MAX_INDEXED_BYTES, _NOT_INDEXED)

    def of(self, key: bytes) -> str:
        """The context of the chunk with a key, "" without one."""
        try:
            found = self._blobs.get(_CHUNKS, [key]).get(key, b"")
        except StoreUnavailable as problem:
            _log.warning("%s", problem)
            return ""
        return found.decode("utf-8", "ignore")

    def put(self, contexts: Mapping[bytes, str], *, replace: bool) -> frozenset[bytes]:
        """Keep contexts by key of their chunks; which were not there. Raises `StoreUnavailable`."""
        values = {key: text.encode("utf-8", "ignore") for key, text in contexts.items()}
        there = self._blobs.get(_CHUNKS, values)
        fresh = {
            key: value
            for key, value in values.items()
            if key not in there or (replace and there[key] != value)
        }
        if fresh:
            self._blobs.put(_CHUNKS, fresh)
        return frozenset(fresh)

    def close(self) -> None:
        """Give the file back."""
        self._blobs.close()


@cache
def _opened(place: str) -> ChunkContexts:
    return ChunkContexts(place)

"""What a model wrote about chunks, by the key of the chunk: it is indexed with the chunk's lines.

A context follows from the whole document (see `passages.py`), but here it is kept by the chunk it
is about, so that an edit elsewhere in the document does not lose it. It is foreign text: its words
are indexed, it is embedded with the chunk, and never shown nor cited.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import cache

from glossator.core.errors import StoreUnavailable
from glossator.store import Blobs

_log = logging.getLogger(__name__)

_NAMESPACE = "chunks"
_MAX_BYTES = 1_000_000_000  # some two million
_LOST = "generated contexts are not indexed"


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
        self._blobs = Blobs(place, _MAX_BYTES, _LOST)

    def of(self, key: bytes) -> str:
        """The context of the chunk with a key, "" without one."""
        try:
            found = self._blobs.get(_NAMESPACE, [key]).get(key, b"")
        except StoreUnavailable as problem:
            _log.warning("%s", problem)
            return ""
        return found.decode("utf-8", "ignore")

    def put(self, contexts: Mapping[bytes, str], *, replace: bool) -> frozenset[bytes]:
        """Keep contexts by key of their chunks; which were not there. Raises `StoreUnavailable`."""
        values = {key: text.encode("utf-8", "ignore") for key, text in contexts.items()}
        there = self._blobs.get(_NAMESPACE, values)
        fresh = {
            key: value
            for key, value in values.items()
            if key not in there or (replace and there[key] != value)
        }
        if fresh:
            self._blobs.put(_NAMESPACE, fresh)
        return frozenset(fresh)

    def close(self) -> None:
        """Give the file back."""
        self._blobs.close()


@cache
def _opened(place: str) -> ChunkContexts:
    return ChunkContexts(place)

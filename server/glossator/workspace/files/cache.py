"""Texts that were read, kept as long as the file's stamp says they are current.

The key is the path as it was asked for; the stamp is (size, mtime_ns, ctime_ns, inode, device).
A file can change twice within one tick of the file system's clock; and what a process writes to a
page of it that it has mapped changes the times only once until the page is written back, after 35 s
by default. So an entry read sooner than that after the file's last change proves nothing by its
stamp, and is read and hashed again.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

from glossator.core.document import Document, Missing, Origin
from glossator.core.uri import to_uri
from glossator.workspace.files.disk import Loaded, Raw, Stamp, as_text, load
from glossator.workspace.files.roots import Roots
from glossator.workspace.status import CacheStatistics

RACY_NS = 40_000_000_000
_ENTRY_BYTES = 1000  # about what an entry costs beside its text


def is_racy(mtime_ns: int, ctime_ns: int, now: int) -> bool:
    """Whether a text that was read may have changed by `now` without a change of these times."""
    return now - max(mtime_ns, ctime_ns) < RACY_NS


@dataclass(frozen=True, slots=True)
class _Entry:
    loaded: Loaded
    uri: str
    racy: bool

    def document(self) -> Document:
        loaded = self.loaded
        return Document(
            self.uri, loaded.path, loaded.text, loaded.sha256, None, Origin.DISK, loaded.encoding
        )


@dataclass(slots=True)
class _Shared:
    """One text for all entries of the same content."""

    text: str
    bytes: int  # measured once: a text's memory can grow when other code encodes it
    users: int = 0


class ReadCache:
    """Documents from disk, least recently used ones dropped first; safe to use from any thread."""

    def __init__(self, max_bytes: int, max_file_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._max_file_bytes = max_file_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._shared: dict[str, _Shared] = {}  # by sha256
        self._bytes = self._hits = self._misses = self._dedupes = 0

    def read(self, roots: Roots, path: str) -> Document | Missing:
        """The document at the absolute path `path`, from memory if it is still current."""
        entry = self._entries.get(path)
        if (
            entry is not None
            and not entry.racy
            and entry.loaded.stamp == _stamp(path)
            and roots.owner(entry.loaded.path) is not None
        ):
            return self._hit(path, entry)
        return self._take(path, load(roots, path, self._max_file_bytes))

    def is_current(self, path: str, sha256: str) -> bool:
        """Whether the file at the absolute path `path` surely has this text still.

        It looks at the stamp alone, a third of what `read` costs: a conversation asks it of a
        thousand files before each request.
        """
        entry = self._entries.get(path)
        return (
            entry is not None
            and not entry.racy
            and entry.loaded.sha256 == sha256
            and entry.loaded.stamp == _stamp(path)
        )

    def document(self, roots: Roots, raw: Raw) -> Document | Missing:
        """The document of bytes that were just read, decoded only if memory does not hold it."""
        entry = self._entries.get(raw.path)
        if entry is not None and not entry.racy and entry.loaded.stamp == raw.stamp:
            return self._hit(raw.path, entry)
        return self._take(raw.path, as_text(roots, raw))

    @property
    def max_file_bytes(self) -> int:
        """The size of the largest file that is read."""
        return self._max_file_bytes

    def clear(self) -> None:
        """Forget every text."""
        with self._lock:
            self._entries.clear()
            self._shared.clear()
            self._bytes = 0

    def statistics(self) -> CacheStatistics:
        """The figures at this moment."""
        with self._lock:
            return CacheStatistics(
                self._hits, self._misses, self._dedupes, len(self._entries), self._bytes
            )

    def _hit(self, path: str, entry: _Entry) -> Document:
        with self._lock:
            self._hits += 1
            if path in self._entries:
                self._entries.move_to_end(path)
        return entry.document()

    def _take(self, path: str, loaded: Loaded | Missing) -> Document | Missing:
        with self._lock:
            self._misses += 1
            self._drop(path)
            if isinstance(loaded, Missing):
                return loaded
            return self._keep(path, loaded).document()

    def _keep(self, path: str, loaded: Loaded) -> _Entry:
        shared = self._shared.get(loaded.sha256)
        if shared is None:
            shared = _Shared(loaded.text, sys.getsizeof(loaded.text))
            self._shared[loaded.sha256] = shared
            self._bytes += shared.bytes
        else:
            self._dedupes += 1
        shared.users += 1
        self._bytes += _ENTRY_BYTES
        entry = _Entry(
            replace(loaded, text=shared.text),
            to_uri(loaded.path),
            is_racy(loaded.stamp.mtime_ns, loaded.stamp.ctime_ns, time.time_ns()),
        )
        self._entries[path] = entry
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._entries)))
        return entry

    def _drop(self, path: str) -> None:
        entry = self._entries.pop(path, None)
        if entry is None:
            return
        self._bytes -= _ENTRY_BYTES
        shared = self._shared[entry.loaded.sha256]
        shared.users -= 1
        if not shared.users:
            del self._shared[entry.loaded.sha256]
            self._bytes -= shared.bytes


def _stamp(path: str) -> Stamp | None:
    try:
        return Stamp.of(os.stat(path))
    except OSError:
        return None

"""The glosses of a workspace in memory, each compared with the current texts.

They are kept in the user's state folder, for all workspaces; `look` finds those of other servers.
An index from cited paths to glosses gives those that a change of a document concerns.
Glosses follow renamed files (`glosses/renames.py`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import platformdirs

from glossator.core.errors import StoreUnavailable
from glossator.core.gloss import Gloss, Subject, from_json, to_json
from glossator.documents import WorkspaceHost
from glossator.glosses.passages import GlossFreshness, HashedTexts, Read, freshness_of
from glossator.glosses.renames import Names, RenameTracker, follow, found_again, still_so
from glossator.store import GlossStore, Retention

logger = logging.getLogger(__name__)

T = TypeVar("T")
Listener = Callable[[frozenset[Subject]], None]

_FILE = "glosses.db"
_SETTLING = 0.3  # seconds in which a program that saves may bring back what it moved aside
_AGAIN = 1.0  # seconds between two looks for what other servers keep


@dataclass(frozen=True, slots=True)
class GlossState:
    """A gloss, and whether its lines are as cited; None until the texts were read."""

    gloss: Gloss
    freshness: GlossFreshness | None


class GlossIndex:
    """For the event loop; the store and the texts are read by a thread of its own."""

    def __init__(self, host: WorkspaceHost, keep: Retention, tell: Callable[[str], None]) -> None:
        """With a `keep` of no glosses, they end with the server."""
        self._host = host
        self._keep = keep
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "glossator-glosses")
        self._store: GlossStore | None = None  # of the thread
        self._read_last: tuple[int, tuple[str, ...]] | None = None  # its version, the roots
        self._editions: dict[str, int] = {}  # as they were read, by key
        self._roots: tuple[str, ...] = ()
        self._states: dict[str, GlossState] = {}  # by the key of the subject
        self._citing: defaultdict[str, set[str]] = defaultdict(set)  # by path
        self._doubtful: set[str] = set()
        self._renames = RenameTracker()
        self._names: dict[str, str] = {}  # that files have now, and are to be followed
        self._keys: dict[str, str] = {}  # of glosses that followed, by the old ones
        self._judging: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._looked = float("-inf")
        self._asked: asyncio.Task[None] | None = None
        self._listeners: list[Listener] = []
        self._unsubscribe = host.subscribe(self._changed)

    def of(self, subject: Subject) -> GlossState | None:
        """The gloss of a subject."""
        return self._states.get(subject.key)

    def by_key(self, key: str) -> GlossState | None:
        """The gloss of the subject with this key, or that had it before it was renamed."""
        while key not in self._states and key in self._keys:
            key = self._keys[key]
        return self._states.get(key)

    async def keep(self, gloss: Gloss) -> GlossState:
        """Replace the gloss of a subject, and wait until it is compared with the texts."""
        if problem := await self._in_thread(self._write, gloss):
            self._tell(f"A gloss is kept only until the server ends: {problem}")
        self._take(gloss)
        await self.settled()
        return self.by_key(gloss.subject.key) or GlossState(gloss, None)

    async def look(self) -> None:
        """Read what other servers have kept since, if that is some time ago, and wait for it."""
        now = asyncio.get_running_loop().time()
        if self._looking is None and (now > self._looked + _AGAIN or self._moved):
            self._looked = now
            self._looking = asyncio.create_task(self._look())
        if self._looking is not None:
            await asyncio.shield(self._looking)

    def look_soon(self) -> None:
        """As `look`, without waiting."""
        self._asked = asyncio.create_task(self.look())  # held, or it might be collected

    def renamed(self, names: Names) -> None:
        """Files, or folders with all below them, have other names: their glosses go with them."""
        self._names |= names
        self._names |= {old + os.sep: new + os.sep for old, new in names.items()}
        self._doubt(())

    async def settled(self) -> None:
        """Wait until every gloss is compared with the current texts."""
        while self._judging is not None:
            await asyncio.shield(self._judging)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with subjects whose gloss or its freshness changed. It must not raise."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Give the store back."""
        self._unsubscribe()
        for task in (self._asked, self._looking, self._judging):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        await self._in_thread(self._close)
        self._thread.shutdown(wait=False)

    @property
    def _moved(self) -> bool:
        return self._roots != self._host.roots

    def _changed(self, paths: AbstractSet[str]) -> None:
        """Documents changed: who cites them is to be looked at."""
        if self._moved:
            self.look_soon()
        if self._states:
            self._renames.changed(paths)
            self._doubt(key for path in self._citing if path in paths for key in self._citing[path])

    def _doubt(self, keys: Iterable[str]) -> None:
        self._doubtful.update(keys)
        if self._judging is None and (self._doubtful or self._names or self._renames.is_warm):
            self._judging = asyncio.create_task(self._judge())

    async def _judge(self) -> None:
        """Until nothing is in doubt: look at the texts, once for all glosses that cite them."""
        try:
            while self._doubtful or self._names or self._renames.is_warm:
                if self._names:
                    await self._follow()
                keys, self._doubtful = self._doubtful, set()
                glosses = {key: self._states[key].gloss for key in keys if key in self._states}
                read = self._host.snapshot().read
                found, texts = await self._in_thread(_freshness_of_all, glosses, read)
                self._renames.saw(texts)
                changed = set()
                for key, freshness in found.items():
                    if (known := self._states.get(key)) and known.gloss is glosses[key]:
                        if known.freshness != freshness:
                            changed.add(known.gloss.subject)
                        self._states[key] = GlossState(known.gloss, freshness)
                self._announce(changed)
                if lost := self._renames.lost():
                    candidates = self._renames.candidates()
                    if names := await self._in_thread(found_again, lost, candidates, read):
                        await asyncio.sleep(_SETTLING)
                        self._names |= await self._in_thread(still_so, names)
        finally:
            self._judging = None

    async def _follow(self) -> None:
        """Have glosses go with what has another name now, and keep them so."""
        names, self._names = self._names, {}
        self._renames.renamed(names)
        relative = self._host.snapshot().relative
        moved = {
            key: gloss
            for key, state in self._states.items()
            if (gloss := follow(state.gloss, names, relative)) is not state.gloss
        }
        before = {key: self._forget(key) for key in moved}
        for key, gloss in moved.items():
            new, was = gloss.subject.key, before[key]
            self._take(gloss)
            if was is not None:
                self._states[new] = GlossState(gloss, was.freshness)
                self._announce({was.gloss.subject, gloss.subject})
            self._keys.pop(new, None)
            if new != key:
                self._keys[key] = new
        if moved and (problem := await self._in_thread(self._move, moved)):
            self._tell(f"Glosses go with renamed files only until the server ends: {problem}")

    async def _look(self) -> None:
        try:
            roots = self._roots = self._host.roots
            gone, new = await self._in_thread(self._read, roots)
            for key in gone:
                self._drop(key)
            for gloss in new:
                self._take(gloss)
        finally:
            self._looking = None

    def _take(self, gloss: Gloss) -> None:
        key = gloss.subject.key
        self._forget(key)
        self._states[key] = GlossState(gloss, None)
        for path in (*gloss.paths, gloss.subject.path):
            self._citing[path].add(key)
        self._doubt((key,))

    def _drop(self, key: str) -> None:
        if known := self._forget(key):
            self._announce({known.gloss.subject})

    def _forget(self, key: str) -> GlossState | None:
        known = self._states.pop(key, None)
        for path in {*known.gloss.paths, known.gloss.subject.path} if known else ():
            self._citing[path].discard(key)
            if not self._citing[path]:
                del self._citing[path]
        return known

    def _announce(self, subjects: set[Subject]) -> None:
        if subjects:
            for listener in self._listeners:
                listener(frozenset(subjects))

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(work, *arguments))

    # What follows is for the thread.

    def _opened(self) -> GlossStore | None:
        if self._store is None and self._keep.count:
            folder = Path(platformdirs.user_state_dir("glossator")).absolute()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._store = GlossStore(str(folder / _FILE), self._keep)
            self._store.prune()
        return self._store

    def _read(self, roots: tuple[str, ...]) -> tuple[list[str], list[Gloss]]:
        """The keys of glosses that are gone since the last call, and the new glosses."""
        try:
            store = self._opened()
            if store is None or self._read_last == (version := store.version(), roots):
                return [], []
            editions = store.under(roots)
            new = [key for key, edition in editions.items() if self._editions.get(key) != edition]
            values = store.get(new)
        except (OSError, StoreUnavailable) as problem:
            logger.warning("%s", problem)
            return [], []
        gone = [key for key in self._editions if key not in editions]
        self._read_last, self._editions = (version, roots), editions
        return gone, [gloss for key in new if (gloss := _parsed(values.get(key)))]

    def _write(self, gloss: Gloss) -> str:
        """Why it could not be kept; "" if it was."""
        subject = gloss.subject
        try:
            if store := self._opened():
                value = json.dumps(to_json(gloss)).encode()
                self._editions[subject.key] = store.put(subject.key, subject.path, value)
        except (OSError, StoreUnavailable) as problem:
            return str(problem)
        return ""

    def _move(self, moved: dict[str, Gloss]) -> str:
        """As `_write`, in the place of the glosses with the old keys."""
        try:
            if store := self._opened():
                for old, gloss in moved.items():
                    subject, value = gloss.subject, json.dumps(to_json(gloss)).encode()
                    self._editions.pop(old, None)
                    self._editions[subject.key] = store.move(old, subject.key, subject.path, value)
        except (OSError, StoreUnavailable) as problem:
            return str(problem)
        return ""

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()


def _parsed(value: bytes | None) -> Gloss | None:
    if value is None:
        return None
    try:
        return from_json(json.loads(value))
    except (KeyError, TypeError, ValueError) as error:
        logger.warning("A gloss that was kept cannot be read: %r", error)
        return None


def _freshness_of_all(
    glosses: dict[str, Gloss], read: Read
) -> tuple[dict[str, GlossFreshness], dict[str, str | None]]:
    """How they stand, and the hashes of the texts they are about and cite, None of no file.

    An editor may still show the text of a deleted file.
    """
    texts = HashedTexts(read)
    found = {key: freshness_of(gloss, texts) for key, gloss in glosses.items()}
    for gloss in glosses.values():
        texts.lines(gloss.subject.path)
    gone = [path for path, text in texts.seen.items() if text and not os.path.lexists(path)]
    return found, texts.seen | dict.fromkeys(gone)

"""The glosses of a workspace in memory.

They are kept in the user's state folder, for all workspaces; `look` finds those of other servers.
The index of cited lines (`anchors/anchor_index.py`) compares them with the current texts, and tells
when files that they cite or are about were renamed.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import platformdirs

from glossator.anchors.anchor_index import AnchorIndex, Names, new_path, renamed_passages
from glossator.anchors.passages import Freshness
from glossator.core.citation_words import names_no_file
from glossator.core.citations import CitationMark, rewrite_citations
from glossator.core.errors import StoreUnavailable
from glossator.core.report import Finding, Gloss, Subject, gloss_from_json, gloss_to_json
from glossator.core.span import Citation
from glossator.core.uri import to_path, to_uri
from glossator.store import GlossStore, Retention
from glossator.workspace import WorkspaceHost

logger = logging.getLogger(__name__)

T = TypeVar("T")
Listener = Callable[[frozenset[Subject]], None]

_FILE = "glosses.db"
_REFRESH_SECONDS = 1.0  # between two looks for glosses that other servers keep


@dataclass(frozen=True, slots=True)
class GlossState:
    """A gloss, and whether its lines are as cited; None until the texts were read."""

    gloss: Gloss
    freshness: Freshness | None


class GlossIndex:
    """Holds the glosses; for the event loop. A thread of its own uses the store.

    The anchors of a gloss have its subject as key.
    """

    def __init__(
        self,
        host: WorkspaceHost,
        anchors: AnchorIndex,
        keep: Retention,
        tell: Callable[[str], None],
    ) -> None:
        """If `keep` allows no glosses, they end with the server."""
        self._host = host
        self._anchors = anchors
        self._keep = keep
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, "glossator-glosses")
        self._store: GlossStore | None = None  # of the thread
        self._read_last: tuple[int, tuple[str, ...]] | None = None  # its version, the roots
        self._editions: dict[str, int] = {}  # as they were read, by key
        self._roots: tuple[str, ...] = ()
        self._glosses: dict[str, Gloss] = {}  # by the key of the subject
        self._keys: dict[str, str] = {}  # of glosses that followed, by the old ones
        self._looking: asyncio.Task[None] | None = None
        self._looked = float("-inf")
        self._asked: asyncio.Task[None] | None = None
        self._listeners: list[Listener] = []
        anchors.subscribe(self._judged)
        anchors.follow(self._follow)
        self._unsubscribe = host.subscribe(self._changed)

    def of(self, subject: Subject) -> GlossState | None:
        """The gloss of a subject."""
        return self._state(subject.key)

    def by_key(self, key: str) -> GlossState | None:
        """The gloss of the subject with this key, or that had it before it was renamed."""
        while key not in self._glosses and key in self._keys:
            key = self._keys[key]
        return self._state(key)

    def all(self) -> tuple[GlossState, ...]:
        """All glosses of the workspace."""
        return tuple(filter(None, map(self._state, self._glosses)))

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
        if self._looking is None and (now > self._looked + _REFRESH_SECONDS or self._moved):
            self._looked = now
            self._looking = asyncio.create_task(self._look())
        if self._looking is not None:
            await asyncio.shield(self._looking)

    def look_soon(self) -> None:
        """Like `look`, without waiting."""
        self._asked = asyncio.create_task(self.look())  # held, or it might be collected

    async def settled(self) -> None:
        """Wait until every gloss is compared with the current texts."""
        await self._anchors.settled()

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with subjects whose gloss or its freshness changed. It must not raise."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Give the store back."""
        self._unsubscribe()
        for task in (self._asked, self._looking):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        await self._in_thread(self._close)
        self._thread.shutdown(wait=False)

    @property
    def _moved(self) -> bool:
        return self._roots != self._host.roots

    def _state(self, key: str) -> GlossState | None:
        gloss = self._glosses.get(key)
        return GlossState(gloss, self._anchors.freshness(gloss.subject)) if gloss else None

    def _changed(self, _: AbstractSet[str]) -> None:
        if self._moved:
            self.look_soon()

    def _judged(self, keys: frozenset[object]) -> None:
        self._announce({key for key in keys if isinstance(key, Subject)})

    async def _follow(self, names: Names) -> None:
        """Have glosses go with what has another name now, and keep them so."""
        relative = self._host.snapshot().relative
        moved = {
            key: gloss
            for key, known in self._glosses.items()
            if (gloss := _followed(known, names, relative)) is not known
        }
        before = {key: self._forget(key) for key in moved}
        for key, gloss in moved.items():
            new, was = gloss.subject.key, before[key]
            self._take(gloss, was.freshness if was else None)
            if was is not None:
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
                if known := self._forget(key):
                    self._announce({known.gloss.subject})
            for gloss in new:
                self._take(gloss)
        finally:
            self._looking = None

    def _take(self, gloss: Gloss, freshness: Freshness | None = None) -> None:
        self._glosses[gloss.subject.key] = gloss
        self._anchors.add(gloss.subject, gloss.passages, (gloss.subject.path,), freshness)

    def _forget(self, key: str) -> GlossState | None:
        known = self._state(key)
        if known is not None:
            del self._glosses[key]
            self._anchors.remove(known.gloss.subject)
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
                value = json.dumps(gloss_to_json(gloss)).encode()
                self._editions[subject.key] = store.put(subject.key, subject.path, value)
        except (OSError, StoreUnavailable) as problem:
            return str(problem)
        return ""

    def _move(self, moved: dict[str, Gloss]) -> str:
        """Write glosses like `_write`, in place of those with the old keys."""
        try:
            if store := self._opened():
                for old, gloss in moved.items():
                    subject, value = gloss.subject, json.dumps(gloss_to_json(gloss)).encode()
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
        return gloss_from_json(json.loads(value))
    except (KeyError, TypeError, ValueError) as error:
        logger.warning("A gloss that was kept cannot be read: %r", error)
        return None


def _followed(gloss: Gloss, names: Names, relative: Callable[[str], str]) -> Gloss:
    """The gloss with the new names, in what it says as well; the same object if none is of it."""
    paths = {gloss.subject.path, *gloss.paths}
    if all(new_path(path, names) == path for path in paths):
        return gloss
    report = gloss.report
    return replace(
        gloss,
        subject=replace(gloss.subject, path=new_path(gloss.subject.path, names)),
        report=replace(
            report, findings=tuple(_finding(each, names, relative) for each in report.findings)
        ),
        passages=renamed_passages(gloss.passages, names),
    )


def _finding(finding: Finding, names: Names, relative: Callable[[str], str]) -> Finding:
    now = [_cited(citation, names, relative) for citation in finding.citations]
    left = iter(zip(finding.citations, now, strict=True))

    def mark(written: CitationMark) -> str:
        text = finding.text[written.start : written.end]
        for was, new in islice(left, 1):
            return text if was == new else text.replace(written.path, new.target, 1)
        return text

    return Finding(rewrite_citations(finding.text, mark), tuple(now))


def _cited(citation: Citation, names: Names, relative: Callable[[str], str]) -> Citation:
    span = citation.span
    path = to_path(span.uri) if span else None
    if span is None or path is None or (now := new_path(path, names)) == path:
        return citation
    target = citation.target if names_no_file(citation) else relative(now)
    return replace(citation, target=target, span=replace(span, uri=to_uri(now)))

"""What hovers need at once: outlines of open documents, and definitions of names they use.

An outline is asked for as soon as a document is opened or its text rests, so that a hover finds it
here while the worker is busy; it belongs to one text and is never stale. Definitions in other files
are cached for the text that uses the name, as long as the text with the definition is the same;
after any other change they are looked up again for the next hover. A look-up that a hover did not
wait for continues, and the next hover has its result.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import Task
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TypeVar, cast

from glossator.core.document import Document
from glossator.core.file_kinds import language_of
from glossator.symbols import Definition, Symbol, SymbolFinder, SymbolHits
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceHost, WorkspaceSnapshot

logger = logging.getLogger(__name__)

_REST_SECONDS = 0.3  # seconds after the last change of an open document
_MAX_OUTLINES = 60
_MAX_NAMES = 2_000
_MAX_LOOK_UPS = 4  # at once; a pointer that moves over a text starts one after the other
_REFRESH = object()  # the key of background refreshes: one at a time

R = TypeVar("R")
Search = Callable[[], Awaitable[SymbolHits[Definition]]]
_Text = tuple[str, str]  # the path and the SHA-256 of a document
_Definitions = tuple[int, SymbolHits[Definition]]  # with the revision of the snapshot


class HoverCache:
    """Caches what hovers need; for the event loop."""

    def __init__(self, host: WorkspaceHost, symbols: SymbolFinder) -> None:
        self._host = host
        self._symbols = symbols
        self._outlines: OrderedDict[_Text, tuple[Symbol, ...]] = OrderedDict()
        self._names: OrderedDict[tuple[_Text, str], _Definitions] = OrderedDict()
        self._nowhere: OrderedDict[tuple[str, str], None] = OrderedDict()  # names by path
        self._look_ups: OrderedDict[object, Task[object]] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: dict[object, Task[None]] = {}
        self._unsubscribe = host.subscribe(self._changed)

    def outline(self, document: Document) -> tuple[Symbol, ...] | None:
        """The outline of a document, if it is there."""
        key = _text(document)
        if key in self._outlines:
            self._outlines.move_to_end(key)
        return self._outlines.get(key)

    def known_definitions(
        self, snapshot: WorkspaceSnapshot, document: Document, name: str, search: Search
    ) -> SymbolHits[Definition] | None:
        """What `search` found for this text, if it is there."""
        key = _text(document), name
        revision, found = self._names.get(key, (0, None))
        if found is None or revision == snapshot.revision:
            return found
        if not _holds(snapshot, found):
            return None
        self._in_background(_REFRESH, partial(self._search, key, snapshot, search))
        return found

    def was_nowhere(self, document: Document, name: str) -> bool:
        """Whether the last look-up of a name in this document found no definition."""
        return (document.path, name) in self._nowhere

    def look_up(self, key: object, work: Callable[[], Coroutine[object, object, R]]) -> Task[R]:
        """The task with this key: the one under way, or a new one that does `work`.

        It is cancelled when many others have begun since.
        """
        if (task := self._look_ups.get(key)) is None:
            task = self._look_ups[key] = asyncio.create_task(work())
            task.add_done_callback(partial(self._looked_up, key))
            if len(self._look_ups) > _MAX_LOOK_UPS:
                next(iter(self._look_ups.values())).cancel()
        return cast(Task[R], task)

    async def definitions(
        self, snapshot: WorkspaceSnapshot, document: Document, name: str, search: Search
    ) -> SymbolHits[Definition]:
        """What `search` finds; remembered for this text. Raises what `search` raises."""
        found = await search()
        self._remember((_text(document), name), snapshot, found)
        return found

    async def close(self) -> None:
        """End what is under way."""
        self._unsubscribe()
        if self._timer:
            self._timer.cancel()
        tasks = {*self._tasks.values(), *self._look_ups.values()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _changed(self, paths: AbstractSet[str]) -> None:
        if self._timer is None and not paths.isdisjoint(self._host.overlays):
            self._timer = asyncio.get_running_loop().call_later(_REST_SECONDS, self._prepare)

    def _prepare(self) -> None:
        """Ask for the outlines of the open documents that are not there."""
        self._timer = None
        for overlay in self._host.overlays.values():
            if language_of(overlay.path, overlay.text) is None:
                continue
            key = _text(overlay.document)
            if key not in self._outlines:
                self._in_background(key, partial(self._outline, key, overlay.document))

    async def _outline(self, key: _Text, document: Document) -> None:
        self._outlines[key] = await self._symbols.outline(self._host.snapshot(), document)
        while len(self._outlines) > _MAX_OUTLINES:
            self._outlines.popitem(last=False)

    async def _search(
        self, key: tuple[_Text, str], snapshot: WorkspaceSnapshot, search: Search
    ) -> None:
        self._remember(key, snapshot, await search())

    def _remember(
        self, key: tuple[_Text, str], snapshot: WorkspaceSnapshot, found: SymbolHits[Definition]
    ) -> None:
        if found.coverage.worker_away:
            return  # few texts were looked at
        self._names[key] = snapshot.revision, found
        while len(self._names) > _MAX_NAMES:
            self._names.popitem(last=False)
        (path, _), name = key
        self._nowhere.pop((path, name), None)
        if not found.hits:
            self._nowhere[path, name] = None
        while len(self._nowhere) > _MAX_NAMES:
            self._nowhere.popitem(last=False)

    def _looked_up(self, key: object, task: Task[object]) -> None:
        if self._look_ups.get(key) is task:
            del self._look_ups[key]
        if not task.cancelled() and (failure := task.exception()):  # who waits for it hears it, too
            logger.info("Not looked up for a hover: %s", failure)

    def _in_background(self, key: object, work: Callable[[], Awaitable[None]]) -> None:
        """One at a time for each key; what fails is tried again when it is asked for."""

        async def run() -> None:
            try:
                await work()
            except (WorkerGone, JobFailed, TimeoutError) as failure:
                logger.info("Not prepared for a hover: %s", failure)
            finally:
                self._tasks.pop(key, None)

        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(run())


def _text(document: Document) -> _Text:
    return document.path, document.sha256


def _holds(snapshot: WorkspaceSnapshot, found: SymbolHits[Definition]) -> bool:
    """Whether the likeliest definition still stands in the same text."""
    if not found.hits:
        return False
    line = found.hits[0].line
    document = snapshot.read(line.path)
    return isinstance(document, Document) and document.sha256 == line.sha256

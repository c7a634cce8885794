"""The work on the text index, step by step: adopt, plan, index in memory, write.

It imports the rest of the room, which takes long; `manager.py` imports it in a thread.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import math
import time
from collections.abc import Callable, Mapping

from glossator.core.errors import UsageError
from glossator.settings import WorkspaceSettings
from glossator.worker import JobFailed, JobProgress, Worker, WorkerGone
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.listing_cache import FolderFile
from glossator.workspace.files.roots import Roots, is_inside
from glossator.workspace.index import merge_policy
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.jobs import CheckReport
from glossator.workspace.index.merge_policy import Hooks, Keep, Rest, Standing, Survey, WriteSegment
from glossator.workspace.index.root_store import (
    RootStore,
    Wrote,
    files_of,
    prune,
    read_for_memory,
    stores_of,
    take_over,
)

_SHOWN = 1000  # files; writing fewer shows no progress
_MAX_ON_LOOP = 2000  # files; more are not counted on the event loop
_DISK_SHARE = 3 / 8  # of the disk space for indexes; outlines and the index of chunks take the rest
_FILES_A_GROUP = 16  # files indexed in memory at a time
_DISK_FULL = (
    "The index takes all the disk space it may; more files are searched by reading. "
    "Raise workspace.indexBytes."
)

_log = logging.getLogger(__name__)


class IndexWork:
    """The work on one `TextIndex` of one set of roots.

    One call at a time, on the event loop; only `stop` may come in between. `stopped`: nothing is
    written. `wanted`: all files are written to disk; until `waits_until` (`time.monotonic`), this
    waits for recently changed files, too.
    """

    def __init__(
        self,
        index: TextIndex,
        roots: Roots,
        settings: WorkspaceSettings,
        worker: Worker,
        hooks: Hooks,
    ) -> None:
        self.stopped = self.wanted = False
        self.waits_until = 0.0
        self.never = 0  # pending files that cannot be indexed, at the last look
        self.progress: JobProgress | None = None  # of long writing
        self._index = index
        self._roots = roots
        self._settings = settings
        self._worker = worker
        self._hooks = hooks
        self._stores = stores_of(roots, settings)
        self._refused: dict[str, FileEntry] = {}  # what could not be indexed as it is listed
        self._written = self._total = 0  # files of a long writing that goes on
        self._unpruned = False
        self._told: set[str] = set()
        self._writing: asyncio.Task[Wrote] | None = None

    @property
    def disk(self) -> tuple[tuple[str, str], ...]:
        """The state of each root: "on", or why it has no index on disk."""
        return tuple((store.root, store.state) for store in self._stores)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the index cannot be written now: sentences, each with a next step."""
        problems = tuple(
            store.problem for store in self._stores if store.problem and store.may_write_in > 0
        )
        return (*problems, _DISK_FULL) if self._settings.index and self._full else problems

    @property
    def news(self) -> bool:
        """Whether another server published segments, or a search found damage."""
        return bool(self._index.damage()) or any(store.stale for store in self._stores)

    async def take_over_news(self) -> None:
        """Adopt what other servers published."""
        for store in self._stores:
            if store.stale:
                await self._take_over(store)

    async def renew(self) -> None:
        """Have all segments written again, part by part; searches use the old ones until then.

        Raises `UsageError` when it cannot be written.
        """
        self._refused.clear()
        for store in self._stores:
            if store.folder is None:
                continue
            wrote = Wrote.OUTDATED
            while wrote is Wrote.OUTDATED:
                wrote = await store.write(self._worker, ())
                if wrote is Wrote.FAILED:
                    raise UsageError(f"The index was not rebuilt and stays in use. {store.problem}")
                await self.take_over_news()
            await asyncio.to_thread(store.forget)
        for store in self._stores:
            store.renews = frozenset(store.segments)
        live = self._index.statistics().documents
        self._written, self._total = 0, live if live >= _SHOWN else 0

    async def check(
        self, on_progress: Callable[[JobProgress], None] | None
    ) -> tuple[CheckReport, ...]:
        """Compare the index of each root with its files. Raises `WorkerGone` or `JobFailed`."""
        return tuple([await store.check(self._worker, on_progress) for store in self._stores])

    async def remember(self, seen: Mapping[str, FolderFile]) -> None:
        """Store the folders that a sweep saw, for the next start, by outermost root."""
        for store in self._stores:
            if self.stopped or store.folder is None:
                continue
            try:
                damage = await asyncio.to_thread(store.remember, seen[store.root])
            except OSError as error:
                _log.warning("The next start lists the folders of %s again: %s", store.root, error)
                continue
            if damage:
                self._tell(
                    f"The saved folder listing of {store.root} was damaged and is rebuilt"
                    f" ({damage}). Nothing was missed."
                )

    def stop(self) -> None:
        """Cancel the current writing."""
        for store in self._stores:
            store.renews = frozenset()
        if self._writing is not None:
            self._writing.cancel()

    async def close(self) -> None:
        """Cancel the current writing and wait for its end."""
        self.stop()
        if self._writing is not None:
            await asyncio.wait({self._writing})
        self.end_progress()
        for store in self._stores:
            store.close()

    def end_progress(self) -> None:
        """End the progress: nothing is left to write for now."""
        if self.progress is not None:
            self._hooks.progress(None)
        self.progress, self._total, self._written = None, 0, 0

    async def advance(self, quiet: float) -> Rest | None:
        """Do the next step; None when there may be more to do.

        `quiet`: the seconds since the last change.
        """
        survey = await self._survey()
        self.never = survey.never
        rests = [Rest(survey.ripens_in)]
        kept = self._index.kept()
        for store in self._stores:
            ripe, here = self._within(store, survey.ripe), self._within(store, kept)
            standing = self._standing(
                store, len(ripe), len(here), merge_policy.MAX_KEPT - len(kept), quiet
            )
            match merge_policy.plan(standing):
                case Keep():
                    await self._keep(ripe[: min(merge_policy.FEW, standing.room)])
                    return None
                case WriteSegment(replaces, alone):
                    await self._write(store, [] if alone else [*ripe, *here], replaces)
                    return None
                case Rest() as rest:
                    rests.append(rest)
        if self._unpruned:
            await self._prune()
        soon = not self.stopped and time.monotonic() + survey.ripens_in < self.waits_until
        settled = all(rest.settled for rest in rests) and not soon
        return Rest(min(rest.seconds for rest in rests), settled)

    async def _take_over(self, store: RootStore, *, mended: bool = False) -> None:
        """Adopt the published segments; damage is mended once (`mended`: it was)."""
        damage = await take_over(store, self._index)
        pending = self._index.pending()
        self._refused = {
            path: entry for path, entry in self._refused.items() if pending.get(path) == entry
        }
        self._hooks.on_change()
        if damage and not mended:
            self._tell(
                f"The index of {store.root} is damaged and is being mended "
                f"({'; '.join(damage)}). Searches miss nothing meanwhile."
            )
            await self._write(store, [], mending=True)  # sets the damaged files aside

    async def _survey(self) -> Survey:
        pending = self._index.statistics().pending
        look = functools.partial(
            merge_policy.survey,
            refused=self._refused,
            now=time.time_ns(),
            max_file_bytes=self._settings.max_file_bytes,
        )
        view = self._index.freeze()
        if pending <= _MAX_ON_LOOP and not view.folders:
            return look(view.pending)
        return await asyncio.to_thread(lambda: look(view.pending))

    def _standing(
        self, store: RootStore, ripe: int, kept: int, room: int, quiet: float
    ) -> Standing:
        return Standing(
            ripe,
            kept,
            room,
            quiet,
            may_write_in=math.inf if self.stopped else store.may_write_in,
            trying=store.trying and not self.stopped,
            wanted=self.wanted,
            full=self._full,
            damaged=frozenset(
                damage.segment for damage in self._index.damage() if damage.root == store.root
            ),
            segments=self._index.figures(store.root),
            renews=store.renews,
        )

    @property
    def _full(self) -> bool:
        """Whether the index takes all the space it may."""
        return self._index.statistics().disk_bytes >= self._settings.index_bytes * _DISK_SHARE

    def _within(self, store: RootStore, entries: list[FileEntry]) -> list[FileEntry]:
        if len(self._stores) == 1:
            return entries
        return [entry for entry in entries if is_inside(entry.path, store.root)]

    async def _keep(self, entries: list[FileEntry]) -> None:
        """Index files in memory."""
        limit = self._settings.max_file_bytes
        for at in range(0, len(entries), _FILES_A_GROUP):
            group = entries[at : at + _FILES_A_GROUP]
            read = await asyncio.to_thread(
                self._worker.troubles.within, read_for_memory, self._roots, group, limit
            )
            self._index.note_racy(group, time.time_ns())
            for entry, reading in read:
                self._index.keep(entry, reading.keys, reading.traits)
            self._refuse(group)
        self._hooks.on_change()

    async def _write(
        self,
        store: RootStore,
        entries: list[FileEntry],
        replaces: frozenset[str] = frozenset(),
        *,
        mending: bool = False,
    ) -> None:
        """Have the worker write a segment of `entries` and of the files of replaced segments."""
        if replaces:
            batch = [*files_of(self._index, store.root, replaces), *entries]
        else:
            # after a death smaller ones, because a file may be too much for the worker
            batch = await asyncio.to_thread(merge_policy.first_batch, entries, shrink=store.deaths)
        if self._total or len(entries) >= _SHOWN:
            self._total = max(self._total, self._written + len(entries))
        paths = [entry.path for entry in batch]
        self._writing = asyncio.create_task(
            store.write(self._worker, paths, replaces, self._show_progress)
        )
        await asyncio.wait({self._writing})
        if self._writing.cancelled():
            return
        if self._writing.result() is Wrote.DONE:
            self._written += len(batch)
            self._show_progress(JobProgress(0, 0))
            self._unpruned = True
            self._index.note_racy(batch, time.time_ns())
            await self._take_over(store, mended=mending)
            self._refuse(batch)
        elif store.complaint:
            self._tell(store.complaint)

    def _refuse(self, tried: list[FileEntry]) -> None:
        """Remember files that could not be indexed, until they change."""
        pending = self._index.pending()
        for entry in tried:
            if pending.get(entry.path) == entry:
                self._refused[entry.path] = entry

    async def _prune(self) -> None:
        self._unpruned = False
        try:
            await prune(self._worker, self._stores, self._settings.index_bytes)
        except (WorkerGone, JobFailed) as error:
            _log.warning("Unused indexes were not removed: %s", error)

    def _show_progress(self, progress: JobProgress) -> None:
        if self._total:
            self.progress = JobProgress(self._written + progress.done, self._total)
            self._hooks.progress(self.progress)

    def _tell(self, message: str) -> None:
        """Tell the user, once."""
        if message not in self._told:
            self._told.add(message)
            self._hooks.notice(message)

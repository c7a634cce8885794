"""The index of one root on disk: the server opens it, the worker writes it.

numpy, which takes long to import, is imported when the first file is read for the index.
"""

from __future__ import annotations

import asyncio
import errno
import math
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from glossator.settings import WorkspaceSettings
from glossator.worker import JobFailed, JobProgress, Worker, WorkerGone
from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.listing_cache import FolderFile
from glossator.workspace.files.roots import EncodingRule, Roots, outermost
from glossator.workspace.files.state_folder import SharedFolderLock, writing
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.jobs import (
    BuildSegment,
    Built,
    Busy,
    CheckReport,
    CheckSegments,
    Prune,
    Stale,
)
from glossator.workspace.index.manifest import IndexFolder, ManifestStamp, OpenedSegments
from glossator.workspace.index.placement import ValidDocuments
from glossator.workspace.index.searchable import listed_stamp
from glossator.workspace.index.segment import Segment

if TYPE_CHECKING:
    from glossator.workspace.index.segment_writer import Reading

_T = TypeVar("_T")

NOT_WANTED = "off: workspace.index is false"
_NO_LOCKS = "off: this system has no file locks that end with their process"

_BUSY_SECONDS = 1.0  # until asking again whether another server still writes
_FAILED_SECONDS = 60.0  # until writing again after a failure that time may mend, as a full disk
_MAX_FAILURES = 5  # failures in a row, after which `settle` does not wait for the next try
_DELETIONS = 5  # of the folder, in a row, each just before it is locked
_SLICE_SECONDS = 0.004  # a thread pauses this often, so that the event loop gets its turn
_PAUSE_SECONDS = 0.0005


class Wrote(Enum):
    """The outcome of an attempt to write."""

    DONE = auto()
    OUTDATED = auto()  # another server published segments: adopt them first
    FAILED = auto()  # to be retried after a while


@dataclass(slots=True, eq=False)
class RootStore:
    """The index of `root`; `state` is "on" or says why there is no index on disk.

    `problem`: why the last attempt to write failed, with a next step, or ""; `complaint`: the same,
    if the user can mend it. `deaths`: how often the worker ended while writing, less the successes
    since. `renews`: the segments to write again.
    """

    root: str
    max_file_bytes: int
    encodings: tuple[EncodingRule, ...] = ()
    state: str = NOT_WANTED
    folder: Path | None = None
    problem: str = ""
    complaint: str = ""
    deaths: int = 0
    segments: dict[str, Segment] = field(default_factory=dict)
    renews: frozenset[str] = frozenset()
    _busy: bool = False  # another server wrote at the last try
    _failures: int = 0  # in a row
    _retry_at: float = 0.0  # in the event loop's time
    _index: IndexFolder | None = None
    _seen: ManifestStamp | None = None
    _use: SharedFolderLock | None = None

    def prepare(self) -> None:
        """Make and lock the folder, if system and disk allow.

        It opens the segments while files are still being listed, so that `open` is quick.
        """
        if sys.platform == "win32":
            self.state = _NO_LOCKS
            return
        try:
            self.folder, self._use = _use(self.root, self._reading)
        except OSError as error:
            place = state_folder.index_folder(self.root, self._reading)
            self.state = f"off: {place} cannot be written to ({error.strerror or error})"
            return
        self._index = IndexFolder(self.folder)
        self.segments = _by_name(self._index.open())
        self.state = "on"

    @property
    def stale(self) -> bool:
        """Whether another manifest was published since `open`."""
        return self._index is not None and self._index.stamp() != self._seen

    @property
    def may_write_in(self) -> float:
        """Seconds until it may be written; infinite without an index on disk."""
        if self.folder is None:
            return math.inf
        return max(0.0, self._retry_at - asyncio.get_running_loop().time())

    @property
    def trying(self) -> bool:
        """Whether a failed write is likely to succeed soon."""
        return 0 < self._failures < _MAX_FAILURES and not self.complaint

    def open(self) -> OpenedSegments:
        """Open the published segments; open ones stay open."""
        if self._index is None:
            return OpenedSegments(0, (), ())
        self._seen = self._index.stamp()  # before reading: a later manifest has another one
        opened = self._index.open(self.segments)
        self.segments = _by_name(opened)
        return opened

    def caught_up(self) -> None:
        """The published segments are in use: do not wait for the other server that wrote."""
        if self._busy:
            self._forget_failure()

    async def write(
        self,
        worker: Worker,
        paths: Iterable[str],
        replaces: frozenset[str] = frozenset(),
        on_progress: Callable[[JobProgress], None] | None = None,
    ) -> Wrote:
        """Write the files at `paths` in place of some segments; without files, only tidy up."""
        job = BuildSegment(
            self.root,
            str(self.folder),
            tuple(paths),
            replaces,
            self._seen,
            self.max_file_bytes,
            encodings=self.encodings,
        )
        self.complaint, self._busy = "", False
        try:
            if self._use is None or self._use.lost:  # a user may delete the folder
                _, self._use = await asyncio.to_thread(_use, self.root, self._reading)
            outcome = await worker.run(job, on_progress)
        except WorkerGone as gone:
            self.deaths += 1
            return self._failed(f"{gone} Wait; if this persists, see the log.", gone.retry_after)
        except (JobFailed, OSError) as error:
            self.complaint = (
                f"The index of {self.root} could not be written: {error}. Searches miss nothing, "
                f"but take longer; make sure that {self.folder} can be written to. "
                "It is tried again now and then."
            )
            return self._failed(self.complaint, _FAILED_SECONDS)
        match outcome:
            case Built():
                self._forget_failure()
                self.deaths = max(0, self.deaths - 1)
                return Wrote.DONE
            case Stale():
                return Wrote.OUTDATED
            case Busy():
                self._failures = 0  # it ends some time, so waiting is worth it
                self._busy = True
                return self._failed(
                    f"Another server of the workspace is writing the index of {self.root}, which "
                    "is shared; wait until it is done.",
                    _BUSY_SECONDS,
                )

    def remember(self, seen: FolderFile) -> str:
        """Store the seen folders, in a thread; returns the damage of the previous file.

        Skipped while another server writes. Raises `OSError`.
        """
        content = seen.content()
        if self._index is None or content is None:
            return ""
        if self._use is None or self._use.lost:
            _, self._use = _use(self.root, self._reading)
        with writing(str(self.folder)) as ours:
            return self._index.remember(content) if ours else ""

    def forget(self) -> None:
        """Delete the stored folders, in a thread. Raises `OSError`."""
        with writing(str(self.folder)) as ours:
            if self._index is not None and ours:
                self._index.forget()

    def close(self) -> None:
        """Unlock the folder, so that others may delete it."""
        if self._use is not None:
            self._use.close()

    async def check(
        self, worker: Worker, on_progress: Callable[[JobProgress], None] | None
    ) -> CheckReport:
        """Compare it with the files. Raises `WorkerGone` or `JobFailed`."""
        if self.folder is None:
            why = f"There is no index of {self.root} on disk ({self.state})"
            return CheckReport(problems=(f"{why}; change that, or ignore this.",))
        job = CheckSegments(self.root, str(self.folder), self.max_file_bytes, self.encodings)
        return await worker.run(job, on_progress)

    @property
    def _reading(self) -> str:
        return Roots((self.root,), self.encodings).reading(self.root)

    def _forget_failure(self) -> None:
        self._busy, self._failures, self._retry_at, self.problem = False, 0, 0.0, ""

    def _failed(self, problem: str, retry_after: float) -> Wrote:
        self._failures += 1
        self.problem = problem
        self._retry_at = asyncio.get_running_loop().time() + retry_after
        return Wrote.FAILED


def _by_name(opened: OpenedSegments) -> dict[str, Segment]:
    return {segment.name: segment for segment in opened.segments}


def _use(root: str, reading: str) -> tuple[Path, SharedFolderLock]:
    """Make and lock the folder of `root`. Raises `OSError`."""
    for _ in range(_DELETIONS):
        with suppress(FileNotFoundError):  # others may delete it until it is locked
            folder = state_folder.prepare_index_folder(root, reading)
            return folder, SharedFolderLock(str(folder))
    raise FileNotFoundError(errno.ENOENT, "it is deleted again and again")


def stores_of(roots: Roots, settings: WorkspaceSettings) -> list[RootStore]:
    """A store for each outermost root, prepared if an index is wanted."""
    most, encodings = settings.max_file_bytes, roots.encodings
    stores = [RootStore(root, most, encodings) for root in outermost(roots.paths)]
    if settings.index:
        for store in stores:
            store.prepare()
    return stores


async def take_over(store: RootStore, index: TextIndex) -> tuple[str, ...]:
    """Adopt the published segments; returns the damage."""
    opened = await asyncio.to_thread(store.open)
    preparation = index.prepare(store.root)
    index.adopt(await asyncio.to_thread(preparation.place, opened.segments))
    store.caught_up()
    return opened.damage


def files_of(index: TextIndex, root: str, segments: frozenset[str]) -> Iterator[FileEntry]:
    """The files whose valid documents are in these segments."""
    names = {figures.name for figures in index.figures(root)} & segments
    for part in index.freeze().parts:
        if isinstance(part, ValidDocuments) and part.segment.name in names:
            yield from part.files()


def read_for_memory(
    roots: Roots, entries: Sequence[FileEntry], limit: int
) -> list[tuple[FileEntry, Reading]]:
    """Read files, in a thread; those that changed since they were listed are left out."""
    from glossator.workspace.index.segment_writer import Reading, read_file  # noqa: PLC0415 - see above

    readings = []
    pauses = _Pauses()
    for entry in entries:
        reading = pauses.run(read_file(roots, entry.path, limit))
        if isinstance(reading, Reading) and reading.stamp == listed_stamp(entry):
            readings.append((entry, reading))
    return readings


class _Pauses:
    """Pauses a computing thread now and then, so that the event loop runs."""

    def __init__(self) -> None:
        self._pause_at = time.perf_counter() + _SLICE_SECONDS

    def run(self, steps: Generator[None, None, _T]) -> _T:
        """The result of all the steps."""
        while True:
            if time.perf_counter() > self._pause_at:
                time.sleep(_PAUSE_SECONDS)
                self._pause_at = time.perf_counter() + _SLICE_SECONDS
            try:
                next(steps)
            except StopIteration as end:
                return cast(_T, end.value)


async def prune(worker: Worker, stores: Sequence[RootStore], limit: int) -> None:
    """Keep the indexes of all workspaces within `limit` bytes. Raises `WorkerGone`, `JobFailed`."""
    own = frozenset(str(store.folder) for store in stores if store.folder is not None)
    await worker.run(Prune(str(state_folder.index_base()), own, limit))

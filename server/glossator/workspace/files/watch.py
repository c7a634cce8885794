"""The interface of every watcher of the disk, and the one that uses the package watchfiles.

Watchers report only paths, never what happened there: events come late, twice and out of order, so
the disk alone is believed (docs/decisions/0011). On Linux `watch_inotify.py` watches.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from glossator.workspace.files.roots import Roots, outermost

if TYPE_CHECKING:
    from watchfiles import Change

Report = Callable[[frozenset[str]], None]  # paths to look at again
Lost = Callable[[str], None]  # events may have been lost, and why

_DEBOUNCE_MS = 50
_STEP_MS = 5
_GIT = f"{os.sep}.git{os.sep}"
_REPORTED_OF_GIT = tuple(_GIT + name for name in ("HEAD", "index", os.path.join("info", "exclude")))

_log = logging.getLogger(__name__)


class Watcher:
    """A watcher that is off; for the event-loop thread except where a method says otherwise.

    `status` is for people: "inotify: 2,031 folders", "watchfiles" or "off: reason".
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    @property
    def status(self) -> str:
        """What is watched and how, or why nothing is."""
        return f"off: {self._reason}"

    @property
    def reliable(self) -> bool:
        """Whether every change is reported."""
        return False

    def start(self) -> None:
        """Begin to watch."""

    def catch_up(self) -> bool:
        """Report now what the system has noted already; false if that was all."""
        return False

    def enter(self, _folder: str, _watches: set[int], /) -> None:
        """Add the watch of a folder about to be listed to `_watches`; called in a thread."""

    def enter_git(self, _folder: str, _watches: set[int], /) -> None:
        """Do the same for a `.git` directory, which is not listed; called in a thread."""

    def renew(self) -> None:
        """Prepare for every folder to be entered again; called in a thread."""

    def begin(self) -> int:
        """Note that a rescan begins; the result is for `leave_others`."""
        return 0

    def leave_others(self, below: tuple[str, ...], kept: Collection[int], begun: int) -> None:
        """End watching in and below `below`, except `kept` and newer ones; called in a thread."""

    def stop(self) -> None:
        """End soon; nothing is reported any more."""
        self._reason = "closed"

    async def close(self) -> None:
        """End, and wait until everything is gone."""
        self.stop()


class FilesWatcher(Watcher):
    """Watches the roots and everything below them, ignored folders too.

    watchfiles may lose events in a flood without saying so; so every folder that appears is
    scanned, and a sweep follows a large batch.
    """

    def __init__(self, roots: Roots, report: Report) -> None:
        super().__init__("not started")
        self._roots = roots
        self._report = report
        self._task: asyncio.Task[None] | None = None

    @property
    def status(self) -> str:
        """The package's name, while it works."""
        return super().status if self._reason else "watchfiles"

    def start(self) -> None:
        """Begin to watch, in a thread of the package."""
        self._reason = ""
        self._task = asyncio.create_task(self._watch(), name="glossator-watch")

    def stop(self) -> None:
        """End soon; nothing is reported any more."""
        super().stop()
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """End, and wait until the watching thread is gone."""
        self.stop()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _watch(self) -> None:
        try:
            try:
                await self._follow(lenient=False)
            except PermissionError as error:
                # not lenient at first: it would also hide that the system's watches ran out
                _log.warning("Some folders are not watched: %s", error)
                await self._follow(lenient=True)
        except (OSError, RuntimeError) as error:
            self._reason = str(error)
            _log.warning("Changes on disk are not noticed at once: %s", error)

    async def _follow(self, *, lenient: bool) -> None:
        """Report events until cancelled. Raises `OSError` or `RuntimeError` when it cannot."""
        from watchfiles import awatch  # noqa: PLC0415 - slow to import

        outer = outermost(self._roots.paths)
        for root in outer:
            os.scandir(root).close()  # raises for what is no readable directory
        if not outer:
            self._reason = "no folder is open"
            return
        loop = asyncio.get_running_loop()
        async for events in awatch(
            *outer,
            watch_filter=_matters,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            ignore_permission_denied=lenient,
        ):
            # called by the loop, so that a failing listener cannot end the watching
            loop.call_soon(self._report, frozenset(path for _, path in events))


def _matters(_change: Change, path: str) -> bool:
    return _GIT not in path or path.endswith(_REPORTED_OF_GIT)

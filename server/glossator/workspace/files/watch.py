"""Watching the disk: with inotify on Linux, with the package watchfiles elsewhere.

Each is imported when it is chosen.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING

from glossator.settings import WorkspaceSettings
from glossator.workspace.files.roots import Roots, outermost
from glossator.workspace.files.watcher import Lost, Report, Watcher

if TYPE_CHECKING:
    from watchfiles import Change

_DEBOUNCE_MS = 50
_STEP_MS = 5
_GIT = f"{os.sep}.git{os.sep}"
_REPORTED_OF_GIT = tuple(_GIT + name for name in ("HEAD", "index", os.path.join("info", "exclude")))

_log = logging.getLogger(__name__)


def choose_watcher(
    roots: Roots, settings: WorkspaceSettings, report: Report, lost: Lost
) -> Watcher:
    """The watcher the settings name; "auto" is inotify on Linux and watchfiles elsewhere."""
    linux, kind = sys.platform == "linux", settings.watcher
    if kind == "off":
        return Watcher("the setting workspace.watcher says so")
    if kind == "watchfiles" or (kind == "auto" and not linux):
        return FilesWatcher(roots, report)
    if not linux:
        return Watcher("inotify exists on Linux only; set workspace.watcher to auto")
    from glossator.workspace.files.watch_inotify import InotifyWatcher  # noqa: PLC0415 - Linux only

    try:
        return InotifyWatcher(roots, report, lost)
    except OSError as error:
        # watchfiles needs the same from the system
        _log.warning("Changes on disk are not noticed at once: %s", error)
        return Watcher(f"{error.strerror}; raise fs.inotify.max_user_instances")


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

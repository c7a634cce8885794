"""Choosing how the disk is watched. Each way is imported when it is taken."""

from __future__ import annotations

import logging
import sys

from glossator.files.roots import Roots
from glossator.files.watcher import Lost, Report, Watcher
from glossator.settings.model import WorkspaceSettings

_log = logging.getLogger(__name__)


def choose_watcher(
    roots: Roots, settings: WorkspaceSettings, report: Report, lost: Lost
) -> Watcher:
    """The watcher the settings name; "auto" is inotify on Linux and watchfiles elsewhere."""
    match settings.watcher:
        case "off":
            return Watcher("the setting workspace.watcher says so")
        case "watchfiles":
            return _watchfiles(roots, report)
        case "inotify":
            return _inotify(roots, report, lost)
        case "auto" if sys.platform == "linux":
            return _inotify(roots, report, lost)
    return _watchfiles(roots, report)


def _inotify(roots: Roots, report: Report, lost: Lost) -> Watcher:
    if sys.platform != "linux":
        return Watcher("inotify exists on Linux only; set workspace.watcher to auto")
    from glossator.files.watch_inotify import InotifyWatcher  # noqa: PLC0415 - Linux only

    try:
        return InotifyWatcher(roots, report, lost)
    except OSError as error:
        # watchfiles would ask the same of the system, and get the same answer
        _log.warning("Changes on disk are not noticed at once: %s", error)
        return Watcher(f"{error.strerror}; raise fs.inotify.max_user_instances")


def _watchfiles(roots: Roots, report: Report) -> Watcher:
    from glossator.files.watch_files import FilesWatcher  # noqa: PLC0415 - its own import

    return FilesWatcher(roots, report)

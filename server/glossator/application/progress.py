"""A progress bar in the editor for an index that is built in the background."""

from __future__ import annotations

from collections.abc import Callable

from glossator.core.ports import Activity, EditorPort
from glossator.worker import JobProgress


class BuildProgress:
    """Shows the progress of an index build, percent by percent; None ends it."""

    def __init__(self, port: EditorPort, title: str, cancel: Callable[[], object]) -> None:
        self._port = port
        self._title = title
        self._cancel = cancel
        self._activity: Activity | None = None
        self._percentage = -1

    def __call__(self, progress: JobProgress | None) -> None:
        """Show a step, or the end."""
        if progress is None:
            self._end()
            return
        if self._activity is None:
            self._activity = self._port.begin(self._title, self._cancel)
        percentage = 100 * progress.done // max(progress.total, 1)
        if percentage != self._percentage:
            self._percentage = percentage
            self._activity.report(f"{progress.done:,} of {progress.total:,} files", percentage)

    def _end(self) -> None:
        if self._activity is not None:
            self._activity.end()
        self._activity, self._percentage = None, -1

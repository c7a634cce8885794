"""What every watcher of the disk offers; this one watches nothing.

Watchers report only paths, never what happened there: events come late, twice and out of order, so
the disk alone is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

Report = Callable[[frozenset[str]], None]  # paths to look at again
Lost = Callable[[str], None]  # events may have been lost, and why


class Watcher:
    """A watcher that is off; for the event-loop thread except where a method says otherwise.

    `status` is for people: "inotify: 2,031 folders", "watchfiles" or "off: reason".
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    @property
    def status(self) -> str:
        """What is watched, and how; or why nothing is."""
        return f"off: {self._reason}"

    @property
    def reliable(self) -> bool:
        """Whether every change is reported, or that some may be missing."""
        return False

    def start(self) -> None:
        """Begin to watch."""

    def enter(self, _folder: str, _watches: set[int], /) -> None:
        """From a thread: a folder is about to be listed; add its watch to `_watches`."""

    def enter_git(self, _folder: str, _watches: set[int], /) -> None:
        """From a thread: the same for a `.git` directory, which is not listed."""

    def renew(self) -> None:
        """From a thread: every folder is about to be entered again."""

    def begin(self) -> int:
        """A rescan begins; the result is for `leave_others`."""
        return 0

    def leave_others(self, below: tuple[str, ...], kept: Collection[int], begun: int) -> None:
        """From a thread: end watching in and below `below`, but for `kept` and what is newer."""

    def stop(self) -> None:
        """End soon; nothing is reported any more."""
        self._reason = "closed"

    async def close(self) -> None:
        """End, and wait until all of it is gone."""
        self.stop()

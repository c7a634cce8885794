"""What every watcher of the disk can be asked; this one watches nothing.

A watcher says which paths to look at again, never what happened there: events come late, twice and
out of order, so the disk alone is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

Report = Callable[[frozenset[str]], None]  # paths to look at again
Lost = Callable[[str], None]  # events may have been lost, and why


class Watcher:
    """A watcher that is off; used from the event-loop thread but where a method says otherwise.

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
        """Whether every change is told of."""
        return False

    def start(self) -> None:
        """Begin to watch."""

    def enter(self, _folder: str, _watches: set[int], /) -> None:
        """From a thread: a folder is about to be listed; what watches it joins the watches."""

    def enter_git(self, _folder: str, _watches: set[int], /) -> None:
        """From a thread: the same for a `.git` directory, which is not listed."""

    def renew(self) -> None:
        """From a thread: every folder is about to be entered again."""

    def begin(self) -> int:
        """A look at the disk begins; the result is for `leave_others`."""
        return 0

    def leave_others(self, below: tuple[str, ...], kept: Collection[int], begun: int) -> None:
        """From a thread: end watching in and below `below`, but for `kept` and what is newer."""

    def stop(self) -> None:
        """End soon; nothing is reported any more."""
        self._reason = "closed"

    async def close(self) -> None:
        """End, and wait until all of it is gone."""
        self.stop()

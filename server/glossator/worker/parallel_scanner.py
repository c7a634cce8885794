"""The worker process as a second reader of searches: it looks into some of the blocks of files.

For this it has a pipe and a thread of its own, and the thread that searches writes and waits by
itself: through the event loop and the queue of jobs, an answer costs about what it spares.
"""

from __future__ import annotations

import logging
import pickle
import select
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from glossator.files.entries import FileEntry

if TYPE_CHECKING:  # the server starts without them
    from multiprocessing.connection import Connection

    from glossator.index.candidates import Ranges
    from glossator.search.prefilter import Counts, SearchSpec

_ROOM = 3  # blocks that wait, so that it never waits for us
_LATE = 0.1  # seconds, after which an answer is not waited for any longer
_LOOK = 0.02  # seconds between two looks whether the search was cancelled

_log = logging.getLogger(__name__)


class _Block(NamedTuple):
    """Files to look into, as plain tuples, which are packed quickest."""

    sought: SearchSpec
    files: Sequence[tuple[Any, ...]]
    ranges: Mapping[str, Ranges]


class ParallelScanner:
    """The server's end of the pipe to a worker process; for one search at a time, in its thread.

    What it asks is answered in turn. The first answer comes unasked: the process is ready.
    """

    def __init__(self, pipe: Connection, busy: Callable[[], bool]) -> None:
        """`busy`: whether the process has a job to do, which goes first."""
        self._pipe = pipe
        self._busy = busy
        self._arriving = select.poll()
        self._arriving.register(pipe, select.POLLIN)
        self._taken = Lock()
        self._unwanted = 1  # answers that are still to come, for which nobody waits any longer
        self._wanted = 0  # … and those after them
        self._late = False
        self._gone = False

    @contextmanager
    def lent(self) -> Iterator[ParallelScanner | None]:
        """For one search; None while it is lent, or the process has a job."""
        if self._busy() or not self._taken.acquire(blocking=False):
            yield None
            return
        try:
            self._late = False
            yield self
        finally:
            self._unwanted += self._wanted
            self._wanted = 0
            self._taken.release()

    def has_room(self) -> bool:
        """Whether to ask for another block: not while it looks into what nobody waits for."""
        if self._gone or self._late or self._wanted >= _ROOM or self._busy():
            return False
        while self._unwanted and self._received(0) is not None:
            self._unwanted -= 1
        return not (self._unwanted or self._gone)

    @property
    def has_answered(self) -> bool:
        """Whether the next answer is there, or none will come."""
        return self._gone or self._late or bool(self._arriving.poll(0))

    def ask(
        self, sought: SearchSpec, files: Sequence[FileEntry], ranges: Mapping[str, Ranges]
    ) -> None:
        """Have plain files looked into; of those with `ranges` only these."""
        block = _Block(sought, [entry[:] for entry in files], ranges)
        self._wanted += 1
        try:
            self._pipe.send_bytes(pickle.dumps(tuple(block), pickle.HIGHEST_PROTOCOL))
        except OSError as error:
            self._lose(error)

    def answer(self, cancelled: Callable[[], bool]) -> Counts | None:
        """What was found in the next block that was asked for.

        None when the process is gone or late, or the search was cancelled: then nothing that it was
        asked is waited for any longer.
        """
        until = monotonic() + _LATE
        while not (self._gone or self._late or cancelled()):
            if (counts := self._received(_LOOK)) is not None:
                self._wanted -= 1
                return counts
            self._late = monotonic() > until
        self._late = True
        return None

    def _received(self, seconds: float) -> Counts | None:
        """The next answer, if it comes within this time."""
        try:
            if self._arriving.poll(seconds * 1000):
                counts: Counts = pickle.loads(self._pipe.recv_bytes())  # noqa: S301 - see frames.py
                return counts
        except (EOFError, OSError) as error:
            self._lose(error)
        return None

    def _lose(self, error: EOFError | OSError) -> None:
        """A message was cut short, so nothing that follows could be understood."""
        self._gone = True
        if isinstance(error, BlockingIOError):  # else the process has ended, which is told of
            _log.warning("The worker process is stuck; searches do without its help.")


def serve(pipe: Connection) -> None:
    """In the worker process: look into what is asked for, until the server closes the pipe."""
    from glossator.search.prefilter import Prefilter  # noqa: PLC0415 - while a build may begin

    sifter: Prefilter | None = None
    answer: Counts = {}
    with pipe, suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
            block = _Block(*pickle.loads(pipe.recv_bytes()))  # noqa: S301 - see frames.py
            if sifter is None or sifter.sought != block.sought:
                sifter = Prefilter(block.sought)
            answer = sifter.counts([FileEntry(*fields) for fields in block.files], block.ranges)

"""The worker process: `python -P -m glossator.worker [FD]`, started by `client.Worker`.

Frames use the original standard streams. For all other code, standard output is the log and
standard input the null device. Jobs run a slice at a time, urgent ones first.

One thread reads requests and ends the process when the server is gone, even in the middle of a
slice. Two others run the slices, so that a job's failure is a value and does not end the process:
one those of urgent jobs, and one, which lets other programs go first, all others.
"""

from __future__ import annotations

import functools
import logging
import mmap
import os
import pickle
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import IO, Any

from glossator.core.errors import GlossatorError
from glossator.core.own_process import be_patient, return_free_memory
from glossator.worker.items import HERE, MARK_BYTES, Troubles
from glossator.worker.jobs import (
    Advanced,
    Alive,
    Done,
    Drop,
    Failed,
    Job,
    JobProgress,
    Ready,
    Report,
    Request,
    Slices,
    Spare,
    Start,
    Told,
    frame,
    read_request,
)

_ALIVE_SECONDS = 1.0  # at least one sign of life, while slices end
_REST_SECONDS = 1.0  # without a job; then memory is given back


def main() -> None:
    """Serve until the server closes the pipe or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    requests, reports = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    mark = mmap.mmap(int(sys.argv[1]), MARK_BYTES) if len(sys.argv) > 1 else None
    with os.fdopen(requests, "rb") as incoming, os.fdopen(reports, "wb") as outgoing:
        serve(incoming, outgoing, mark)


@dataclass(frozen=True, slots=True)
class _Finished:
    """What a job returned, pickled."""

    result: bytes


@dataclass(slots=True)
class _Task:
    number: int
    job: Job[Any]
    slices: Slices[Any]

    def step(self) -> JobProgress | _Finished | None:
        """Do the next slice."""
        try:
            return next(self.slices)
        except StopIteration as end:
            return _Finished(pickle.dumps(end.value, pickle.HIGHEST_PROTOCOL))


def serve(requests: IO[bytes], reports: IO[bytes], mark: mmap.mmap | None) -> None:
    """Run jobs as long as the server lives; never returns. `mark`: see `items.py`."""
    arrived: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests, arrived), daemon=True).start()
    _Server(arrived, functools.partial(_send, reports), mark).serve()


def _receive(requests: IO[bytes], arrived: SimpleQueue[Request]) -> None:
    while (request := read_request(requests)) is not None:
        arrived.put(request)
    os._exit(0)  # the server is gone; jobs write files that survive this


def _send(reports: IO[bytes], report: Report) -> None:
    try:
        reports.write(frame(report))
        reports.flush()
    except BrokenPipeError:
        os._exit(0)  # the server is gone


class _Server:
    def __init__(
        self,
        arrived: SimpleQueue[Request],
        send: Callable[[Report], None],
        mark: mmap.mmap | None,
    ) -> None:
        self._arrived = arrived
        self._report = send
        self._sent_at = 0.0
        # told in a slice, while this thread waits for its end
        self._troubles = Troubles(lambda news: self._send(Told(news)), mark)
        # somebody waits for urgent jobs; of the two threads one works at a time
        self._answering = ThreadPoolExecutor(
            1, "glossator-urgent", initializer=HERE.set, initargs=(self._troubles,)
        )
        self._working = ThreadPoolExecutor(
            1, "glossator-slices", initializer=_begin_patient, initargs=(self._troubles,)
        )
        self._urgent: deque[_Task] = deque()
        self._patient: deque[_Task] = deque()

    def serve(self) -> None:
        self._send(Ready())
        while True:
            if not (self._urgent or self._patient):
                self._take(self._rest())
            while not self._arrived.empty():
                self._take(self._arrived.get())
            if tasks := self._urgent or self._patient:
                self._advance(tasks)

    def _rest(self) -> Request:
        """Wait for the next request."""
        try:
            return self._arrived.get(timeout=_REST_SECONDS)
        except Empty:
            return_free_memory()
            return self._arrived.get()

    def _take(self, request: Request) -> None:
        match request:
            case Start(number, pickled):
                opened = self._answering.submit(_open, number, pickled)
                if not self._failed(number, opened):
                    task = opened.result()
                    (self._urgent if task.job.urgent else self._patient).append(task)
            case Spare(troubles):
                self._troubles.replace(troubles)
            case Drop(number):
                for tasks in (self._urgent, self._patient):
                    for task in [task for task in tasks if task.number == number]:
                        tasks.remove(task)
                        # closing it runs its `finally` parts
                        self._failed(number, self._thread(task).submit(task.slices.close))

    def _advance(self, tasks: deque[_Task]) -> None:
        """Run a slice of the first task, and queue it again."""
        task = tasks.popleft()
        slice_ = self._thread(task).submit(task.step)
        if self._failed(task.number, slice_):
            return
        match slice_.result():
            case _Finished(result):
                self._send(Done(task.number, result))
            case JobProgress() as progress:
                self._send(Advanced(task.number, progress))
                tasks.append(task)
            case None:
                tasks.append(task)
                if monotonic() > self._sent_at + _ALIVE_SECONDS:
                    self._send(Alive())

    def _thread(self, task: _Task) -> ThreadPoolExecutor:
        return self._answering if task.job.urgent else self._working

    def _send(self, report: Report) -> None:
        self._report(report)
        self._sent_at = monotonic()

    def _failed(self, number: int, attempt: Future[Any]) -> bool:
        """Wait for the attempt; report a failure and return whether it failed."""
        error = attempt.exception()
        if error is None:
            return False
        if isinstance(error, GlossatorError | OSError):
            message = str(error)
        else:
            message = "".join(traceback.format_exception(error)).rstrip()
        self._send(Failed(number, message))
        return True


def _begin_patient(troubles: Troubles) -> None:
    HERE.set(troubles)
    be_patient()


def _open(number: int, pickled: bytes) -> _Task:
    job: Job[Any] = pickle.loads(pickled)  # noqa: S301 - from our own server, see jobs.py
    return _Task(number, job, job.run())


if __name__ == "__main__":
    main()

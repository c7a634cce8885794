"""One worker process from its start to its end, and the jobs it was given.

A process that has something to do and is silent for too long hangs, and is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO

from glossator.core.errors import GlossatorError
from glossator.worker.items import MARK_BYTES, Item, Trouble, Troubles, marked
from glossator.worker.jobs import (
    HEADER,
    Advanced,
    Alive,
    Done,
    Drop,
    Failed,
    JobProgress,
    Ready,
    Report,
    Spare,
    Start,
    Told,
    frame,
)

_LAST_SECONDS = 2.0  # for a process whose pipe was closed to end
_LOOKS = 10  # checks in the allowed silence; a single check may come after our own pause
_LARGE = 200_000  # bytes; unpickling more would block the event loop
_LOG_CHUNK = 65_536
_FROM_OUTSIDE = frozenset(  # signals that say nothing about what the process was at
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
    if hasattr(signal, name)
)  # fmt: skip

_log = logging.getLogger(__name__)


class JobFailed(GlossatorError):
    """A job raised; the message is the error's, or the traceback of a bug."""


@dataclass(frozen=True, slots=True)
class _Asked:
    result: asyncio.Future[bytes | None]
    on_progress: Callable[[JobProgress], None] | None


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended ("the process …"), how many seconds it lived, and at what it worked.

    `outside`: somebody, or the system, sent a signal, so it may not be the item's fault.
    """

    how: str
    lived: float
    item: Item | None
    outside: bool


class Connection:
    """A running worker process; `on_end` is called at its end, and says if jobs may run again.

    It is killed after `patience` seconds of silence with a job to do.
    """

    def __init__(
        self,
        launched: Launched,
        patience: float,
        troubles: Troubles,
        on_end: Callable[[End], bool],
    ) -> None:
        """Start a process that skips the `troubles`, and adds its own."""
        self.ready = False
        self.over_items = False  # it ended, and what ended it is not tried again
        self.process_id = launched.process.pid
        self._process = launched.process
        self._pipes = launched
        self._patience = patience
        self._troubles = troubles
        self._on_end = on_end
        self._numbers = count()
        self._asked: dict[int, _Asked] = {}
        self._busy = asyncio.Event()  # set while something is asked
        self._reports = 0
        self._silent = False  # for longer than it may be
        self._started = asyncio.get_running_loop().time()
        self._life = asyncio.create_task(self._live(), name="glossator-worker")
        self.spare(troubles.listed)

    async def ask(
        self, pickled: bytes, on_progress: Callable[[JobProgress], None] | None
    ) -> bytes | None:
        """The pickled result of a job, or None when the process has ended. Raises `JobFailed`."""
        if self._life.done():
            return None
        number = next(self._numbers)
        asked = _Asked(asyncio.get_running_loop().create_future(), on_progress)
        self._asked[number] = asked
        self._busy.set()
        try:
            self._pipes.requests.write(frame(Start(number, pickled)))
            with contextlib.suppress(ConnectionError):  # the reader notices its end
                await self._pipes.requests.drain()
            return await asked.result
        except asyncio.CancelledError:
            if not self._life.done():
                self._pipes.requests.write(frame(Drop(number)))
            raise
        finally:
            self._asked.pop(number, None)
            if not self._asked:
                self._busy.clear()

    def spare(self, troubles: tuple[Trouble, ...]) -> None:
        """Tell it to skip these items."""
        self._pipes.requests.write(frame(Spare(troubles)))

    async def close(self) -> None:
        """End the process and wait for its end."""
        self._pipes.requests.close()
        done, _ = await asyncio.wait({self._life}, timeout=_LAST_SECONDS)
        if not done:
            self._kill()
            await asyncio.wait({self._life})

    async def _live(self) -> None:
        with self._pipes.mark or contextlib.nullcontext():  # closed also if this is cancelled
            await self._until_its_end()

    async def _until_its_end(self) -> None:
        """Read until the process ends, then end all pending calls."""
        logging_ = asyncio.create_task(self._log_errors())
        watching = asyncio.create_task(self._watch())
        try:
            await self._read()
        finally:
            watching.cancel()
            code = await self._exit_code()
            await logging_
            lived = asyncio.get_running_loop().time() - self._started
            outside = -code in _FROM_OUTSIDE and not self._silent
            self.over_items = self._on_end(End(self._how(code), lived, self._pipes.item(), outside))
            for asked in self._asked.values():
                if not asked.result.done():
                    asked.result.set_result(None)

    async def _read(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (size,) = HEADER.unpack(await self._pipes.reports.readexactly(HEADER.size))
                body = await self._pipes.reports.readexactly(size)
                report: Report = pickle.loads(body)  # noqa: S301 - our own child, see jobs.py
                self._take(report)

    async def _watch(self) -> None:
        """Kill the process when it has a job and is silent for too long."""
        silent = 0
        while silent < _LOOKS:
            await self._busy.wait()
            before = self._reports
            await asyncio.sleep(self._patience / _LOOKS)
            silent = silent + 1 if self._asked and self._reports == before else 0
        self._silent = True
        self._kill()

    def _how(self, code: int) -> str:
        if self._silent:
            return f"gave no sign of life for {self._patience:.3g} s and was ended"
        return f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"

    def _take(self, report: Report) -> None:
        self._reports += 1
        match report:
            case Ready():
                self.ready = True
            case Alive():
                pass
            case Told(news):
                self._troubles.learn(news)
            case Advanced(number, progress):
                asked = self._asked.get(number)
                if asked is not None and asked.on_progress is not None:
                    asked.on_progress(progress)
            case Done(number, result):
                self._answer(number, result)
            case Failed(number, message):
                self._fail(number, JobFailed(message))

    def _answer(self, number: int, result: bytes) -> None:
        asked = self._asked.get(number)
        if asked is not None and not asked.result.done():
            asked.result.set_result(result)

    def _fail(self, number: int, error: JobFailed) -> None:
        asked = self._asked.get(number)
        if asked is None:
            _log.warning("A job that was dropped failed: %s", error)
        elif not asked.result.done():
            asked.result.set_exception(error)

    async def _exit_code(self) -> int:
        """The exit code; a process that closed its pipe and does not end is killed.

        It gets time to end by itself: killing a process that has just ended loses its exit code.
        """
        try:
            return await asyncio.wait_for(self._process.wait(), _LAST_SECONDS)
        except TimeoutError:
            self._kill()
            return await self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def _log_errors(self) -> None:
        while chunk := await self._pipes.log.read(_LOG_CHUNK):
            for line in chunk.decode("utf-8", "replace").splitlines():
                _log.warning("worker: %s", line)


async def unpickled(result: bytes) -> object:
    """Unpickle `result`; a large one in a thread."""
    if len(result) < _LARGE:
        return pickle.loads(result)  # noqa: S301
    return await asyncio.to_thread(pickle.loads, result)


_INHERITED = frozenset(
    "PATH HOME LANG LANGUAGE TMPDIR TMP TEMP LD_LIBRARY_PATH DYLD_LIBRARY_PATH "
    "SYSTEMROOT SYSTEMDRIVE WINDIR USERPROFILE APPDATA LOCALAPPDATA "
    "PYTHONHOME PYTHONUTF8 PYTHONIOENCODING PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX "
    "PYTHONNOUSERSITE PYTHONUSERBASE PYTHONWARNINGS PYTHONFAULTHANDLER".split()
)
_INHERITED_FAMILIES = ("LC_", "XDG_")
_NEUTRAL_FOLDER = os.path.abspath(os.sep)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # or numpy starts a pool


@dataclass(frozen=True, slots=True)
class Launched:
    """A worker process, its pipes, and the memory in which it marks its item, if there is any."""

    process: Process
    requests: asyncio.StreamWriter
    reports: asyncio.StreamReader
    log: asyncio.StreamReader
    mark: BinaryIO | None

    def item(self) -> Item | None:
        """The item that the process worked on when it ended."""
        if self.mark is None:
            return None
        self.mark.seek(0)
        return marked(self.mark.read())


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of `environ` that a worker needs; no keys and no tokens."""
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper() in _INHERITED or name.startswith(_INHERITED_FAMILIES)
    }
    # the worker runs in another folder, so entries become absolute; empty ones go
    places = [
        os.path.abspath(place) for place in environ.get("PYTHONPATH", "").split(os.pathsep) if place
    ]
    if places:
        kept["PYTHONPATH"] = os.pathsep.join(places)
    return kept | _ONE_THREAD


async def launch() -> Launched:
    """Start a worker process; raises `OSError`.

    It runs outside the workspace with `-P`, so that it imports no module of the workspace, and in
    its own session, so that Ctrl-C in a terminal does not reach it.
    """
    mark = _shared()
    passed = () if mark is None else (mark.fileno(),)
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "glossator.worker",
            *map(str, passed),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=_NEUTRAL_FOLDER,
            env=clean_environment(os.environ),
            start_new_session=True,
            pass_fds=passed,
        )
    except (OSError, asyncio.CancelledError):
        if mark is not None:
            mark.close()
        raise
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise OSError("the worker process was started without its pipes")
    return Launched(process, process.stdin, process.stdout, process.stderr, mark)


def _shared() -> BinaryIO | None:
    """A file without a name, to be mapped into memory; None where the system has none to share.

    It is written, as its space must be there: a full disk would end a process that maps it.
    """
    if sys.platform == "win32":
        return None
    try:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
    except OSError as error:
        _log.warning("A file that ends the worker process cannot be told: %s", error)
        return None
    try:
        file.write(bytes(MARK_BYTES))
        file.flush()
    except OSError as error:
        file.close()
        _log.warning("A file that ends the worker process cannot be told: %s", error)
        return None
    return file

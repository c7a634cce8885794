"""ripgrep, used as a filter over many plain files: which of them hold matching lines, how many.

No program that the workspace may contain is run. A found program is remembered; after a failure,
the search for one is repeated after a while. It runs without its configuration and our environment,
and reads only the files it is given.
"""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, chain, islice
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import IO, Self

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.roots import Roots, is_inside

_OLDEST = 14
_VERSION = re.compile(rb"ripgrep (\d+)\.")
_VERSION_SECONDS = 2.0  # seconds for `--version`
_RETRY_SECONDS = 60.0  # seconds until the next search after a failure
_HUNG_SECONDS = 300.0  # seconds without one that hung
_MAX_FOUND = 8  # sets of roots
_IN_VSCODE = "node_modules/@vscode/ripgrep/bin/rg"
_VSCODE = (
    "/usr/share/code/resources/app",
    "/usr/lib/code",
    "/opt/visual-studio-code/resources/app",
    "/snap/code/current/usr/share/code/resources/app",
    "/Applications/Visual Studio Code.app/Contents/Resources/app",
    "~/.vscode-server/cli/servers/*/server",
    "~/.vscode-server/bin/*",
)

_log = logging.getLogger(__name__)

LARGE = 8_000_000  # bytes; searching a larger file takes longer than starting ripgrep

_FIRST_BATCH = 600  # files; a batch is reported when all of it was searched, …
_MAX_BATCH = 5_000  # … and at most, so that a cancelled search ends soon
_BATCH_SECONDS = 5.0  # seconds for a batch, and more by the rates of a slow disk
_SLOWEST_FILES = 500  # a second
_SLOWEST_BYTES = 20_000_000  # a second
_ARGUMENT_BYTES = os.sysconf("SC_ARG_MAX") * 3 // 4
_POINTER = 8  # bytes an argument takes beside its text
_path = attrgetter("path")


@dataclass(frozen=True, slots=True)
class NoRipgrep:
    """Why ripgrep is not used, and what the user can do about it."""

    reason: str
    next_step: str = ""


_found: dict[tuple[str, Roots], tuple[str | NoRipgrep, float]] = {}  # and until when that holds
_left_out: dict[str, float] = {}  # programs that hung, and until when they are not run


def find_ripgrep(
    setting: str, roots: Roots, cancelled: Callable[[], bool] = lambda: False
) -> str | NoRipgrep:
    """The program to run, as an absolute path that does not lie in the workspace.

    `setting` is `auto`, `off`, or a path. Programs are asked for their version: from a thread only.
    """
    found, until = _found.get((setting, roots), (None, 0.0))
    if found is None or monotonic() > until:
        found = _look_for(setting, roots, cancelled)
        if cancelled():
            return NoRipgrep("off: the search was cancelled")
        if len(_found) >= _MAX_FOUND:
            _found.clear()
        until = math.inf if isinstance(found, str) else monotonic() + _RETRY_SECONDS
        _found[setting, roots] = found, until
    if isinstance(found, str) and is_left_out(found):
        return NoRipgrep(
            f"off for some minutes: {found} did not end in time",
            "Searches read the files without it. Find out why it hangs, or set workspace.ripgrep.",
        )
    return found


def leave_out(program: str) -> None:
    """Do not run this program for some minutes."""
    _left_out[program] = monotonic() + _HUNG_SECONDS


def is_left_out(program: str) -> bool:
    """Whether it hung recently."""
    return monotonic() < _left_out.get(program, 0.0)


def _look_for(setting: str, roots: Roots, cancelled: Callable[[], bool]) -> str | NoRipgrep:
    if setting == "off":
        return NoRipgrep("off: turned off by the setting workspace.ripgrep")
    if setting != "auto":
        named = os.path.expanduser(setting)
        if os.path.isabs(named) and _is_ripgrep(named, cancelled):
            return named
        return NoRipgrep(
            f"off: workspace.ripgrep is {setting}, no full path of ripgrep {_OLDEST}+",
            f"Set workspace.ripgrep to auto, off, or the full path of ripgrep {_OLDEST} or newer.",
        )
    for folder in _folders():
        program = shutil.which("rg", path=folder)
        if program is None or _in_workspace(program, roots):
            continue
        if _is_ripgrep(program, cancelled):
            return program
    return NoRipgrep(
        f"off: no rg of version {_OLDEST} or newer on the PATH;"
        " install ripgrep or name it in the setting workspace.ripgrep"
    )


def _is_ripgrep(program: str, cancelled: Callable[[], bool]) -> bool:
    """Whether it is ripgrep, and new enough to treat line ends as we do."""
    try:
        with Child([program, "--no-config", "--version"]) as child:
            ended = child.wait(_VERSION_SECONDS, cancelled)
    except OSError:  # a `TimeoutError` is one, too
        return False
    version = _VERSION.match(ended.output) if ended is not None else None
    return version is not None and int(version[1]) >= _OLDEST


def _folders() -> Iterable[str]:
    """Where ripgrep may be: absolute folders of the PATH, then VS Code's own."""
    yield from filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))
    for place in _VSCODE:
        start = Path(place).expanduser()
        found = Path(start.anchor).glob(f"{start.relative_to(start.anchor)}/{_IN_VSCODE}")
        yield from (str(program.parent) for program in found)


def _in_workspace(program: str, roots: Roots) -> bool:
    """Whether the program lies in the workspace."""
    return any(
        is_inside(path, root)
        for path in (os.path.abspath(program), os.path.realpath(program))
        for root in roots.paths
    )


_CANCEL_CHECK_SECONDS = 0.02  # seconds between two checks whether the search was cancelled


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The exit code and output of a program; `output` is empty if it went into a file."""

    code: int
    output: bytes
    errors: bytes


class Child:
    """A running program, without our environment; leaving the `with` ends it.

    Raises `OSError` when it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str | bytes],
        folder: str | None = None,
        output: int | IO[bytes] = subprocess.PIPE,
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - a program outside the workspace
            command,
            cwd=folder,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            process_group=0,  # Ctrl-C in a terminal is for the server to handle
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def wait(self, seconds: float, cancelled: Callable[[], bool]) -> ProgramResult | None:
        """How it ended; None if it was cancelled. Raises `TimeoutError` past so many seconds."""
        deadline = monotonic() + seconds
        while not cancelled():
            try:
                output, errors = self._process.communicate(timeout=_CANCEL_CHECK_SECONDS)
            except subprocess.TimeoutExpired:
                if monotonic() > deadline:
                    raise TimeoutError from None
                continue
            return ProgramResult(self._process.returncode, output or b"", errors)
        return None

    def end(self) -> None:
        """End it and wait for its end; safe to call again."""
        if self._process.returncode is None:
            self._kill()
        with self._process:  # closes the pipes and takes the exit code
            pass

    def _kill(self) -> None:
        """End the program and its children."""
        if sys.platform == "win32":
            self._process.kill()
            return
        # the group cannot be another one's: its number is taken until our child is waited for;
        # where only the remains of the child are left of it, some systems refuse
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Request:
    """What to search for; ripgrep is used only for portable patterns (`required.Analysis`)."""

    pattern: str
    ignore_case: bool = False
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A program to run for a request; all files lie below `folder`.

    `counting`: it counts the matching lines of a file, else it only lists files with a match.
    """

    program: str
    request: Request
    folder: str
    counting: bool

    def command(self) -> list[str]:
        """The program and its options."""
        request = self.request
        return [
            self.program,
            *("--no-config", "--no-ignore", "--hidden", "--color=never", "--no-heading"),
            *("--crlf", "--null", "--with-filename", "--no-pre", "--no-search-zip"),
            "--count" if self.counting else "--files-with-matches",
            *(("--multiline", "--multiline-dotall") if request.multiline else ()),
            "--ignore-case" if request.ignore_case else "--case-sensitive",
            f"--regexp={request.pattern}",
            "--",
        ]


@dataclass(frozen=True, slots=True)
class _FileBatch:
    """Files with their arguments for ripgrep; an empty one for a file that it does not search."""

    files: Sequence[FileEntry]
    arguments: Sequence[bytes]
    run: _Run | None  # if there are any arguments


class Prefilter:
    """ripgrep on `files`, batch by batch; a context manager.

    The next batch starts before the current one is used up, unless that is likely to be enough:
    `wanted` says whether more than so many matching files are. Of the `passed` files `matched` held
    a match; both begin with those that were searched without ripgrep.
    """

    def __init__(
        self,
        ripgrep: Ripgrep,
        files: Iterator[FileEntry],
        withheld: Callable[[FileEntry], bool],
        wanted: Callable[[int], bool],
        cancelled: Callable[[], bool],
    ) -> None:
        self.passed = self.matched = 0  # files
        self._ripgrep = ripgrep
        self._files = files
        self._withheld = withheld
        self._wanted = wanted
        self._cancelled = cancelled
        self._size = _FIRST_BATCH
        self._begun: deque[_FileBatch] = deque()

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        for batch in self._begun:
            if batch.run is not None:
                batch.run.end()

    def __iter__(self) -> Iterator[tuple[FileEntry, int | None]]:
        """The files that may match, in their order, with their number of matching lines.

        That is 1 if it is not counting, and None if it is unknown: for `withheld` files, and where
        ripgrep failed.
        """
        while (batch := self._begun[0]).files:
            counts: Mapping[bytes, int | None] | None = None
            for entry, argument in zip(batch.files, batch.arguments, strict=True):
                if not argument:
                    yield entry, None
                    continue
                if counts is None:
                    counts = self._counts(batch)
                if argument in counts:
                    yield entry, counts[argument]
            self._begun.popleft()
            if not self._begun:
                self._begin()

    def _counts(self, batch: _FileBatch) -> Mapping[bytes, int | None]:
        """The matches of the current batch, by argument."""
        likely = len(batch.files) * self.matched // max(self.passed, 1)
        if self.passed and not self._cancelled() and self._wanted(likely):
            self._begin()  # so that no core waits
        counts: Mapping[bytes, int | None] = {}
        if batch.run is not None:
            counts = batch.run.counts(self._cancelled)
            batch.run.end()
        self.passed += len(batch.files)
        self.matched += len(counts)
        more = not self._cancelled() and self._wanted(len(counts))
        if more and len(self._begun) == 1:
            self._begin()
        return counts

    def _begin(self) -> None:
        """Start the next batch; its arguments fit one command line."""
        ripgrep = self._ripgrep
        start = len(ripgrep.folder.rstrip(os.sep)) + 1
        some = list(islice(self._files, self._size))
        self._size = min(2 * self._size, _MAX_BATCH)
        paths = "\0".join([path[start:] for path in map(_path, some)])
        arguments = os.fsencode(paths).split(b"\0") if some else []
        ends = accumulate(len(argument) + 1 + _POINTER for argument in arguments)
        room = bisect_left(list(ends), _ARGUMENT_BYTES)
        for number, entry in enumerate(some[:room]):
            if self._withheld(entry):
                arguments[number] = b""
            elif arguments[number] == b"-":  # which would be standard input
                arguments[number] = b"./-"
        if room < len(some):
            self._files = chain(some[room:], self._files)
            some, arguments = some[:room], arguments[:room]
        run = _Run(ripgrep, some, arguments) if any(arguments) else None
        self._begun.append(_FileBatch(some, arguments, run))


class _Run:
    """One run of ripgrep on some files."""

    def __init__(
        self, ripgrep: Ripgrep, files: Sequence[FileEntry], arguments: Iterable[bytes]
    ) -> None:
        self._program = ripgrep.program
        self._counting = ripgrep.counting
        self._arguments = list(filter(None, arguments))
        self._patience = (
            _BATCH_SECONDS
            + len(files) / _SLOWEST_FILES
            + sum(entry.size for entry in files) / _SLOWEST_BYTES
        )
        self._output: IO[bytes] | None = None
        self._child: Child | None = None
        if is_left_out(self._program):
            return
        try:
            # into a file, a pipe would wake this thread for every line
            self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed on leaving
            command = [*map(os.fsencode, ripgrep.command()), *self._arguments]
            self._child = Child(command, ripgrep.folder, self._output)
        except OSError as error:
            _log.warning("%s; the files are searched without ripgrep.", error)

    def end(self) -> None:
        """End it and drop its output; safe to call again."""
        if self._child is not None:
            self._child.end()
        if self._output is not None:
            self._output.close()

    def counts(self, cancelled: Callable[[], bool]) -> Mapping[bytes, int | None]:
        """Wait for the matching lines by argument; None: search the file without ripgrep."""
        unread: Sequence[bytes] | None = None
        if self._child is not None and not is_left_out(self._program):
            try:
                ended = self._child.wait(self._patience, cancelled)
            except TimeoutError:
                self._child.end()
                leave_out(self._program)
                _log.warning(
                    "%s did not end within %.0f s; for some minutes files are searched without it.",
                    self._program,
                    self._patience,
                )
            else:
                unread = self._unread(ended) if ended is not None else None
        if unread is None or self._output is None:
            return dict.fromkeys(self._arguments)
        return {**self._parse(self._output), **dict.fromkeys(unread)}

    def _parse(self, output: IO[bytes]) -> dict[bytes, int]:
        """`name NUL count LF` for each file; only `name NUL` where it was not to count."""
        output.seek(0)
        name, *rest = output.read().split(b"\0")
        if not self._counting:
            return dict.fromkeys((name, *rest[:-1]), 1)
        counts: dict[bytes, int] = {}
        for part in rest:
            count, _, following = part.partition(b"\n")
            counts[name] = int(count)
            name = following
        return counts

    def _unread(self, ended: ProgramResult) -> Sequence[bytes] | None:
        """The files that it could not read; None after any other failure."""
        if ended.code in (0, 1):
            return []
        lines = ended.errors.splitlines()
        names = [line.removeprefix(b"rg: ").rpartition(b": ")[0] for line in lines]
        if ended.code == 2 and names and set(self._arguments).issuperset(names):
            return names
        shown = ended.errors[:500].decode("utf-8", "replace").strip()
        _log.warning(
            "ripgrep ended with %s (%s); the files are searched without it.", ended.code, shown
        )
        return None


_FOLDING = re.compile(r"\(\?[a-zA-Z]*i")


def folds_alike(pattern: str, *, ignore_case: bool) -> bool:
    """Whether both engines agree on letter case; beyond ASCII, their Unicode versions differ."""
    ascii_only = pattern.isascii() and r"\x{" not in pattern
    return ascii_only or not (ignore_case or _FOLDING.search(pattern))

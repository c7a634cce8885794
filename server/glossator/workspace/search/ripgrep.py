"""ripgrep, used as a filter over many plain files: which of them hold matching lines, how many.

It runs without its configuration and our environment, and reads only the files it is given.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice
from operator import attrgetter
from typing import IO, Self

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.search.ripgrep_program import Child, ProgramResult, is_left_out, leave_out

_log = logging.getLogger(__name__)

LARGE = 8_000_000  # bytes; searching a larger file takes longer than starting ripgrep

_FIRST_BATCH = 600  # files; a batch is reported when all of it was searched, …
_MOST = 5_000  # … and at most, so that a cancelled search ends soon
_PATIENCE = 5.0  # seconds for a batch, and more by the rates of a slow disk
_SLOWEST_FILES = 500  # a second
_SLOWEST_BYTES = 20_000_000  # a second
_ARGUMENT_BYTES = os.sysconf("SC_ARG_MAX") * 3 // 4
_POINTER = 8  # bytes an argument takes beside its text
_path = attrgetter("path")


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
        self._size = min(2 * self._size, _MOST)
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
            _PATIENCE
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

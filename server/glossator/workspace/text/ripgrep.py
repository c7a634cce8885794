"""ripgrep, used as a filter over many plain files: which of them hold matching lines, how many.

It is run without its configuration and our environment, and reads only the files it is given.
"""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Self

from glossator.workspace.text.ripgrep_pattern import in_ripgrep_words
from glossator.workspace.walk import FileEntry

_log = logging.getLogger(__name__)

_FIRST_BATCH = 200  # files
_LOOK_UP = 0.02  # seconds between looks at whether the search was cancelled
_ARGUMENT_BYTES = os.sysconf("SC_ARG_MAX") * 3 // 4
_POINTER = 8  # bytes an argument takes beside its text


@dataclass(frozen=True, slots=True)
class Request:
    """What to look for; ripgrep is only asked if the pattern is portable (`required.Analysis`)."""

    pattern: str
    ignore_case: bool = False
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A program to run for a request; all files lie below `folder`.

    If it is `counting`, it counts the matching lines, else it only tells whether there are any.
    """

    program: str
    request: Request
    folder: str
    counting: bool

    def sift(
        self, files: Sequence[FileEntry], plain: Container[str], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[FileEntry, int | None]]:
        """Those of `files` that may match, in their order, with their number of matching lines.

        That is 1 if it is not counting, and None where it cannot tell: for files that are not
        `plain` (by absolute path), and for what it failed at.
        """
        batches = self._batches(files)
        with ExitStack() as running:

            def start(batch: Sequence[FileEntry]) -> _Run | None:
                paths = [entry.path for entry in batch if entry.path in plain]
                if not paths:
                    return None
                # into a file, because a pipe would wake us up for every single line
                output = running.enter_context(tempfile.TemporaryFile())
                return running.enter_context(_Run(self, paths, output))

            batch = next(batches, ())
            run = start(batch)
            while batch:
                counts = run.counts(cancelled) if run else {}
                following, next_run = next(batches, ()), None
                for number, entry in enumerate(batch):
                    if number == len(batch) // 2:  # works while the rest is looked at, if it is
                        next_run = start(following)
                    if entry.path not in plain:
                        yield entry, None
                    elif entry.path in counts:
                        yield entry, counts[entry.path]
                batch, run = following, next_run

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
            f"--regexp={in_ripgrep_words(request.pattern)}",
            "--",
        ]

    def _batches(self, files: Sequence[FileEntry]) -> Iterator[Sequence[FileEntry]]:
        """Runs of files, each four times as long as the one before, that fit a command line."""
        beyond = len(self.folder) - _POINTER
        at, size = 0, _FIRST_BATCH
        while at < len(files):
            end, room = at, _ARGUMENT_BYTES
            while room > 0 and end < min(len(files), at + size):
                path = files[end].path
                room -= (len(path) if path.isascii() else len(os.fsencode(path))) - beyond
                end += 1
            yield files[at:end]
            at, size = end, size * 4


class _Run:
    """ripgrep at work on some files; leaving the `with` ends it."""

    def __init__(self, ripgrep: Ripgrep, paths: Sequence[str], output: IO[bytes]) -> None:
        start = len(ripgrep.folder.rstrip(os.sep)) + 1
        self._paths = {_argument(path[start:]): path for path in paths}
        self._counting = ripgrep.counting
        self._output = output
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program outside the workspace
                [*map(os.fsencode, ripgrep.command()), *self._paths],
                cwd=ripgrep.folder,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.PIPE,
                process_group=0,  # Ctrl-C in a terminal is for the server to handle
            )
        except OSError as error:
            _log.warning("%s; the files are searched without ripgrep.", error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            with self._process:  # closes the pipe and takes the exit code
                pass

    def counts(self, cancelled: Callable[[], bool]) -> Mapping[str, int | None]:
        """Wait for the matching lines by absolute path; None: to be looked at without it."""
        process = self._process
        while process is not None and not cancelled():
            try:
                _, errors = process.communicate(timeout=_LOOK_UP)
            except subprocess.TimeoutExpired:
                continue
            unread = self._unread(process.returncode, errors)
            if unread is None:
                shown = errors[:500].decode("utf-8", "replace").strip()
                _log.warning(
                    "ripgrep ended with %s (%s); the files are searched without it.",
                    process.returncode,
                    shown,
                )
                break
            return {**self._parse(), **dict.fromkeys(unread)}
        return dict.fromkeys(self._paths.values())

    def _parse(self) -> dict[str, int | None]:
        """`name NUL count LF` for each file; only `name NUL` where it was not to count."""
        self._output.seek(0)
        name, *rest = self._output.read().split(b"\0")
        counts: dict[str, int | None] = {}
        for part in rest:
            count, _, following = part.partition(b"\n") if self._counting else (1, b"", part)
            counts[self._paths[name]] = int(count)
            name = following
        return counts

    def _unread(self, code: int, errors: bytes) -> list[str] | None:
        """The files it could not read; None when it failed at anything else."""
        if code in (0, 1):
            return []
        names = [line.removeprefix(b"rg: ").rpartition(b": ")[0] for line in errors.splitlines()]
        understood = code == 2 and names and all(name in self._paths for name in names)
        return [self._paths[name] for name in names] if understood else None


def _argument(path: str) -> bytes:
    return os.fsencode(path) if path != "-" else b"./-"  # which alone would be standard input

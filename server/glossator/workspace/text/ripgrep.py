"""ripgrep, used as a filter over many plain files: which of them hold matching lines, how many.

It is run without its configuration and our environment, and reads only the files it is given.
"""

from __future__ import annotations

import logging
import os
import subprocess
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from glossator.workspace.text.ripgrep_pattern import in_ripgrep_words
from glossator.workspace.walk import FileEntry

_log = logging.getLogger(__name__)

_FIRST_BATCH = 500  # files
_LOOK_UP = 0.02  # seconds between looks at whether the search was cancelled
_ARGUMENT_BYTES = min(os.sysconf("SC_ARG_MAX") // 2, 1_500_000)
_POINTER = 8  # bytes an argument takes beside its text


@dataclass(frozen=True, slots=True)
class Request:
    """What to look for; ripgrep is only asked if the pattern is portable (`required.Analysis`)."""

    pattern: str
    ignore_case: bool = False
    multiline: bool = False

    def arguments(self) -> list[str]:
        """Its options."""
        return [
            *("--no-config", "--no-ignore", "--hidden", "--color=never", "--no-heading"),
            *("--crlf", "--null", "--with-filename", "--no-pre", "--no-search-zip"),
            "--files-with-matches" if self.multiline else "--count",  # it counts matches there
            *(("--multiline", "--multiline-dotall") if self.multiline else ()),
            "--ignore-case" if self.ignore_case else "--case-sensitive",
            f"--regexp={in_ripgrep_words(self.pattern)}",
            "--",
        ]


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A program to run for a request; all files lie below `folder`."""

    program: str
    request: Request
    folder: str

    def sift(
        self, files: Sequence[FileEntry], plain: Container[str], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[FileEntry, int | None]]:
        """Those of `files` that may match, in their order, with their number of matching lines.

        The number is None where ripgrep cannot tell: for files that are not `plain` (by absolute
        path), for what it failed at, and for matches of several lines.
        """
        batches = self._batches(files)
        with ExitStack() as running:
            batch = next(batches, ())
            run = self._start(batch, plain, running)
            while batch:
                counts = run.counts(cancelled) if run else {}
                following = next(batches, ())
                run = self._start(following, plain, running)  # works while these are looked at
                for entry in batch:
                    if entry.path not in plain:
                        yield entry, None
                    elif entry.path in counts:
                        yield entry, counts[entry.path]
                batch = following

    def _batches(self, files: Sequence[FileEntry]) -> Iterator[Sequence[FileEntry]]:
        """Runs of files, each four times as long as the one before, that fit a command line."""
        beyond = len(self.folder) - _POINTER
        at, size = 0, _FIRST_BATCH
        while at < len(files):
            end, room = at, _ARGUMENT_BYTES
            while room > 0 and end < min(len(files), at + size):
                room -= len(os.fsencode(files[end].path)) - beyond
                end += 1
            yield files[at:end]
            at, size = end, size * 4

    def _start(
        self, batch: Sequence[FileEntry], plain: Container[str], running: ExitStack
    ) -> _Run | None:
        start = len(self.folder.rstrip(os.sep)) + 1
        files = [file.path for file in batch if file.path in plain]
        if not files:
            return None
        return running.enter_context(_Run(self, {_argument(path[start:]): path for path in files}))


class _Run:
    """ripgrep at work on some files, by the names it is given; leaving the `with` ends it."""

    def __init__(self, ripgrep: Ripgrep, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._counts = not ripgrep.request.multiline
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program outside the workspace
                [ripgrep.program, *ripgrep.request.arguments(), *paths],
                cwd=ripgrep.folder,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
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
            with self._process:  # closes the pipes and takes the exit code
                pass

    def counts(self, cancelled: Callable[[], bool]) -> Mapping[str, int | None]:
        """Wait for the matching lines by absolute path; None: to be looked at without it."""
        process = self._process
        while process is not None and not cancelled():
            try:
                output, errors = process.communicate(timeout=_LOOK_UP)
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
            return {**self._parse(output), **dict.fromkeys(unread)}
        return dict.fromkeys(self._paths.values())

    def _parse(self, output: bytes) -> dict[str, int | None]:
        """`name NUL count LF` for each file; only `name NUL` where it was not to count."""
        counts: dict[str, int | None] = {}
        name, *rest = output.split(b"\0")
        for part in rest:
            count, _, following = part.partition(b"\n") if self._counts else (None, b"", part)
            counts[self._paths[os.fsdecode(name)]] = None if count is None else int(count)
            name = following
        return counts

    def _unread(self, code: int, errors: bytes) -> list[str] | None:
        """The files it could not read; None when it failed at anything else."""
        if code in (0, 1):
            return []
        names = [
            os.fsdecode(line.removeprefix(b"rg: ").rpartition(b": ")[0])
            for line in errors.splitlines()
        ]
        understood = code == 2 and names and all(name in self._paths for name in names)
        return [self._paths[name] for name in names] if understood else None


def _argument(path: str) -> str:
    return path if path != "-" else "./-"  # which alone would be standard input

"""A folder of logs by key, listed without reading them.

`KEY.log` is the log, `KEY.head` a short description that its owner keeps beside it. A head names
the length of the log it describes, so one that is out of date is known as such and not used.
`KEY.owner` says who has the log open, and `KEY.wanted` who else would like to have it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from glossator.store.log import (
    Contents,
    Log,
    NotOpened,
    create_log,
    framed,
    in_use,
    open_log,
    parse,
    read_log,
    remove_log,
    unavailable,
)

_KEY = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")
_LOG, _HEAD, _NEW_HEAD = ".log", ".head", ".head.new"
_OWNER, _WANTED = ".owner", ".wanted"
_NOTE_CHARACTERS = 200
_WANTED_SECONDS = 30  # for which somebody waits for a log
_DAY = 86_400
_FILE_TIME_LAG_NS = 50_000_000  # ns that the times of files may lag behind the clock


@dataclass(frozen=True, slots=True)
class LogInfo:
    """A log as it is listed: `size` in bytes, `modified` in seconds since 1970.

    `head` is None when its owner was ended, or goes on writing, after it described the log;
    `last_head` is what was described then.
    """

    key: str
    size: int
    modified: float
    head: bytes | None
    last_head: bytes | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: the newest `count` logs, changed in the last `days`, of at most `bytes`."""

    days: float
    count: int
    bytes: int


class Logs:
    """The logs in one folder, which is made when first needed. Raises `StoreUnavailable`.

    `who` opens them, in words; without it nobody is told.
    """

    def __init__(self, folder: str, who: str = "") -> None:
        self._folder = folder
        self._who = who
        self._is_made = False

    def create(self, key: str) -> Log:
        """Make a new log that this process owns."""
        if not (self._is_made and os.path.isdir(self._folder)):
            self._make()
        return self._owned(key, create_log(self._path(key, _LOG)))

    def _make(self) -> None:
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            os.chmod(self._folder, 0o700)
            with open(os.path.join(self._folder, ".gitignore"), "w", encoding="utf-8") as file:
                file.write("*\n")  # a workspace that holds this folder must not index it
        except OSError as error:
            raise unavailable(self._folder, error) from error
        self._is_made = True

    def open(self, key: str) -> tuple[Log, Contents] | NotOpened:
        """Own a log and read it; one that is shorter than it was described is damaged."""
        if not _KEY.fullmatch(key):
            return NotOpened.GONE
        described = self._described(key)
        opened = open_log(self._path(key, _LOG), described[0] if described else 0)
        if not isinstance(opened, NotOpened):
            self._owned(key, opened[0])
        return opened

    def close(self, key: str, log: Log) -> None:
        """Give up a log that we own."""
        self._forget(key, _OWNER)
        log.close()

    def owner(self, key: str) -> str:
        """Who has a log open, in words; "" if nobody has, or does not say so."""
        who = self._note(key, _OWNER)
        return who if who and in_use(self._path(key, _LOG)) else ""

    def want(self, key: str) -> None:
        """Ask the process that owns a log to give it up."""
        self._write_note(key, _WANTED)

    def want_no_more(self, key: str) -> None:
        """Ask no longer."""
        self._forget(key, _WANTED)

    def wanted(self, key: str) -> str:
        """Who asks us for a log, in words; "" if nobody does any more."""
        path = self._path(key, _WANTED)
        with suppress(OSError):
            if time.time() - os.stat(path).st_mtime < _WANTED_SECONDS:
                return self._note(key, _WANTED)
        return ""

    def head(self, key: str) -> bytes | None:
        """The last description of a log, which may have changed since."""
        described = self._described(key)
        return described and described[1]

    def read(self, key: str) -> Contents | NotOpened:
        """Read a log, even if another process owns it."""
        return read_log(self._path(key, _LOG)) if _KEY.fullmatch(key) else NotOpened.GONE

    def describe(self, key: str, head: bytes, size: int) -> None:
        """Keep `head` beside a log of `size` bytes that we own."""
        try:
            temporary = self._path(key, _NEW_HEAD)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "wb") as file:
                file.write(framed([b"%d" % size, head]))
            os.replace(temporary, self._path(key, _HEAD))
        except OSError as error:
            raise unavailable(self._folder, error) from error

    def all(self) -> tuple[LogInfo, ...]:
        """All logs, those that changed last first."""
        return tuple(self._info(key, status) for key, status in self._newest_first())

    def others(self, key: str, since: int) -> Iterator[Contents]:
        """The contents of all other logs that were written to since (ns since 1970)."""
        for other, status in self._newest_first():
            if status.st_mtime_ns < since - _FILE_TIME_LAG_NS:
                return
            contents = self.read(other) if other != key else NotOpened.GONE
            if isinstance(contents, Contents):
                yield contents

    def remove(self, key: str) -> NotOpened | None:
        """Delete a log nobody has open; returns why it was not deleted, if it was not."""
        refused = remove_log(self._path(key, _LOG)) if _KEY.fullmatch(key) else NotOpened.GONE
        if refused is None:
            for ending in (_HEAD, _OWNER, _WANTED):  # what is left over describes nothing
                self._forget(key, ending)
        return refused

    def prune(
        self, keep: Retention, spares: Callable[[str], bool] = lambda _: False
    ) -> tuple[str, ...]:
        """Delete what is not to be kept, but nothing in use, or spared; returns the keys."""
        oldest = time.time() - keep.days * _DAY
        gone: list[str] = []
        kept = total = 0
        for key, status in self._newest_first():
            total += status.st_size
            if kept < keep.count and total <= keep.bytes and status.st_mtime >= oldest:
                kept += 1
            elif not spares(key) and self.remove(key) is None:
                gone.append(key)
        return tuple(gone)

    def _keys(self) -> Iterator[str]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unavailable(self._folder, error) from error
        for name in names:
            key = name.removesuffix(_LOG)
            if key != name and _KEY.fullmatch(key):
                yield key

    def _newest_first(self) -> list[tuple[str, os.stat_result]]:
        found: list[tuple[str, os.stat_result]] = []
        for key in self._keys():
            with suppress(OSError):  # deleted since it was listed
                status = os.stat(self._path(key, _LOG), follow_symlinks=False)
                found.append((key, status))
        return sorted(found, key=lambda each: (-each[1].st_mtime, each[0]))

    def _info(self, key: str, status: os.stat_result) -> LogInfo:
        size, last = self._described(key) or (-1, None)
        head = last if size == status.st_size else None
        return LogInfo(key, status.st_size, status.st_mtime, head, last)

    def _described(self, key: str) -> tuple[int, bytes] | None:
        """The length of a log when it was last described, and the description."""
        with suppress(OSError, ValueError):  # none there: the caller reads the log instead
            with open(self._path(key, _HEAD), "rb") as file:
                records = parse(file.read()).records
            if len(records) == 2:
                return int(records[0]), records[1]
        return None

    def _owned(self, key: str, log: Log) -> Log:
        """Note that a log is ours; nobody has to ask for it any more."""
        if self._who:
            self._write_note(key, _OWNER)
            self._forget(key, _WANTED)
        return log

    def _write_note(self, key: str, ending: str) -> None:
        with suppress(OSError):  # others are told less of it
            handle = os.open(self._path(key, ending), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(self._who)

    def _note(self, key: str, ending: str) -> str:
        try:
            with open(self._path(key, ending), encoding="utf-8", errors="replace") as file:
                return file.read(_NOTE_CHARACTERS)
        except OSError:  # there is none
            return ""

    def _forget(self, key: str, ending: str) -> None:
        with suppress(OSError):  # it is gone, or is taken for what it is later
            os.unlink(self._path(key, ending))

    def _path(self, key: str, ending: str) -> str:
        return os.path.join(self._folder, key + ending)

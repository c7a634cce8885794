"""Quarantine for new files with protected names that commands create, until the user allows them.

Below the top of a workspace there are too many places for placeholders, so such files can be
created. They are copied to a folder of Glossator's own and the originals removed; what is put back
is a copy, too (`safe_copy`): a process that has the file open, or by another name, reaches nothing
of what the user was shown. What a running command does to it by its name counts as new again. What
is too large to be copied stays where it is, and is removed if the user denies it or it changes.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import platformdirs

from glossator.core.permission import Cut, PermissionAnswer, PermissionRequest, as_sent
from glossator.core.shown import shown, shown_text
from glossator.permissions import why_protected
from glossator.sandbox.safe_copy import (
    CopyBudget,
    Entry,
    copy,
    error_text,
    fingerprint,
    open_folder,
    remove,
    walk,
)

ProtectedNames = Mapping[str, str | None]  # a path -> where it leads, if it is a link

_FOLDER = "set-aside"  # the name on disk
_KEPT_SECONDS = 30 * 86_400  # that files which were set aside are kept
_MAX_BYTES = 100_000_000  # that are copied of what one command made
_MAX_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A file, folder or link that a command made at `path`, and where (`at`) it is now.

    `failure` says what went wrong. What could not be copied is still at its path; `seen` is its
    fingerprint.
    """

    path: str
    at: str
    failure: str = ""
    seen: str = field(default="", compare=False)

    @property
    def is_copied(self) -> bool:
        """Whether it is in the quarantine folder."""
        return self.at != self.path


@dataclass(frozen=True, slots=True)
class _Allowed:
    """The fingerprint of what the user allowed while commands run."""

    seen: str
    by_contents: bool


class Quarantine:
    """The files with protected names while commands run; from `new` on all methods block."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._allowed: dict[str, _Allowed] = {}
        self._running = 0
        self.since = 0  # ns since 1970

    def begin(self, names: ProtectedNames) -> None:
        """Note that a command starts while these exist; overlapping commands share the note."""
        if not self._running:
            self._known, self._allowed, self.since = dict(names), {}, time.time_ns()
        self._running += 1

    def end(self) -> None:
        """Note that a command has ended."""
        self._running -= 1

    def allow(self, paths: Iterable[str]) -> None:
        """Note that these are no command's work: an edit makes them, or the user allows them."""
        for path in paths:
            self._known[path] = os.readlink(path) if os.path.islink(path) else None
            self._allowed.pop(path, None)

    def new(self, names: ProtectedNames) -> list[str]:
        """The names that are new, lead elsewhere than before, or differ from what was allowed."""
        return [
            path
            for path, link in sorted(names.items())
            if path not in self._known or self._known[path] != link or not self._is_as_allowed(path)
        ]

    def take(self, paths: Sequence[str]) -> tuple[Quarantined, ...]:
        """Move these to a new folder, and restore a link that was there before."""
        folder = os.path.join(_place(), f"{int(time.time())}-{secrets.token_hex(4)}")
        budget = _budget()
        return tuple(
            self._take(path, os.path.join(folder, str(number)), budget)
            for number, path in enumerate(paths, 1)
        )

    def put_back(self, taken: Iterable[Quarantined]) -> tuple[Quarantined, ...]:
        """Put these back, since the user allows them; returns the outcome for each."""
        return tuple(
            self._put_back(each) if each.is_copied else self._leave_in_place(each) for each in taken
        )

    def discard(self, taken: Iterable[Quarantined]) -> tuple[Quarantined, ...]:
        """Remove what is left of these, as the user denies them; returns the outcome for each."""
        return tuple(self._discard(each) if each.failure else each for each in taken)

    def _is_as_allowed(self, path: str) -> bool:
        allowed = self._allowed.get(path)
        return allowed is None or allowed.seen == _seen(path, by_contents=allowed.by_contents)

    def _take(self, path: str, folder: str, budget: CopyBudget) -> Quarantined:
        above, name = os.path.split(path)
        try:
            os.makedirs(folder, mode=0o700)
            with open_folder(above) as source, open_folder(folder) as target:
                copy(name, source, name, target, budget)
        except OSError as error:
            failure = f"it could not be moved ({error_text(error)})"
            return Quarantined(path, path, failure, _seen(path, by_contents=False))
        try:
            self._remove(path)
        except FileNotFoundError:  # somebody else did
            pass
        except OSError as error:
            failure = f"it could only be copied ({error_text(error)})"
            return Quarantined(path, os.path.join(folder, name), failure)
        return Quarantined(path, os.path.join(folder, name))

    def _put_back(self, each: Quarantined) -> Quarantined:
        name, link = os.path.basename(each.path), self._known.get(each.path)
        if each.failure and (each := self._discard(each)).failure:
            return each  # the original was left, and is there yet
        try:
            with (
                open_folder(os.path.dirname(each.at)) as source,
                open_folder(os.path.dirname(each.path), create=True) as target,
            ):
                seen = fingerprint(name, source, _budget())
                if link is not None and _leads_to(link, name, target):
                    os.unlink(name, dir_fd=target)
                try:
                    copy(name, source, name, target, _budget())
                except OSError:
                    _link_again(link, name, target)
                    raise
                with suppress(OSError):  # it is removed in some weeks
                    remove(name, source)
        except OSError as error:
            is_there = isinstance(error, FileExistsError)
            why = "something else is there now" if is_there else error_text(error)
            place = shown(os.path.dirname(each.at))
            return replace(each, failure=f"it could not be put back ({why}) and is in {place}")
        self.allow([each.path])
        self._allowed[each.path] = _Allowed(seen, by_contents=True)
        return replace(each, failure="")

    def _leave_in_place(self, each: Quarantined) -> Quarantined:
        if not each.seen or each.seen != _seen(each.path, by_contents=False):
            changed = replace(each, failure="it changed while the user was asked")
            return self._discard(changed)
        self.allow([each.path])
        self._allowed[each.path] = _Allowed(each.seen, by_contents=False)
        return replace(each, failure="")

    def _discard(self, each: Quarantined) -> Quarantined:
        gone = f"{each.failure}, so it was removed"
        try:
            self._remove(each.path)
        except FileNotFoundError:
            gone = f"{each.failure}, and is gone"
        except OSError as error:
            failure = f"{each.failure} and could not be removed ({error_text(error)})"
            return replace(each, failure=f"{failure}, so look at it yourself")
        return replace(each, failure="" if each.is_copied else gone)

    def _remove(self, path: str) -> None:
        """Remove it, and restore a link that was there before. Raises `OSError`."""
        above, name = os.path.split(path)
        with open_folder(above) as folder:
            try:
                remove(name, folder)
            finally:
                _link_again(self._known.get(path), name, folder)


def sweep() -> None:
    """Remove what has been in quarantine for long; blocking."""
    with suppress(OSError), os.scandir(_place()) as found:
        for each in found:
            made, _, _ = each.name.partition("-")
            if made.isdigit() and time.time() - int(made) > _KEPT_SECONDS:
                shutil.rmtree(each.path, ignore_errors=True)


def _place() -> str:
    state = os.path.realpath(platformdirs.user_state_dir("glossator"))
    return os.path.join(state, _FOLDER)


def _budget() -> CopyBudget:
    return CopyBudget(_MAX_BYTES, _MAX_ENTRIES)


def _seen(path: str, *, by_contents: bool) -> str:
    """The fingerprint of what is there; "" if it cannot be read."""
    above, name = os.path.split(path)
    try:
        with open_folder(above) as folder:
            return fingerprint(name, folder, _budget() if by_contents else None)
    except OSError:
        return ""


def _leads_to(link: str, name: str, folder: int) -> bool:
    try:
        return os.readlink(name, dir_fd=folder) == link
    except OSError:  # it is no link
        return False


def _link_again(link: str | None, name: str, folder: int) -> None:
    if link is not None:
        with suppress(FileExistsError):
            os.symlink(link, name, dir_fd=folder)


Relative = Callable[[str], str]  # a path as the user knows it

_MAX_NAMED = 5
_MAX_SHOWN_BYTES = 500_000  # bytes; to escape so many takes some two seconds
_INDENT = "    "  # of contents, so that none can pass for the name of another file


def quarantine_question(taken: Sequence[Quarantined], relative: Relative) -> PermissionRequest:
    """The question about these files; blocking."""
    names = [shown(relative(each.path)) for each in taken]
    what = names[0] if len(names) == 1 else f"{len(names)} protected files"
    reasons = [
        f"{name} is protected: {why_protected(each.path)}."
        for name, each in zip(names, taken, strict=True)
    ]
    if (more := len(reasons) - _MAX_NAMED) > 0:
        reasons[_MAX_NAMED:] = [f"{more:,} more are protected."]
    left = [
        f"{name} ({each.failure})" for name, each in zip(names, taken, strict=True) if each.failure
    ]
    if left:
        reasons.append(
            f"Still in its place, and removed for good if you deny: {_some(left, '; ')}."
        )
    detail = _Detail()
    for name, each in zip(names, taken, strict=True):
        _describe(each.at, name, detail)
    title = f"A command made {what}. May that stay?"
    text, cut = detail.sent()
    return PermissionRequest("Sandbox", title, text, tuple(reasons), cut=cut)


def outcome_text(
    taken: Sequence[Quarantined],
    relative: Relative,
    answer: PermissionAnswer | None,
    *,
    stays: bool,
) -> str:
    """The outcome for the files, in a line; without `answer` the user was not asked."""
    paths = [shown(relative(each.path)) for each in taken]
    failures = [
        f"{path}: {each.failure}" for path, each in zip(paths, taken, strict=True) if each.failure
    ]
    failed = f"; {_some(failures, '; ')}" if failures else ""
    what = (
        f"A command made {_some(paths, ', ')}, which {'is' if len(taken) == 1 else 'are'} protected"
    )
    if stays:
        said = "allowed that, but not all of it is there" if failures else "lets that stay"
        return f"{what}; the user {said}{failed}"
    who = "the user did not let that stay" if answer and answer.asked else "nobody could be asked"
    words = f" ({answer.message})" if answer and answer.asked and answer.message else ""
    moved = next((each.at for each in taken if each.is_copied and not each.failure), None)
    place = "" if moved is None else shown(os.path.dirname(os.path.dirname(moved)))
    return f"{what}; {who}{words}{place and f', so it was moved to {place}'}{failed}"


class _Detail:
    """The text of the question, within a budget of bytes; what does not fit is counted."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._tail: list[str] = []
        self._left = 0
        self._budget = _MAX_SHOWN_BYTES

    def add(self, title: str, entry: Entry | None = None, *, is_main: bool = False) -> None:
        """Add an entry, and its content if it is a file; of a main one at least the title."""
        size = 0
        if entry is not None and stat.S_ISREG(entry.status.st_mode):
            size = entry.status.st_size
        if self._budget > 0:
            fitting = min(size, self._budget)
            self._texts.append(title + _content(entry, fitting) if entry and size else title)
            self._budget -= fitting + len(title)
            self._left += size - fitting
            return
        if is_main:
            self._tail.append(title)
        self._left += size + (0 if is_main else len(title))

    def sent(self) -> tuple[str, Cut | None]:
        """All of it, or its beginning."""
        return as_sent("\n".join(self._texts), self._left, "\n".join(self._tail))


def _describe(path: str, name: str, detail: _Detail) -> None:
    """The content of a file, the entries of a folder, or the target of a link."""
    above, last = os.path.split(path)
    try:
        with open_folder(above) as folder:
            for entry in walk(last, folder):
                title = shown(os.path.join(name, entry.path)) if entry.path else name
                detail.add(f"{title}: {_kind(entry)}", entry, is_main=not entry.path)
    except OSError as error:
        detail.add(f"{name}: it cannot be read ({error_text(error)})", is_main=True)


def _kind(entry: Entry) -> str:
    mode = entry.status.st_mode
    if (link := entry.link) is not None:
        return f"a link to {shown(link)}"
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISREG(mode):
        return f"{entry.status.st_size:,} bytes{', which can be run' if mode & 0o111 else ''}"
    return "neither a file, a folder nor a link"


def _content(entry: Entry, most: int) -> str:
    try:
        text = entry.read(most).decode("utf-8", "backslashreplace")
    except OSError as error:
        return f", which cannot be read ({error_text(error)})"
    lines = shown_text(text).removesuffix("\n").split("\n")
    return "".join(f"\n{_INDENT}{line}" for line in lines)


def _some(texts: Sequence[str], between: str) -> str:
    more = len(texts) - _MAX_NAMED
    return between.join(texts[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")

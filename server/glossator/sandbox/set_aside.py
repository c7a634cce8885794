"""What commands newly make by a protected name: set aside, until the user says whether it stays.

There are too many places for stand-ins below the top of a workspace, and names by patterns, so such
files can be made. What is set aside is copied to a folder of Glossator's own, the original removed;
what is put back is a copy, too (`fresh_copies`). So whoever has the file open, or by another name,
reaches nothing of what the user was shown. What a command that runs yet does to it by its name
counts as made anew.

What is too large to be copied, or cannot be, stays where it is while the user is asked, and is
removed if it may not stay, or has changed meanwhile.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import platformdirs

from glossator.core.shown import shown
from glossator.sandbox.fresh_copies import Room, copy, fingerprint, held, reason, remove

Names = Mapping[str, str | None]  # a path -> where it leads, if it is a link

_FOLDER = "set-aside"
_KEPT = 30 * 86_400  # seconds
_MOST_BYTES = 100_000_000  # that are copied of what one command made
_MOST_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that was made at a `path`, where it is now, and what went wrong with it.

    What could not be copied is still at its path; `seen` is its fingerprint.
    """

    path: str
    at: str
    failure: str = ""
    seen: str = field(default="", compare=False)

    @property
    def is_copied(self) -> bool:
        """Whether it is in our own folder."""
        return self.at != self.path


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What the user let stay while commands run."""

    seen: str
    by_contents: bool


class SetAside:
    """What is there by protected names while commands run; all but the first three are blocking."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._allowed: dict[str, _Allowed] = {}
        self._running = 0
        self.since = 0  # ns since 1970

    def begin(self, names: Names) -> None:
        """A command starts; these are there. Where commands overlap, those of the first count."""
        if not self._running:
            self._known, self._allowed, self.since = dict(names), {}, time.time_ns()
        self._running += 1

    def end(self) -> None:
        """A command has ended."""
        self._running -= 1

    def allow(self, paths: Iterable[str]) -> None:
        """Something else than a command makes these, or the user lets them stay."""
        for path in paths:
            self._known[path] = os.readlink(path) if os.path.islink(path) else None
            self._allowed.pop(path, None)

    def new(self, names: Names) -> list[str]:
        """What of the names was not there before, led elsewhere, or is not what was allowed."""
        return [
            path
            for path, link in sorted(names.items())
            if path not in self._known or self._known[path] != link or not self._is_as_allowed(path)
        ]

    def take(self, paths: Sequence[str]) -> tuple[Aside, ...]:
        """Move these to a new folder; a link that was there before is made again."""
        folder = os.path.join(_place(), f"{int(time.time())}-{secrets.token_hex(4)}")
        room = _room()
        return tuple(
            self._take(path, os.path.join(folder, str(number)), room)
            for number, path in enumerate(paths, 1)
        )

    def put_back(self, taken: Iterable[Aside]) -> tuple[Aside, ...]:
        """The user lets them stay: copy them to where they were; gives what became of them."""
        return tuple(
            self._put_back(each) if each.is_copied else self._leave(each) for each in taken
        )

    def keep_out(self, taken: Iterable[Aside]) -> tuple[Aside, ...]:
        """They may not stay: remove what is still there; gives what became of them."""
        return tuple(self._keep_out(each) if each.failure else each for each in taken)

    def _is_as_allowed(self, path: str) -> bool:
        allowed = self._allowed.get(path)
        return allowed is None or allowed.seen == _seen(path, by_contents=allowed.by_contents)

    def _take(self, path: str, folder: str, room: Room) -> Aside:
        above, name = os.path.split(path)
        try:
            os.makedirs(folder, mode=0o700)
            with held(above) as source, held(folder) as target:
                copy(name, source, name, target, room)
        except OSError as error:
            failure = f"it could not be moved ({reason(error)})"
            return Aside(path, path, failure, _seen(path, by_contents=False))
        try:
            self._remove(path)
        except FileNotFoundError:  # somebody else did
            pass
        except OSError as error:
            failure = f"it could only be copied ({reason(error)})"
            return Aside(path, os.path.join(folder, name), failure)
        return Aside(path, os.path.join(folder, name))

    def _put_back(self, each: Aside) -> Aside:
        name, link = os.path.basename(each.path), self._known.get(each.path)
        if each.failure and (each := self._keep_out(each)).failure:
            return each  # the original was left, and is there yet
        try:
            with (
                held(os.path.dirname(each.at)) as source,
                held(os.path.dirname(each.path), create=True) as target,
            ):
                seen = fingerprint(name, source, _room())
                if link is not None and _leads_to(link, name, target):
                    os.unlink(name, dir_fd=target)
                try:
                    copy(name, source, name, target, _room())
                except OSError:
                    _link_again(link, name, target)
                    raise
                with suppress(OSError):  # it is removed in some weeks
                    remove(name, source)
        except OSError as error:
            is_there = isinstance(error, FileExistsError)
            why = "something else is there now" if is_there else reason(error)
            place = shown(os.path.dirname(each.at))
            return replace(each, failure=f"it could not be put back ({why}) and is in {place}")
        self.allow([each.path])
        self._allowed[each.path] = _Allowed(seen, by_contents=True)
        return replace(each, failure="")

    def _leave(self, each: Aside) -> Aside:
        if not each.seen or each.seen != _seen(each.path, by_contents=False):
            changed = replace(each, failure="it changed while the user was asked")
            return self._keep_out(changed)
        self.allow([each.path])
        self._allowed[each.path] = _Allowed(each.seen, by_contents=False)
        return replace(each, failure="")

    def _keep_out(self, each: Aside) -> Aside:
        gone = f"{each.failure}, so it was removed"
        try:
            self._remove(each.path)
        except FileNotFoundError:
            gone = f"{each.failure}, and is gone"
        except OSError as error:
            failure = f"{each.failure} and could not be removed ({reason(error)})"
            return replace(each, failure=f"{failure}, so look at it yourself")
        return replace(each, failure="" if each.is_copied else gone)

    def _remove(self, path: str) -> None:
        """Raises `OSError`. A link that was there before is made again."""
        above, name = os.path.split(path)
        with held(above) as folder:
            try:
                remove(name, folder)
            finally:
                _link_again(self._known.get(path), name, folder)


def sweep() -> None:
    """Remove what was set aside long ago; for a thread."""
    with suppress(OSError), os.scandir(_place()) as found:
        for each in found:
            made, _, _ = each.name.partition("-")
            if made.isdigit() and time.time() - int(made) > _KEPT:
                shutil.rmtree(each.path, ignore_errors=True)


def _place() -> str:
    state = os.path.realpath(platformdirs.user_state_dir("glossator"))
    return os.path.join(state, _FOLDER)


def _room() -> Room:
    return Room(_MOST_BYTES, _MOST_ENTRIES)


def _seen(path: str, *, by_contents: bool) -> str:
    """The fingerprint of what is there; "" if it cannot be looked at."""
    above, name = os.path.split(path)
    try:
        with held(above) as folder:
            return fingerprint(name, folder, _room() if by_contents else None)
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

"""What commands newly make by a protected name: set aside, until the user says whether it stays.

There are too many places for stand-ins below the top of a workspace, and names by patterns, so such
files can be made. What is set aside is moved to a folder of Glossator's own, not destroyed.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from glossator.agent.permissions.protected import protection
from glossator.core.permission import PermissionAnswer, PermissionRequest
from glossator.core.shown import shown

Names = Mapping[str, str | None]  # a path -> where it leads, if it is a link
Relative = Callable[[str], str]  # a path as the user knows it

_FOLDER = "set-aside"
_KEPT = 30 * 86_400  # seconds
_MOST_NAMED = 5
_MOST_LISTED = 50  # files of a folder
_MOST_SHOWN = 20_000  # bytes of a file
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that was moved from a `path`, where it is now, and why it could not be moved."""

    path: str
    at: str
    failure: str = ""


class SetAside:
    """What is there by protected names while commands run; methods that move are for threads."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._running = 0
        self.since = 0  # ns since 1970

    def begin(self, names: Names) -> None:
        """A command starts; these are there. Where commands overlap, those of the first count."""
        if not self._running:
            self._known, self.since = dict(names), time.time_ns()
        self._running += 1

    def end(self) -> None:
        """A command has ended."""
        self._running -= 1

    def allow(self, paths: Iterable[str]) -> None:
        """Something else than a command makes these, or the user lets them stay."""
        for path in paths:
            self._known[path] = os.readlink(path) if os.path.islink(path) else None

    def new(self, names: Names) -> list[str]:
        """What of the names was not there before, or led elsewhere."""
        return [
            path
            for path, link in sorted(names.items())
            if path not in self._known or self._known[path] != link
        ]

    def take(self, paths: Sequence[str]) -> tuple[Aside, ...]:
        """Move these to a new folder; a link that was there before is made again."""
        folder = os.path.join(_place(), f"{int(time.time())}-{secrets.token_hex(4)}")
        try:
            os.makedirs(folder, mode=0o700)
        except OSError as error:
            failure = f"it could not be moved ({error})"
            return tuple(Aside(path, path, failure) for path in paths)
        return tuple(self._take(path, folder, number) for number, path in enumerate(paths, 1))

    def put_back(self, taken: Iterable[Aside]) -> tuple[Aside, ...]:
        """Move them to where they were, unless something else is there; gives what became of it."""
        done = []
        for each in taken:
            failure = each.failure
            if not failure:
                with suppress(OSError):
                    if os.readlink(each.path) == self._known.get(each.path):
                        os.unlink(each.path)
                failure = _moved(each.at, each.path)
            done.append(Aside(each.path, each.at, failure))
        self.allow(each.path for each in done if not each.failure)
        return tuple(done)

    def _take(self, path: str, folder: str, number: int) -> Aside:
        at = os.path.join(folder, str(number), os.path.basename(path))
        failure = _moved(path, at)
        if not failure and (link := self._known.get(path)) is not None:
            with suppress(OSError):
                os.symlink(link, path)
        return Aside(path, path if failure else at, failure)


def sweep() -> None:
    """Remove what was set aside long ago; for a thread."""
    with suppress(OSError), os.scandir(_place()) as found:
        for each in found:
            made, _, _ = each.name.partition("-")
            if made.isdigit() and time.time() - int(made) > _KEPT:
                shutil.rmtree(each.path, ignore_errors=True)


def question(taken: Sequence[Aside], relative: Relative) -> PermissionRequest:
    """What the user is asked about what was set aside; blocking."""
    names = [shown(relative(each.path)) for each in taken]
    what = names[0] if len(names) == 1 else f"{len(names)} protected files"
    reasons = [
        f"{name} is protected: {protection(each.path)}."
        for name, each in zip(names, taken, strict=True)
    ]
    if (more := len(reasons) - _MOST_NAMED) > 0:
        reasons[_MOST_NAMED:] = [f"{more:,} more are protected."]
    detail = "\n\n".join(
        f"{name}: {_described(each.at)}" for name, each in zip(names, taken, strict=True)
    )
    title = f"A command made {what}. May that stay?"
    return PermissionRequest("Bash", title, detail, tuple(reasons))


def told(
    taken: Sequence[Aside], relative: Relative, answer: PermissionAnswer | None, *, stays: bool
) -> str:
    """What became of it, in a line; no `answer`: the user was not asked."""
    paths = [shown(relative(each.path)) for each in taken]
    names = ", ".join(paths[:_MOST_NAMED])
    more = f" and {len(taken) - _MOST_NAMED} more" if len(taken) > _MOST_NAMED else ""
    failed = "".join(
        f"; {path}: {each.failure}" for path, each in zip(paths, taken, strict=True) if each.failure
    )
    what = f"A command made {names}{more}, which {'is' if len(taken) == 1 else 'are'} protected"
    if stays:
        return f"{what}; the user lets that stay{failed}"
    who = "the user did not let that stay" if answer and answer.asked else "nobody could be asked"
    words = f" ({answer.message})" if answer and answer.asked and answer.message else ""
    moved = next((each.at for each in taken if not each.failure), None)
    place = "" if moved is None else shown(os.path.dirname(os.path.dirname(moved)))
    return f"{what}; {who}{words}{place and f', so it was moved to {place}'}{failed}"


def _place() -> str:
    return os.path.join(platformdirs.user_state_dir("glossator"), _FOLDER)


def _described(path: str) -> str:
    """What is there: the text of a file, the names in a folder, where a link leads."""
    try:
        if os.path.islink(path):
            return f"a link to {os.readlink(path)}"
        if os.path.isdir(path):
            return f"a folder\n{_inside(path)}"
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = file.read(_MOST_SHOWN).decode("utf-8", "replace")
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    more = f"\n… {size - _MOST_SHOWN:,} more bytes" if size > _MOST_SHOWN else ""
    return f"{size:,} bytes\n{text}{more}"


def _inside(folder: str) -> str:
    files = [
        os.path.relpath(os.path.join(above, name), folder)
        for above, _, names in os.walk(folder)
        for name in names
    ]
    more = [f"… {len(files) - _MOST_LISTED:,} more files"] if len(files) > _MOST_LISTED else []
    return "\n".join((*sorted(files)[:_MOST_LISTED], *more))


def _moved(path: str, to: str) -> str:
    """Move what is at `path`, following no link; gives why it could not be moved, "" if it was."""
    above, name = os.path.split(path)
    try:
        if os.path.lexists(to):
            return "something else is there now"
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with _writable(above) as folder:
            _open_to_us(name, folder)
            try:
                os.rename(name, to, src_dir_fd=folder)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _copied(path, to)
                _removed(name, folder)
    except (OSError, shutil.Error) as error:
        return f"it could not be moved ({error})"
    return ""


@contextmanager
def _writable(path: str) -> Iterator[int]:
    """A descriptor of a folder that is no link, nor below one, and that may be written to."""
    folder = os.open(os.sep, _OPEN)
    try:
        for part in path.strip(os.sep).split(os.sep):
            deeper = os.open(part, _OPEN, dir_fd=folder)
            os.close(folder)
            folder = deeper
        mode = stat.S_IMODE(os.fstat(folder).st_mode)
        os.fchmod(folder, mode | 0o700)
        try:
            yield folder
        finally:
            os.fchmod(folder, mode)
    finally:
        os.close(folder)


def _open_to_us(name: str, folder: int) -> None:
    """A folder that is to get another place must be writable to its owner."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o700 != 0o700:
        os.chmod(name, stat.S_IMODE(status.st_mode) | 0o700, dir_fd=folder)


def _copied(path: str, to: str) -> None:
    """A copy on another file system, without what is neither file, folder nor link."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.copytree(path, to, symlinks=True, ignore=_special)
    elif os.path.islink(path) or os.path.isfile(path):
        shutil.copy2(path, to, follow_symlinks=False)
    else:
        Path(to).touch()


def _special(folder: str, names: list[str]) -> list[str]:
    paths = ((name, os.path.join(folder, name)) for name in names)
    return [
        name
        for name, path in paths
        if not (os.path.islink(path) or os.path.isdir(path) or os.path.isfile(path))
    ]


def _removed(name: str, folder: int) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)

"""Files of the workspace that have other names outside it, or protected ones: hard links.

Who changes such a file by its harmless name changes what lies elsewhere: `git clone --local` and
package managers share files so. A new name changes no time of the folders of the others, so all
files are looked at before each command, by `find`: some 2 ms for a thousand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from glossator.core.errors import UsageError
from glossator.core.shown import shown, some_of
from glossator.tools.shell.output import Output
from glossator.workspace.roots import outermost

_PLACES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"
_SECONDS = 20.0
_MOST = 100  # mounts, a third of a millisecond each
_MOST_NAMED = 5
_REFUSALS = (b"Read-only file system", b"Device or resource busy", b"EROFS", b"EBUSY")
_UNKNOWN = (
    "Which files have other names outside the workspace (hard links) could not be found out: {}, so"
    " the command was not run.\nAsk the user to run it."
)


def shared_files(roots: Sequence[str], protected: Collection[str]) -> tuple[str, ...]:
    """The files that commands may not change for the sake of their other names; blocking.

    `protected` are the paths that commands may not change anyway. Of many files in one folder, the
    folder is named instead. Raises `UsageError` if they cannot be found.
    """
    names = defaultdict[tuple[int, int], list[str]](list)
    links = dict[tuple[int, int], int]()
    for path in _linked(roots):
        try:
            status = os.lstat(path)
        except OSError:  # gone since
            continue
        file = status.st_dev, status.st_ino
        names[file].append(path)
        links[file] = status.st_nlink
    kept = frozenset(protected)
    shared = {
        path
        for file, paths in names.items()
        if links[file] > len(paths) or any(_lies_in(path, kept) for path in paths)
        for path in paths
    }
    return tuple(sorted(enclosing(shared, _MOST)))


def read_only_told(output: Output, shared: Sequence[str]) -> tuple[str, ...]:
    """A line on files that a command could not change for the sake of their other names."""
    said = output.head + output.tail
    if not any(words in said for words in _REFUSALS):
        return ()
    named = [path for path in shared if os.fsencode(os.path.basename(path)) in said]
    if not named:
        return ()
    names = some_of([shown(os.path.basename(path)) for path in named], _MOST_NAMED)
    return (f"[Read-only here, for other files share it by hard links: {names}]",)


def enclosing(paths: Iterable[str], most: int) -> set[str]:
    """At most so many paths at or above all `paths`; the fullest folders stand for their files."""
    found = set(outermost(paths))
    while len(found) > most:
        folders = Counter(map(os.path.dirname, found))
        chosen = set(_fullest(folders, len(found) - most))
        if not chosen:  # one in each folder
            depth = max(path.count(os.sep) for path in found)
            chosen = {os.path.dirname(path) for path in found if path.count(os.sep) == depth}
        found = set(outermost((*chosen, *found)))
    return found


def _fullest(folders: Counter[str], excess: int) -> Iterator[str]:
    """Folders of several paths, until so many paths fewer are left."""
    for folder, count in folders.most_common():
        if count == 1 or excess <= 0:
            return
        excess -= count - 1
        yield folder


def _linked(roots: Sequence[str]) -> set[str]:
    """The regular files with more than one name. Raises `UsageError`."""
    find = shutil.which("find", path=_PLACES)
    if find is None:
        raise UsageError(_UNKNOWN.format("there is no program find"))
    if not roots:
        return set()
    try:
        found = subprocess.run(  # noqa: S603 - a program of the system
            (find, *roots, "-type", "f", "-links", "+1", "-print0"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what is closed to us or gone
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(_UNKNOWN.format(f"it took more than {_SECONDS:.0f} s")) from error
    except OSError as error:
        raise UsageError(_UNKNOWN.format(error)) from error
    return set(map(os.fsdecode, filter(None, found.stdout.split(b"\0"))))


def _lies_in(path: str, folders: Collection[str]) -> bool:
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return True

"""Files of the workspace with other names (hard links) outside it, or with protected names.

A change by the harmless name changes the file elsewhere: `git clone --local` and package managers
share files so. A new name leaves no trace in the folders of the others, so all files are looked at
before each command that runs unasked. They are mounted read-only; of installed packages, nobody's
own work, the fullest folders are, so that there are few mounts. A folder of the user's own never
is: nothing could be added to it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from glossator.core.errors import UsageError
from glossator.sandbox.confinement import HardLinkedFiles
from glossator.workspace import is_inside, outermost

_PLACES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin"


def find_below(folders: Sequence[str], tests: Sequence[str], seconds: float) -> set[str]:
    """The paths below `folders` that pass find's `tests`; what is closed to us is left out.

    Blocking. Raises `UsageError`, with the reason alone, if it cannot be found out within
    `seconds`.
    """
    if not folders:
        return set()
    find = shutil.which("find", path=_PLACES)
    if find is None:
        raise UsageError("there is no program find")
    try:
        found = subprocess.run(  # noqa: S603 - a program of the system
            (find, *folders, *tests, "-print0"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what is closed to us or gone
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"it took more than {seconds:.0f} s") from error
    except OSError as error:
        raise UsageError(str(error)) from error
    return set(map(os.fsdecode, filter(None, found.stdout.split(b"\0"))))


_FIND_SECONDS = 20.0
_ENOUGH_MOUNTS = 100  # folders stand for their files down to so many; they take 30 ms
_MAX_MOUNTS = 500  # so many take half a second, and the time grows with the square
_PACKAGES = frozenset({"node_modules", "site-packages"})
_LINKED = ("-type", "f", "-links", "+1")
_UNKNOWN = (
    "Which files have other names outside the workspace (hard links) could not be found out: {}, so"
    " the command was not run.\nAsk the user to run it."
)


def hard_linked_files(roots: Sequence[str], protected: Collection[str]) -> HardLinkedFiles:
    """The files that commands may not change because they have other names; blocking.

    `protected` are the paths that commands may not change anyway. Raises `UsageError` if they
    cannot be found.
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
    linked = {
        path
        for file, paths in names.items()
        if links[file] > len(paths) or any(_lies_in(path, kept) for path in paths)
        for path in paths
    }
    read_only = enclosing(linked, _ENOUGH_MOUNTS, lambda folder: is_of_package(folder, roots))
    return HardLinkedFiles(
        tuple(sorted(linked)), None if len(read_only) > _MAX_MOUNTS else tuple(sorted(read_only))
    )


def enclosing(paths: Iterable[str], few: int, may_stand: Callable[[str], bool]) -> set[str]:
    """`paths`, or folders above them that `may_stand` for all that is in them.

    The fullest folders do, until there are `few`, or no more folders that may.
    """
    found = set(outermost(paths))
    while len(found) > few:
        inside = [path for path in found if may_stand(os.path.dirname(path))]
        chosen = set(_fullest(Counter(map(os.path.dirname, inside)), len(found) - few))
        if not chosen and inside:  # one in each folder
            depth = max(path.count(os.sep) for path in inside)
            chosen = {os.path.dirname(path) for path in inside if path.count(os.sep) == depth}
        if not chosen:
            break
        found = set(outermost((*chosen, *found)))
    return found


def is_of_package(folder: str, roots: Sequence[str]) -> bool:
    """Whether a folder is (part of) an installed package, as `node_modules/react` is."""
    above = [root for root in roots if is_inside(folder, root)]
    if not above or any(is_inside(root, folder) for root in roots):
        return False
    names = os.path.relpath(folder, max(above, key=len)).split(os.sep)
    return not _PACKAGES.isdisjoint(names[:-1])


def _fullest(folders: Counter[str], excess: int) -> Iterator[str]:
    """The fullest folders, as many as it takes to have so many fewer paths."""
    for folder, count in folders.most_common():
        if count == 1 or excess <= 0:
            return
        excess -= count - 1
        yield folder


def _linked(roots: Sequence[str]) -> set[str]:
    """The regular files with more than one name. Raises `UsageError`."""
    try:
        return find_below(roots, _LINKED, _FIND_SECONDS)
    except UsageError as error:
        raise UsageError(_UNKNOWN.format(error)) from error


def _lies_in(path: str, folders: Collection[str]) -> bool:
    while path not in folders:
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return True

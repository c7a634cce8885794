"""How mounts keep protected paths from being changed, created, or moved out of the way.

A file or folder that exists is mounted read-only over itself (`Seal`). For one that does not, an
empty stand-in is made and sealed (`Guard`). A folder on the way there could be renamed and made
anew; mounted over itself (`Pin`) it cannot. So are folders on the way to what is hidden: elsewhere
no rule would know it again.

What has other names outside the workspace is sealed where it is: moved, it stays sealed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.sandbox.guards import is_guard
from glossator.sandbox.policy import Policy
from glossator.shell.paths import path_within


@dataclass(frozen=True, slots=True)
class Pin:
    """A writable folder that stays where it is."""

    path: str


@dataclass(frozen=True, slots=True)
class Seal:
    """A file or folder that stays as it is."""

    path: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A file or folder that is not there and is not to be created; or a stand-in for one."""

    path: str


Mount = Pin | Seal | Guard


def protection(policy: Policy) -> tuple[Mount, ...]:
    """What to mount over the writable roots, outer folders first.

    Raises `UsageError` for a protected path that is a link or leads over one: it could be replaced.
    """
    mounts: dict[str, Mount] = {}
    for root, names in _below(policy.protected, policy.roots):
        for mount in _on_the_way(root, names):
            if not isinstance(mount, Pin) or mount.path not in mounts:
                mounts[mount.path] = mount
    for root, names in _below(policy.hidden, policy.roots):
        for pin in _pins(root, names[:-1]):
            mounts.setdefault(pin.path, pin)
    for path in policy.shared:
        if not isinstance(mounts.get(path), Guard):
            mounts[path] = Seal(path)
    whole = [each.path for each in mounts.values() if not isinstance(each, Pin)]
    return tuple(
        mounts[path]
        for path in sorted(mounts, key=lambda path: (path.count("/"), path))
        if not any(path != each and path_within(path, each) for each in whole)
    )


def _below(paths: Sequence[str], roots: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The real root above each path, and the names from there."""
    for path in paths:
        for root in roots:
            if path_within(os.path.normpath(path), os.path.normpath(root)):
                yield os.path.realpath(root), os.path.relpath(path, root).split("/")


def _pins(root: str, names: Sequence[str]) -> Iterator[Pin]:
    """The folders of `names` below a root, as far as there are any."""
    path = root
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path) or not os.path.isdir(path):
            return
        yield Pin(path)


def _on_the_way(root: str, names: Sequence[str]) -> Iterator[Mount]:
    """The mounts that protect the path of `names` below a root, from the outside in."""
    path = root
    for number, name in enumerate(names, 1):
        path = os.path.normpath(os.path.join(path, name))
        try:
            status = os.lstat(path)
        except OSError:
            yield Guard(path)
            return
        if stat.S_ISLNK(status.st_mode):
            raise UsageError(
                f"{shown(path)} is protected and a link, which a command could replace.\nPut what "
                "it points to in its place, or run the command without the sandbox."
            )
        if is_guard(path):
            yield Guard(path)
            return
        if number == len(names) or not stat.S_ISDIR(status.st_mode):
            yield Seal(path)
            return
        yield Pin(path)

"""How mounts keep protected paths from being changed, created, or moved out of the way.

A file or folder that exists is mounted read-only over itself (`Seal`). For one that does not, an
empty stand-in is made and sealed (`Guard`). A folder on the way there could be renamed and made
anew; mounted over itself (`Pin`) it cannot.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.tools.shell.guards import is_guard
from glossator.tools.shell.paths import path_within
from glossator.tools.shell.policy import Policy


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
    """A file or folder that is not there, and is not to be created."""

    path: str


Mount = Pin | Seal | Guard


def protection(policy: Policy) -> tuple[Mount, ...]:
    """What to mount over the writable roots, outer folders first.

    Raises `UsageError` for a protected path that is a link or leads over one: it could be replaced.
    """
    mounts: dict[str, Mount] = {}
    for path in policy.protected:
        for root in policy.roots:
            if path_within(os.path.normpath(path), os.path.normpath(root)):
                relative = os.path.relpath(path, root)
                for mount in _on_the_way(os.path.realpath(root), relative):
                    known = mounts.get(mount.path)
                    if known is None or isinstance(known, Pin) or isinstance(mount, Seal):
                        mounts[mount.path] = mount
    sealed = [each.path for each in mounts.values() if not isinstance(each, Pin)]
    return tuple(
        mounts[path]
        for path in sorted(mounts, key=lambda path: (path.count("/"), path))
        if not any(path != each and path_within(path, each) for each in sealed)
    )


def _on_the_way(root: str, relative: str) -> list[Mount]:
    """The mounts that protect one path, from the root on."""
    mounts: list[Mount] = []
    path = root
    *outer, _ = names = [name for name in relative.split("/") if name != "."] or [""]
    for depth, name in enumerate(names):
        last = depth == len(outer)
        path = os.path.join(path, name) if name else path
        try:
            status = os.lstat(path)
        except OSError:
            return [*mounts, Guard(path)]
        if stat.S_ISLNK(status.st_mode):
            raise UsageError(
                f"{shown(path)} is protected and a link, which a command could replace. Put what "
                "it points to in its place, or run the command without the sandbox."
            )
        if is_guard(path):
            return [*mounts, Guard(path)]
        if last or not stat.S_ISDIR(status.st_mode):
            return [*mounts, Seal(path)]
        mounts.append(Pin(path))
    return mounts

"""What is mounted: below some folders, and which file systems can be trusted.

Those are trusted that change a folder's times, to the tick, whenever a name in it changes.

Those of networks, of user space and of other systems do not always, and are not trusted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from glossator.workspace.files.roots import is_inside

_TRUSTED = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs", "overlay"}
)
_ESCAPED = re.compile(rb"\\([0-7]{3})")
_MOUNT = re.compile(r"^mnt_id:\s*(\d+)$", re.MULTILINE)


def mounted_below(folders: Iterable[str]) -> frozenset[tuple[bytes, str]]:
    """The mounts at and below these folders, by number and place; none where there is no /proc.

    To mount something changes no folder, and no watcher hears of it.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return frozenset()
    places = [(fields[0], _unescaped(fields[4])) for fields in map(bytes.split, mounts)]
    tops = tuple(folders)
    return frozenset(
        (number, place) for number, place in places if any(is_inside(place, top) for top in tops)
    )


def _unescaped(place: bytes) -> str:
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), place))


def trusted_devices(folders: Iterable[str]) -> frozenset[int]:
    """The devices of those of `folders` that can be trusted.

    None where there is no /proc, or where it does not describe their mount, as in a chroot.
    """
    devices = map(_trusted_device, folders)
    return frozenset(device for device in devices if device is not None)


def _trusted_device(folder: str) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        try:
            device = os.fstat(descriptor).st_dev
            facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text("ascii")
        finally:
            os.close(descriptor)
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return None
    mount = _MOUNT.search(facts)
    for fields in map(bytes.split, mounts):
        if mount is not None and fields[0] == mount[1].encode():
            kind = fields[fields.index(b"-") + 1]
            return device if os.fsdecode(kind) in _TRUSTED else None
    return None

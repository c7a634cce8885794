"""Which file systems change a folder's times, to the tick, whenever a name in it changes.

Those of networks, of user space and of other systems do not always, and are not trusted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_TRUSTED = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs", "overlay"}
)
_MOUNT = re.compile(r"^mnt_id:\s*(\d+)$", re.MULTILINE)


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

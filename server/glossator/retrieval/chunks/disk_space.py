"""Disk space of indexes: files that found none, and indexes that have not been used for long.

What found no room is searched by reading, until there is room.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from glossator.retrieval.chunks.requests import Synced
from glossator.worker import JobFailed, Worker, WorkerGone
from glossator.workspace import Prune, Roots, index_base, index_folder

_log = logging.getLogger(__name__)

_ROOM = 0.9  # of what an index may take; below it, the files are tried again


class LeftFiles:
    """Files that found no room, by absolute path."""

    def __init__(self) -> None:
        self.paths: frozenset[str] = frozenset()

    @property
    def problem(self) -> str:
        """What the user may want to do about them, or ""."""
        if not self.paths:
            return ""
        return (
            f"The index for Search takes all the disk space it may; {len(self.paths):,} files are"
            " searched by reading. Raise workspace.indexBytes."
        )

    def update(self, synced: Mapping[str, Synced], tried: AbstractSet[str] | None) -> None:
        """After the files `tried` (None: all) were synced, by root."""
        still = frozenset() if tried is None else self.paths - tried
        self.paths = still.union(
            os.path.join(root, path) for root, each in synced.items() for path in each.left
        )

    def again(self, synced: Mapping[str, Synced], most: int) -> frozenset[str]:
        """Those to try again, as a sync that left out nothing finds room; `most` is in bytes."""
        if any(each.left for each in synced.values()):
            return frozenset()
        roomy = [
            os.path.join(root, "")
            for root, each in synced.items()
            if each.disk_bytes < _ROOM * most
        ]
        return frozenset(path for path in self.paths if path.startswith(tuple(roomy)))


async def make_room(worker: Worker, roots: Roots, synced: Mapping[str, Synced], limit: int) -> None:
    """If files were read, remove what other roots do not use, above `limit` bytes in all."""
    if not any(each.read for each in synced.values()):
        return
    own = frozenset(str(index_folder(root, roots.reading(root))) for root in synced)
    try:
        await worker.run(Prune(str(index_base()), own, limit))
    except (WorkerGone, JobFailed) as error:
        _log.warning("Unused indexes were not removed: %s", error)

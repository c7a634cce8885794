"""The files below a root with their stamps, as the index compares them; where contexts are."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from glossator.workspace import STAMP, FileEntry, WorkspaceSnapshot, index_base


def contexts_file() -> str:
    """The file with what models wrote about chunks of any workspace."""
    return str(index_base().parent / "contexts" / "chunks.sqlite")


def stamps_below(
    snapshot: WorkspaceSnapshot, root: str, paths: Collection[str] | None
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The stamps of files below a root by relative path, open and recent ones first.

    Of `paths` only, if given; those of them that are not listed are the second result.
    """
    prefix = os.path.join(root, "")
    if paths is None:
        listed: Iterable[FileEntry] = snapshot.listing.files
        gone: tuple[str, ...] = ()
    else:
        entries = {path: snapshot.listing.get(path) for path in paths if path.startswith(prefix)}
        listed = [entry for entry in entries.values() if entry is not None]
        gone = tuple(path[len(prefix) :] for path, entry in entries.items() if entry is None)
    chosen = [each for each in listed if not each.is_link and each.path.startswith(prefix)]
    opened = snapshot.overlays
    chosen.sort(key=lambda entry: (entry.path not in opened, -entry.mtime_ns))
    stamps = {
        entry.path[len(prefix) :]: STAMP.pack(
            entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode
        )
        for entry in chosen
    }
    return stamps, gone

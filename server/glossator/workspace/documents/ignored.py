"""A snapshot whose files are also those that ignore rules leave out, for one search.

`.git`, what `workspace.exclude` names, and links to elsewhere stay left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from time import monotonic

from glossator.settings import WorkspaceSettings
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.roots import is_inside
from glossator.workspace.files.walk import examine

MAX_IGNORED = 20_000  # files, as in one large `node_modules`
_SECONDS = 5.0


def with_ignored(
    snapshot: WorkspaceSnapshot, place: str | None, cancelled: Callable[[], bool] = lambda: False
) -> tuple[WorkspaceSnapshot, bool]:
    """With ignored files at or below `place` (relative; None: everywhere); blocking.

    Also whether these are all: the first `MAX_IGNORED` are found, or those that 5 s suffice for.
    """
    skipped, roots = snapshot.listing.skipped, snapshot.folders
    settings = WorkspaceSettings(exclude=snapshot.exclude, use_ignore_files=False)
    rules = IgnoreRules(roots, settings)
    within = roots.paths if place is None else (snapshot.resolve(place),)
    places = [path for path in within if isinstance(path, str)]
    starts = [path for path in skipped if any(is_inside(path, above) for above in places)]
    lifted = set(starts)
    if not starts:  # the place may lie within what is left out
        starts = places
        lifted = {path for path in skipped if any(is_inside(each, path) for each in places)}
        if not lifted:
            return snapshot, True
    until = monotonic() + _SECONDS
    unlisted = {entry.path for entry in snapshot.unlisted}
    files: list[FileEntry] = []
    left = {
        path: rule
        for path, rule in skipped.items()
        if path not in lifted or isinstance(rules.within(os.path.dirname(path)), str)
    }
    for found in chain.from_iterable(examine(start, roots, rules) for start in sorted(starts)):
        files += (
            entry
            for entry in found.files  # some are listed: those of a root within an ignored folder
            if entry.path not in unlisted and snapshot.listing.get(entry.path) is None
        )
        left |= found.skipped
        if len(files) > MAX_IGNORED or monotonic() > until or cancelled():
            return replace(snapshot, unlisted=(*snapshot.unlisted, *files[:MAX_IGNORED])), False
    listing = snapshot.listing.leaving_out(left)
    return replace(snapshot, listing=listing, unlisted=(*snapshot.unlisted, *files)), True

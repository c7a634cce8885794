"""Checks, just before an edit is applied, that it still leads where it was allowed.

The decision and the plan name real paths. Since then a link may have come to lead elsewhere, and a
file may have come into a folder that is moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from glossator.core.edit import (
    Conflict,
    EditPlan,
    FileChange,
    FileDeletion,
    FileEdit,
    FileRename,
    Refused,
)
from glossator.core.shown import shown
from glossator.core.uri import to_path, to_uri
from glossator.workspace import real_path

_Place = tuple[str, str]  # what a file is known to the editor by, and its real path


def check_permission_scope(
    planned: EditPlan | Conflict | Refused, paths: AbstractSet[str]
) -> Refused | None:
    """A refusal if an edit touches files other than those at `paths` (real), else None.

    Looks at the disk: where a name leads now counts. Conflicts are checked, too, for they show
    lines.
    """
    for place in _places(planned):
        if (stray := _stray(place, paths)) is not None:
            return Refused(
                f"Nothing was changed: the edit would be made in {shown(stray)}, which was not"
                " decided about.\nBy now a link on the way leads elsewhere, or it came into a"
                " folder that is moved. Look at the files again before you go on."
            )
    return None


def _stray(place: _Place, paths: AbstractSet[str]) -> str | None:
    """Where the editor would find the file, if that is the wrong place."""
    uri, path = place
    name = to_path(uri)
    if name is None:  # a text in the editor alone
        return None
    if path not in paths:
        return path
    ends = map(real_path, (path, name))
    return next((end or path for end in ends if end != path), None)


def _places(planned: EditPlan | Conflict | Refused) -> Iterator[_Place]:
    if isinstance(planned, Conflict):
        yield planned.document.uri, planned.document.path
    elif isinstance(planned, EditPlan):
        for change in planned.files:
            yield from _places_of(change)


def _places_of(change: FileChange) -> Iterator[_Place]:
    match change:
        case FileEdit():
            yield change.uri, change.path
        case FileDeletion():
            yield change.base.uri, change.path
        case FileRename():
            yield change.uri, change.path
            yield change.new_uri, change.new_path
            yield from ((to_uri(path), path) for path in change.files)

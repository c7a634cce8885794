"""Whose a change is that was found after a command: the command's, somebody else's, or unknown.

Other sessions note what they changed, in this server and in others. A file that changed while the
command's processes rested was changed by another program. What changed while another session's
command ran, too, cannot be told apart. A file that is gone has no time of its own: it went with the
file that it was renamed to, else before the last change of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

from glossator.undo.file_states import FileState, NoFile, same
from glossator.undo.turn_log import Note, Turn

Rests = Callable[[str, int], bool]  # whether a command rested when a path changed (ns since 1970)
_LAG = 20_000_000  # ns that the times of files lag behind the clock


class _Whose(Enum):
    COMMAND = auto()
    OTHERS = auto()
    BOTH = auto()  # one after the other
    UNKNOWN = auto()


def told_apart(
    note: Note,
    others: Sequence[Note],
    rests: Iterable[Rests],
    renamed: Mapping[str, str],
    lived: int | None = None,
) -> Note:
    """What commands changed, without what others did meanwhile; blocking.

    `others` are the notes of other sessions since the commands began, in their order. `rests` is of
    each of the commands. `renamed` has the new paths of files that were. After `lived` (ns since
    1970) no server watched them.
    """
    checks = tuple(rests)

    def whose(path: str) -> _Whose:
        at = _changed_at(path, note.since)
        found = _by_others(note, path, others, at)
        if found is not _Whose.COMMAND:
            return found
        if at is None and path in renamed:
            at = _changed_at(renamed[path], note.since)
        times = {path: at}
        if is_latest := at is None:  # it went, or came with its folder, at that time or before
            folder = _folder_of(path, note.found[path])
            at = _changed_at(folder, note.since - _LAG)
            times = {folder: at, path: 0}  # of the path only whether the server itself made it
        if at is None:
            return _Whose.COMMAND
        if checks and all(
            check(name, time or 0) for check in checks for name, time in times.items()
        ):
            return _Whose.UNKNOWN if is_latest else _Whose.OTHERS
        return _Whose.UNKNOWN if lived is not None and at > lived else _Whose.COMMAND

    verdicts = {path: whose(path) for path in note.left}
    kept = {path for path, each in verdicts.items() if each is not _Whose.OTHERS}
    return replace(
        note,
        found={path: state for path, state in note.found.items() if path in kept},
        left={path: state for path, state in note.left.items() if path in kept},
        mixed=(*note.mixed, *(path for path in verdicts if verdicts[path] is _Whose.BOTH)),
        doubtful=tuple(path for path in verdicts if verdicts[path] is _Whose.UNKNOWN),
    )


def claimed_elsewhere(turns: Iterable[Turn], others: Sequence[Note]) -> set[str]:
    """The paths that commands of these turns, and at the same time others, left as they are."""
    return {
        path
        for turn in turns
        for path, (since, at) in turn.spans.items()
        for each in others
        if path in each.left and 0 < each.since <= at and since <= each.at
        if same(each.left[path], turn.left[path])
    }


def _by_others(note: Note, path: str, others: Sequence[Note], at: int | None) -> _Whose:
    edits = [each for each in others if not each.since]
    whose = _edited(note.found[path], note.left[path], path, edits)
    if whose is not _Whose.COMMAND:
        return whose
    for each in others:
        if each.since and path in each.left:
            if not same(each.left[path], note.left[path]):
                return _Whose.BOTH
            if at is None or (each.since <= at + _LAG and at <= each.at):
                return _Whose.UNKNOWN
    return _Whose.COMMAND


def _edited(before: FileState, now: FileState, path: str, edits: Sequence[Note]) -> _Whose:
    """Whose it is that a path is as it is `now`, if others edited files."""
    first = [each.found[path] for each in edits if path in each.found]
    last = None
    is_open = False  # somebody is at it, or was when they ended
    for each in edits:
        is_open |= path in each.found
        if path in each.left or path in each.untouched:
            is_open = False
            last = each.left.get(path, last)
    if last is None:
        return _Whose.BOTH if is_open else _Whose.COMMAND
    only = not is_open and same(last, now) and (not first or same(first[0], before))
    return _Whose.OTHERS if only else _Whose.BOTH


def _changed_at(path: str, since: int) -> int | None:
    """When what is at a path was last changed (ns since 1970); None if it was not, or is gone."""
    try:
        at = os.lstat(path).st_ctime_ns
    except OSError:
        return None
    return None if at < since else at


def _folder_of(path: str, found: FileState) -> str:
    """The folder from which a path went, or in which the folder that it came with is."""
    if isinstance(found, NoFile):
        return os.path.dirname(found.folder or path)
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder

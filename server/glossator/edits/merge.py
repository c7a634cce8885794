"""Moves a plan over the changes made since its base text was read.

A diff of the base and the current text gives those changes. A replacement that none of them
overlaps or touches moves to its new offset; any other is a conflict. An ambiguous change (one of
three blank lines was deleted: which?) counts at all its possible places. So exactly the intended
text is replaced, and everything else stays as the user left it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from glossator.core.document import Document, Missing, MissingReason, is_absent
from glossator.core.edit import (
    Conflict,
    EditPlan,
    FileChange,
    FileDeletion,
    FileEdit,
    FileRename,
    Refused,
)
from glossator.core.line_diff import Replacement, line_replacements, trimmed
from glossator.core.shown import shown

Read = Callable[[str], Document | Missing]


def rebase_plan(plan: EditPlan, read: Read) -> EditPlan | Conflict | Refused:
    """The plan for the texts as they are now; `read` takes an absolute path."""
    files: list[FileChange] = []
    for change in plan.files:
        moved = _rebase_file(change, read)
        if isinstance(moved, (Conflict, Refused)):
            return moved
        files.append(moved)
    return replace(plan, files=tuple(files))


def rebase(
    base: str, replacements: Sequence[Replacement], current: Document
) -> tuple[Replacement, ...] | Conflict:
    """Replacements in `base` as replacements in the current text."""
    if base == current.text:
        return tuple(replacements)
    changes = _changes(base, current.text)
    moved: list[Replacement] = []
    at = growth = 0
    for each in replacements:
        while at < len(changes) and changes[at].last < each.start:
            growth += changes[at].change.growth
            at += 1
        if at < len(changes) and changes[at].first <= each.end:
            return _conflict(each, changes, current)
        moved.append(Replacement(each.start + growth, each.end + growth, each.text))
    return tuple(moved)


def _rebase_file(change: FileChange, read: Read) -> FileChange | Conflict | Refused:
    if isinstance(change, FileRename):
        return _still_to_move(change, read)
    base, current = change.base, read(change.path)
    if base is None:
        return _still_new(change, current)
    if isinstance(current, Missing):
        return Refused(f"Nothing was changed: {current.model_message}")
    return _over(change, base, current)


def _over(
    change: FileEdit | FileDeletion, base: Document, current: Document
) -> FileChange | Conflict:
    if isinstance(change, FileDeletion):
        if current.sha256 == base.sha256:
            return replace(change, base=current)
        return Conflict(current, 1, max(len(current.lines), 1))
    moved = rebase(base.text, change.replacements, current)
    if isinstance(moved, Conflict):
        return moved
    return FileEdit(current.uri, current.path, current, moved)


def _still_new(change: FileChange, current: Document | Missing) -> FileChange | Refused:
    if isinstance(current, Document):
        return Refused(
            f"Nothing was changed: {shown(change.path)} now exists.\nRead it, then edit it or"
            " choose another path."
        )
    if current.reason is not MissingReason.ABSENT:
        return Refused(f"Nothing was changed: {current.model_message}")
    return change


def _still_to_move(change: FileRename, read: Read) -> FileRename | Refused:
    old, new = read(change.path), read(change.new_path)
    for end in (old, new):
        if isinstance(end, Missing) and end.reason is MissingReason.OUTSIDE:
            return Refused(f"Nothing was changed: {end.model_message}")
    if is_absent(old):
        return Refused(
            f"Nothing was changed: {shown(change.path)} no longer exists.\nFind out what"
            " became of it before you go on."
        )
    if not is_absent(new):
        return Refused(
            f"Nothing was changed: {shown(change.new_path)} now exists.\nChoose another path."
        )
    return change


class _Change(NamedTuple):
    """A change of the other: it was made somewhere between `first` and `last` (offsets)."""

    first: int
    last: int
    change: Replacement


def _changes(base: str, current: str) -> list[_Change]:
    whole = trimmed(base, Replacement(0, len(base), current))
    # whole lines are compared: a line that is cut would be another one
    start = base.rfind("\n", 0, whole.start) + 1
    end = base.find("\n", whole.end) + 1 or len(base)
    lines = base[start : whole.start] + whole.text + base[whole.end : end]
    found = [
        trimmed(base, Replacement(each.start + start, each.end + start, each.text))
        for each in line_replacements(base[start:end], lines)
    ]
    changes: list[_Change] = []
    for each in found:
        first, last = _reach(base, each)
        while changes and first <= changes[-1].last:  # each could lie where the other does
            nearest, furthest, before = changes.pop()
            first, last = min(first, nearest), max(last, furthest)
            between = base[before.end : each.start]
            each = Replacement(before.start, each.end, before.text + between + each.text)  # noqa: PLW2901 - the two are one from here on
        changes.append(_Change(first, last, each))
    return changes


def _reach(base: str, change: Replacement) -> tuple[int, int]:
    """The range in which a pure insertion or deletion could stand with the same outcome."""
    moving = change.text or base[change.start : change.end]
    if (change.text and change.start < change.end) or not moving:
        return change.start, change.end
    first, last = change.start, change.end
    steps = 0
    while first and base[first - 1] == moving[-1 - steps % len(moving)]:
        first, steps = first - 1, steps + 1
    steps = 0
    while last < len(base) and base[last] == moving[steps % len(moving)]:
        last, steps = last + 1, steps + 1
    return first, last


def _conflict(wanted: Replacement, changes: Sequence[_Change], current: Document) -> Conflict:
    """The current text where the replaced text was, and the changes that touch it."""
    start, end = wanted.start, wanted.end
    before = after = 0  # how much the text grew in front of both ends
    for first, last, change in changes:
        if last < start:
            before += change.growth
        if first <= end:
            after += change.growth
            if last >= start:
                start, end = min(start, change.start), max(end, change.end)
    table = current.table
    last_line = table.position(max(end + after, start + before), "utf-32").line + 1
    lines = max(len(current.lines), 1)
    first_line = table.position(start + before, "utf-32").line + 1
    return Conflict(current, min(first_line, lines), min(last_line, lines))

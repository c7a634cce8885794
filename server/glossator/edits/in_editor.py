"""Has the editor apply a plan, compares the resulting texts, and moves misplaced edits.

Editors that check no versions apply an edit at the places it names, whatever the text there is. So
each change that the editor sends is compared with the plan: the texts prove where the edit went.
Only without such proof is the last text compared with the one before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from operator import itemgetter

from glossator.core.document import Document, Missing, text_hash
from glossator.core.edit import Conflict, EditPlan, FileChange, FileEdit, FileRename, Hunk
from glossator.core.errors import InvalidPosition
from glossator.core.line_diff import (
    Replacement,
    apply_replacements,
    check,
    inverted,
    line_replacements,
    trimmed,
)
from glossator.core.ports import EditorPort, NotApplied
from glossator.core.text import LineTable, PositionEncoding
from glossator.edits import wait
from glossator.edits.merge import rebase
from glossator.workspace import DiskChanged, WorkspaceHost, WorkspaceSnapshot, edited


@dataclass(frozen=True, slots=True)
class Misplaced:
    """An edit in a wrong place: the text that it `made`, and the one it was `meant` to make.

    Where no text shows what the edit was applied to, both are None, and its place is not known.
    """

    path: str
    made: str | None = None
    meant: str | None = None

    def repair(self, current: Document) -> FileEdit | None:
        """The edits that move it to its place; None where that is not sure."""
        if self.made is None or self.meant is None:
            return None
        moved = rebase(self.made, line_replacements(self.made, self.meant), current)
        if isinstance(moved, Conflict):
            return None
        return FileEdit(current.uri, current.path, current, moved)


@contextmanager
def texts_seen(host: WorkspaceHost, plan: EditPlan) -> Iterator[wait.Texts]:
    """The texts that the editor sends, from now on, for the files that a plan edits."""
    edits = {change.path: change for change in plan.files if isinstance(change, FileEdit)}
    last = {path: host.overlays.get(path) for path in edits}
    texts = {path: [edit.before] for path, edit in edits.items()}

    def look(changed: AbstractSet[str]) -> None:
        for path in changed & edits.keys():
            overlay, before = host.overlays.get(path), last[path]
            if overlay is None or overlay is before:
                continue
            last[path] = overlay
            for edit in overlay.edits if before is not None else ():
                texts[path].append(edited(texts[path][-1], (edit,), host.encoding))
            if texts[path][-1] != overlay.text:  # it was opened
                texts[path].append(overlay.text)

    end = host.subscribe(look)
    try:
        yield texts
    finally:
        end()


def not_made(
    edit: FileEdit,
    texts: Sequence[str],
    encoding: PositionEncoding,
    *,
    refused: bool,
    blind: bool,
    confirm: bool,
) -> tuple[Hunk, ...] | Misplaced:
    """The hunks of an edit that the editor did not make, or how it misplaced the edit.

    An edit that the editor `refused` was made if a text proves it. A `blind` editor may have
    applied it to another text. With `confirm` the user chose among the hunks; else it is all of
    them or none.
    """
    if not confirm and (proof := _by_old_places(edit, texts, encoding)) is not None:
        return () if proof.made == proof.meant else proof
    if edit.result in texts:
        return ()
    if refused:
        return edit.hunks
    untouched = tuple(hunk for hunk in edit.hunks if _moved(edit, (hunk.replacement,), texts[-1]))
    if confirm or _has_result(edit, texts[-1]):
        return untouched if confirm else ()
    if (blind or untouched == edit.hunks) and not _shows(edit, texts):
        return edit.hunks
    return Misplaced(edit.path) if blind else ()


def _by_old_places(
    edit: FileEdit, texts: Sequence[str], encoding: PositionEncoding
) -> Misplaced | None:
    """The text that the edit made, at the places it names, of a text that was seen.

    None if the edit's own text became its result, perhaps in steps. Of several the two that follow
    soonest: the user may change a text into the edit's result.
    """
    found: list[tuple[int, str, str]] = []
    for at, text in enumerate(texts):
        made = _at_old_places(edit, text, encoding)
        if made is not None and made != text and made in texts[at + 1 :]:
            found.append((texts.index(made, at + 1) - at, text, made))
    if not found or any(made == edit.result and text == edit.before for _, text, made in found):
        return None
    _, text, made = min(found, key=itemgetter(0))
    moved = _moved(edit, edit.replacements, text)
    meant = None if moved is None else apply_replacements(text, moved)
    return Misplaced(edit.path, made, meant)


def _at_old_places(edit: FileEdit, text: str, encoding: PositionEncoding) -> str | None:
    """What an editor makes of a text that is not the edit's base; None if a place is missing."""
    table = LineTable(text)
    try:
        placed = [
            Replacement(
                table.offset(each.start, encoding), table.offset(each.end, encoding), each.text
            )
            for each in edit.positioned(encoding)
        ]
        check(placed, len(text))
    except (InvalidPosition, ValueError):
        return None
    return apply_replacements(text, placed)


def _moved(
    edit: FileEdit, replacements: tuple[Replacement, ...], text: str
) -> tuple[Replacement, ...] | None:
    """Replacements of the edit for another text, if what they replace is untouched there."""
    if edit.base is None:
        return None if text else replacements
    moved = rebase(edit.base.text, replacements, _holding(edit.base, text))
    return None if isinstance(moved, Conflict) else moved


def _has_result(edit: FileEdit, text: str) -> bool:
    """Whether a text is the edit's result, changed elsewhere at most."""
    if edit.base is None:
        return False
    gone = [edit.before[each.start : each.end] for each in edit.replacements]
    if any(old and text.count(old) > edit.result.count(old) for old in gone):
        return False
    back = inverted(edit.before, edit.replacements)
    return not isinstance(rebase(edit.result, back, _holding(edit.base, text)), Conflict)


def _shows(edit: FileEdit, texts: Sequence[str]) -> bool:
    """Whether any change may hold something of the edit: the text it adds, or what it deletes."""
    cut = [trimmed(edit.before, each) for each in edit.replacements]
    added = [each.text for each in cut if each.text]
    for before, after in pairwise(texts):
        if any(after.count(text) > before.count(text) for text in added):
            return True
        change = trimmed(before, Replacement(0, len(before), after))
        if len(added) < len(cut) and change.start < change.end:
            return True
    return False


def _holding(document: Document, text: str) -> Document:
    return replace(document, text=text, sha256=text_hash(text))


_REPAIRS = 4  # while the user types on
_TELL = (
    "An edit of {} may be in a wrong place: you were typing, and your editor had not sent that yet."
    " Look at it, and undo it in the editor if it is."
)


@dataclass(frozen=True, slots=True)
class Made:
    """The editor made a plan but for the hunks `left_out`.

    What is still `misplaced` the user has been told; `moved`: all that was misplaced was put right.
    """

    left_out: tuple[Hunk, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    moved: bool = False


@dataclass(frozen=True, slots=True)
class NotMade:
    """Nothing of a plan was made; `again`: somebody changed the text, and it may be tried again.

    `accepted`: the editor said that it had applied it.
    """

    accepted: bool = False
    again: bool = True


async def apply(
    host: WorkspaceHost, port: EditorPort, plan: EditPlan, *, confirm: bool = False
) -> Made | NotMade | NotApplied:
    """Have the editor make a plan, if its files are as it found them; put right what goes wrong.

    `confirm`: the editor is to ask the user.
    """
    made = await _ask(host, port, plan, confirm=confirm)
    if not isinstance(made, Made) or not made.misplaced:
        return made
    if await _put_right(host, port, plan.label, made.misplaced):
        return replace(made, misplaced=(), moved=True)
    relative = host.snapshot().relative
    port.tell(_TELL.format(", ".join(relative(each.path) for each in made.misplaced)))
    return made


def paths_of(plan: EditPlan) -> tuple[str, ...]:
    """The paths that the plan names."""
    new = (change.new_path for change in plan.files if isinstance(change, FileRename))
    return (*(change.path for change in plan.files), *new)


async def _put_right(
    host: WorkspaceHost, port: EditorPort, label: str, misplaced: tuple[Misplaced, ...]
) -> bool:
    """Have misplaced edits moved to their places; a repair can be misplaced as well."""
    for _ in range(_REPAIRS):
        await wait.quiet(host, port, [each.path for each in misplaced])
        repair = await asyncio.to_thread(_repair, label, misplaced, host.snapshot())
        if repair is None:
            return False
        match await _ask(host, port, repair, confirm=False):
            case Made(misplaced=still) if still:
                misplaced = still
            case Made():
                return True
            case NotMade(again=True):
                pass
            case _:
                return False
    return False


def _repair(
    label: str, misplaced: tuple[Misplaced, ...], now: WorkspaceSnapshot
) -> EditPlan | None:
    repairs: list[FileEdit] = []
    for each in misplaced:
        current = now.read(each.path)
        repair = each.repair(current) if isinstance(current, Document) else None
        if repair is None:
            return None
        repairs.append(repair)
    return EditPlan.of(label, *repairs)


async def _ask(
    host: WorkspaceHost, port: EditorPort, plan: EditPlan, *, confirm: bool
) -> Made | NotMade | NotApplied:
    with texts_seen(host, plan) as texts:
        if await asyncio.to_thread(wait.changed, plan, host.snapshot()):
            return NotMade()
        refusal = await port.apply_edit(plan, confirm=confirm)
        # a client that writes to the disk sends no change
        host.apply(DiskChanged(frozenset(paths_of(plan))))
        if refusal is None:
            if not await wait.arrived(host, plan, texts):
                return NotMade(accepted=True, again=False)
        elif not await _late(host, plan, refusal):
            return refusal

        now, blind, refused = host.snapshot(), port.edits_blindly, refusal is not None

        def find(change: FileChange) -> tuple[Hunk, ...] | Misplaced:
            if isinstance(change, FileEdit):
                seen = _with_current(texts[change.path], now.read(change.path))
                asked = {"refused": refused, "blind": blind, "confirm": confirm}
                return not_made(change, seen, host.encoding, **asked)
            if isinstance(change, FileRename) and not refused:
                return change.hunks if wait.is_unchanged(change, now) else ()
            return () if wait.is_done(change, now) else change.hunks

        found = await asyncio.to_thread(lambda: [find(change) for change in plan.files])
    left_out = tuple(hunk for each in found if not isinstance(each, Misplaced) for hunk in each)
    if len(left_out) == len(plan.hunks):
        return NotMade(accepted=not refused, again=refused or not confirm)
    return Made(left_out, tuple(each for each in found if isinstance(each, Misplaced)))


async def _late(host: WorkspaceHost, plan: EditPlan, refusal: NotApplied) -> bool:
    """Whether a text changed, or does soon, so that the editor may apply the plan next time."""
    is_open = any(change.base and change.base.version is not None for change in plan.files)
    seconds = wait.BEHIND_SECONDS if refusal.behind else wait.LATE_SECONDS
    changed = partial(wait.changed, plan)
    return await wait.until(host, changed, seconds if is_open else 0.0)


def _with_current(seen: Sequence[str], current: Document | Missing) -> Sequence[str]:
    """The texts that were seen, and what a file holds that no editor has open."""
    if isinstance(current, Missing) or current.text == seen[-1]:
        return seen
    return (*seen, current.text)

"""Whether an editor made an edit, and where, by the texts that its document had since.

A text that was seen is proof. Editors without versions, or with versions they do not check, apply
an edit at the places it names, whatever is there: the changes, taken one by one, show which text it
was applied to, and so what it should have made. Only where no text proves it, for the edit and what
was typed came in one change, is the last text compared with the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise

from glossator.core.document import Document, text_hash
from glossator.core.edit import Conflict, EditPlan, FileEdit, Hunk
from glossator.core.errors import InvalidPosition
from glossator.core.replacement import (
    Replacement,
    apply_replacements,
    check,
    inverted,
    line_replacements,
    trimmed,
)
from glossator.core.text import LineTable, PositionEncoding
from glossator.documents.host import WorkspaceHost
from glossator.documents.overlays import edited
from glossator.edits.merge import rebase

Texts = Mapping[str, Sequence[str]]  # by path: the text before the edit, and after each change


@dataclass(frozen=True, slots=True)
class Misplaced:
    """An edit in a wrong place: the text that it `made`, and the one it was `meant` to make.

    Where no text shows what the edit was applied to, both are None, and its place is not known.
    """

    path: str
    made: str | None = None
    meant: str | None = None

    def repair(self, current: Document) -> FileEdit | None:
        """What moves the edit to its place; None where that is not sure."""
        if self.made is None or self.meant is None:
            return None
        moved = rebase(self.made, line_replacements(self.made, self.meant), current)
        if isinstance(moved, Conflict):
            return None
        return FileEdit(current.uri, current.path, current, moved)


@contextmanager
def texts_seen(host: WorkspaceHost, plan: EditPlan) -> Iterator[Texts]:
    """The texts that the editor tells of, from now on, for the files that a plan edits."""
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
    if edit.result in texts:
        return ()
    if not confirm and (proof := _by_old_places(edit, texts, encoding)) is not None:
        return () if proof.made == proof.meant else proof
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
    """The text that the edit made, at the places it names, of a text that was seen."""
    for at, text in enumerate(texts):
        made = _at_old_places(edit, text, encoding)
        if made != text and made in texts[at + 1 :]:
            moved = _moved(edit, edit.replacements, text)
            meant = None if moved is None else apply_replacements(text, moved)
            return Misplaced(edit.path, made, meant)
    return None


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

"""An edit that an editor made in the wrong place, for it had not sent yet what was typed.

Editors without versions, or with versions they do not check, apply an edit at the places that are
named, whatever stands there. What they send then has both: what was typed, and the edit. Taken one
by one, the changes show which text the edit was applied to, and so what it should have become.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace

from glossator.core.document import Document, text_hash
from glossator.core.edit import Conflict, EditPlan, FileChange, FileEdit
from glossator.core.errors import InvalidPosition
from glossator.core.replacement import (
    Replacement,
    apply_replacements,
    check,
    line_replacements,
)
from glossator.core.text import LineTable, PositionEncoding
from glossator.workspace.editing.merge import is_made, rebase
from glossator.workspace.host import WorkspaceHost
from glossator.workspace.overlays import edited

Texts = Mapping[str, Sequence[str]]  # by path: the text at first, and after each change


@dataclass(frozen=True, slots=True)
class Misplaced:
    """What became of the text, and what should have; None where that is not known."""

    left: str | None = None
    wanted: str | None = None

    def put_right(self, current: Document) -> FileEdit | None:
        """What makes the current text what it should be; None where that is not sure."""
        if self.left is None or self.wanted is None:
            return None
        mended = rebase(self.left, line_replacements(self.left, self.wanted), current)
        if isinstance(mended, Conflict):
            return None
        return FileEdit(current.uri, current.path, current, mended)


@contextmanager
def followed(host: WorkspaceHost, plan: EditPlan) -> Iterator[Texts]:
    """The texts that the plan's open documents have from now on."""
    paths = [change.path for change in plan.files if change.path in host.overlays]
    seen = {path: host.overlays[path] for path in paths}
    texts = {path: [seen[path].text] for path in paths}

    def look(changed: AbstractSet[str]) -> None:
        for path in changed & seen.keys():
            overlay = host.overlays.get(path)
            if overlay is None or overlay is seen[path]:
                continue
            seen[path] = overlay
            for edit in overlay.edits:
                texts[path].append(edited(texts[path][-1], (edit,), host.encoding))
            if texts[path][-1] != overlay.text:  # it was opened again
                texts[path].append(overlay.text)

    end = host.subscribe(look)
    try:
        yield texts
    finally:
        end()


def find(
    change: FileChange, texts: Texts, encoding: PositionEncoding, *, guess: bool
) -> Misplaced | None:
    """How an edit went wrong, if it did; `guess`: also where no text shows what it was made in."""
    steps = texts.get(change.path, ())
    if not isinstance(change, FileEdit) or change.base is None or change.result in steps:
        return None
    for at, found in enumerate(steps):
        left = _at_old_places(change, found, encoding)
        if left in steps[at + 1 :]:
            moved = _moved(change, change.base, found)
            wanted = None if moved is None else apply_replacements(found, moved)
            return None if left == wanted else Misplaced(left, wanted)
    if not steps or not guess or is_made(change, _holding(change.base, steps[-1])):
        return None
    untouched = _moved(change, change.base, steps[-1]) is not None
    return Misplaced() if untouched and _stands_there(change, steps[-1], encoding) else None


def _moved(edit: FileEdit, base: Document, text: str) -> tuple[Replacement, ...] | None:
    """The replacements for another text of the document, if they have a place there."""
    moved = rebase(base.text, edit.replacements, _holding(base, text))
    return None if isinstance(moved, Conflict) else moved


def _holding(document: Document, text: str) -> Document:
    return replace(document, text=text, sha256=text_hash(text))


def _at_old_places(edit: FileEdit, text: str, encoding: PositionEncoding) -> str | None:
    """What an editor makes of a text that asks no questions; None where a place does not exist."""
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


def _stands_there(edit: FileEdit, text: str, encoding: PositionEncoding) -> bool:
    """Whether the new text stands where the edit named a place, and did not before."""
    before, after = LineTable(edit.before), LineTable(text)
    try:
        return any(
            text.startswith(each.text, after.offset(each.start, encoding))
            and not edit.before.startswith(each.text, before.offset(each.start, encoding))
            for each in edit.positioned(encoding)
            if each.text
        )
    except InvalidPosition:
        return False

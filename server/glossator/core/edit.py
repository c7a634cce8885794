"""What a tool call wants to change, before it is applied, and the outcome.

A plan is about texts at known hashes. An editor or a terminal applies it to just these texts, moves
it over what changed meanwhile (`edits/merge.py`), or refuses.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, Protocol
from uuid import uuid4

from glossator.core.document import Document, text_hash
from glossator.core.line_diff import (
    Replacement,
    apply_replacements,
    check,
    line_replacements,
    trimmed,
)
from glossator.core.notebook import NotebookError, cell_texts, cells_of, is_notebook
from glossator.core.text import LineTable, Position, PositionEncoding
from glossator.core.uri import to_uri

_ID_CHARACTERS = 12


class HunkKind(StrEnum):
    """What accepting a hunk does."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Hunk:
    """The smallest part of a plan that can be accepted or rejected: changed lines, or a file.

    `id` depends on the hunk and its base text alone. `first_line` is 1-based, in the base; `before`
    and `after` are whole lines with their ends (of a rename: the two paths).
    """

    id: str
    kind: HunkKind
    path: str
    first_line: int
    before: str
    after: str
    replacement: Replacement


class PositionedEdit(NamedTuple):
    """A replacement as an editor counts it; all of a file count in the base text."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True)
class FileEdit:
    """Replacements in `base`; without a base, a new file in the encoding `new_in`.

    `path` is absolute. Raises `ValueError` for replacements that overlap or lie outside the base.
    """

    uri: str
    path: str
    base: Document | None
    replacements: tuple[Replacement, ...]
    new_in: str = "utf-8"

    def __post_init__(self) -> None:
        check(self.replacements, len(self.before))

    @property
    def before(self) -> str:
        """The text as it is."""
        return "" if self.base is None else self.base.text

    @property
    def encoding(self) -> str:
        """The encoding of the file, named as in `core.encoding`."""
        return self.new_in if self.base is None else self.base.encoding

    @cached_property
    def result(self) -> str:
        """The text as it will be."""
        return apply_replacements(self.before, self.replacements)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks; a new file is one hunk, and of a notebook all that a cell changes."""
        if self.base is None:
            whole = Replacement(0, 0, self.result)
            return (self._hunk(HunkKind.CREATE, whole, 1),)
        table, base = LineTable(self.before), self.before
        changes = line_replacements(base, self.result)
        if is_notebook(self.path):
            changes = _by_cell(base, changes)
        return tuple(
            self._hunk(HunkKind.EDIT, each, table.position(each.start, "utf-32").line + 1)
            for each in changes
        )

    def positioned(self, encoding: PositionEncoding) -> tuple[PositionedEdit, ...]:
        """The replacements for an editor, each cut down to what it changes."""
        table = LineTable(self.before)
        edits = (trimmed(self.before, each) for each in self.replacements)
        return tuple(
            PositionedEdit(
                table.position(each.start, encoding), table.position(each.end, encoding), each.text
            )
            for each in edits
            if each.start != each.end or each.text
        )

    def keeping(self, accepted: AbstractSet[str]) -> FileEdit | None:
        """The edit with only these hunks, None if none is left."""
        kept = [hunk.replacement for hunk in self.hunks if hunk.id in accepted]
        if len(kept) == len(self.hunks):
            return self
        return replace(self, replacements=tuple(kept)) if kept else None

    def _hunk(self, kind: HunkKind, change: Replacement, first_line: int) -> Hunk:
        before = self.before[change.start : change.end]
        sha256 = "" if self.base is None else self.base.sha256
        name = _name(self.uri, sha256, str(change.start), str(change.end), change.text)
        return Hunk(name, kind, self.path, first_line, before, change.text, change)


@dataclass(frozen=True)
class FileDeletion:
    """The file of this document goes."""

    base: Document

    @property
    def path(self) -> str:
        """The absolute path."""
        return self.base.path

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The file is one hunk."""
        text = self.base.text
        name = _name(self.base.uri, self.base.sha256, HunkKind.DELETE)
        change = Replacement(0, len(text), "")
        return (Hunk(name, HunkKind.DELETE, self.path, 1, text, "", change),)

    def keeping(self, accepted: AbstractSet[str]) -> FileDeletion | None:
        """The deletion, or None without its hunk."""
        return self if self.hunks[0].id in accepted else None


@dataclass(frozen=True)
class FileRename:
    """A file, or a folder with all that is in it, gets another path; nothing may be there yet.

    It is about no text: what is typed into the files goes with them. Paths are absolute; `inside`
    are the files of a folder, relative to it.
    """

    uri: str
    path: str
    new_uri: str
    new_path: str
    inside: tuple[str, ...] = ()

    @property
    def base(self) -> None:
        """None, since a rename is about no text."""
        return

    @property
    def files(self) -> tuple[str, ...]:
        """Every file concerned, by its old path and its new one."""
        if not self.inside:
            return (self.path, self.new_path)
        folders = (self.path, self.new_path)
        return tuple(os.path.join(folder, name) for folder in folders for name in self.inside)

    @property
    def reverse(self) -> FileRename:
        """The rename that undoes this one."""
        return FileRename(self.new_uri, self.new_path, self.uri, self.path, self.inside)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The rename is one hunk."""
        name = _name(self.uri, HunkKind.RENAME, self.new_uri)
        change = Replacement(0, 0, "")
        paths = (f"{self.path}\n", f"{self.new_path}\n")
        return (Hunk(name, HunkKind.RENAME, self.path, 1, *paths, change),)

    def keeping(self, accepted: AbstractSet[str]) -> FileRename | None:
        """The rename, or None without its hunk."""
        return self if self.hunks[0].id in accepted else None


FileChange = FileEdit | FileDeletion | FileRename


@dataclass(frozen=True)
class EditPlan:
    """Everything one tool call changes: applied, shown and undone together.

    `label` is a short phrase for the editor's undo list. Each path occurs once. One that is taken
    `as_one` is right only with all of its hunks.
    """

    id: str
    label: str
    files: tuple[FileChange, ...]
    as_one: bool = False

    @staticmethod
    def of(label: str, *files: FileChange, as_one: bool = False) -> EditPlan:
        """Make a plan with an id of its own. Raises `ValueError` for a path that occurs twice."""
        if len({change.path for change in files}) < len(files):
            raise ValueError("two changes of a plan are about the same path")
        return EditPlan(uuid4().hex, label, files, as_one)

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks of all files."""
        return tuple(hunk for change in self.files for hunk in change.hunks)


@dataclass(frozen=True, slots=True)
class HunkView:
    """A hunk as clients see it: changed lines, or a whole file."""

    id: str
    kind: HunkKind
    path: str
    first_line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as clients see it: what a tool wants to change.

    `as_one`: no part of it can be taken without the others.
    """

    id: str
    label: str
    hunks: tuple[HunkView, ...]
    as_one: bool = False

    @staticmethod
    def of(plan: EditPlan) -> PlanView:
        """What is sent of a plan."""
        hunks = (_view(change, hunk) for change in plan.files for hunk in change.hunks)
        return PlanView(plan.id, plan.label, tuple(hunks), plan.as_one)


def text_after(text: str, hunks: Sequence[HunkView]) -> str | None:
    """A file's text after all hunks that change its lines; None if they were made for another."""
    starts, sha256 = LineTable(text).starts, text_hash(text)
    changes: list[Replacement] = []
    for hunk in hunks:
        if hunk.first_line > len(starts):
            return None
        start = starts[hunk.first_line - 1]
        end = start + len(hunk.before)
        if hunk.id != _name(to_uri(hunk.path), sha256, str(start), str(end), hunk.after):
            return None
        changes.append(Replacement(start, end, hunk.after))
    return apply_replacements(text, changes)


def _view(change: FileChange, hunk: Hunk) -> HunkView:
    """The hunk as clients see it, of a notebook as its cells."""
    before, after = hunk.before, hunk.after
    if isinstance(change, FileEdit) and is_notebook(change.path):
        result = apply_replacements(change.before, (hunk.replacement,))
        before, after = cell_texts(change.before, result) or (before, after)
    return HunkView(hunk.id, hunk.kind, hunk.path, hunk.first_line, before, after)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the user takes of a plan: the ids of hunks, and words for the model about the rest."""

    accepted: frozenset[str]
    message: str = ""


def keep(plan: EditPlan, accepted: AbstractSet[str]) -> EditPlan:
    """The plan without the hunks that are not `accepted`; may be empty."""
    kept = (change.keeping(accepted) for change in plan.files)
    return replace(plan, files=tuple(change for change in kept if change is not None))


@dataclass(frozen=True, slots=True)
class Applied:
    """The files were changed; `documents` are their texts now, `note` is for the model.

    `left_out` are the ids of the hunks that the user did not want.

    The texts are not always what the plan said: the user may have rejected hunks or typed
    meanwhile, and editors format. Files that are gone are not among them, nor those in a folder
    that was moved; what is open in the editor all the same is.
    """

    documents: tuple[Document, ...]
    note: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed; `reason` says why in a line, and on others what the model is to do."""

    reason: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was changed, for what was to be replaced is not there any more.

    The lines (1-based, inclusive) are those of `document` that stand in that place now. `note` is
    for the model.
    """

    document: Document
    first_line: int
    last_line: int
    note: str = ""


EditOutcome = Applied | Refused | Conflict


class Editing(Protocol):
    """Changes files for the tools."""

    def within(
        self,
        paths: AbstractSet[str],
        waiting: Callable[[], AbstractContextManager[object]],
        parts: Parts | None = None,
    ) -> Editing:
        """The same, for plans about these real paths alone; `waiting` while the user decides.

        With `parts` the user has decided already, and only these are applied.
        """

    async def apply(self, plan: EditPlan) -> EditOutcome:
        """Apply the whole plan or nothing of it, but for what the user rejects."""


def _by_cell(base: str, changes: tuple[Replacement, ...]) -> tuple[Replacement, ...]:
    """The changes, those of one cell joined: a half of them may be no JSON."""
    try:
        starts = [cell.start for cell in cells_of(base).all]
    except NotebookError:
        return changes
    joined: list[Replacement] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last and bisect_right(starts, last.start) == bisect_right(starts, change.start):
            text = last.text + base[last.end : change.start] + change.text
            joined[-1] = Replacement(last.start, change.end, text)
        else:
            joined.append(change)
    return tuple(joined)


def _name(*parts: str) -> str:
    joined = "\0".join(parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARACTERS]

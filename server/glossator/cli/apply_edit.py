"""`workspace/applyEdit` as a terminal carries it out: all files are written, or none.

Everything is worked out first and put on the disk beside the files; only then do they get their new
texts, one after the other. If one of these last steps fails, those before it are taken back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from glossator.cli.edited_files import EditedFile, EditedFiles
from glossator.cli.wire import Json
from glossator.core.atomic import Place, move, opened
from glossator.core.encoding import decode
from glossator.core.errors import UsageError
from glossator.core.line_diff import unified_diff
from glossator.core.shown import shown
from glossator.core.text import PositionEncoding
from glossator.core.uri import to_path

_NO_FILE = "/dev/null"
_NOTHING = "Nothing was written."


class ApplyResult(TypedDict):
    """What LSP calls ApplyWorkspaceEditResult."""

    applied: bool
    failureReason: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to the server, and a unified diff of each text that was changed."""

    result: ApplyResult
    diffs: tuple[str, ...] = ()


def apply_edit(params: Json, roots: Sequence[str], encoding: PositionEncoding) -> Outcome:
    """Carry out ApplyWorkspaceEditParams below `roots`; a failure is an answer, too.

    Positions count in `encoding`. `params["glossator"]["sha256"]`, if it is there, holds by URI the
    hash (`core.document.text_hash`) of texts the edit is about: if a file's is another, nothing is
    written. A rename that comes alone moves the file or folder itself; among other changes of an
    edit, a file's text is written anew.
    """
    match _changes(params["edit"]):
        case [{"kind": "rename", "oldUri": str(old), "newUri": str(new), **rest}]:
            if not rest.get("options"):
                return _move(old, new, roots)
    hashes = (params.get("glossator") or {}).get("sha256") or {}
    with contextlib.ExitStack() as held:

        def open_place(path: str) -> Place:
            return held.enter_context(opened(path, roots))

        files = EditedFiles(open_place, encoding, hashes)
        try:
            for change in _changes(params["edit"]):
                files.take_in(change)
            steps = [_Step(file, open_place(file.place.path)) for file in files.changed]
        except UsageError as error:
            return _not_applied(str(error), _NOTHING)
        except OSError as error:
            return _not_applied(_explain(error), _NOTHING)
        if problem := _take(steps):
            return _not_applied(*problem)
        diffs = (_diff(file, roots) for file in files.changed)
        return Outcome({"applied": True}, tuple(diff for diff in diffs if diff))


def relative(path: str, roots: Sequence[str]) -> str:
    """`path` as people read it: relative to the root it lies in, if it does."""
    for root in map(os.path.realpath, roots):
        if path.startswith(root + os.sep):
            return shown(os.path.relpath(path, root))
    return shown(path)


class _Step:
    """One file's change, on the disk already but not in place, and the way back."""

    def __init__(self, file: EditedFile, back: Place) -> None:
        self._file = file
        self._back = back
        old = back.look()
        if file.after is not None:
            file.place.stage(file.after, file.like)
        if file.before is not None:
            back.stage(file.before, old)

    @property
    def name(self) -> str:
        """The file's path for messages."""
        return self._file.name

    def take(self) -> None:
        """Let the file have its new text, or go. Raises `OSError`."""
        if self._file.after is None:
            self._file.place.remove()
        else:
            self._file.place.commit()

    def take_back(self) -> bool:
        """Put the old file back, if what is there is still what was written."""
        try:
            if self._file.place.read() != self._file.after:
                return False
            self._back.look()
            if self._file.before is None:
                self._back.remove()
            else:
                self._back.commit()
        except OSError:
            return False
        return True


def _take(steps: Sequence[_Step]) -> tuple[str, str] | None:
    """Every step, or none; what went wrong, and what became of the files."""
    for number, step in enumerate(steps):
        try:
            step.take()
        except OSError as error:
            left = [each.name for each in reversed(steps[:number]) if not each.take_back()]
            names = ", ".join(left)
            kept = f"These could not be put back and stay changed: {names}." if left else _NOTHING
            return _explain(error), kept
    return None


def _changes(edit: Json) -> list[Json]:
    """The changes in order; the older form of an edit has only texts by URI."""
    if (changes := edit.get("documentChanges")) is not None:
        return list(changes)
    return [
        {"textDocument": {"uri": uri}, "edits": edits}
        for uri, edits in (edit.get("changes") or {}).items()
    ]


def _move(old: str, new: str, roots: Sequence[str]) -> Outcome:
    paths = to_path(old), to_path(new)
    if paths[0] is None or paths[1] is None:
        return _not_applied(f"{old} or {new} is no file of this machine.", _NOTHING)
    try:
        move(paths[0], paths[1], roots)
    except OSError as error:
        return _not_applied(_explain(error, "moved"), "Nothing was moved.")
    names = [relative(path, roots) for path in paths if path is not None]
    return Outcome({"applied": True}, (f"rename from {names[0]}\nrename to {names[1]}\n",))


def _not_applied(reason: str, kept: str) -> Outcome:
    return Outcome({"applied": False, "failureReason": f"{reason} {kept}"})


def _explain(error: OSError, done: str = "written") -> str:
    what = error.strerror or str(error)
    if isinstance(error.filename, str):
        return f"{shown(error.filename)} cannot be {done}: {what}."
    return f"The files cannot be {done}: {what}."


def _diff(file: EditedFile, roots: Sequence[str]) -> str:
    """The change of one file; empty if it is no text or has none."""
    old, new = decode(file.before or b""), decode(file.after or b"")
    if old is None or new is None:
        return ""
    name = relative(file.place.path, roots)
    before = _NO_FILE if file.before is None else f"a/{name}"
    after = _NO_FILE if file.after is None else f"b/{name}"
    return unified_diff(old[0], new[0], before, after)

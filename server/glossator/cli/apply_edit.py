"""`workspace/applyEdit` as a terminal carries it out: all files are written, or none.

The new texts are worked out in memory and written beside the files; only then do they replace the
files, one after the other. If one of these last steps fails, those before it are undone.
Sources: LSP 3.17, "WorkspaceEdit", "Resource changes", "TextEdit[]".
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from glossator.core.atomic import HeldName, move, opened
from glossator.core.document import text_hash
from glossator.core.encoding import declared, decode, encode_edited
from glossator.core.errors import UsageError
from glossator.core.line_diff import Replacement, apply_replacements, check, unified_diff
from glossator.core.shown import shown
from glossator.core.text import LineTable, Position, PositionEncoding
from glossator.core.uri import to_path
from glossator.core.wire import Json

_NO_FILE = "/dev/null"
_NOTHING = "Nothing was written."
ENCODING: PositionEncoding = "utf-8"  # of positions, as the handshake says


@dataclass(frozen=True, slots=True)
class EditResult:
    """An ApplyWorkspaceEditResult, and a unified diff of each text that was changed."""

    result: dict[str, Json]
    diffs: tuple[str, ...] = ()


def apply_edit(
    params: Mapping[str, Json], roots: Sequence[str], encoding: PositionEncoding = ENCODING
) -> EditResult:
    """Carry out ApplyWorkspaceEditParams below `roots`; a failure is an answer, too.

    Positions count in `encoding`. `params["glossator"]["sha256"]`, if it is there, holds by URI the
    hash (`core.document.text_hash`) of texts the edit is about: if a file's is another, nothing is
    written. `["encodings"]` beside it names, by URI, the encodings that are declared for files. A
    rename that comes alone moves the file or folder itself; among other changes of an edit, the
    whole text is written.
    """
    match _changes(params["edit"]):
        case [{"kind": "rename", "oldUri": str(old), "newUri": str(new), **rest}]:
            if not rest.get("options"):
                return _move(old, new, roots)
    ours = params.get("glossator") or {}
    with contextlib.ExitStack() as held:

        def open_place(path: str) -> HeldName:
            return held.enter_context(opened(path, roots))

        known = ours.get("sha256") or {}, ours.get("encodings") or {}
        files = EditedFiles(open_place, encoding, *known)
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
        return EditResult({"applied": True}, tuple(diff for diff in diffs if diff))


def relative(path: str, roots: Sequence[str]) -> str:
    """`path` as people read it: relative to the root it lies in, if it does."""
    for root in map(os.path.realpath, roots):
        if path.startswith(root + os.sep):
            return shown(os.path.relpath(path, root))
    return shown(path)


@dataclass(slots=True)
class EditedFile:
    """A file's current bytes (`before`) and new bytes (`after`); None for no file.

    `like` is the status of the file whose mode and owner it shall have.
    """

    place: HeldName
    before: bytes | None
    after: bytes | None
    like: os.stat_result | None
    encoding: str = ""  # declared for it

    @property
    def name(self) -> str:
        """Its path for messages."""
        return shown(self.place.path)


class EditedFiles:
    """The files that an edit is about; changes are taken in one after the other."""

    def __init__(
        self,
        open_place: Callable[[str], HeldName],
        encoding: PositionEncoding,
        hashes: Mapping[str, str],
        encodings: Mapping[str, str],
    ) -> None:
        self._open_place = open_place
        self._encoding = encoding
        self._hashes = hashes
        self._encodings = encodings
        self._by_path: dict[str, EditedFile] = {}

    @property
    def changed(self) -> list[EditedFile]:
        """The files that the edit changes."""
        return [file for file in self._by_path.values() if file.before != file.after]

    def take_in(self, change: Json) -> None:
        """Take in one of `documentChanges`. Raises `UsageError` for one that cannot be made."""
        options = change.get("options") or {}
        match change:
            case {"kind": "create", "uri": uri}:
                self._create(self._file(uri), options)
            case {"kind": "rename", "oldUri": old, "newUri": new}:
                self._rename(self._file(old), self._file(new), options)
            case {"kind": "delete", "uri": uri}:
                self._delete(self._file(uri), options)
            case {"textDocument": {"uri": uri, **document}, "edits": edits}:
                if document.get("version") is not None:
                    raise UsageError(f"{uri} is not open here, so it has no version.")
                self._edit(self._file(uri), edits)
            case _:
                raise UsageError(f"A change of an unknown kind: {change.get('kind')!r}.")

    def _file(self, uri: str) -> EditedFile:
        path = to_path(uri)
        if path is None:
            raise UsageError(f"{uri} is no file of this machine; only files can be changed here.")
        place = self._open_place(path)
        file = self._by_path.get(place.path)
        if file is None:
            before = place.read()
            named = declared(self._encodings.get(uri, "utf-8"))
            file = EditedFile(place, before, before, place.look(), named)
            self._by_path[place.path] = file
            self._must_be_known(uri, file)
        return file

    def _must_be_known(self, uri: str, file: EditedFile) -> None:
        wanted = self._hashes.get(uri)
        if wanted is not None and (file.before is None or text_hash(_text(file)[0]) != wanted):
            raise UsageError(f"{file.name} was changed by somebody else meanwhile.")

    def _create(self, file: EditedFile, options: Mapping[str, Json]) -> None:
        if file.after is not None and not options.get("overwrite"):
            if options.get("ignoreIfExists"):
                return
            raise UsageError(f"{file.name} exists already.")
        file.after = b""

    def _rename(self, old: EditedFile, new: EditedFile, options: Mapping[str, Json]) -> None:
        if old.after is None:
            raise UsageError(f"{old.name} does not exist, so it cannot be renamed.")
        if new.after is not None and not options.get("overwrite"):
            if options.get("ignoreIfExists"):
                return
            raise UsageError(f"{new.name} exists already.")
        if old is not new:
            new.after, new.like, old.after = old.after, old.like, None

    def _delete(self, file: EditedFile, options: Mapping[str, Json]) -> None:
        if file.after is None and not options.get("ignoreIfNotExists"):
            raise UsageError(f"{file.name} does not exist, so it cannot be deleted.")
        file.after = None

    def _edit(self, file: EditedFile, edits: Iterable[Json]) -> None:
        if file.after is None:
            raise UsageError(f"{file.name} does not exist, so it cannot be edited.")
        text, encoding = _text(file)
        table = LineTable(text)
        replacements = sorted(
            (self._replacement(table, edit) for edit in edits),
            key=lambda each: (each.start, each.end),  # equal ones in the order they came in
        )
        try:
            check(replacements, len(text))
        except ValueError as error:
            raise UsageError(f"The edits of {file.name} overlap.") from error
        after = apply_replacements(text, replacements)
        file.after = encode_edited(file.name, text, after, encoding)

    def _replacement(self, table: LineTable, edit: Json) -> Replacement:
        match edit:
            case {
                "range": {
                    "start": {"line": int(line), "character": int(character)},
                    "end": {"line": int(end_line), "character": int(end_character)},
                },
                "newText": str(text),
            }:
                start = table.offset(Position(line, character), self._encoding)
                end = table.offset(Position(end_line, end_character), self._encoding)
                return Replacement(start, end, text)
            case _:
                raise UsageError("An edit has not the form of a TextEdit.")


class _Step:
    """One file's change, on the disk already but not in place, and the way back."""

    def __init__(self, file: EditedFile, back: HeldName) -> None:
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
        """Put the old file back, unless somebody changed the new one."""
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


def _text(file: EditedFile) -> tuple[str, str]:
    decoded = decode(file.after or b"", file.encoding)
    if decoded is None:
        raise UsageError(f"{file.name} is binary; only text files can be edited.")
    return decoded


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


def _move(old: str, new: str, roots: Sequence[str]) -> EditResult:
    paths = to_path(old), to_path(new)
    if paths[0] is None or paths[1] is None:
        return _not_applied(f"{old} or {new} is no file of this machine.", _NOTHING)
    try:
        move(paths[0], paths[1], roots)
    except OSError as error:
        return _not_applied(_explain(error, "moved"), "Nothing was moved.")
    names = [relative(path, roots) for path in paths if path is not None]
    return EditResult({"applied": True}, (f"rename from {names[0]}\nrename to {names[1]}\n",))


def _not_applied(reason: str, kept: str) -> EditResult:
    return EditResult({"applied": False, "failureReason": f"{reason} {kept}"})


def _explain(error: OSError, done: str = "written") -> str:
    what = error.strerror or str(error)
    if isinstance(error.filename, str):
        return f"{shown(error.filename)} cannot be {done}: {what}."
    return f"The files cannot be {done}: {what}."


def _diff(file: EditedFile, roots: Sequence[str]) -> str:
    """The change of one file; empty if it is no text or has none."""
    old, new = (decode(each or b"", file.encoding) for each in (file.before, file.after))
    if old is None or new is None:
        return ""
    name = relative(file.place.path, roots)
    before = _NO_FILE if file.before is None else f"a/{name}"
    after = _NO_FILE if file.after is None else f"b/{name}"
    return unified_diff(old[0], new[0], before, after)

"""What a WorkspaceEdit makes of files on disk, worked out in memory.

Sources: LSP 3.17, "WorkspaceEdit", "Resource changes", "TextEdit[]".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from glossator.cli.wire import Json
from glossator.core.atomic import Place
from glossator.core.document import text_hash
from glossator.core.encoding import decode, encode_edited
from glossator.core.errors import UsageError
from glossator.core.replacement import Replacement, apply_replacements, check
from glossator.core.shown import shown
from glossator.core.text import LineTable, Position, PositionEncoding
from glossator.core.uri import to_path


@dataclass(slots=True)
class EditedFile:
    """A file as it is (`before`) and as it shall be (`after`); None where there is none.

    `like` is the status of the file whose mode and owner it shall have.
    """

    place: Place
    before: bytes | None
    after: bytes | None
    like: os.stat_result | None

    @property
    def name(self) -> str:
        """Its path for messages."""
        return shown(self.place.path)


class EditedFiles:
    """The files that an edit is about; changes are taken in one after the other."""

    def __init__(
        self,
        open_place: Callable[[str], Place],
        encoding: PositionEncoding,
        hashes: Mapping[str, str],
    ) -> None:
        self._open_place = open_place
        self._encoding = encoding
        self._hashes = hashes
        self._by_path: dict[str, EditedFile] = {}

    @property
    def changed(self) -> list[EditedFile]:
        """Those that shall be different."""
        return [file for file in self._by_path.values() if file.before != file.after]

    def take_in(self, change: Json) -> None:
        """One of `documentChanges`. Raises `UsageError` for one that cannot be made."""
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
            file = EditedFile(place, before, before, place.look())
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


def _text(file: EditedFile) -> tuple[str, str]:
    decoded = decode(file.after or b"")
    if decoded is None:
        raise UsageError(f"{file.name} is binary; only text files can be edited.")
    return decoded

"""The document at a path, or why the model may not see it, with files of similar names."""

from __future__ import annotations

import os
from difflib import get_close_matches

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.shown import shown
from glossator.tools.base import IsHidden
from glossator.workspace import FileEntry, WorkspaceSnapshot, best_files

_SIMILAR_NAMED = 5  # similar files
_MAX_CANDIDATES = 50
_MAX_COMPARED = 1_000  # files of the same folder to compare, 20 ms
_LAST_RANK = 5  # the last rank of `best_files` that has all letters in the name
_MIN_LETTERS = 3  # letters of a name; fewer fit too many
_SIMILARITY = 0.75  # at least, as `difflib` measures it


def refusal(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> str | None:
    """Why permission rules hide the file at `path`, for the model; None if they do not."""
    located = snapshot.folders.locate(path)
    if hides is None or isinstance(located, Missing) or not hides(located):
        return None
    return (
        f"The user's permission rules keep {shown(path)} from being read.\nDo not try to reach it"
        " in another way; go on without it, or tell the user."
    )


def visible(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> Document | str:
    """The document at `path`, or why it is not shown, for the model."""
    if (reason := refusal(snapshot, path, hides)) is not None:
        return reason
    document = snapshot.read(path)
    if isinstance(document, Missing):
        names = near(snapshot, path, hides) if document.reason is MissingReason.ABSENT else []
        if names:
            return f"{document.message}\nSimilar names: {', '.join(names)}."
        return document.model_message
    # a link may have changed meanwhile
    return refusal(snapshot, document.path, hides) or document


def near(snapshot: WorkspaceSnapshot, path: str, hides: IsHidden | None) -> list[str]:
    """Files whose names are similar to that of a missing `path`, best first.

    They have the same name in another folder, a longer name, another extension, or a similar
    spelling in the same folder.
    """
    folder, name = os.path.split(snapshot.folders.relative(path) if os.path.isabs(path) else path)

    def hidden(file: FileEntry) -> bool:
        return hides is not None and hides(file.path)

    def steps(file: FileEntry) -> int:
        return -len({*folder.split("/")}.intersection(file.relative.split("/")[:-1]))

    found: dict[str, FileEntry] = {}
    for typed in dict.fromkeys((name, os.path.splitext(name)[0])):
        if len(typed) < _MIN_LETTERS:
            continue
        ranked = best_files(snapshot, typed, _MAX_CANDIDATES, hidden)
        ranked = [each for each in ranked if each[0] <= _LAST_RANK]
        ranked.sort(key=lambda each: (each[0], steps(each[1])))
        found |= {file.relative: file for _, file in ranked if file.relative not in found}
    located = snapshot.folders.locate(path)
    if isinstance(located, str):
        beside = snapshot.listing.folders.get(os.path.dirname(located), ())[:_MAX_COMPARED]
        names = {os.path.basename(file.path): file for file in beside if not hidden(file)}
        alike = (
            names[each] for each in get_close_matches(name, names, _SIMILAR_NAMED, _SIMILARITY)
        )
        found = {file.relative: file for file in alike} | found
    if not found and len(name) > _MIN_LETTERS:
        begins = os.path.splitext(name)[0][: max(_MIN_LETTERS, len(name) // 2)]
        files = [file for _, file in best_files(snapshot, begins, _MAX_CANDIDATES, hidden)]
        names = {os.path.basename(file.path): file for file in reversed(files)}
        alike = (
            names[each] for each in get_close_matches(name, names, _SIMILAR_NAMED, _SIMILARITY)
        )
        found = {file.relative: file for file in alike}
    return [shown(relative) for relative in list(found)[:_SIMILAR_NAMED]]

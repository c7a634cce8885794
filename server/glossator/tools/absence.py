"""Why a file is not shown, and what a search that found nothing looked at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.shown import shown
from glossator.tools.base import IsHidden
from glossator.tools.selection import SPECIAL_CHARACTER, Selection
from glossator.workspace import SPECIAL, UNREADABLE, FileEntry, WorkspaceSnapshot, best_files

_NAMED = 5  # similar files
_CANDIDATES = 50
_BESIDE = 1_000  # files of the same folder to compare, 20 ms
_WITHIN_NAME = 5  # the last rank of `best_files` that has all letters in the name
_SHORTEST = 3  # letters of a name; fewer fit too many
_ALIKE = 0.75  # ratio of `difflib`

_RULES_SHOWN = 5


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
        if len(typed) < _SHORTEST:
            continue
        ranked = best_files(snapshot, typed, _CANDIDATES, hidden)
        ranked = [each for each in ranked if each[0] <= _WITHIN_NAME]
        ranked.sort(key=lambda each: (each[0], steps(each[1])))
        found |= {file.relative: file for _, file in ranked if file.relative not in found}
    located = snapshot.folders.locate(path)
    if isinstance(located, str):
        beside = snapshot.listing.folders.get(os.path.dirname(located), ())[:_BESIDE]
        names = {os.path.basename(file.path): file for file in beside if not hidden(file)}
        alike = (names[each] for each in get_close_matches(name, names, _NAMED, _ALIKE))
        found = {file.relative: file for file in alike} | found
    if not found and len(name) > _SHORTEST:
        begins = os.path.splitext(name)[0][: max(_SHORTEST, len(name) // 2)]
        files = [file for _, file in best_files(snapshot, begins, _CANDIDATES, hidden)]
        names = {os.path.basename(file.path): file for file in reversed(files)}
        alike = (names[each] for each in get_close_matches(name, names, _NAMED, _ALIKE))
        found = {file.relative: file for file in alike}
    return [shown(relative) for relative in list(found)[:_NAMED]]


def account(snapshot: WorkspaceSnapshot, selection: Selection, extra: Sequence[str] = ()) -> str:
    """How much was searched and what was left out, so that "nothing found" proves something."""
    if not snapshot.roots:
        return "No folder is open, so there was nothing to look at."
    looked, place = selection.count, selection.place
    left_out = [] if place is None else _left_out(snapshot, place)
    lines = [
        *left_out,
        f"Looked at {looked:,} of {selection.total:,} files"
        + (f" ({selection.filters})." if selection.filters else "."),
        *extra,
    ]
    if selection.hidden:
        lines.append(f"Hidden by the user's permission rules: {selection.hidden:,}.")
    if not left_out:
        if selection.pattern and not looked:
            lines += hints(snapshot, selection.pattern, place)
        lines += _rules(snapshot, place)
    if not snapshot.index_complete:
        lines.append("The first scan of the workspace is still going on: ask again for the rest.")
    return "\n".join(lines)


def hints(snapshot: WorkspaceSnapshot, pattern: str, place: str | None) -> list[str]:
    """What may be wrong with a pattern that matches nothing."""
    found = []
    if "[" in pattern:
        found.append("[…] stands for one character of a set; write \\[ for a bracket itself.")
    named = pattern.removeprefix("**/")
    special = SPECIAL_CHARACTER.search(named)
    folder = named[: special.start()].rpartition("/")[0] if special else named
    if folder := folder.strip("/"):
        found += _left_out(snapshot, folder if place is None else f"{place}/{folder}")
    return found


def _left_out(snapshot: WorkspaceSnapshot, relative: str) -> list[str]:
    """A sentence about a file or folder that a rule ignores, if one does."""
    path = snapshot.resolve(relative)
    if isinstance(path, Missing) or (rule := snapshot.listing.left_out(path)) is None:
        return []
    what = "the files in it" if os.path.isdir(path) else "it"
    step = "" if rule in (SPECIAL, UNREADABLE) else f"; Read still opens {what}"
    return [f"{shown(relative)} is left out by rule: {shown(rule)}{step}."]


def _rules(snapshot: WorkspaceSnapshot, place: str | None) -> list[str]:
    """A line about the rules that ignore paths at or below `place`, if there are any."""
    skipped, where = snapshot.skipped, ""
    if place is not None:
        path = snapshot.resolve(place)
        within = path if isinstance(path, str) else None
        skipped = snapshot.listing.summarise_skipped(snapshot.folders, within)
        where = f" under {shown(place)}"
    listed = [f"{shown(each.rule)} ({each.count:,})" for each in skipped[:_RULES_SHOWN]]
    if len(skipped) > _RULES_SHOWN:
        listed.append(f"{len(skipped) - _RULES_SHOWN} more rules")
    return [f"Left out{where} by rule: {'; '.join(listed)}."] if listed else []

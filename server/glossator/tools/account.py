"""An account of what a search looked at and what it did not, and of what may be wrong with it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from glossator.core.document import Missing
from glossator.core.shown import shown
from glossator.documents import WorkspaceSnapshot
from glossator.files import SPECIAL, UNREADABLE
from glossator.tools.selection import SPECIAL_CHARACTER, Selection

_RULES_SHOWN = 5


def account(snapshot: WorkspaceSnapshot, selection: Selection, extra: Sequence[str] = ()) -> str:
    """How much was looked at and what was left out: what makes "nothing found" a proof."""
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
    """What may be wrong with a pattern that nothing fits."""
    found = []
    if "[" in pattern:
        found.append("[…] stands for one character of a set; write \\[ for a bracket itself.")
    named = pattern.removeprefix("**/")  # before a name it stands for any folder, or for none
    special = SPECIAL_CHARACTER.search(named)
    folder = named[: special.start()].rpartition("/")[0] if special else named
    if folder := folder.strip("/"):
        found += _left_out(snapshot, folder if place is None else f"{place}/{folder}")
    return found


def _left_out(snapshot: WorkspaceSnapshot, relative: str) -> list[str]:
    """A sentence about a file or folder if a rule leaves it out."""
    path = snapshot.resolve(relative)
    if isinstance(path, Missing) or (rule := snapshot.listing.left_out(path)) is None:
        return []
    what = "the files in it" if os.path.isdir(path) else "it"
    step = "" if rule in (SPECIAL, UNREADABLE) else f"; Read still opens {what}"
    return [f"{shown(relative)} is left out by rule: {shown(rule)}{step}."]


def _rules(snapshot: WorkspaceSnapshot, place: str | None) -> list[str]:
    """A line about the rules that leave out paths at or below `place`, if there are any."""
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

"""The texts that may hold a name, in the order in which they are worth reading."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from glossator.workspace.roots import is_inside
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.languages import CODE, language_of
from glossator.workspace.symbols.modules import module_of
from glossator.workspace.symbols.names import Name
from glossator.workspace.symbols.sources import OpenText, Source
from glossator.workspace.text.required import analyse


@dataclass(frozen=True, slots=True)
class Place:
    """Which texts count: at or below `within`, in one of `languages` (None: any); and which first.

    Those come first whose `module_of` ends with one of `modules`, then those near `near`. Both
    `within` and `near` are absolute paths.
    """

    within: str | None = None
    languages: frozenset[str] | None = None
    modules: frozenset[str] = frozenset()
    near: str | None = None


ANYWHERE = Place()


def candidates(snapshot: WorkspaceSnapshot, name: Name, place: Place) -> tuple[Source, ...]:
    """The texts of `place`: code before other texts, then the likeliest and nearest first."""
    found = snapshot.text.candidates(analyse(re.escape(name.last)).query)
    sources: dict[str, Source] = {
        entry.path: entry.path
        for entry in chain(found.plain, found.others)
        if entry.path not in snapshot.overlays
    }
    for text in open_texts(snapshot):
        if name.last in text.text:
            sources[text.path] = text
    return tuple(sources[path] for _, path in sorted(_ranked(sources, place)))


def open_texts(snapshot: WorkspaceSnapshot) -> Iterator[OpenText]:
    """The open documents that a search sees: of listed files, and new ones that would be listed."""
    unsaved = {entry.path for entry in snapshot.unsaved}
    for overlay in snapshot.overlays.values():
        if overlay.path in unsaved or snapshot.listing.get(overlay.path) is not None:
            yield OpenText(overlay.path, overlay.text)


_Rank = tuple[int, bool, int]


def _ranked(paths: Iterable[str], place: Place) -> Iterator[tuple[_Rank, str]]:
    """There may be 100,000 paths, in a tenth of as many folders."""
    modules = tuple(place.modules)
    around = _around(place.near)
    steps: dict[str, int] = {}
    for path in paths:
        if place.within is not None and not is_inside(path, place.within):
            continue
        language = language_of(path)
        if place.languages is not None and language not in place.languages:
            continue
        kind = 0 if language in CODE else 1 if language else 2
        likely = bool(modules) and module_of(path).endswith(modules)
        folder = path.rpartition(os.sep)[0] + os.sep
        if folder not in steps:
            far = len(around)
            steps[folder] = next((n for n, at in enumerate(around) if folder.startswith(at)), far)
        yield (kind, not likely, steps[folder]), path


def _around(path: str | None) -> list[str]:
    """The folders around a path, innermost first, each with a separator at its end."""
    folders: list[str] = []
    while path and (folder := os.path.dirname(path)) != path:
        folders.append(os.path.join(folder, ""))
        path = folder
    return folders

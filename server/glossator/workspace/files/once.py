"""The files below a folder, listed once; nothing is watched."""

from __future__ import annotations

from glossator.settings import WorkspaceSettings
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.roots import Roots
from glossator.workspace.files.walk import walk


def list_once(folder: str, settings: WorkspaceSettings) -> tuple[FileEntry, ...]:
    """What a workspace with this one root lists, sorted by relative path."""
    roots = Roots.of([folder])
    rules = IgnoreRules(roots, settings)
    found = (entry for part in walk(roots.paths[0], roots, rules) for entry in part.files)
    return tuple(sorted(found, key=lambda entry: entry.relative))

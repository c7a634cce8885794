"""One question about paths, asked by whoever confines a command."""

from __future__ import annotations


def path_within(path: str, folder: str) -> bool:
    """Whether the absolute `path` is `folder` or lies below it, by name; links are not followed."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")

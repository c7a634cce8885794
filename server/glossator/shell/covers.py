"""What is mounted over hidden files and folders: nobody may read it, which programs say.

Nothing would look like an empty file, and `git commit -a` would commit that it became empty. Of
what was committed before, attributes have git say no more than that it differs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file and a folder without any permission, and a file of attributes for git."""

    file: str
    folder: str
    attributes: str


@contextmanager
def unreadable(patterns: Iterable[str] = ()) -> Iterator[Unreadable]:
    """Covers for as long as a command runs. Raises `OSError` if they cannot be made."""
    with tempfile.TemporaryDirectory(prefix="glossator-") as place:
        names = ("file", "folder", "attributes")
        cover = Unreadable(*(os.path.join(place, name) for name in names))
        os.close(os.open(cover.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0))
        os.mkdir(cover.folder, 0)
        with open(cover.attributes, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{line}\n" for line in map(_attribute, patterns))
        yield cover


def _attribute(pattern: str) -> str:
    """Source: gitattributes(5). A folder's attribute is not that of what it holds."""
    anywhere = "**/" + pattern.rstrip("/").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{anywhere}" -diff\n"{anywhere}/**" -diff'

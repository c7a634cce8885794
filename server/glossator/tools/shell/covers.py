"""What is mounted over hidden files and folders: nobody may read it, which programs say.

Nothing would look like an empty file, and `git commit -a` would commit that it became empty.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file and a folder without any permission."""

    file: str
    folder: str


@contextmanager
def unreadable() -> Iterator[Unreadable]:
    """Covers for as long as a command runs. Raises `OSError` if they cannot be made."""
    with tempfile.TemporaryDirectory(prefix="glossator-") as place:
        cover = Unreadable(os.path.join(place, "file"), os.path.join(place, "folder"))
        os.close(os.open(cover.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0))
        os.mkdir(cover.folder, 0)
        yield cover

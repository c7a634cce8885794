"""Reading the files that describe something: each once, until its stamp or text is another.

Files of the project are read as tools read them: an open document replaces its file, and no link
leads out of the workspace. The user's own may be links to anywhere.
"""

from __future__ import annotations

import os
import stat

from glossator.core.document import Missing
from glossator.customizations.front_matter import FrontMatter, Malformed, read_front_matter
from glossator.customizations.places import FoundFile
from glossator.documents import WorkspaceSnapshot
from glossator.files import Roots, Stamp, load

MAX_BYTES = 64_000  # of a file

_TOO_LARGE = Malformed(f"has more than {MAX_BYTES:,} bytes; make it shorter.")


class CustomizationReader:
    """Keeps what was read by the path of the file; safe from any thread."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Stamp | str, FrontMatter | Malformed]] = {}

    def read(self, file: FoundFile, snapshot: WorkspaceSnapshot) -> FrontMatter | Malformed | None:
        """What the file says, None if there is none; blocking."""
        try:
            status = os.stat(file.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return Malformed(f"cannot be read ({error.strerror}); check its links and permissions.")
        if not stat.S_ISREG(status.st_mode):
            return Malformed("is no regular file; put a text file in its place.")
        if status.st_size > MAX_BYTES:
            return _TOO_LARGE
        return (
            self._own(file.path, Stamp.of(status))
            if file.place.owner == "user"
            else self._of_project(file.path, snapshot)
        )

    def _of_project(self, path: str, snapshot: WorkspaceSnapshot) -> FrontMatter | Malformed:
        found = snapshot.read(path)
        if isinstance(found, Missing):
            return Malformed(f"cannot be read: {found.message}")
        return self._parsed(path, found.sha256, found.text)

    def _own(self, path: str, stamp: Stamp) -> FrontMatter | Malformed:
        kept = self._kept.get(path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        real = os.path.realpath(path)
        found = load(Roots.of((os.path.dirname(real),)), real, MAX_BYTES)
        if isinstance(found, Missing):
            return Malformed(f"cannot be read: {found.message}")
        return self._parsed(path, found.stamp, found.text)

    def _parsed(self, path: str, key: Stamp | str, text: str) -> FrontMatter | Malformed:
        kept = self._kept.get(path)
        if kept is None or kept[0] != key:
            parsed = _TOO_LARGE if len(text) > MAX_BYTES else read_front_matter(text)
            self._kept[path] = kept = key, parsed
        return kept[1]

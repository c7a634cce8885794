"""What a server knows of one root's index on disk, and whether it may be written now."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from glossator.workspace import state_folder
from glossator.workspace.text.catalogue import Catalogue, Opened
from glossator.workspace.text.segment import Segment
from glossator.workspace.worker.build import BuildSegment

NOT_WANTED = "off: workspace.index is false"
_NO_LOCKS = "off: this system has no file locks that end with their process"


@dataclass(slots=True, eq=False)
class RootStore:
    """The index of `root` on disk; `state` is "on" or says why there is none.

    `failures` in a row to write it, the last one's `problem`, and in the loop's time when to try
    again; `busy`: another server was writing it then.
    """

    root: str
    max_file_bytes: int
    state: str = NOT_WANTED
    folder: Path | None = None
    segments: dict[str, Segment] = field(default_factory=dict)
    failures: int = 0
    problem: str = ""
    retry_at: float = 0.0
    busy: bool = False
    _catalogue: Catalogue | None = None
    _seen: tuple[int, int] | None = None

    def prepare(self) -> None:
        """Make the folder, if this system and its disk allow."""
        if sys.platform == "win32":
            self.state = _NO_LOCKS
            return
        try:
            self.folder = state_folder.prepare(self.root)
        except OSError as error:
            place = state_folder.root_folder(self.root)
            self.state = f"off: {place} cannot be written ({error.strerror or error})"
            return
        self._catalogue = Catalogue(self.folder)
        self.state = "on"

    @property
    def stale(self) -> bool:
        """Whether something was published that we have not read."""
        return self._catalogue is not None and self._catalogue.stamp() != self._seen

    def open(self) -> Opened:
        """Open what is published now; what is open already stays so."""
        if self._catalogue is None:
            return Opened(0, (), ())
        self._seen = self._catalogue.stamp()  # before the reading: what comes after it is news
        opened = self._catalogue.open(self.segments)
        self.segments = {segment.name: segment for segment in opened.segments}
        return opened

    def job(self, paths: tuple[str, ...], replaces: frozenset[str] = frozenset()) -> BuildSegment:
        """To write the files at `paths` in place of some segments; without any, to tidy up."""
        return BuildSegment(self.root, str(self.folder), paths, replaces, self.max_file_bytes)

"""The workspace at one moment, as every tool reads it; one search may add ignored files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from time import monotonic

from glossator.core.document import Document, Missing
from glossator.core.shown import shown
from glossator.settings import WorkspaceSettings
from glossator.workspace.documents.overlays import Overlay, overlay_path
from glossator.workspace.files.cache import ReadCache
from glossator.workspace.files.disk import load_raw
from glossator.workspace.files.entries import FileEntry
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.listing import Listing
from glossator.workspace.files.long import LongFiles
from glossator.workspace.files.roots import Roots, is_inside, real_path
from glossator.workspace.files.walk import examine
from glossator.workspace.index.index import TextView
from glossator.workspace.status import Skipped

MAX_IGNORED = 20_000  # files, as in one large `node_modules`
_READ_SECONDS = 5.0


@dataclass(frozen=True, eq=False)
class WorkspaceSnapshot:
    """Open documents and the file index, frozen; text on disk is read when it is asked for.

    Safe to use from any thread. `index_complete` is false while a scan still runs.
    """

    revision: int
    folders: Roots
    index_complete: bool
    overlays: Mapping[str, Overlay]  # by path
    listing: Listing
    text: TextView
    open_files: tuple[FileEntry, ...]  # listed files that are open documents
    unlisted: tuple[FileEntry, ...]  # new unsaved documents; ignored files, if they are asked for
    cache: ReadCache
    ripgrep: str  # the setting: which program long searches may use
    exclude: tuple[str, ...] = ()  # the setting: what no search looks into
    long_files: LongFiles = field(default_factory=LongFiles)

    @property
    def roots(self) -> tuple[str, ...]:
        """The workspace's folders, as real paths."""
        return self.folders.paths

    def read(self, path: str) -> Document | Missing:
        """The text of `path` (absolute, workspace-relative or untitled); the editor's first."""
        named = self._opened_as(path) if ":" in path else None
        if named is not None and not os.path.isabs(named.path):
            return named.document
        located = path if path in self.overlays else self.folders.locate(path)
        if isinstance(located, Missing):
            return located
        overlay = self.overlays.get(located)
        if overlay is not None and (not os.path.isabs(located) or self.folders.owner(located)):
            return overlay.document
        result = self.cache.read(self.folders, located)
        if self.overlays:  # `path` may be another name of an open file
            real = result.path if isinstance(result, Document) else self.resolve(path)
            if isinstance(real, str) and real in self.overlays:
                return self.overlays[real].document
        return result

    def read_bytes(self, path: str, limit: int) -> bytes | Missing:
        """The bytes on disk of a file of at most `limit` bytes, under the same guard as `read`."""
        raw = load_raw(self.folders, path, limit, "only smaller files can be read.")
        return raw if isinstance(raw, Missing) else raw.content

    def read_image(self, path: str, limit: int) -> tuple[str, bytes] | Missing:
        """Like `read_bytes`, with the real path; an absolute path may lead anywhere.

        Only for files that the user names.
        """
        located = self.folders.locate(path)
        if isinstance(located, Missing):
            return located
        real = real_path(located) or located
        folders = self.folders if self.folders.owner(real) else Roots.of((os.path.dirname(real),))
        raw = load_raw(folders, real, limit, "only smaller images can be shown.")
        return raw if isinstance(raw, Missing) else (raw.path, raw.content)

    def open_document(self, uri: str) -> Document | None:
        """The open document with this URI, inside the workspace or not; for LSP, not for tools."""
        overlay = self._opened_as(uri) or self.overlays.get(overlay_path(uri))
        return None if overlay is None else overlay.document

    def _opened_as(self, uri: str) -> Overlay | None:
        return next((each for each in self.overlays.values() if each.uri == uri), None)

    def resolve(self, path: str) -> str | Missing:
        """The real path of `path` if it lies inside the workspace, whether or not it exists."""
        return self.folders.resolve(path)

    def relative(self, path: str) -> str:
        """`path` as shown to the model and the user; `resolve` takes it back."""
        return shown(self.folders.relative(path))

    def files(self) -> tuple[FileEntry, ...]:
        """All listed files and the `unlisted` ones, sorted by relative path."""
        return self._files

    @property
    def file_count(self) -> int:
        """The number of `files`, without making them."""
        return len(self.listing) + len(self.unlisted)

    @property
    def total_bytes(self) -> int:
        """The size of all `files` together."""
        return self.listing.total_bytes + sum(file.size for file in self.unlisted)

    @cached_property
    def newest_first(self) -> tuple[FileEntry, ...]:
        """Like `files`, the last changed first, and equal ones by relative path."""
        return tuple(sorted(self._files, key=attrgetter("mtime_ns"), reverse=True))

    @cached_property
    def skipped(self) -> tuple[Skipped, ...]:
        """The files that the listing leaves out, by rule, most first."""
        return self.listing.summarise_skipped(self.folders)

    @cached_property
    def _files(self) -> tuple[FileEntry, ...]:
        if not self.unlisted:
            return self.listing.files
        return tuple(sorted((*self.listing.files, *self.unlisted), key=attrgetter("relative")))


def with_ignored(
    snapshot: WorkspaceSnapshot, place: str | None, cancelled: Callable[[], bool] = lambda: False
) -> tuple[WorkspaceSnapshot, bool]:
    """The files, with ignored ones at or below `place` (relative; None: everywhere); blocking.

    Also says whether these are all: it stops after `MAX_IGNORED` files or 5 s.
    """
    skipped, roots = snapshot.listing.skipped, snapshot.folders
    settings = WorkspaceSettings(exclude=snapshot.exclude, use_ignore_files=False)
    rules = IgnoreRules(roots, settings)
    within = roots.paths if place is None else (snapshot.resolve(place),)
    places = [path for path in within if isinstance(path, str)]
    starts = [path for path in skipped if any(is_inside(path, above) for above in places)]
    lifted = set(starts)
    if not starts:  # the place may lie within what is left out
        starts = places
        lifted = {path for path in skipped if any(is_inside(each, path) for each in places)}
        if not lifted:
            return snapshot, True
    until = monotonic() + _READ_SECONDS
    unlisted = {entry.path for entry in snapshot.unlisted}
    files: list[FileEntry] = []
    left = {
        path: rule
        for path, rule in skipped.items()
        if path not in lifted or isinstance(rules.within(os.path.dirname(path)), str)
    }
    for found in chain.from_iterable(examine(start, roots, rules) for start in sorted(starts)):
        files += (
            entry
            for entry in found.files  # some are listed: those of a root within an ignored folder
            if entry.path not in unlisted and snapshot.listing.get(entry.path) is None
        )
        left |= found.skipped
        if len(files) > MAX_IGNORED or monotonic() > until or cancelled():
            return replace(snapshot, unlisted=(*snapshot.unlisted, *files[:MAX_IGNORED])), False
    listing = snapshot.listing.leaving_out(left)
    return replace(snapshot, listing=listing, unlisted=(*snapshot.unlisted, *files)), True

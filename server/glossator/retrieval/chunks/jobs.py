"""Jobs of the worker process on chunks: keep the index of a root current, search, cut documents.

The index is the worker's: it writes it and searches it, so no process loads it twice. The libraries
of `work.py` take long to import, so it is imported by the worker alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from glossator.core.document import Document
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.requests import (
    CheckRequest,
    ChunksFound,
    CutFile,
    SearchRequest,
    Synced,
    SyncRequest,
    VectorsRequest,
)
from glossator.symbols import Library
from glossator.worker import Job, Slices

if TYPE_CHECKING:  # the worker holds neither settings nor snapshots
    from glossator.settings import WorkspaceSettings
    from glossator.worker import Worker
    from glossator.workspace import FileEntry, WorkspaceSnapshot

_FILES = 100  # of one job


@dataclass(frozen=True, slots=True)
class SyncChunks(Job[Synced]):
    """Bring the index of a root up to date; what was committed stays when this is cancelled."""

    request: SyncRequest

    def run(self) -> Slices[Synced]:
        """Read one file after the other."""
        from glossator.retrieval.chunks.work import sync  # noqa: PLC0415 - see above

        return (yield from sync(self.request))


@dataclass(frozen=True, slots=True)
class CheckChunks(Job[tuple[str, ...]]):
    """Verify checksums, and compare the index of a root with its files; changes nothing."""

    request: CheckRequest

    def run(self) -> Slices[tuple[str, ...]]:
        """Read one file after the other."""
        from glossator.retrieval.chunks.work import check  # noqa: PLC0415 - see above

        return (yield from check(self.request))


@dataclass(frozen=True, slots=True)
class RenewChunks(Job[bool]):
    """Delete the index of a root, to be built again; false while another server writes."""

    root: str
    reading: str = ""  # see `Roots.reading`

    def run(self) -> Slices[bool]:
        """Delete it."""
        from glossator.retrieval.chunks.work import renew  # noqa: PLC0415 - see above

        return (yield from renew(self.root, self.reading))


@dataclass(frozen=True, slots=True)
class SearchChunks(Job[ChunksFound]):
    """Find the best chunks for a question."""

    urgent: ClassVar[bool] = True

    request: SearchRequest

    def run(self) -> Slices[ChunksFound]:
        """Search the index of each root, read the fresh files, and rank."""
        from glossator.retrieval.chunks.work import search  # noqa: PLC0415 - see above

        return (yield from search(self.request))


@dataclass(frozen=True, slots=True)
class CutFiles(Job[tuple[CutFile, ...]]):
    """Cut files, by absolute path, into the chunks that the index has of them."""

    library: Library
    paths: tuple[str, ...]

    def run(self) -> Slices[tuple[CutFile, ...]]:
        """Cut one file after the other; files that are no text are left out."""
        from glossator.retrieval.chunks.candidate import cut_files  # noqa: PLC0415 - see above

        return (yield from cut_files(self.library, self.paths))


@dataclass(frozen=True, slots=True)
class LoadVectors(Job[tuple[str, ...]]):
    """Have the vectors of some files' chunks ready for searches; the texts that have none."""

    request: VectorsRequest

    def run(self) -> Slices[tuple[str, ...]]:
        """Look up one file after the other."""
        from glossator.retrieval.chunks.work import load_vectors  # noqa: PLC0415 - see above

        return (yield from load_vectors(self.request))


@dataclass(frozen=True, slots=True)
class KeepContexts(Job[frozenset[bytes]]):
    """Keep what a model wrote about chunks, by their keys, in the file `place`; which is new.

    With `replace` others that were kept go, without it they stay.
    """

    place: str
    contexts: Mapping[bytes, str]
    replace: bool = True

    def run(self) -> Slices[frozenset[bytes]]:
        """Write them in one transaction."""
        from glossator.retrieval.contexts.context_file import keep_contexts  # noqa: PLC0415 - see above

        fresh = keep_contexts(self.place, self.contexts, replace=self.replace)
        yield None
        return fresh


async def cut_documents(
    worker: Worker,
    snapshot: WorkspaceSnapshot,
    settings: WorkspaceSettings,
    files: Sequence[FileEntry],
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[tuple[Document, tuple[Chunk, ...]]]:
    """The documents among `files` with their chunks, as they are now.

    A file that changes meanwhile is left out. Raises `WorkerGone` and `JobFailed`.
    """
    texts = {path: overlay.text for path, overlay in snapshot.overlays.items()}
    found: list[tuple[Document, tuple[Chunk, ...]]] = []
    for at in range(0, len(files), _FILES):
        paths = tuple(file.path for file in files[at : at + _FILES])
        opened = {path: texts[path] for path in paths if path in texts}
        library = Library.of(snapshot.folders, settings.max_file_bytes, 0, opened)
        cut = await worker.run(CutFiles(library, paths))
        found += await asyncio.to_thread(_documents, snapshot, cut)
        on_progress(min(at + _FILES, len(files)), len(files))
    return found


def _documents(
    snapshot: WorkspaceSnapshot, cut: Sequence[CutFile]
) -> list[tuple[Document, tuple[Chunk, ...]]]:
    found = []
    for each in cut:
        document = snapshot.read(each.path)
        if isinstance(document, Document) and document.sha256 == each.sha256:
            found.append((document, each.chunks))
    return found

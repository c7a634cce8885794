"""The chunks of whole documents, for what is made of them beside the index."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from glossator.core.document import Document
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.jobs import CutFiles
from glossator.retrieval.chunks.requests import CutFile
from glossator.settings import WorkspaceSettings
from glossator.symbols import Library
from glossator.worker import Worker
from glossator.workspace import FileEntry, WorkspaceSnapshot

_FILES = 100  # of one job


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

"""The retriever that Glossator searches with, as the evaluation runs it."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from glossator.core.errors import UsageError
from glossator.documents import Indexing, WorkspaceHost
from glossator.evaluation.labelled import SourceText
from glossator.evaluation.retriever import Result, Stages
from glossator.retrieval import best_chunks, rank
from glossator.settings import WorkspaceSettings
from glossator.symbols import SymbolFinder
from glossator.worker import Worker

_OUTLINE_SECONDS = 60.0


class WorkspaceSearch:
    """Search over a workspace in a temporary folder: words alone, chunks by outline."""

    available = Stages.named(["lexical"])

    def __init__(self) -> None:
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="glossator-eval-"))
        self._runner = asyncio.Runner()
        self._worker = Worker()
        settings = WorkspaceSettings(use_ignore_files=False, watcher="off")
        indexing = Indexing(self._worker, lambda _: None, lambda _: None, patience=math.inf)
        self._host = WorkspaceHost((self._folder,), settings, indexing)
        self._symbols = SymbolFinder(self._worker, settings)

    def index(self, documents: Sequence[SourceText]) -> int:
        """Write the documents, and list them; chunks are cut in each search, so there are none."""
        for document in documents:
            if document.chunks is not None:
                raise UsageError(
                    "Search cuts documents itself and cannot be measured on a set of given chunks;"
                    " choose a set of files and lines."
                )
            path = Path(self._folder, document.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.text.encode("utf-8", "surrogatepass"))
        self._runner.run(self._start())
        return 0

    def search(self, question: str, limit: int, stages: Stages) -> Sequence[Result]:  # noqa: ARG002 - there is one
        """As the tool Search does it."""
        return self._runner.run(self._search(question, limit))

    def spent(self) -> float:
        """Nothing: no model is asked."""
        return 0.0

    def close(self) -> None:
        """End the worker, remove the folder."""
        self._runner.run(self._close())
        self._runner.close()
        shutil.rmtree(self._folder)

    async def _start(self) -> None:
        await self._host.start()
        await self._host.ready()

    async def _search(self, question: str, limit: int) -> Sequence[Result]:
        cancelled, snapshot = threading.Event(), self._host.snapshot()
        ranking = rank(cancelled, snapshot, snapshot.listing.files, question)
        outlines = await self._symbols.outlines(snapshot, ranking.documents, _OUTLINE_SECONDS)
        found = best_chunks(cancelled, ranking, outlines, limit)
        return [
            Result(
                snapshot.relative(hit.chunk.document.path),
                hit.chunk.first_line,
                hit.chunk.last_line,
                hit.chunk.text,
                {"lexical": hit.score},
            )
            for hit in found.hits
        ]

    async def _close(self) -> None:
        await self._host.close()
        await self._worker.close()

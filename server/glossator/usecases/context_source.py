"""What generated contexts are made of: the documents that may be sent, the model, and its price."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from glossator.application import Application
from glossator.contextual import (
    ContextEstimate,
    ContextFile,
    ContextGenerator,
    SourceChunk,
    SourceDocument,
)
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.file_kinds import FileKind, kind_of
from glossator.core.retrieval_answers import ContextsEstimate
from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry, outermost, state_folder
from glossator.llm import Model, price_in_words
from glossator.retrieval import Chunk, KeepContexts, chunk_key, cut_documents
from glossator.tools import select
from glossator.worker import JobFailed, WorkerGone

_TOGETHER = 2_000  # contexts that are kept in one transaction
NOTHING = "Every chunk has its context: there is nothing to make."
_NEVER_SENT = frozenset({FileKind.GENERATED, FileKind.DATA})
_OFFLINE = (
    "Generated contexts need a model, and none is asked here. Set ANTHROPIC_API_KEY, or leave out"
    " --offline."
)
_UNTRUSTED = "This folder is not trusted, so its files are not sent. Trust it, and try again."


@dataclass(frozen=True, slots=True)
class ContextSource:
    """What a request works with; `left_out` counts the files that are not sent."""

    app: Application
    generator: ContextGenerator
    store: ContextFile
    documents: tuple[SourceDocument, ...]
    cut: tuple[tuple[Document, tuple[Chunk, ...]], ...]  # the same, as Search cuts them
    left_out: int

    async def estimate(self) -> ContextsEstimate:
        """What the contexts that are missing would cost; sends nothing."""
        guess = await self.generator.estimate(self.documents)
        batches = self.generator.takes_batches
        return ContextsEstimate(
            model=guess.model,
            files=guess.files,
            chunks=guess.chunks,
            kept=guess.kept,
            under_way=guess.under_way,
            left_out=self.left_out,
            document_tokens=guess.document_tokens,
            input_tokens=guess.usage.input_total,
            output_tokens=guess.usage.output_tokens,
            dollars=guess.dollars,
            batch_dollars=guess.batch_dollars if batches else None,
            batch_most=guess.batch_most if batches else None,
            takes_batches=batches,
            limit=self.app.settings.retrieval.context_dollars,
            in_words=self._in_words(guess),
        )

    async def index(self) -> str:
        """Have Search index the contexts there are, if the settings say so; why not, or ""."""
        if not self.app.retriever.index.contexts:
            return ""
        contexts: dict[bytes, str] = {}
        changed: list[str] = []
        for source, (document, chunks) in zip(self.documents, self.cut, strict=True):
            known = await self.generator.known(source)
            for made, chunk in zip(source.chunks, chunks, strict=True):
                if made in known:
                    contexts[chunk_key(document.path, chunk, made.text)] = known[made]
                    changed.append(document.path)
        index = self.app.retriever.index
        found = list(contexts.items())
        try:
            for at in range(0, len(found), _TOGETHER):
                some = dict(found[at : at + _TOGETHER])
                await self.app.worker.run(KeepContexts(index.contexts, some))
        except (WorkerGone, JobFailed) as error:
            return (
                f"Search does not find by the contexts yet: {error} Run glossator contexts again."
            )
        index.refresh(changed)
        await index.settle()
        return ""

    def _in_words(self, guess: ContextEstimate) -> str:
        settings = self.app.settings.retrieval
        if not guess.chunks:
            words = [NOTHING]
        else:
            tokens = guess.usage.input_total
            cached = guess.usage.cache_read_tokens / max(tokens, 1)
            words = [
                (
                    f"{guess.model} would read {guess.files:,} files and write a sentence or two"
                    f" about each of {guess.chunks:,} chunks: {guess.document_tokens:,} tokens of"
                    f" documents, {tokens:,} tokens in all, {cached:.0%} from the cache."
                ),
                f"One by one that costs about {price_in_words(guess.dollars)}.",
            ]
            if self.generator.takes_batches:
                price = price_range(guess.batch_dollars, guess.batch_most)
                words.append(f"As a batch, in minutes to a day, about {price}.")
            if settings.context_dollars is not None:
                limit = price_in_words(settings.context_dollars)
                words.append(f"It stops at {limit} (retrieval.contextDollars).")
        if guess.kept:
            words.append(f"{guess.kept:,} chunks have their contexts already.")
        if guess.under_way:
            words.append(f"{guess.under_way:,} are in batches that are under way and paid for.")
        if self.left_out:
            words.append(
                f"{self.left_out:,} files are not sent: generated, data, or hidden by your rules."
            )
        if settings.contexts != "generated":
            words.append(
                'Search uses contexts once retrieval.contexts is "generated" and its index is'
                " rebuilt."
            )
        return " ".join(words)


@asynccontextmanager
async def opened(
    app: Application, path: str | None, glob: str | None
) -> AsyncIterator[ContextSource]:
    """The files that may be sent. Raises `UsageError` where none may be, or no model is there."""
    if app.acting.trust.said is False:
        raise UsageError(_UNTRUSTED)
    await app.ready()
    model = await fast_model(app)
    snapshot = app.host.snapshot()
    chosen, left_out = await asyncio.to_thread(_sendable, app, snapshot, path, glob)
    settings = app.settings
    try:
        cut = await cut_documents(app.worker, snapshot, settings.workspace, chosen)
    except (WorkerGone, JobFailed) as error:
        raise UsageError(f"The files could not be read: {error} Try again later.") from error
    glossary = await asyncio.to_thread(_glossary, app, snapshot)
    store = open_store()
    try:
        generator = ContextGenerator(model, store, ledger_folder(snapshot.roots), glossary)
        documents = tuple(_source(snapshot, *each) for each in cut)
        yield ContextSource(app, generator, store, documents, tuple(cut), left_out)
    finally:
        await store.close()


async def fast_model(app: Application) -> Model:
    """The model that writes contexts. Raises `UsageError` where there is none."""
    model = app.models.fast
    if model.offline:
        raise UsageError(_OFFLINE)
    await model.prepare()
    return model


def open_store() -> ContextFile:
    """The contexts of all workspaces: they are kept by content."""
    return ContextFile(str(_base() / "contexts.sqlite"))


def price_range(low: float | None, high: float | None) -> str:
    """Both prices, or the one that they are, in words."""
    words = dict.fromkeys(map(price_in_words, (low, high)))
    return " to ".join(words)


def ledger_folder(roots: Iterable[str]) -> str:
    """Where the batches of a workspace are written down, by its outermost roots."""
    key = b"\0".join(map(os.fsencode, outermost(tuple(roots))))
    return str(_base() / "batches" / hashlib.sha256(key).hexdigest()[:16])


def _base() -> Path:
    return state_folder.index_base().parent / "contexts"


def _sendable(
    app: Application, snapshot: WorkspaceSnapshot, path: str | None, glob: str | None
) -> tuple[list[FileEntry], int]:
    """The files to send, and how many of those that were asked for are not sent."""
    selection = select(snapshot, path, glob, hides=app.acting.hidden())
    files = [
        file
        for file in selection.files
        if not file.is_link and kind_of(file.relative) not in _NEVER_SENT
    ]
    return files, len(selection.files) - len(files) + selection.hidden


def _glossary(app: Application, snapshot: WorkspaceSnapshot) -> str:
    """The project's terms: the file of each root that has it, unless rules hide it."""
    name, hides = app.settings.retrieval.glossary, app.acting.hidden()
    if name is None:
        return ""
    texts = []
    for root in outermost(snapshot.roots):
        document = snapshot.read(os.path.join(root, name))
        if isinstance(document, Document) and not (hides and hides(document.path)):
            texts.append(document.text)
    return "\n\n".join(texts)


def _source(
    snapshot: WorkspaceSnapshot, document: Document, chunks: tuple[Chunk, ...]
) -> SourceDocument:
    lines = document.lines
    cut = (
        SourceChunk(
            chunk.first_line,
            chunk.last_line,
            "\n".join(lines[chunk.first_line - 1 : chunk.last_line]),
        )
        for chunk in chunks
    )
    return SourceDocument(snapshot.relative(document.path), document.text, tuple(cut))

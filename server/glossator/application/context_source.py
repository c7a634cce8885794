"""What generated contexts are made from: the files that may be sent, the model and its price."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from glossator.application.acting import Acting
from glossator.core.document import Document
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.file_kinds import FileKind, kind_of
from glossator.llm import Model, Models, price_in_words
from glossator.retrieval import (
    KIND,
    MAX_VALUE_BYTES,
    Chunk,
    ContextEstimate,
    ContextFile,
    ContextGenerator,
    ContextsEstimate,
    ContextStore,
    KeepContexts,
    Retriever,
    SharedContexts,
    SourceChunk,
    SourceDocument,
    cut_documents,
)
from glossator.settings import Settings
from glossator.store import RedisStore
from glossator.tools import select
from glossator.worker import JobFailed, Worker, WorkerGone
from glossator.workspace import FileEntry, WorkspaceHost, WorkspaceSnapshot, index_base, outermost

_KEPT_TOGETHER = 2_000  # contexts that are kept in one transaction
NOTHING = "Every chunk has its context: there is nothing to make."
_NEVER_SENT = frozenset({FileKind.GENERATED, FileKind.DATA})
_OFFLINE = (
    "Generated contexts need a model, and none is asked here. Set ANTHROPIC_API_KEY, or leave out"
    " --offline."
)
_UNTRUSTED = "This folder is not trusted, so its files are not sent. Trust it, and try again."


class Workplace(Protocol):
    """What is needed of the application here."""

    settings: Settings
    host: WorkspaceHost
    worker: Worker
    retriever: Retriever
    models: Models
    acting: Acting

    @property
    def contexts(self) -> ContextStore:
        """Where generated contexts are kept."""

    async def ready(self) -> None:
        """Wait until the workspace has been scanned."""

    async def describe_sharing(self) -> str:
        """Where contexts are shared; "" if nowhere."""


@dataclass(frozen=True, slots=True)
class ContextMaterial:
    """What a request works with; `left_out` counts the files that are not sent."""

    app: Workplace
    generator: ContextGenerator
    documents: tuple[SourceDocument, ...]
    cut: tuple[tuple[Document, tuple[Chunk, ...]], ...]  # the same, as Search cuts them
    left_out: int

    async def estimate(self) -> ContextsEstimate:
        """What the missing contexts would cost; sends nothing."""
        guess = await self.generator.estimate(self.documents)
        sharing = await self.app.describe_sharing()
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
            in_words=self._in_words(guess, sharing),
            sharing=sharing,
        )

    def keys(self) -> list[bytes]:
        """The keys of the contexts of all chunks."""
        return [key for each in self.documents for key in self.generator.keys(each).values()]

    async def index(self) -> str:
        """Have Search index the existing contexts, if the settings say so; why not, or ""."""
        index = self.app.retriever.index
        if not index.contexts:
            return ""
        try:
            await self.take_in(again=True)
        except (WorkerGone, JobFailed, StoreUnavailable) as error:
            return (
                f"Search does not find by the contexts yet: {error} Run glossator contexts again."
            )
        await index.settle()
        return ""

    async def take_in(self, *, again: bool = False) -> None:
        """Have Search index the contexts of chunks that have none there, or all of them `again`.

        Only `again` replaces one: two documents can share a chunk (in two roots, or two work trees
        of a project), and each would have the other's replaced for ever. Returns before they are
        indexed. Raises `WorkerGone`, `JobFailed` and `StoreUnavailable`.
        """
        from glossator.retrieval import chunk_key  # noqa: PLC0415 - it needs numpy

        known = await self.app.contexts.get(self.keys())
        roots = outermost(self.app.host.snapshot().roots)
        contexts: dict[bytes, str] = {}
        documents: dict[bytes, set[str]] = {}  # that have a chunk
        for source, (document, chunks) in zip(self.documents, self.cut, strict=True):
            keys, path = self.generator.keys(source), _below(roots, document.path)
            for made, chunk in zip(source.chunks, chunks, strict=True):
                if (context := known.get(keys.get(made, b""))) is not None:
                    key = chunk_key(path, chunk, made.text)
                    contexts[key] = context
                    documents.setdefault(key, set()).add(document.path)
        index = self.app.retriever.index
        found = list(contexts.items())
        fresh = set(contexts) if again else set[bytes]()
        for at in range(0, len(found), _KEPT_TOGETHER):
            some = dict(found[at : at + _KEPT_TOGETHER])
            fresh |= await self.app.worker.run(KeepContexts(index.contexts, some, again))
        if fresh:
            index.refresh(set().union(*(documents[key] for key in fresh)))

    def _in_words(self, guess: ContextEstimate, sharing: str) -> str:
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
        if sharing:
            words.append(f"Contexts are {sharing.rstrip('.')}.")
        if settings.contexts != "generated":
            words.append(
                'Search uses contexts once retrieval.contexts is "generated" and its index is'
                " rebuilt."
            )
        return " ".join(words)


async def source_of_all(app: Workplace, path: str | None, glob: str | None) -> ContextMaterial:
    """The files that may be sent. Raises `UsageError` if none may be, or there is no model."""
    if app.acting.trust.said is False:
        raise UsageError(_UNTRUSTED)
    await app.ready()
    model = await fast_model(app)
    snapshot = app.host.snapshot()
    selection = await asyncio.to_thread(select, snapshot, path, glob, hides=app.acting.hidden())
    listed = selection.files
    chosen = [file for file in listed if _may_be_sent(file)]
    left_out = len(listed) - len(chosen) + selection.hidden
    try:
        return await _source_of(app, model, snapshot, chosen, left_out)
    except (WorkerGone, JobFailed) as error:
        raise UsageError(f"The files could not be read: {error} Try again later.") from error


async def source_of(app: Workplace, paths: Iterable[str]) -> ContextMaterial:
    """Those of the files (absolute paths) that may be sent.

    Raises `UsageError` if there is no model, `ModelError`, `WorkerGone` and `JobFailed`.
    """
    model = await fast_model(app)
    snapshot, hides = app.host.snapshot(), app.acting.hidden()
    files = [
        file
        for path in paths
        if (file := snapshot.listing.get(path)) is not None
        and _may_be_sent(file)
        and not (hides and hides(path))
    ]
    return await _source_of(app, model, snapshot, files, 0)


async def fast_model(app: Workplace) -> Model:
    """The model that writes contexts. Raises `UsageError` if there is none."""
    model = app.models.fast
    if model.offline:
        raise UsageError(_OFFLINE)
    await model.prepare()
    return model


def open_contexts(
    url: str | None, environment: Mapping[str, str], tell: Callable[[str], None]
) -> ContextFile | SharedContexts:
    """The contexts of all workspaces, kept by content; shared with a team if there is a url."""
    file = ContextFile(str(_base() / "contexts.sqlite"))
    if not url:
        return file
    shared = SharedContexts(file, RedisStore(url, environment, MAX_VALUE_BYTES, KIND), tell)
    shared.push()
    return shared


def price_range(low: float | None, high: float | None) -> str:
    """The price range in words; one price if both are the same."""
    words = dict.fromkeys(map(price_in_words, (low, high)))
    return " to ".join(words)


def ledger_folder(roots: Iterable[str]) -> str:
    """The folder of a workspace's batch ledger, chosen by its outermost roots."""
    key = b"\0".join(map(os.fsencode, outermost(tuple(roots))))
    return str(_base() / "batches" / hashlib.sha256(key).hexdigest()[:16])


def _base() -> Path:
    return index_base().parent / "contexts"


async def _source_of(
    app: Workplace,
    model: Model,
    snapshot: WorkspaceSnapshot,
    files: Sequence[FileEntry],
    left_out: int,
) -> ContextMaterial:
    cut = await cut_documents(app.worker, snapshot, app.settings.workspace, files)
    glossary = await asyncio.to_thread(_glossary, app, snapshot)
    generator = ContextGenerator(model, app.contexts, ledger_folder(snapshot.roots), glossary)
    documents = tuple(_source(snapshot, *each) for each in cut)
    return ContextMaterial(app, generator, documents, tuple(cut), left_out)


def _below(roots: Iterable[str], path: str) -> str:
    """`path` relative to its root, as in the index."""
    for root in roots:
        if path.startswith(prefix := os.path.join(root, "")):
            return path[len(prefix) :]
    return path


def _may_be_sent(file: FileEntry) -> bool:
    return not file.is_link and kind_of(file.relative) not in _NEVER_SENT


def _glossary(app: Workplace, snapshot: WorkspaceSnapshot) -> str:
    """The project's terms: the file of each root that has one, unless rules hide it."""
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

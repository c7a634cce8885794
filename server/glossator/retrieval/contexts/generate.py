"""Generated contexts for the chunks of documents: estimate first, then make what is missing.

generator = ContextGenerator(models.fast, ContextFile(path), folder, glossary)
estimate = await generator.estimate(documents)      # show it, and ask the user
report = await generator.generate(documents, dollars=5.0, batched=True, on_progress=show)
contexts = await generator.known(document)          # at any time, sends nothing
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from glossator.core.errors import ModelError, UsageError
from glossator.llm import MessageBatches, Meter, Model, batches_of, known_facts
from glossator.retrieval.contexts.batches import BatchLog, BatchRun, Pace
from glossator.retrieval.contexts.context_file import ContextStore
from glossator.retrieval.contexts.costs import (
    ContextEstimate,
    ContextProgress,
    ContextReport,
    Purse,
    Tally,
    Tariff,
    price_passages,
)
from glossator.retrieval.contexts.direct import DirectRun, Means, tokens_of
from glossator.retrieval.contexts.passages import (
    CHUNK_TOKENS,
    DOCUMENT_TOKENS,
    MAX_OUTPUT_TOKENS,
    THINKING_TOKENS,
    Passage,
    PassageMaker,
    SourceChunk,
    SourceDocument,
    cut,
)

GLOSSARY_TOKENS = 8_000  # of a glossary; the rest of a longer one is left out
PARALLEL = 4  # requests at a time

_TOGETHER = 500  # contexts that the store is asked for at once
_FIXED_TOKENS = 1_000  # the prompt's own words, with room to spare
_OFFLINE = "Without a model there are no generated contexts. Set ANTHROPIC_API_KEY and try again."
_NO_BATCHES = (
    "The server of the fast model has no Message Batches API. Have the contexts made one by one."
)
_NO_PRICE = (
    "The price of {model} is not known, so a spend limit cannot hold. Set models.prices for it, or"
    " take the limit away (retrieval.contextDollars)."
)


class ContextGenerator:
    """Makes and finds the contexts of one workspace's chunks with one model.

    `folder` is for the record of batches under way; one process at a time makes contexts with it.
    `glossary` holds the project's terms. A document is shown up to `document_tokens`.
    """

    def __init__(
        self,
        model: Model,
        contexts: ContextStore,
        folder: str,
        glossary: str = "",
        *,
        document_tokens: int = DOCUMENT_TOKENS,
        parallel: int = PARALLEL,
        pace: Pace | None = None,
    ) -> None:
        facts = known_facts(model)
        thinking = 0 if facts.answers_at_once else THINKING_TOKENS
        glossary = cut(glossary, GLOSSARY_TOKENS)
        rest = CHUNK_TOKENS + GLOSSARY_TOKENS * bool(glossary) + MAX_OUTPUT_TOKENS + thinking
        room = max(_FIXED_TOKENS, model.window - rest - _FIXED_TOKENS)
        self._model = model
        self._maker = PassageMaker(model.id, glossary, min(document_tokens, room))
        self._means = Means(model, contexts, Tariff.of(facts), MAX_OUTPUT_TOKENS + thinking)
        self._folder = folder
        self._parallel = parallel
        self._pace = pace or Pace(asyncio.sleep)

    @property
    def takes_batches(self) -> bool:
        """Whether the model's server has the batch API."""
        return batches_of(self._model) is not None

    async def known(self, document: SourceDocument) -> dict[SourceChunk, str]:
        """The contexts there are for the chunks of a document. Raises `StoreUnavailable`.

        They are foreign text: index them, and neither obey nor cite them.
        """
        keys = self._maker.keys(document)
        found = await self._means.contexts.get(keys.values())
        return {chunk: found[key] for chunk, key in keys.items() if key in found}

    def keys(self, document: SourceDocument) -> dict[SourceChunk, bytes]:
        """The key of each chunk's context, such as for an export."""
        return self._maker.keys(document)

    async def estimate(self, documents: Sequence[SourceDocument]) -> ContextEstimate:
        """What the contexts that are missing would cost; sends nothing."""
        passages, kept = await self._missing(documents)
        pending = await asyncio.to_thread(BatchLog(self._folder).pending)
        under_way = {key for each in pending for key in each.keys}
        return await asyncio.to_thread(self._priced, passages, kept, under_way)

    async def generate(
        self,
        documents: Sequence[SourceDocument],
        *,
        dollars: float | None,
        batched: bool = False,
        on_progress: Callable[[ContextProgress], None] = lambda _progress: None,
        meter: Meter | None = None,
    ) -> ContextReport:
        """Make the contexts that are missing; at most `dollars` are spent.

        First the results of batches that an earlier process left are collected. With `batched` the
        rest goes through the batch API, which takes minutes to 24 hours. Cancelling loses nothing:
        call it again to go on. What goes wrong on the way is in the report. Raises `UsageError`
        when it cannot begin, and `StoreUnavailable`.
        """
        self._check(dollars, batched=batched)
        log = BatchLog(self._folder)
        pending = await log.open()
        try:
            passages, kept = await self._missing(documents)
            estimate = await asyncio.to_thread(self._priced, passages, kept)
            tally = Tally(estimate, estimate.chunks, meter or Meter(), on_progress)
            purse = Purse(dollars)
            batches = batches_of(self._model)
            run = None
            if batches is not None:
                run = BatchRun(self._means, batches, log, tally, purse, self._pace)
            if run and batched:
                await run.make(passages, pending)
            else:
                if run and pending:
                    await run.collect(pending)
                    passages = (await self._missing(documents))[0]
                if not tally.stopped:
                    await DirectRun(self._means, tally, purse, self._parallel).make(passages)
            return tally.report()
        finally:
            log.close()

    async def cancel(self) -> int:
        """Ask the provider to end the batches under way; gives how many it was asked about.

        What is answered already is billed; `generate`, running or started again, collects it.
        Raises `ModelError`.
        """
        batches = batches_of(self._model)
        if batches is None:
            return 0
        pending = await asyncio.to_thread(BatchLog(self._folder).pending)
        ids = [each.batch for each in pending if each.batch is not None]
        asked = 0
        for id_ in ids:
            asked += await _cancel(batches, id_)
        return asked

    async def forget_batches(self) -> None:
        """Give up the batches under way, as when their key is gone: they are paid for in vain.

        Raises `UsageError` while contexts are made.
        """
        await asyncio.to_thread(BatchLog(self._folder).forget)

    def _check(self, dollars: float | None, *, batched: bool) -> None:
        if self._model.offline:
            raise UsageError(_OFFLINE)
        if batched and not self.takes_batches:
            raise UsageError(_NO_BATCHES)
        if dollars is not None and self._means.tariff.price is None:
            raise UsageError(_NO_PRICE.format(model=self._model.id))

    async def _missing(self, documents: Sequence[SourceDocument]) -> tuple[list[Passage], int]:
        """What is to be made, each context once, and how many are there."""
        passages, kept = [], 0
        seen: set[bytes] = set()
        async for passage, known in self._with_known(documents):
            kept += len(known)
            asked = [r for r in passage.requests if r.key not in known and r.key not in seen]
            seen.update(request.key for request in asked)
            if asked:
                passages.append(replace(passage, requests=tuple(asked)))
        return passages, kept

    def _priced(
        self, passages: Sequence[Passage], kept: int, under_way: Container[bytes] = ()
    ) -> ContextEstimate:
        """The estimate for these passages without what is under way."""
        left = []
        for passage in passages:
            asked = tuple(r for r in passage.requests if r.key not in under_way)
            if asked:
                left.append(replace(passage, requests=asked))
        priced = price_passages(map(tokens_of, left), self._means.tariff)
        return replace(
            priced,
            model=self._model.id,
            files=len({passage.path for passage in left}),
            kept=kept,
            under_way=sum(len(p.requests) for p in passages) - priced.chunks,
        )

    async def _with_known(
        self, documents: Sequence[SourceDocument]
    ) -> AsyncIterator[tuple[Passage, set[bytes]]]:
        """Each passage with the keys of its contexts that are there."""
        for some in _together(p for each in documents for p in self._maker.passages(each)):
            found = await self._means.contexts.get(r.key for p in some for r in p.requests)
            for passage in some:
                yield passage, found.keys() & {request.key for request in passage.requests}


def _together(passages: Iterable[Passage]) -> Iterator[list[Passage]]:
    """The passages in lists, for each of which the store is asked once."""
    some: list[Passage] = []
    for passage in passages:
        some.append(passage)
        if sum(len(each.requests) for each in some) >= _TOGETHER:
            yield some
            some = []
    if some:
        yield some


async def _cancel(batches: MessageBatches, id_: str) -> int:
    if (await batches.look(id_)).ended:
        return 0
    try:
        await batches.cancel(id_)
    except ModelError:
        if not (await batches.look(id_)).ended:  # it has not just ended by itself
            raise
        return 0
    return 1

"""Makes contexts by single requests: of each document first one, then the others side by side.

The first request about a document fills the provider's cache, which holds an entry only once a
reply has begun; the others read it. A context is kept as soon as it is there, so a process that is
killed has paid in vain for the requests of that moment only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass

from glossator.core.errors import (
    BudgetSpent,
    ModelError,
    ModelRefused,
    RequestTooLong,
    StoreUnavailable,
)
from glossator.core.tokens import estimate_tokens
from glossator.llm import Meter, Model, Reply, RetryWait, StopReason
from glossator.retrieval.contexts.context_file import ContextStore, clean_context
from glossator.retrieval.contexts.costs import PassageTokens, Purse, Tally, Tariff
from glossator.retrieval.contexts.passages import ContextRequest, Passage, model_request

FAILURES = 3  # in a row, after which a run ends
LIMIT_REACHED = (
    "The spend limit leaves no room for another request, which might exceed it. Raise"
    " retrieval.contextDollars and start again; what is made stays."
)
NO_CONTEXT = "the model gave no context"
REFUSED = "the model refused to answer"


@dataclass(frozen=True, slots=True)
class Means:
    """What making contexts works with; `max_output` bounds each reply, in tokens."""

    model: Model
    contexts: ContextStore
    tariff: Tariff
    max_output: int


class DirectRun:
    """Makes the contexts of passages with at most `parallel` requests at a time."""

    def __init__(self, means: Means, tally: Tally, purse: Purse, parallel: int) -> None:
        self._means = means
        self._tally = tally
        self._purse = purse
        self._parallel = parallel
        self._places = asyncio.Semaphore(parallel)
        self._failures = 0

    async def make(self, passages: Iterable[Passage]) -> None:
        """All of them, until the tally says to stop."""
        waiting = iter(passages)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._parallel):
                group.create_task(self._work(waiting))

    async def _work(self, waiting: Iterator[Passage]) -> None:
        for passage in waiting:
            if self._tally.stopped:
                return
            await self._make_passage(passage)

    async def _make_passage(self, passage: Passage) -> None:
        cached = self._means.tariff.is_cached(tokens_of(passage))
        waiting = list(passage.requests)
        while cached and waiting:
            if await self._make(passage, waiting.pop(0), cached=True):
                break
        async with asyncio.TaskGroup() as group:
            for request in waiting:
                group.create_task(self._make(passage, request, cached=cached))

    async def _make(self, passage: Passage, request: ContextRequest, *, cached: bool) -> bool:
        """Whether the model replied, so that the document is in the cache."""
        async with self._places:
            if self._tally.stopped:
                return False
            charge = Charge(self._purse, most_of(self._means, passage, request, cached=cached))
            if not await charge.begin():
                self._tally.stop(LIMIT_REACHED)
                return False
            meter = Meter(book=self._tally.meter.count)
            try:
                self._tally.meter.check()
                reply = await self._ask(meter, charge, passage, request, cached=cached)
                await self._keep(request, reply)
            except RequestTooLong as error:
                self._tally.fail(str(error))
                return False
            except (BudgetSpent, ModelRefused, StoreUnavailable) as error:
                self._tally.stop(str(error))
                return False
            except ModelError as error:
                self._fail(error)
                return False
            finally:
                await charge.end(meter.spending.known_dollars)
            self._failures = 0
            return True

    async def _ask(
        self,
        meter: Meter,
        charge: Charge,
        passage: Passage,
        request: ContextRequest,
        *,
        cached: bool,
    ) -> Reply:
        means = self._means
        asked = model_request(passage.shared, request.chunk, means.max_output, cached=cached)
        async with aclosing(meter.stream(means.model, asked, "contexts")) as events:
            async for event in events:
                if isinstance(event, Reply):
                    return event
                if isinstance(event, RetryWait) and not await charge.again(
                    meter.spending.known_dollars
                ):
                    raise ModelRefused(LIMIT_REACHED)
        raise ModelRefused("The model ended a reply without its end. Report this.")

    async def _keep(self, request: ContextRequest, reply: Reply) -> None:
        text = context_in(reply)
        if not text:
            self._tally.fail(REFUSED if reply.stop is StopReason.REFUSAL else NO_CONTEXT)
            return
        await self._means.contexts.put({request.key: text})
        self._tally.keep(1)

    def _fail(self, error: ModelError) -> None:
        self._tally.fail(str(error))
        self._failures += 1
        if self._failures >= FAILURES:
            self._tally.stop(f"{FAILURES} requests in a row failed: {error}")


class Charge:
    """What one request has set aside in the purse, attempt by attempt."""

    def __init__(self, purse: Purse, most: float) -> None:
        self._purse = purse
        self._most = most
        self._held = False
        self._settled = 0.0

    async def begin(self) -> bool:
        """Set the price of an attempt aside; false if the limit does not allow it."""
        self._held = await self._purse.take(self._most)
        return self._held

    async def again(self, paid: float) -> bool:
        """Before another attempt, when all before cost `paid`."""
        await self.end(paid)
        return await self.begin()

    async def end(self, paid: float) -> None:
        """No attempt is under way any more, and all cost `paid`."""
        if self._held:
            self._held = False
            await self._purse.settle(self._most, paid - self._settled)
            self._settled = paid


def context_in(reply: Reply) -> str:
    """The context in a reply; "" if there is none to be used."""
    return "" if reply.stop is StopReason.REFUSAL else clean_context(reply.text)


def tokens_of(passage: Passage) -> PassageTokens:
    """The estimated tokens of a passage."""
    own = tuple(estimate_tokens(request.chunk) for request in passage.requests)
    return PassageTokens(passage.shared_tokens, own)


def most_of(means: Means, passage: Passage, request: ContextRequest, *, cached: bool) -> float:
    """The most that a request can cost, in dollars; 0 where no price is known.

    To be sure, estimated tokens count twice: text with tokens of less than 1.75 bytes on average
    would still cost more, and neither code nor prose in any script is like that.
    """
    shared, own = 2 * passage.shared_tokens, 2 * estimate_tokens(request.chunk)
    return means.tariff.most(shared, own, means.max_output, cached=cached) or 0.0

"""What making contexts costs: an estimate before, a limit meanwhile, a report at the end.

The document is written to the prompt cache by the first request about it and read by each further
one. Tokens are estimated from bytes, prices are the list's. In a batch the cache is filled as the
provider's machines come to it, so between every request but the first reading it and none doing so
anything may happen: an estimate has both ends. The limit holds because the most that a request can
cost is set aside before it is sent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from glossator.core.events import Usage
from glossator.core.tokens import Price
from glossator.llm import (
    BATCH_SHARE,
    CACHE_RATES,
    CacheRates,
    Meter,
    ModelFacts,
    Spending,
    cost,
    price_in_words,
)

OUTPUT_TOKENS = 100  # of a context: the upper end of what the prompt asks for
_THOUGHT_TOKENS = 300  # of a model that cannot do without thinking
_MAX_SHOWN = 5  # distinct problems in a report


@dataclass(frozen=True, slots=True)
class ContextEstimate:
    """What making the missing contexts takes, about.

    `kept` contexts are there already and cost nothing; `under_way` are in batches that are paid
    for, and not among `chunks`. `document_tokens` counts each document (or
    part of one) once. `usage` is that of requests one by one, which cost `dollars`; the same
    through the batch API costs from `batch_dollars` to `batch_most`. Prices are None if unknown.
    """

    model: str
    files: int = 0
    chunks: int = 0
    kept: int = 0
    under_way: int = 0
    document_tokens: int = 0
    usage: Usage = field(default_factory=Usage)
    dollars: float | None = None
    batch_dollars: float | None = None
    batch_most: float | None = None


@dataclass(frozen=True, slots=True)
class PassageTokens:
    """The tokens of one passage: what is shared, and each chunk with the instruction."""

    shared: int
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tariff:
    """What decides how much a request costs; `price` is None if it is not known."""

    price: Price | None
    smallest_cached: int = 0  # tokens; what is shorter is not cached
    output: int = OUTPUT_TOKENS
    rates: CacheRates = CACHE_RATES

    @staticmethod
    def of(facts: ModelFacts) -> Tariff:
        """The tariff of a model that thinks as little as it can."""
        output = OUTPUT_TOKENS + (0 if facts.answers_at_once else _THOUGHT_TOKENS)
        return Tariff(facts.price, facts.smallest_cached, output)

    def is_cached(self, passage: PassageTokens) -> bool:
        """Whether the cache pays: somebody else reads it, and the provider keeps it."""
        return len(passage.own) > 1 and passage.shared >= self.smallest_cached

    def usages(self, passage: PassageTokens) -> Iterator[Usage]:
        """What each request takes when the first fills the cache and the others read it."""
        cached = self.is_cached(passage)
        for number, own in enumerate(passage.own):
            if not cached:
                yield Usage(passage.shared + own, 0, 0, self.output)
            elif number == 0:
                yield Usage(own, 0, passage.shared, self.output)
            else:
                yield Usage(own, passage.shared, 0, self.output)

    def dollars(self, usage: Usage) -> float | None:
        """The price of one request."""
        return cost(self.price, usage, rates=self.rates)

    def most(self, shared: int, own: int, output: int, *, cached: bool) -> float | None:
        """The most that one request can cost: nothing is in the cache, and the output is full."""
        written = Usage(own, 0, shared, output) if cached else Usage(shared + own, 0, 0, output)
        return self.dollars(written)


def price_passages(passages: Iterable[PassageTokens], tariff: Tariff) -> ContextEstimate:
    """The estimate for passages, without the names and counts that only the caller knows."""
    usage, document_tokens, chunks = Usage(), 0, 0
    dollars = most = 0.0
    for passage in passages:
        document_tokens += passage.shared
        cached = tariff.is_cached(passage)
        for own, asked in zip(passage.own, tariff.usages(passage), strict=True):
            chunks += 1
            usage += asked
            dollars += tariff.dollars(asked) or 0.0
            most += tariff.most(passage.shared, own, tariff.output, cached=cached) or 0.0
    known = tariff.price is not None
    return ContextEstimate(
        model="",
        chunks=chunks,
        document_tokens=document_tokens,
        usage=usage,
        dollars=dollars if known else None,
        batch_dollars=dollars * BATCH_SHARE if known else None,
        batch_most=most * BATCH_SHARE if known else None,
    )


class Purse:
    """Dollars that may be spent. Nothing is set aside beyond `limit`; None: any amount."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._spent = 0.0
        self._held = 0.0
        self._changed = asyncio.Condition()

    @property
    def left(self) -> float | None:
        """What can be set aside now; None: any amount."""
        return None if self._limit is None else self._limit - self._spent - self._held

    async def take(self, most: float) -> bool:
        """Set aside what a request may cost, once there is enough; false if there never will be."""
        async with self._changed:
            while (left := self.left) is not None and most > left:
                if not self._held:
                    return False
                await self._changed.wait()
            self._held += most
            return True

    def hold(self, most: float) -> None:
        """Set aside what is owed already, whether or not it fits."""
        self._held += most

    async def settle(self, most: float, paid: float) -> None:
        """Put back what was set aside, less what was paid."""
        async with self._changed:
            self._held = max(0.0, self._held - most)
            if self._held < 1e-12:  # what is left of adding and taking away
                self._held = 0.0
            self._spent += paid
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class ContextProgress:
    """How far it is: contexts made of those that were missing, and the price so far.

    `waiting` says for what, while a batch is under way.
    """

    made: int
    missing: int
    dollars: float
    waiting: str = ""


OnProgress = Callable[[ContextProgress], None]


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What came of it. `stopped` says why it ended before all was made, with a next step; or "".

    `failed` contexts could not be made; `problems` says why, each reason once with its count.
    `spending` is what the provider billed by its own figures, batches at their lower price.
    """

    estimate: ContextEstimate
    made: int
    failed: int
    problems: tuple[str, ...]
    stopped: str
    spending: Spending
    batches: int

    @property
    def cost_in_words(self) -> str:
        """The price against the estimate, and how well the cache was used, for the user."""
        paid, usage = self.spending, self.spending.usage
        guess = self.estimate
        low, high = guess.dollars, guess.dollars
        if self.batches:
            low, high = guess.batch_dollars, guess.batch_most
        expected = price_in_words(low) + ("" if low == high else f" to {price_in_words(high)}")
        return (
            f"{price_in_words(paid.dollars)} (estimated {expected}):"
            f" {usage.input_total:,} tokens in, {paid.read_share:.0%} of them read from the cache,"
            f" and {usage.output_tokens:,} out."
        )


@dataclass(slots=True)
class Tally:
    """Counts while contexts are made; the source of progress and report."""

    estimate: ContextEstimate
    missing: int
    meter: Meter
    on_progress: OnProgress
    made: int = 0
    stopped: str = ""
    waiting: str = ""
    batches: int = 0
    _problems: Counter[str] = field(default_factory=Counter)

    def keep(self, count: int) -> None:
        """Count contexts as kept."""
        self.made += count
        self.show()

    def fail(self, problem: str, count: int = 1) -> None:
        """Count contexts as failed."""
        self._problems[problem] += count
        self.show()

    def stop(self, reason: str) -> None:
        """Send nothing more; the first reason counts."""
        self.stopped = self.stopped or reason

    def wait(self, reason: str) -> None:
        """Say what is waited for, or "" that nothing is."""
        self.waiting = reason
        self.show()

    def show(self) -> None:
        """Report progress."""
        spent = self.meter.spending.known_dollars
        self.on_progress(ContextProgress(self.made, self.missing, spent, self.waiting))

    def report(self) -> ContextReport:
        """The report as of now."""
        told = [
            f"{problem} ({count:,})" for problem, count in self._problems.most_common(_MAX_SHOWN)
        ]
        failed = sum(self._problems.values())
        return ContextReport(
            self.estimate,
            self.made,
            failed,
            tuple(told),
            self.stopped,
            self.meter.spending,
            self.batches,
        )

"""What contexts will cost, before anything is sent.

The document is written to the prompt cache by the first request about it and read by each further
one. Tokens are estimated from bytes, prices are the list's. In a batch the cache is filled as the
provider's machines come to it, so between every request but the first reading it and none doing so
anything may happen: an estimate has both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from glossator.core.events import Usage
from glossator.core.window import Price
from glossator.llm import BATCH_SHARE, CACHE_RATES, CacheRates, ModelFacts, cost

OUTPUT_TOKENS = 100  # of a context: the upper end of what the prompt asks for
_THOUGHT_TOKENS = 300  # of a model that cannot do without thinking


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

"""What requests to models cost, and which limits they reach. Every reply counts at once.

A reply that breaks off counts with the usage that the provider has reported, which is usually all
of its input; the output is billed, too, but not reported.
Prices are list prices. Source: the provider's "Prompt caching" and price list of 2026-11-20.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from glossator.core.errors import BudgetSpent
from glossator.core.events import Usage
from glossator.core.tokens import Price, in_dollars
from glossator.llm.model import Model, ModelEvent, ModelRequest, Reply, ReplyUsage, RetryWait
from glossator.settings import LimitSettings

BATCH_SHARE = 0.5  # of every price, for what is asked through the Message Batches API

# what a reply was asked for
Purpose = Literal[
    "turn",
    "compaction",
    "agent",
    "contexts",
    "rerank",
    "recall",
    "dispatch",
    "plan",
    "verify",
    "correct",
    "summary",
    "title",
]


@dataclass(frozen=True, slots=True)
class CacheRates:
    """What tokens of the prompt cache cost, as shares of the input price."""

    short_write: float = 1.25  # an entry that lives five minutes
    long_write: float = 2.0  # an entry that lives an hour
    read: float = 0.1


CACHE_RATES = CacheRates()


@dataclass(frozen=True, slots=True)
class Spending:
    """The tokens and the price of any number of requests.

    `known_dollars` adds up the requests whose price is known; `unpriced` counts the others.
    `long_write_tokens` are those of `usage.cache_write_tokens` that were written for an hour.
    """

    usage: Usage = field(default_factory=Usage)
    long_write_tokens: int = 0
    known_dollars: float = 0.0
    unpriced: int = 0

    @staticmethod
    def of(reply: Reply | ReplyUsage) -> Spending:
        """The spending of one request, from its reply, complete or not."""
        return Spending.priced(reply.usage, reply.long_write_tokens, reply.dollars)

    @staticmethod
    def priced(usage: Usage, long_write_tokens: int, dollars: float | None) -> Spending:
        """The spending of one request; its price may be unknown."""
        return Spending(usage, long_write_tokens, dollars or 0.0, int(dollars is None))

    @property
    def dollars(self) -> float | None:
        """The total price; None if the price of any request is unknown."""
        return None if self.unpriced else self.known_dollars

    @property
    def short_write_tokens(self) -> int:
        """Tokens written to cache entries that live five minutes."""
        return self.usage.cache_write_tokens - self.long_write_tokens

    @property
    def read_share(self) -> float:
        """The share of all input that was read from the cache, 0 to 1."""
        read = self.usage.cache_read_tokens
        asked = read + self.usage.input_tokens + self.usage.cache_write_tokens
        return read / asked if asked else 0.0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.usage + other.usage,
            self.long_write_tokens + other.long_write_tokens,
            self.known_dollars + other.known_dollars,
            self.unpriced + other.unpriced,
        )


def cost(
    price: Price | None,
    usage: Usage,
    long_write_tokens: int = 0,
    rates: CacheRates = CACHE_RATES,
) -> float | None:
    """US dollars for one request, None when the price is not known."""
    if price is None:
        return None
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if price.above and price.up_to is not None and prompt > price.up_to:
        price = price.above
    paid = (
        usage.input_tokens
        + (usage.cache_write_tokens - long_write_tokens) * rates.short_write
        + long_write_tokens * rates.long_write
        + usage.cache_read_tokens * rates.read
    )
    return (paid * price.input + usage.output_tokens * price.output) / 1_000_000


def price_in_words(dollars: float | None) -> str:
    """A price for the user."""
    return "unknown" if dollars is None else in_dollars(dollars)


@dataclass(frozen=True, slots=True)
class ReachedLimit:
    """A limit that is reached, in words, and the setting that raises it."""

    kind: Literal["tokens", "money"]
    words: str
    setting: str


@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """The most that a run, a session or a sub-agent may take; None: any amount.

    `before` is what it has taken before the meter began.
    """

    whose: Literal["run", "session", "agent"]
    tokens: int | None = None
    dollars: float | None = None
    before: Spending = field(default_factory=Spending)

    @staticmethod
    def of_run(limits: LimitSettings) -> SpendingLimit:
        """The limit of one run."""
        return SpendingLimit("run", limits.tokens, limits.dollars)

    @staticmethod
    def of_session(limits: LimitSettings, before: Spending) -> SpendingLimit:
        """The limit of a session that has taken `before`."""
        return SpendingLimit("session", limits.session_tokens, limits.session_dollars, before)

    def reached(self, spending: Spending) -> tuple[ReachedLimit, ...]:
        """The limits that are reached with `spending` added."""
        found = []
        tokens, dollars = self.tokens, self.before.known_dollars + spending.known_dollars
        if tokens is not None and self.before.usage.total + spending.usage.total >= tokens:
            found.append(self._reached("tokens", f"{tokens:,} tokens"))
        if self.dollars is not None and dollars >= self.dollars:
            found.append(self._reached("money", price_in_words(self.dollars)))
        return tuple(found)

    def _reached(self, kind: Literal["tokens", "money"], amount: str) -> ReachedLimit:
        name = "tokens" if kind == "tokens" else "dollars"
        if self.whose != "session":
            group = "agents" if self.whose == "agent" else "limits"
            return ReachedLimit(kind, f"the limit of {amount} is reached", f"{group}.{name}")
        words = f"the session's limit of {amount} is reached"
        return ReachedLimit(kind, words, f"limits.session{name.capitalize()}")


@dataclass(slots=True)
class Meter:
    """Counts all requests of one run, one command or one sub-agent.

    `book` is called with each reply, complete or not, and the id of its model, before the reply is
    used. What a sub-agent takes counts for the meter `above`, too, whose limits hold for both.
    """

    budgets: tuple[SpendingLimit, ...] = ()
    book: Callable[[Reply | ReplyUsage, Purpose, str], None] = lambda _reply, _purpose, _model: None
    spending: Spending = field(default_factory=Spending)
    above: Meter | None = None

    async def stream(
        self, model: Model, request: ModelRequest, purpose: Purpose = "turn"
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stream like `Model.stream`; counts the reply, also if it breaks off."""
        begun: ReplyUsage | None = None
        try:
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    match event:
                        case ReplyUsage():
                            begun = event
                        case Reply():
                            begun = None
                            self.count(event, purpose, model.id)
                        case RetryWait() if begun:
                            self.count(begun, purpose, model.id)
                            begun = None
                    yield event
        finally:
            if begun:
                self.count(begun, purpose, model.id)

    def count(self, reply: Reply | ReplyUsage, purpose: Purpose = "turn", model: str = "") -> None:
        """Count a reply, or one that broke off."""
        self.spending += Spending.of(reply)
        self.book(reply, purpose, model)
        if self.above is not None:
            self.above.count(reply, "agent", model)

    @property
    def is_blind(self) -> bool:
        """Whether a money limit cannot be kept because a price is unknown."""
        limited = any(budget.dollars is not None for budget in self.budgets)
        return limited and self.spending.unpriced > 0

    def reached(self) -> tuple[ReachedLimit, ...]:
        """The limits that are reached."""
        own = (each for budget in self.budgets for each in budget.reached(self.spending))
        return (*own, *(self.above.reached() if self.above else ()))

    def check(self) -> None:
        """Raises `BudgetSpent` if a limit is reached."""
        if reached := self.reached():
            words = reached[0].words[:1].upper() + reached[0].words[1:]
            raise BudgetSpent(f"{words}. Raise {reached[0].setting}, or begin a new session.")

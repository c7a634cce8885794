"""What requests cost: tokens and US dollars, added up over a run or a session.

The prices are list prices. Source: the provider's "Prompt caching" and price list of 2026-11-20.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from glossator.core.errors import BudgetSpent
from glossator.core.events import Usage
from glossator.core.price import Price, in_dollars
from glossator.llm.model import Model, ModelEvent, ModelRequest, Reply, RetryWait, Taken
from glossator.settings import LimitSettings

# Shares of the input price.
_SHORT_WRITE = 1.25  # an entry that lives five minutes
_LONG_WRITE = 2.0  # an entry that lives an hour
_READ = 0.1

Purpose = Literal["turn", "compaction", "agent"]  # what a reply was asked for


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
    def of(reply: Reply | Taken) -> Spending:
        """What the request took that was answered so, or only begun to be."""
        return Spending.priced(reply.usage, reply.long_write_tokens, reply.dollars)

    @staticmethod
    def priced(usage: Usage, long_write_tokens: int, dollars: float | None) -> Spending:
        """What one request took, whose price may not be known."""
        return Spending(usage, long_write_tokens, dollars or 0.0, int(dollars is None))

    @property
    def dollars(self) -> float | None:
        """The price of all, None when that of any request is not known."""
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


def cost(price: Price | None, usage: Usage, long_write_tokens: int = 0) -> float | None:
    """US dollars for one request, None when the price is not known."""
    if price is None:
        return None
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    if price.above and price.up_to is not None and prompt > price.up_to:
        price = price.above
    paid = (
        usage.input_tokens
        + (usage.cache_write_tokens - long_write_tokens) * _SHORT_WRITE
        + long_write_tokens * _LONG_WRITE
        + usage.cache_read_tokens * _READ
    )
    return (paid * price.input + usage.output_tokens * price.output) / 1_000_000


def in_words(dollars: float | None) -> str:
    """A price for the user, if it is known."""
    return "unknown" if dollars is None else in_dollars(dollars)


@dataclass(frozen=True, slots=True)
class Reached:
    """A limit that was reached, in words; `setting` is the one that raises it."""

    kind: Literal["tokens", "money"]
    words: str
    setting: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run, a session or a sub-agent may take; None: any amount.

    `before` is what was taken of it before the meter began to count.
    """

    whose: Literal["run", "session", "agent"]
    tokens: int | None = None
    dollars: float | None = None
    before: Spending = field(default_factory=Spending)

    @staticmethod
    def of_run(limits: LimitSettings) -> Budget:
        """What one run may take."""
        return Budget("run", limits.tokens, limits.dollars)

    @staticmethod
    def of_session(limits: LimitSettings, before: Spending) -> Budget:
        """What a session may take that has taken so much."""
        return Budget("session", limits.session_tokens, limits.session_dollars, before)

    def reached(self, spending: Spending) -> tuple[Reached, ...]:
        """The limits that are reached once `spending` is taken, too."""
        total = self.before + spending
        found = []
        if self.tokens is not None and total.usage.total >= self.tokens:
            found.append(self._reached("tokens", f"{self.tokens:,} tokens"))
        if self.dollars is not None and total.known_dollars >= self.dollars:
            found.append(self._reached("money", in_words(self.dollars)))
        return tuple(found)

    def _reached(self, kind: Literal["tokens", "money"], amount: str) -> Reached:
        name = "tokens" if kind == "tokens" else "dollars"
        if self.whose != "session":
            group = "agents" if self.whose == "agent" else "limits"
            return Reached(kind, f"the limit of {amount} is reached", f"{group}.{name}")
        words = f"the session's limit of {amount} is reached"
        return Reached(kind, words, f"limits.session{name.capitalize()}")


@dataclass(slots=True)
class Meter:
    """Shared by all that one run, one command or one sub-agent asks of models.

    `book` is told of each reply, and by the id of which model, before anything is done with it, or
    of what one that broke off has taken. What a sub-agent takes counts for the meter `above`, too,
    and the limits there are its own.
    """

    budgets: tuple[Budget, ...] = ()
    book: Callable[[Reply | Taken, Purpose, str], None] = lambda _reply, _purpose, _model: None
    spending: Spending = field(default_factory=Spending)
    above: Meter | None = None

    async def stream(
        self, model: Model, request: ModelRequest, purpose: Purpose = "turn"
    ) -> AsyncGenerator[ModelEvent, None]:
        """As `Model.stream`; what the reply takes is counted, whatever becomes of it."""
        begun: Taken | None = None
        try:
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    match event:
                        case Taken():
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

    def count(self, reply: Reply | Taken, purpose: Purpose = "turn", model: str = "") -> None:
        """A reply arrived, or broke off."""
        self.spending += Spending.of(reply)
        self.book(reply, purpose, model)
        if self.above is not None:
            self.above.count(reply, "agent", model)

    @property
    def is_blind(self) -> bool:
        """Whether a limit of money cannot be kept, because a price is not known."""
        limited = any(budget.dollars is not None for budget in self.budgets)
        return limited and self.spending.unpriced > 0

    def reached(self) -> tuple[Reached, ...]:
        """The limits that are reached."""
        own = (each for budget in self.budgets for each in budget.reached(self.spending))
        return (*own, *(self.above.reached() if self.above else ()))

    def check(self) -> None:
        """Raises `BudgetSpent` when there is nothing left to ask a model with."""
        if reached := self.reached():
            raise BudgetSpent(
                f"{_capital(reached[0].words)}. Raise {reached[0].setting}, or begin a new session."
            )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]

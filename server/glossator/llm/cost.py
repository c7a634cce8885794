"""What requests cost: tokens and US dollars, added up over a run or a session.

The prices are list prices. Source: the provider's "Prompt caching" and price list of 2026-11-20.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from glossator.core.events import Usage
from glossator.core.price import Price, in_dollars
from glossator.llm.model import Reply, Taken

# Shares of the input price.
_SHORT_WRITE = 1.25  # an entry that lives five minutes
_LONG_WRITE = 2.0  # an entry that lives an hour
_READ = 0.1


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

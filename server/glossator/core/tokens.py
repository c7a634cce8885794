"""About how many tokens a text takes, and what tokens cost."""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_TOKEN = (
    3.5  # code runs denser than prose (about 4); the lower figure keeps budgets strict
)


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` takes in the model's window."""
    return round(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; prompts of more than `up_to` tokens cost as `above` says."""

    input: float
    output: float
    up_to: int | None = None
    above: Price | None = None


def in_dollars(price: float) -> str:
    """A price in words, such as `$1.20` or `$0.0034`: small ones have two significant digits."""
    if price >= 0.01 or price == 0:
        return f"${price:,.2f}"
    return f"${price:.2g}" if price >= 0.0001 else "under $0.0001"

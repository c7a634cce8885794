"""Prices as people read them."""

from __future__ import annotations


def in_dollars(price: float) -> str:
    """Cents as they are, smaller ones with two digits that tell: `$1.20`, `$0.0034`."""
    if price >= 0.01 or price == 0:
        return f"${price:,.2f}"
    return f"${price:.2g}" if price >= 0.0001 else "under $0.0001"

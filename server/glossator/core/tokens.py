"""Estimated token counts, for budgets that must hold without asking the provider."""

from __future__ import annotations

BYTES_PER_TOKEN = (
    3.5  # code runs denser than prose (about 4); the lower figure keeps budgets strict
)


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` takes in the model's window."""
    return round(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)

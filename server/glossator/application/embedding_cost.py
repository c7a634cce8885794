"""What embedding at a service takes, in words: before much is sent, and in the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glossator.core.price import in_dollars

if TYPE_CHECKING:
    from glossator.embeddings import EmbedderChoice
    from glossator.settings import ModelSettings


def embedding_notice(
    models: ModelSettings, choice: EmbedderChoice, chunks: int, tokens: int
) -> str:
    """Of what is about to be sent; the tokens are estimated."""
    return (
        f"{chunks:,} chunks of this workspace are sent to {_server(choice)} for Search, to be"
        f" embedded by {choice.model}: about {_tokens(models, choice, tokens)}. Cancel its progress"
        " to pause it, or set retrieval.embedder to local to send nothing."
    )


def embedding_bill(models: ModelSettings, choice: EmbedderChoice, tokens: int) -> str:
    """Of what was embedded since the server started; "" if it counted nothing."""
    if not tokens:
        return ""
    return f"{_tokens(models, choice, tokens)} embedded at {_server(choice)} in this session"


def _server(choice: EmbedderChoice) -> str:
    return choice.access.server if choice.access is not None else "this machine"


def _tokens(models: ModelSettings, choice: EmbedderChoice, tokens: int) -> str:
    """With their price if `models.prices` has it: services have no other list of prices."""
    price = models.prices.get(choice.model)
    dollars = "" if price is None else f" ({in_dollars(tokens * price.input / 1_000_000)})"
    return f"{tokens:,} tokens{dollars}"

"""What is to embed the chunks, and what that takes at a service: before much is sent, and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from glossator.core.errors import EmbeddingFailed
from glossator.core.window import in_dollars

if TYPE_CHECKING:
    from glossator.retrieval import EmbedderChoice, VectorPlace
    from glossator.settings import ModelSettings, Settings
    from glossator.workspace import Roots

_VECTORS_SHARE = 4  # vectors take at most this fraction of the disk space for indexes


def chosen_embedding(
    settings: Settings, environment: Mapping[str, str], roots: Roots, *, distrusted: bool
) -> tuple[EmbedderChoice, VectorPlace] | None:
    """What embeds chunks, and where vectors are kept; None for nothing. No server is asked.

    Raises `EmbeddingFailed` and `OSError`; the former, too, where chunks would be sent although the
    user distrusts the folder.
    """
    # numpy, which these need, takes long to import
    from glossator.retrieval import (  # noqa: PLC0415
        choose,
        place_of,
        vectors_file,
    )

    choice = choose(settings, environment)
    if choice is None:
        return None
    most = settings.workspace.index_bytes // _VECTORS_SHARE
    place = place_of(settings, environment, choice.model_id, vectors_file(roots), most)
    if distrusted and (choice.access is not None or place.leaves_machine):
        raise EmbeddingFailed("This folder is not trusted, so its chunks are sent nowhere.")
    return choice, place


def embedding_notice(
    models: ModelSettings, choice: EmbedderChoice, chunks: int, tokens: int
) -> str:
    """Of what is about to be sent; the tokens are estimated."""
    return (
        f"About {chunks:,} chunks of this workspace are sent to {_server(choice)} for Search, to be"
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

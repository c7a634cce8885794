"""Opens the embedder of a choice, in the process that embeds."""

from __future__ import annotations

import threading
from functools import lru_cache

from glossator.embeddings.embedder import Embedder, EmbedderChoice

_opening = threading.Lock()  # or two threads would load a model at once


def opened(choice: EmbedderChoice) -> Embedder:
    """The embedder of a choice, the same for the same choice. Raises `EmbeddingFailed`."""
    with _opening:
        return _open(choice)


@lru_cache(maxsize=2)  # a model takes 100 MB, and the settings rarely change
def _open(choice: EmbedderChoice) -> Embedder:
    # Imported here: each needs libraries that may not be installed.
    if choice.kind == "local":
        from glossator.embeddings.minilm import MiniLm  # noqa: PLC0415

        return MiniLm()
    if choice.kind == "static":
        from glossator.embeddings.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(choice.path, choice.model_id)
    from glossator.embeddings.api import ApiEmbedder  # noqa: PLC0415

    return ApiEmbedder(choice)

"""Opens what was chosen, in the process that uses it: the embedder, and the vectors."""

from __future__ import annotations

import threading
from functools import lru_cache

from glossator.retrieval.embeddings.embedder import Embedder, EmbedderChoice
from glossator.retrieval.embeddings.kept import KeptVectors, VectorPlace, VectorsHere

_opening = threading.Lock()  # or two threads would load a model at once


def opened(choice: EmbedderChoice) -> Embedder:
    """The embedder of a choice, the same for the same choice. Raises `EmbeddingFailed`."""
    with _opening:
        return _open(choice)


def opened_vectors(place: VectorPlace) -> KeptVectors:
    """The vectors that are kept in a place. Raises `StoreUnavailable`."""
    if place.milvus is None:
        return VectorsHere(place)
    from glossator.retrieval.embeddings.milvus import MilvusVectors  # noqa: PLC0415 - rarely needed

    return MilvusVectors(place, place.milvus)


@lru_cache(maxsize=2)  # a model takes 100 MB, and the settings rarely change
def _open(choice: EmbedderChoice) -> Embedder:
    # Imported here: each needs libraries that may not be installed.
    if choice.kind == "local":
        from glossator.retrieval.embeddings.minilm import MiniLm  # noqa: PLC0415

        return MiniLm()
    if choice.kind == "static":
        from glossator.retrieval.embeddings.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(choice.path, choice.model_id)
    from glossator.retrieval.embeddings.api import ApiEmbedder  # noqa: PLC0415

    return ApiEmbedder(choice)

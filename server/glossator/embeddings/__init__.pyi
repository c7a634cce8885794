from .choosing import choose, place_of
from .embedder import Embedder, EmbedderChoice, Vectors, embedding_text, text_key
from .jobs import EmbedChunks, Embedded, EmbedQuery
from .kept import KeptVectors, VectorPlace
from .opening import opened, opened_vectors
from .vector_index import APPROXIMATE_ABOVE, VectorIndex
from .vector_store import PackedVectors, VectorStore

__all__ = [
    "APPROXIMATE_ABOVE",
    "EmbedChunks",
    "EmbedQuery",
    "Embedded",
    "Embedder",
    "EmbedderChoice",
    "KeptVectors",
    "PackedVectors",
    "VectorIndex",
    "VectorPlace",
    "VectorStore",
    "Vectors",
    "choose",
    "embedding_text",
    "opened",
    "opened_vectors",
    "place_of",
    "text_key",
]

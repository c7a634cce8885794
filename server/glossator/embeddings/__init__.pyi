from .choosing import choose
from .embedder import Embedder, EmbedderChoice, Vectors, embedding_text, text_key
from .jobs import EmbedChunks, Embedded, EmbedQuery
from .opening import opened
from .vector_index import APPROXIMATE_ABOVE, VectorIndex
from .vector_store import PackedVectors, VectorStore

__all__ = [
    "APPROXIMATE_ABOVE",
    "EmbedChunks",
    "EmbedQuery",
    "Embedded",
    "Embedder",
    "EmbedderChoice",
    "PackedVectors",
    "VectorIndex",
    "VectorStore",
    "Vectors",
    "choose",
    "embedding_text",
    "opened",
    "text_key",
]

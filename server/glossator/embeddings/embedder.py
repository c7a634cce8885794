"""What embeds texts, as the rest of the program sees it, and how one is chosen and opened.

An `EmbedderChoice` is made in the server, where the environment holds the key, and travels to the
worker process, where `opened` makes an `Embedder` of it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from glossator.embeddings.access import Access

Vectors: TypeAlias = NDArray[np.float32]  # one or more rows of unit length
Kind: TypeAlias = Literal["local", "static", "voyage", "openai"]

_KEY_BYTES = 16
_LONGEST = 8_000  # characters of one text; some servers refuse more than 8,192 tokens


class Embedder(Protocol):
    """Makes vectors of texts. Every method raises `EmbeddingFailed`."""

    @property
    def model_id(self) -> str:
        """Under which its vectors are kept; another id means that they cannot be compared."""

    @property
    def batch(self) -> Batch:
        """How many texts to hand over at a time."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector of unit length, to be compared with those of documents."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The most that one call of `embed_documents` should get; one text is always allowed."""

    texts: int
    characters: int


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder to open: all that the worker process needs to know of it.

    `model` is a name for the APIs, `path` a folder or file for static embeddings. `access` is how
    a server is reached. `model_id` is the id of the embedder that will be opened.
    """

    kind: Kind
    model_id: str
    model: str = ""
    path: str = ""
    access: Access | None = field(default=None, repr=False)


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


def embedding_text(file_name: str, within: Sequence[str], chunk: str) -> str:
    """The text to embed for a chunk: `file.py: Class > method`, then its lines.

    A short prefix is measurably better than the whole path. What else a model needs, such as
    identifiers in parts, its embedder does.
    """
    head = f"{file_name}: {' > '.join(within)}" if within else file_name
    return f"{head}\n{chunk}"[:_LONGEST]


def text_key(text: str) -> bytes:
    """The key under which the vector of a text is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def unit(rows: Vectors) -> Vectors:
    """The rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    result: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return result

"""What embeds texts, as the rest of the program sees it, and what text it is given.

An `EmbedderChoice` is made in the server, where the environment holds the key, and travels to the
worker process, where `opened` makes an `Embedder` of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glossator.retrieval.embeddings.access import Access

Vectors: TypeAlias = NDArray[np.float32]  # one or more rows of unit length
Kind: TypeAlias = Literal["local", "static", "voyage", "openai"]

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
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

    def take_tokens(self) -> int:
        """The tokens that a server billed since the last call; 0 where none is asked."""


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


def embedding_text(file_name: str, within: Sequence[str], chunk: str, context: str = "") -> str:
    """The text to embed for a chunk: `file.py: Class > method`, its context, then its lines.

    A short prefix is measurably better than the whole path. `context` is what a model wrote about
    the chunk; it comes second, since the local model reads the first line with each part of a long
    chunk. What else a model needs, such as identifiers in parts, its embedder does.
    """
    head = f"{file_name}: {' > '.join(within)}" if within else file_name
    return "\n".join([head, *filter(None, [context]), chunk])[:_LONGEST]


def text_key(text: str) -> bytes:
    """The key under which the vector of a text is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def unit(rows: Vectors) -> Vectors:
    """The rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    result: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return result


def in_parts(text: str) -> str:
    """Identifiers in parts, for models that were trained on prose.

    `parseHTTPHeader` as `parse HTTP Header`, `max_retries` as `max retries`.
    """
    return _BOUNDARY.sub(" ", text)

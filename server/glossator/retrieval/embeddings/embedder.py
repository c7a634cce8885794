"""What embeds texts, as the rest of the program sees it: how it is reached, what text it is given.

An `EmbedderChoice` is made in the server, where the environment holds the key, and travels to the
worker process, where `opened` makes an `Embedder` of it. The worker has no keys and no proxies in
its environment, so that all of the `Access` to a server travels with the choice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit
from urllib.request import (  # type: ignore[attr-defined] # typeshed lacks it
    proxy_bypass_environment,
)

import numpy as np
from numpy.typing import NDArray

from glossator.core.errors import EmbeddingFailed

Vectors: TypeAlias = NDArray[np.float32]  # one or more rows of unit length
PackedVectors: TypeAlias = NDArray[np.int8]  # one or more rows, see `packed`
Kind: TypeAlias = Literal["local", "static", "voyage", "openai"]
OWN_KEY = "GLOSSATOR_EMBEDDING_KEY"  # for an address of the user's own; others must not see ours

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_KEY_BYTES = 16
_MAX_CHARACTERS = 8_000  # characters of one text; some servers refuse more than 8,192 tokens


@dataclass(frozen=True, slots=True)
class Access:
    """`url` is the base of the API, without `/embeddings`. `key` is "" for servers without one.

    `variable` is the environment variable of the key, for messages.
    """

    url: str
    variable: str
    key: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)  # may hold a password
    certificates: str = ""  # a file, where the system's certificates are not enough

    @property
    def server(self) -> str:
        """The server's name for messages: no credentials, no path."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def access_to(
    url: str,
    variable: str,
    environment: Mapping[str, str],
    *,
    setting: str = "retrieval.embeddingUrl",
    example: str = "https://host:port/v1",
) -> Access:
    """All that is needed to reach `url`. Raises `EmbeddingFailed`; a missing key is none.

    `setting` is where the address comes from, for messages, `example` what it should look like.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise EmbeddingFailed(
            f"{setting} is not the address of a server ({url}). Write it as {example}."
        )
    key = environment.get(variable, "").strip()
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise EmbeddingFailed(f"{variable} holds characters that no key has. Copy the key again.")
    return Access(
        url.rstrip("/"),
        variable,
        key,
        _proxy(parts.scheme, parts.netloc.rpartition("@")[2], environment),
        environment.get("SSL_CERT_FILE", ""),
    )


def _proxy(scheme: str, host: str, environment: Mapping[str, str]) -> str:
    """The proxy that the environment names for `host`; "" for none."""
    lowered = {name.lower(): value for name, value in environment.items() if value}
    if proxy_bypass_environment(host, {"no": lowered.get("no_proxy", "")}):
        return ""
    return lowered.get(f"{scheme}_proxy", "") or lowered.get("all_proxy", "")


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
    return "\n".join([head, *filter(None, [context]), chunk])[:_MAX_CHARACTERS]


def text_key(text: str) -> bytes:
    """The key under which the vector of a text is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def unit(rows: Vectors) -> Vectors:
    """The rows at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    result: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return result


def packed(vectors: Vectors) -> PackedVectors:
    """Each row in bytes, scaled so that its largest number is 127.

    Its length is lost, which the cosine does not need.
    """
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    rows: PackedVectors = np.rint(scaled * 127).astype(np.int8)
    return rows


def in_parts(text: str) -> str:
    """Identifiers in parts, for models that were trained on prose.

    `parseHTTPHeader` as `parse HTTP Header`, `max_retries` as `max retries`.
    """
    return _BOUNDARY.sub(" ", text)

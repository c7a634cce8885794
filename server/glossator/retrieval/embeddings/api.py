"""Embeddings from a server: Voyage, OpenAI, and servers that speak OpenAI's protocol.

One call is one request; whoever calls waits and tries again, by `EmbeddingFailed.retry_after`.
Nothing of a reply is used unless all of it is as it should be.

Source: the API references of Voyage ("Text embedding models") and OpenAI ("Create embeddings").
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import numpy as np

from glossator.core.errors import EmbeddingFailed
from glossator.core.shown import shown
from glossator.retrieval.embeddings.embedder import Access, Batch, EmbedderChoice, Vectors, unit

_REPLY_SECONDS = 30.0  # for a reply
_CONNECT_SECONDS = 10.0
_WAIT_SECONDS = 1.0  # seconds before another try, where the server names none
_LONGEST_DETAIL = 300  # characters of the server's own words
_SHORTEST_SECRET = 8  # characters; what is shorter guards nothing

_REFUSED = {
    401: "{server} did not accept the key{detail}. Set the environment variable {variable}.",
    403: "{server} does not allow this{detail}. Check that the key in {variable} may use {model}.",
    404: "{server} does not know the model or the address{detail}. Correct"
    " retrieval.embeddingModel ({model}) or retrieval.embeddingUrl, which often ends in /v1.",
    413: "The texts are larger than {server} accepts{detail}. Choose another model in"
    " retrieval.embeddingModel.",
}
_WRONG = (
    "{server} refused the request{detail}. Check retrieval.embeddingModel ({model}) and the"
    " server's own log."
)
_REDIRECTED = (
    "{server} answers with a redirect to {target}. None is followed, so that neither code nor key"
    " goes where you did not send it. If it should go there, set retrieval.embeddingUrl."
)
_LIMITED = (
    "{server} limits how much is embedded at a time{detail}. Wait, or raise the limit in the"
    " provider's console."
)
_SPENT = "{server} reports that the account has no credit{detail}. Add some, or use another key."
_FAILED = "{server} failed with status {status}{detail}. Wait and try again."
_LATE = "{server} did not answer in {seconds} s. Check the network and the server."
_UNREACHABLE = (
    "{server} cannot be reached{detail}. Check the network, a proxy, and retrieval.embeddingUrl."
)
_ODD = (
    "The reply of {server} cannot be used: {detail}. Check that retrieval.embeddingUrl names a"
    " server that makes embeddings, and retrieval.embeddingModel a model for that."
)


class ApiEmbedder:
    """One model of one server. Safe to use from several threads."""

    batch = Batch(texts=64, characters=60_000)  # about a second, and far below every limit

    def __init__(self, choice: EmbedderChoice) -> None:
        if choice.access is None:
            raise EmbeddingFailed("No server is named. Set retrieval.embeddingUrl.")
        self.model_id = choice.model_id
        self._model = choice.model
        self._access = choice.access
        self._has_types = choice.kind == "voyage"
        self._client = _client(choice.access)
        self._counting, self._tokens = threading.Lock(), 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed the texts in one request."""
        return self._embed(texts, "document")

    def embed_query(self, text: str) -> Vectors:
        """Embed a question in one request; Voyage embeds questions differently from documents."""
        vector: Vectors = self._embed([text], "query")[0]
        return vector

    def take_tokens(self) -> int:
        """The tokens that the server counted since the last call."""
        with self._counting:
            taken, self._tokens = self._tokens, 0
        return taken

    def _embed(self, texts: Sequence[str], role: str) -> Vectors:
        body: dict[str, Any] = {"model": self._model, "input": list(texts)}
        if self._has_types:
            body["input_type"] = role
        try:
            response = self._client.post(f"{self._access.url}/embeddings", json=body)
        except httpx2.TimeoutException as error:
            message = self._say(_LATE, seconds=f"{_REPLY_SECONDS:.0f}")
            raise EmbeddingFailed(message, retry_after=_WAIT_SECONDS) from error
        except httpx2.TransportError as error:
            passing = not isinstance(error, httpx2.UnsupportedProtocol)
            raise EmbeddingFailed(
                self._say(_UNREACHABLE, str(error)), retry_after=_WAIT_SECONDS if passing else None
            ) from error
        if response.status_code != httpx2.codes.OK:
            raise self._failure(response)
        try:
            reply = response.json()
            with self._counting:
                self._tokens += _tokens(reply)
            return _vectors(reply, len(texts))
        except ValueError as error:
            raise EmbeddingFailed(self._say(_ODD, str(error), brackets=False)) from error

    def _failure(self, response: httpx2.Response) -> EmbeddingFailed:
        status, detail = response.status_code, _words_of(response)
        wait = _retry_after(response)
        if status == 429 and "insufficient_quota" in detail:  # waiting does not help
            return EmbeddingFailed(self._say(_SPENT, detail))
        if status == 429:
            return EmbeddingFailed(self._say(_LIMITED, detail), retry_after=wait)
        if status >= 500 or status in {408, 409}:
            return EmbeddingFailed(self._say(_FAILED, detail, status=status), retry_after=wait)
        if response.has_redirect_location:
            target = shown(response.headers["location"][:_LONGEST_DETAIL])
            return EmbeddingFailed(self._say(_REDIRECTED, target=target))
        return EmbeddingFailed(self._say(_REFUSED.get(status, _WRONG), detail))

    def _say(
        self, template: str, detail: str = "", *, brackets: bool = True, **more: object
    ) -> str:
        """A message that quotes the server, without the key."""
        words = " ".join(detail.split())
        if len(self._access.key) >= _SHORTEST_SECRET:
            words = words.replace(self._access.key, "***")
        words = shown(words[:_LONGEST_DETAIL].rstrip("."))
        if brackets:
            words = f" ({words})" if words else ""
        return template.format(
            server=self._access.server,
            model=self._model,
            variable=self._access.variable,
            detail=words,
            **more,
        )


def _client(access: Access) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
    try:
        own = access.certificates
        return httpx2.Client(
            headers=headers,
            verify=ssl.create_default_context(cafile=own) if own else True,
            proxy=access.proxy or None,
            trust_env=False,  # the worker's environment says nothing of the network
            follow_redirects=False,
            timeout=httpx2.Timeout(_REPLY_SECONDS, connect=_CONNECT_SECONDS),
        )
    except (OSError, ValueError) as error:
        raise EmbeddingFailed(
            f"The proxy or the certificates of the environment cannot be used ({error})."
            " Correct HTTPS_PROXY and SSL_CERT_FILE."
        ) from error


def _vectors(reply: Any, count: int) -> Vectors:  # noqa: ANN401 - JSON
    """The vectors in the order of the texts. Raises `ValueError` that says what is wrong."""
    rows = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("it holds no list of vectors")
    if len(rows) != count:
        raise ValueError(f"it holds {len(rows)} vectors for {count} texts")
    if sorted(row.get("index", place) for place, row in enumerate(rows)) != list(range(count)):
        raise ValueError("it does not say which vector belongs to which text")
    rows = sorted(rows, key=lambda row: row.get("index", 0))
    try:
        vectors = np.array([row.get("embedding") for row in rows], np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError("its vectors are of different lengths, or no numbers") from error
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise ValueError("its vectors are empty, or no numbers")
    return unit(vectors)


def _tokens(reply: Any) -> int:  # noqa: ANN401 - JSON
    """What the server billed; nothing where it does not say."""
    usage = reply.get("usage") if isinstance(reply, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and total > 0 else 0


def _words_of(response: httpx2.Response) -> str:
    """What the server itself says of a failure."""
    try:
        said = response.json()
    except ValueError:
        return response.text
    if isinstance(said, dict):
        error = said.get("error", said.get("detail", said.get("message", "")))
        if isinstance(error, dict):
            return f"{error.get('message', '')} {error.get('code') or ''}"
        return str(error)
    return ""


def _retry_after(response: httpx2.Response) -> float:
    """The wait in seconds that the server asks for, in seconds or as a date."""
    asked = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(asked) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # none, or a date without a zone
        return _WAIT_SECONDS

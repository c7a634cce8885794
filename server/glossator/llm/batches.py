"""The Message Batches API: many requests at half the price, answered within 24 hours.

A batch is created by one POST. The provider takes no idempotency key, so a POST whose answer was
lost may have created a batch: `newer_than` lists those that came after a batch that was the newest
before. Neither that list nor a batch shows its requests; the results, once it has ended, name
their custom ids. Source: the provider's "Batch processing" and "Create a Message Batch".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from glossator.core.errors import ModelError, StreamCut
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.assembly import reply_of
from glossator.llm.failures import retried
from glossator.llm.meter import BATCH_SHARE
from glossator.llm.model import Model, ModelRequest, Reply

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

MAX_REQUESTS = 100_000  # in one batch
MAX_BYTES = 256_000_000  # of one batch

_PATH = "/v1/messages/batches"
_API = "the Message Batches API"
_PAGE = 100  # batches in one answer
_PASSING_ERRORS = frozenset({"api_error", "overloaded_error", "rate_limit_error", "timeout_error"})


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the provider describes it; `requests` counts all of its requests.

    `done` counts those that were answered or failed, which is known only once the batch has ended.
    The results of an `archived` batch are gone (29 days after it was created).
    """

    id: str
    ended: bool
    canceled: bool
    archived: bool
    requests: int
    done: int


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The outcome of one request: its reply, or why there is none; only replies are billed.

    `again` tells whether sending it again may help.
    """

    custom_id: str
    reply: Reply | None
    problem: str = ""
    again: bool = False


class MessageBatches:
    """The batches of the API key that a model uses. Every method raises `ModelError`."""

    def __init__(self, model: AnthropicModel) -> None:
        self._model = model

    def body_of(self, request: ModelRequest) -> bytes:
        """A request's part of a batch, as JSON."""
        return self._model.body_of(request)

    async def create(self, requests: Sequence[tuple[str, bytes]]) -> Batch:
        """Create a batch of requests, by custom id (`[a-zA-Z0-9_-]{1,64}`, each once).

        The request is sent once. After `ModelRefused` no batch exists; after any other error one
        may.
        """
        parts = [
            b'{"custom_id":%s,"params":%s}' % (json.dumps(name).encode(), body)
            for name, body in requests
        ]
        content = b'{"requests":[%s]}' % b",".join(parts)
        # No retry: a lost answer may hide a created batch, which a second POST would pay for again
        # (docs/decisions/0037).
        return _batch(await self._post(_PATH, _API, content))

    async def look(self, id_: str) -> Batch:
        """The batch as it is now."""
        return _batch(await self._get(f"{_PATH}/{_in_path(id_)}", f"the batch {id_}"))

    async def newest(self) -> str | None:
        """The id of the batch that was created last, None if there is none."""
        listed = await self._page(None, 1)
        return listed[0][0].id if listed[0] else None

    async def newer_than(self, id_: str | None) -> list[Batch]:
        """The batches created after this one, the newest first; None: all."""
        found: list[Batch] = []
        after: str | None = None
        while True:
            page, more = await self._page(after, _PAGE)
            for batch in page:
                if batch.id == id_:
                    return found
                found.append(batch)
            if not more or not page:
                return found
            after = page[-1].id

    async def results(self, id_: str) -> list[BatchResult]:
        """The outcomes of the requests in a batch that has ended, in any order."""
        # Not at the batch's `results_url`: what a server names there would be sent the key.
        path, about = f"{_PATH}/{_in_path(id_)}/results", f"the results of the batch {id_}"
        lines = await self._lines(path, about)
        return await asyncio.to_thread(lambda: [self._result(line) for line in lines])

    async def cancel(self, id_: str) -> Batch:
        """Ask to end a batch. Requests answered by then are billed and are among its results."""
        return _batch(await self._post(f"{_PATH}/{_in_path(id_)}/cancel", f"the batch {id_}"))

    async def _page(self, after: str | None, limit: int) -> tuple[list[Batch], bool]:
        query: dict[str, object] = {"limit": limit}
        if after is not None:
            query["after_id"] = after
        match await self._get(_PATH, _API, query):
            case {"data": list(data), "has_more": bool(more)}:
                return [_batch(each) for each in data], more
        raise StreamCut("The provider's list of batches has no form that is known. Try again.")

    async def _get(
        self, path: str, about: str, query: Mapping[str, object] | None = None
    ) -> object:
        """Get the JSON at a path, again after passing failures."""
        options: Any = {"params": dict(query or {})}

        def ask(client: AsyncAnthropic) -> Awaitable[object]:
            return client.get(path, cast_to=object, options=options)

        return await retried(lambda: self._model.call(ask, about), self._model.retry)

    async def _post(self, path: str, about: str, content: bytes | None = None) -> object:
        def ask(client: AsyncAnthropic) -> Awaitable[object]:
            return client.post(path, cast_to=object, content=content)

        return await self._model.call(ask, about)

    async def _lines(self, path: str, about: str) -> list[bytes]:
        """The lines of a file on the server, which must not be much larger than the batch."""

        async def ask(client: AsyncAnthropic) -> bytes:
            import httpx2  # noqa: PLC0415 - loaded by now

            # Bytes, since JSON may hold characters at which lines of text end.
            return (await client.get(path, cast_to=httpx2.Response)).content

        content = await retried(lambda: self._model.call(ask, about), self._model.retry)
        return [line for line in content.split(b"\n") if line.strip()]

    def _result(self, line: bytes) -> BatchResult:
        try:
            parsed = json.loads(line)
        except ValueError:
            parsed = None
        match parsed:
            case {"custom_id": str(name), "result": {"type": str(kind)} as result}:
                pass
            case _:
                raise StreamCut("The results of a batch are damaged; nothing is lost. Try again.")
        match result:
            case {"type": "succeeded", "message": dict(message)}:
                return self._answered(name, message)
            case {"type": "errored", "error": dict(error)}:
                inner = error.get("error")
                said: Mapping[str, Any] = inner if isinstance(inner, dict) else error
                again = said.get("type") in _PASSING_ERRORS
                return BatchResult(name, None, str(said.get("message") or "it failed"), again)
            case {"type": "expired"}:
                return BatchResult(name, None, "it expired before it was answered", again=True)
        return BatchResult(name, None, f"it was {kind}")

    def _answered(self, name: str, message: Mapping[str, Any]) -> BatchResult:
        try:
            reply = reply_of(message, self._model.facts.price)
        except ModelError as error:
            return BatchResult(name, None, str(error))
        dollars = None if reply.dollars is None else reply.dollars * BATCH_SHARE
        return BatchResult(name, replace(reply, dollars=dollars))


def batches_of(model: Model) -> MessageBatches | None:
    """The batches of a model; None if its server has none."""
    if isinstance(model, AnthropicModel) and model.takes_batches:
        return MessageBatches(model)
    return None


def _batch(answer: object) -> Batch:
    fields: dict[str, Any] = answer if isinstance(answer, dict) else {}
    match fields:
        case {"id": str(id_), "processing_status": str(status), "request_counts": dict(counts)}:
            known = {name: n for name, n in counts.items() if isinstance(n, int)}
            total = sum(known.values())
            return Batch(
                id_,
                ended=status == "ended",
                canceled=fields.get("cancel_initiated_at") is not None,
                archived=fields.get("archived_at") is not None,
                requests=total,
                done=total - known.get("processing", 0),
            )
    raise StreamCut("The provider describes a batch in no form that is known. Try again.")


def _in_path(id_: str) -> str:
    """An id from the server, made safe to stand in a path."""
    if id_.replace("_", "").replace("-", "").isalnum() and id_.isascii():
        return id_
    raise StreamCut(f"The provider gave a batch an id that is none ({id_!r}). Try again.")

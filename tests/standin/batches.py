"""The Message Batches endpoints: create, list, look, cancel and read results.

Each request of a batch is checked as one to `/v1/messages` and answered by the script, when the
batch ends: at its `looks`-th look, or not before `release()` while `held`. As at the provider, a
request that would be refused is an errored result, lists and batches do not show requests, results
come in another order, and nothing makes a second POST find the first one's batch.
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.standin.errors import Refusal, error_body
from tests.standin.faults import HttpError

Json = dict[str, Any]

MAX_BODY = 256 * 1024 * 1024  # bytes
MAX_REQUESTS = 100_000
CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DAY = "2026-11-20T{:02d}:{:02d}:{:02d}Z"


@dataclass
class BatchRecord:
    """A batch; `results` are there once it has ended."""

    id: str
    number: int
    requests: list[Json]
    looks: int = 0
    canceling: bool = False
    ended: bool = False
    archived: bool = False
    results: list[Json] = field(default_factory=list)


class Batches:
    """The batches of one server, and how it treats them: what a test sets."""

    def __init__(self) -> None:
        self.made: list[BatchRecord] = []
        self.looks = 1  # at which one a batch has ended
        self.held = False
        self.fault: HttpError | None = None  # what creating a batch is answered with
        self.lost_answers = 0  # how many further batches are made without the client hearing of it
        self.lost_requests = 0  # how many further ones never reach the server
        self.gate: asyncio.Event | None = None  # holds back the answer when a batch is made
        self.answered: list[str] = []  # the custom ids of what was billed, in order

    def release(self) -> None:
        """Let held batches end."""
        self.held = False

    def create(self, body: Json | None, size: int) -> BatchRecord:
        """A new batch; raises `Refusal`."""
        if size > MAX_BODY:
            raise Refusal("Request exceeds the maximum size of 256 MB.", 413)
        requests = _checked(body)
        number = len(self.made) + 1
        batch = BatchRecord(f"msgbatch_{number:04d}", number, requests)
        self.made.append(batch)
        return batch

    def find(self, id_: str) -> BatchRecord:
        """The batch of this id; a 404 for others."""
        for batch in self.made:
            if batch.id == id_:
                return batch
        raise Refusal(f"batch: {id_}", 404)

    def look(self, batch: BatchRecord, answer: Callable[[Json], Json]) -> Json:
        """The batch as it is described now; `answer` gives what a request's params end in."""
        batch.looks += 1
        if batch.canceling:
            self._end(batch, answer, len(batch.requests) // 2)
        elif not self.held and batch.looks > self.looks:
            self._end(batch, answer, len(batch.requests))
        return describe_batch(batch)

    def page(self, query: Json, answer: Callable[[Json], Json]) -> Json:
        """A page of the list, the newest first; counts as a look at each."""
        unknown = set(query) - {"limit", "after_id", "before_id"}
        limit = int(query.get("limit", 20))
        if unknown or not 1 <= limit <= 1_000:
            raise Refusal("limit: Input should be between 1 and 1000")
        listed = self.made[::-1]
        ids = [batch.id for batch in listed]
        if (after := query.get("after_id")) is not None:
            listed = listed[ids.index(self.find(after).id) + 1 :]
        if (before := query.get("before_id")) is not None:
            listed = listed[: ids.index(self.find(before).id)][-limit:]
        page = [self.look(batch, answer) for batch in listed[:limit]]
        ends = {"first_id": page[0]["id"], "last_id": page[-1]["id"]} if page else {}
        return {
            "data": page,
            "has_more": len(listed) > limit,
            "first_id": None,
            "last_id": None,
        } | ends

    def lines(self, batch: BatchRecord) -> bytes:
        """The file of results; a 404 before the end and after archiving."""
        if not batch.ended or batch.archived:
            raise Refusal(f"batch results: {batch.id}", 404)
        return b"".join(
            json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in batch.results
        )

    def _end(self, batch: BatchRecord, answer: Callable[[Json], Json], answered: int) -> None:
        if batch.ended:
            return
        batch.ended = True
        for number, request in enumerate(batch.requests):
            result = answer(request["params"]) if number < answered else {"type": "canceled"}
            if result["type"] == "succeeded":
                self.answered.append(request["custom_id"])
            batch.results.append({"custom_id": request["custom_id"], "result": result})
        batch.results.reverse()


def describe_batch(batch: BatchRecord) -> Json:
    """A batch as the API shows it."""
    kinds = [each["result"]["type"] for each in batch.results]
    counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
    status = "ended" if batch.ended else "canceling" if batch.canceling else "in_progress"
    at = _DAY.format(batch.number // 3600, batch.number // 60 % 60, batch.number % 60)
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": status,
        "request_counts": counts | {"processing": len(batch.requests) - len(kinds)},
        "created_at": at,
        "expires_at": at.replace("-20T", "-21T"),
        "ended_at": at if batch.ended else None,
        "archived_at": at if batch.archived else None,
        "cancel_initiated_at": at if batch.canceling else None,
        "results_url": f"http://elsewhere.invalid/{batch.id}" if batch.ended else None,
    }


def errored(type_: str, message: str, request_id: str) -> Json:
    """The result of a request that failed."""
    return {"type": "errored", "error": error_body(type_, message, request_id)}


def _checked(body: Json | None) -> list[Json]:
    if body is None:
        raise Refusal("The request body is not a valid JSON object.")
    for name in body.keys() - {"requests"}:
        raise Refusal(f"{name}: Extra inputs are not permitted")
    requests = body.get("requests")
    if not isinstance(requests, list):
        raise Refusal("requests: Field required")
    if not 1 <= len(requests) <= MAX_REQUESTS:
        raise Refusal(f"requests: List should have 1 to {MAX_REQUESTS} items")
    seen: set[str] = set()
    for number, request in enumerate(requests):
        _one(request, f"requests.{number}", seen)
    return requests


def _one(request: Any, where: str, seen: set[str]) -> None:
    if not isinstance(request, dict):
        raise Refusal(f"{where}: Input should be an object")
    for name in ("custom_id", "params"):
        if name not in request:
            raise Refusal(f"{where}.{name}: Field required")
    for name in request.keys() - {"custom_id", "params"}:
        raise Refusal(f"{where}.{name}: Extra inputs are not permitted")
    id_ = request["custom_id"]
    if not isinstance(id_, str) or not CUSTOM_ID.fullmatch(id_):
        raise Refusal(f"{where}.custom_id: String should match pattern '{CUSTOM_ID.pattern}'")
    if id_ in seen:
        raise Refusal(f"{where}.custom_id: must be unique within the batch")
    seen.add(id_)
    _params(request["params"], where)


def _params(params: Any, where: str) -> None:
    """What a batch refuses as a whole; everything else fails the one request later."""
    if not isinstance(params, dict):
        raise Refusal(f"{where}.params: Input should be an object")
    if "stream" in params:
        raise Refusal(f"{where}.params.stream: streaming is not supported in a batch")
    if params.get("max_tokens") == 0:
        raise Refusal(f"{where}.params.max_tokens: pre-warming is not supported in a batch")


def query_of(request: web.Request) -> Json:
    """The query of a request, as plain text."""
    return dict(request.query)

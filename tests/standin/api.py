"""The endpoints: check a request, then play the script's next turn."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.standin.batches import Batches, describe_batch, errored, query_of
from tests.standin.diagnostics import Diagnostics, fingerprint_of
from tests.standin.errors import Refusal
from tests.standin.faults import (
    Expired,
    HttpError,
    NoUsage,
    ResetConnection,
    SlowHeaders,
    StreamFault,
)
from tests.standin.issued import Issued
from tests.standin.models import MODELS, describe
from tests.standin.recording import Journal, Recorded
from tests.standin.reply import Ids, Prompt, Reply, compose
from tests.standin.rules import check
from tests.standin.rules.call import Call
from tests.standin.rules.headers import authorised, is_guest
from tests.standin.script import Script, Turn
from tests.standin.sse import stream, without_usage
from tests.standin.usage import PromptCache, prompt_tokens
from tests.standin.wire import error_response, reset, send_frames

Json = dict[str, Any]

MAX_BODY = 32 * 1024 * 1024  # bytes


class Api:
    """The endpoints of one server and what they remember between requests."""

    def __init__(self, script: Script, journal: Journal, *, guests: bool = False) -> None:
        self._script = script
        self._guests = guests
        self._journal = journal
        self._played = 0
        self._ids = Ids()
        self._cache = PromptCache()
        self._issued = Issued()
        self._diagnostics = Diagnostics()
        self.batches = Batches()

    def app(self) -> web.Application:
        """The routes; anything unknown is a 404 in the API's shape."""
        app = web.Application(client_max_size=0)  # unlimited: the 413 is ours to send
        app.router.add_get("/v1/models", self.get)
        app.router.add_get("/v1/models/{id}", self.get)
        app.router.add_get("/v1/messages/batches", self.list_batches)
        app.router.add_post("/v1/messages/batches", self.create_batch)
        app.router.add_get("/v1/messages/batches/{id}", self.look_at_batch)
        app.router.add_get("/v1/messages/batches/{id}/results", self.batch_results)
        app.router.add_post("/v1/messages/batches/{id}/cancel", self.cancel_batch)
        for of_others in ("/api/{path:.*}", "/props", "/model/info"):
            app.router.add_route("*", of_others, self.elsewhere)
        app.router.add_post("/{path:.*}", self.post)
        app.router.add_route("*", "/{path:.*}", self.get)
        return app

    async def get(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/models`, `GET /v1/models/{id}`; a 404 for what is not served."""
        request_id = self._ids.next("req")
        try:
            authorised(_lower(request))
            found = _models(request)
        except Refusal as refusal:
            return self._refuse(refusal, request_id)
        return web.json_response(found, headers={"request-id": request_id})

    async def elsewhere(self, _request: web.Request) -> web.StreamResponse:
        """Where servers of one's own tell their windows: that is not here, and no refusal."""
        raise web.HTTPNotFound

    async def post(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages` and `POST /v1/messages/count_tokens`."""
        raw = await request.read()
        body = _as_object(raw)
        recorded = self._journal.record(request.path, _lower(request), body or {})
        with self._journal.keep_failure:
            return await self._answer(request, recorded, raw, body)

    async def list_batches(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches`."""
        headers = _lower(request)
        with self._journal.keep_failure:
            return self._batched(
                request,
                lambda: self.batches.page(
                    query_of(request), lambda params: self._in_batch(params, headers)
                ),
            )

    async def create_batch(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches`."""
        raw = await request.read()
        body = _as_object(raw)
        self._journal.record(request.path, _lower(request), body or {})
        if self.batches.fault is not None:
            return error_response(self.batches.fault, self._ids.next("req"))
        if self.batches.lost_requests:
            self.batches.lost_requests -= 1
            return reset(request)
        answer = self._batched(request, lambda: describe_batch(self.batches.create(body, len(raw))))
        if answer.status == 200 and self.batches.lost_answers:
            self.batches.lost_answers -= 1
            return reset(request)
        if self.batches.gate is not None:
            await self.batches.gate.wait()
        return answer

    async def look_at_batch(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{id}`."""
        headers = _lower(request)
        with self._journal.keep_failure:
            return self._batched(
                request,
                lambda: self.batches.look(
                    self.batches.find(request.match_info["id"]),
                    lambda params: self._in_batch(params, headers),
                ),
            )

    async def batch_results(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/messages/batches/{id}/results`."""
        found = self.batches
        return self._batched(request, lambda: found.lines(found.find(request.match_info["id"])))

    async def cancel_batch(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/batches/{id}/cancel`."""
        self._journal.record(request.path, _lower(request), {})

        def cancel() -> Json:
            batch = self.batches.find(request.match_info["id"])
            if batch.ended:
                raise Refusal(f"{batch.id} has ended and cannot be canceled.")
            batch.canceling = True
            return describe_batch(batch)

        return self._batched(request, cancel)

    def _batched(self, request: web.Request, act: Callable[[], Json | bytes]) -> web.Response:
        request_id = self._ids.next("req")
        try:
            authorised(_lower(request))
            found = act()
        except Refusal as refusal:
            return self._refuse(refusal, request_id)
        headers = {"request-id": request_id}
        if isinstance(found, bytes):
            return web.Response(body=found, content_type="application/x-jsonl", headers=headers)
        return web.json_response(found, headers=headers)

    def _in_batch(self, params: Json, headers: dict[str, str]) -> Json:
        """What one request of a batch ends in."""
        request_id = self._ids.next("req")
        try:
            call = Call(headers, params, self._issued)
            check(call)
            turn = self._next_turn(params)
        except Refusal as refusal:
            self._journal.refusals.append((refusal.status, refusal.message))
            error = HttpError(refusal.status)
            return errored(error.type, refusal.message, request_id)
        match turn.fault:
            case HttpError(type=type_, message=words):
                return errored(type_, words, request_id)
            case Expired():
                return {"type": "expired"}
        prompt = Prompt(self._cache.charge(call.links, call.model), None)
        message = compose(turn, params, prompt, self._ids).message
        message["usage"]["service_tier"] = "batch"
        return {"type": "succeeded", "message": message}

    async def _answer(
        self, request: web.Request, recorded: Recorded, raw: bytes, body: Json | None
    ) -> web.StreamResponse:
        request_id = self._ids.next("req")
        try:
            guest = self._guests and is_guest(recorded.headers)
            if not guest:
                authorised(recorded.headers)
            counting = _endpoint(request)
            _readable(raw, body)
            call = Call(recorded.headers, recorded.body, self._issued, counting)
            if not guest:
                check(call)
            if counting:
                count = {"input_tokens": prompt_tokens(call.links)}
                return web.json_response(count, headers={"request-id": request_id})
            turn = self._next_turn(recorded.body)
        except Refusal as refusal:
            return self._refuse(refusal, request_id)
        return await self._watched(request, recorded, call, turn, request_id)

    def _refuse(self, refusal: Refusal, request_id: str) -> web.Response:
        self._journal.refusals.append((refusal.status, refusal.message))
        return error_response(HttpError(refusal.status, message=refusal.message), request_id)

    def _next_turn(self, body: Json) -> Turn:
        if body["max_tokens"] == 0:
            return Turn(stop_reason="max_tokens")  # pre-warming fills the cache, outside the script
        if callable(self._script):
            turn = self._script(body)
        elif self._played < len(self._script):
            turn = self._script[self._played]
            self._played += 1
        else:
            raise Refusal(
                f"The script has {self._played} turns and this request needs one more.", 500
            )
        if isinstance(turn.fault, StreamFault) and not body.get("stream"):
            fault = type(turn.fault).__name__
            raise Refusal(f"The script's {fault} needs a request with `stream`.", 500)
        return turn

    async def _watched(
        self, request: web.Request, recorded: Recorded, call: Call, turn: Turn, request_id: str
    ) -> web.StreamResponse:
        self._journal.open_streams += 1
        try:
            return await self._play(request, call, turn, request_id)
        except (asyncio.CancelledError, ConnectionResetError):
            # The server cancels a handler whose client has left.
            self._journal.disconnected(recorded)
            raise
        finally:
            self._journal.open_streams -= 1

    async def _play(
        self, request: web.Request, call: Call, turn: Turn, request_id: str
    ) -> web.StreamResponse:
        match turn.fault:
            case HttpError() as error:
                return error_response(error, request_id)
            case ResetConnection():
                return reset(request)
            case SlowHeaders(gate):
                await gate.wait()
        body, fingerprint = call.body, fingerprint_of(call.body, call.links)
        usage = self._cache.charge(call.links, call.model)
        prompt = Prompt(usage, self._diagnostics.of(body, fingerprint))
        reply = compose(turn, body, prompt, self._ids)
        self._issued.remember(reply.message, body)
        self._diagnostics.remember(reply.message["id"], fingerprint)
        if body.get("stream"):
            frames = stream(reply, turn.fault, turn.chunk, request_id)
            return await send_frames(request, frames, turn, request_id)
        return await _send_whole(reply, turn, request_id)


async def _send_whole(reply: Reply, turn: Turn, request_id: str) -> web.Response:
    if turn.gate is not None:
        await turn.gate.wait()
    message = reply.message
    if isinstance(turn.fault, NoUsage):
        message = without_usage(message)
    return web.json_response(message, headers={"request-id": request_id})


def _as_object(raw: bytes) -> Json | None:
    """The body as a JSON object, None when it is anything else."""
    try:
        body = json.loads(raw)
        json.dumps(body, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _readable(raw: bytes, body: Json | None) -> None:
    if len(raw) > MAX_BODY:
        raise Refusal("Request exceeds the maximum size of 32 MB.", 413)
    if body is None:
        raise Refusal("The request body is not a valid JSON object.")


def _endpoint(request: web.Request) -> bool:
    """Whether the request asks to count tokens; a 404 for a path that is not served."""
    if request.path not in {"/v1/messages", "/v1/messages/count_tokens"}:
        raise Refusal("Not found", 404)
    return request.path.endswith("/count_tokens")


def _models(request: web.Request) -> Json:
    if "path" in request.match_info:  # no route but the one for all the rest
        raise Refusal("Not found", 404)
    wanted = request.match_info.get("id")
    if wanted is None:
        data = [describe(model) for model in MODELS.values()]
        ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]}
        return {"data": data, "has_more": False} | ends
    if wanted not in MODELS:
        raise Refusal(f"model: {wanted}", 404)
    return describe(MODELS[wanted])


def _lower(request: web.Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}

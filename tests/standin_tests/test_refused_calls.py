"""What is refused before a request's content matters, and how a refusal looks."""

import json

import pytest

from tests.standin import StandIn, Text, Turn
from tests.standin_tests.client import (
    BASE,
    get,
    post,
    request,
)

EXTRA = "Extra inputs are not permitted"


@pytest.mark.parametrize(
    ("headers", "status", "type_", "message"),
    [
        ({"Authorization": ""}, 401, "authentication_error", "Bearer <key>"),
        ({"Authorization": "Bearer "}, 401, "authentication_error", "Bearer <key>"),
        ({"Authorization": "", "x_api_key": "k"}, 401, "authentication_error", "Bearer <key>"),
        ({"anthropic_version": ""}, 400, "invalid_request_error", "anthropic-version"),
        ({"anthropic_version": "2023-06-01"}, 400, "invalid_request_error", "2026-10-21"),
    ],
)
async def test_headers(headers: dict[str, str], status: int, type_: str, message: str) -> None:
    async with StandIn() as api:
        answer = await post(api, BASE, **headers)
    assert (answer.status, answer.json["error"]["type"]) == (status, type_)
    assert message in answer.error


async def test_the_shape_of_an_error() -> None:
    async with StandIn() as api:
        answer = await post(api, request(foo=1))
    assert answer.json == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": f"foo: {EXTRA}"},
        "request_id": "req_0001",
    }
    assert answer.headers["request-id"] == "req_0001"
    assert answer.headers["content-type"].startswith("application/json")


async def test_what_is_not_there() -> None:
    async with StandIn() as api:
        unknown_model = await post(api, request(model="claude-3-opus-20240229"))
        unknown_path = await post(api, BASE, "/v1/complete")
        unknown_info = await get(api, "/v1/models/gpt")
    for answer in (unknown_model, unknown_path, unknown_info):
        assert (answer.status, answer.json["error"]["type"]) == (404, "not_found_error")


@pytest.mark.parametrize("raw", [b"{", b"[]", b"\xff", rb'{"model": "\ud800"}'])
async def test_a_body_that_is_no_object(raw: bytes) -> None:
    async with StandIn() as api:
        answer = await post(api, raw)
        assert (answer.status, api.requests[0].body) == (400, {})


async def test_more_than_32_megabytes() -> None:
    body = json.dumps(request(system="x" * (32 * 1024 * 1024))).encode()
    async with StandIn() as api:
        answer = await post(api, body)
    assert (answer.status, answer.json["error"]["type"]) == (413, "request_too_large")


async def test_beyond_the_end_of_the_script() -> None:
    async with StandIn([Turn(Text("only one"))]) as api:
        assert (await post(api, BASE)).status == 200
        answer = await post(api, BASE)
        assert (answer.status, len(api.requests)) == (500, 2)
        assert api.refusals == [(500, answer.error)]
    assert "The script has 1 turns" in answer.error

"""The Message Batches endpoints refuse what the API refuses, and show no more than it shows."""

import json
from typing import Any

import pytest

from tests.standin import Expired, HttpError, StandIn, Text, Turn
from tests.standin_tests.client import BASE, Json, get, post, request

PATH = "/v1/messages/batches"


def asked(*names: str, **changes: Any) -> Json:
    return {"requests": [{"custom_id": name, "params": request(**changes)} for name in names]}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "requests: Field required"),
        ({"requests": []}, "requests: List should have 1 to 100000 items"),
        (asked("a") | {"model": "x"}, "model: Extra inputs are not permitted"),
        ({"requests": [{"custom_id": "a"}]}, "requests.0.params: Field required"),
        ({"requests": [{"params": BASE}]}, "requests.0.custom_id: Field required"),
        (
            {"requests": [{"custom_id": "a", "params": BASE, "priority": 1}]},
            "requests.0.priority: Extra inputs are not permitted",
        ),
        (asked("a b"), "requests.0.custom_id: String should match pattern"),
        (asked("a" * 65), "requests.0.custom_id: String should match pattern"),
        (asked("a", "b", "a"), "requests.2.custom_id: must be unique"),
        (asked("a", stream=True), "requests.0.params.stream: streaming is not supported"),
        (asked("a", max_tokens=0), "requests.0.params.max_tokens: pre-warming"),
    ],
)
async def test_a_batch_is_refused_as_a_whole(body: Json, says: str) -> None:
    async with StandIn() as api:
        answer = await post(api, body, PATH)
    assert answer.status == 400
    assert says in answer.error
    assert api.batches.made == []


async def test_a_batch_from_its_creation_to_its_results() -> None:
    turns = [
        Turn(Text("yes")),
        Turn(fault=HttpError(529, message="Overloaded")),
        Turn(fault=Expired()),
    ]
    body = asked("a", "b", "c", "d")
    body["requests"][3]["params"]["temperature"] = 1
    async with StandIn(turns) as api:
        made = (await post(api, body, PATH)).json
        assert made["processing_status"] == "in_progress"
        assert made["request_counts"]["processing"] == 4
        assert "custom_id" not in json.dumps(made)
        early = await get(api, f"{PATH}/{made['id']}/results")
        assert early.status == 404
        assert not (await get(api, f"{PATH}/{made['id']}")).json["results_url"]
        ended = (await get(api, f"{PATH}/{made['id']}")).json
        raw = (await get(api, f"{PATH}/{made['id']}/results")).raw
    assert ended["processing_status"] == "ended"
    counts = {"succeeded": 1, "errored": 2, "expired": 1, "canceled": 0, "processing": 0}
    assert ended["request_counts"] == counts
    results = [json.loads(line) for line in raw.splitlines()]
    assert [each["custom_id"] for each in results] == ["d", "c", "b", "a"]
    kinds = {each["custom_id"]: each["result"]["type"] for each in results}
    assert kinds == {"a": "succeeded", "b": "errored", "c": "expired", "d": "errored"}
    assert api.batches.answered == ["a"]
    assert "temperature" in api.refusals[-1][1]  # a request's own fault is found when it runs


async def test_the_list_is_paged_and_the_newest_come_first() -> None:
    async with StandIn() as api:
        for name in "abc":
            await post(api, asked(name), PATH)
        first = (await get(api, f"{PATH}?limit=2")).json
        second = (await get(api, f"{PATH}?limit=2&after_id={first['last_id']}")).json
        newer = (await get(api, f"{PATH}?limit=1&before_id=msgbatch_0001")).json
        assert (await get(api, f"{PATH}?limit=0")).status == 400
        assert (await get(api, f"{PATH}/msgbatch_0009")).status == 404
    assert [each["id"] for each in first["data"]] == ["msgbatch_0003", "msgbatch_0002"]
    assert first["has_more"]
    assert [each["id"] for each in second["data"]] == ["msgbatch_0001"]
    assert not second["has_more"]
    assert [each["id"] for each in newer["data"]] == ["msgbatch_0002"]


async def test_what_was_answered_before_the_cancellation_is_there() -> None:
    async with StandIn(lambda _body: Turn(Text("yes"))) as api:
        api.batches.held = True
        made = (await post(api, asked("a", "b"), PATH)).json
        cancelled = (await post(api, {}, f"{PATH}/{made['id']}/cancel")).json
        assert cancelled["processing_status"] == "canceling"
        ended = (await get(api, f"{PATH}/{made['id']}")).json
        assert (await post(api, {}, f"{PATH}/{made['id']}/cancel")).status == 400
    assert ended["request_counts"]["succeeded"] == ended["request_counts"]["canceled"] == 1

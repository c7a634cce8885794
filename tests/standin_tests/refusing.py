"""How a table of refusals is tried: (request, fragment of the message) by name, by group."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.standin import StandIn, Text, Turn
from tests.standin_tests.client import BASE, Json, post

Groups = Mapping[str, Mapping[str, tuple[Json, str]]]


def named(groups: Groups) -> list[Any]:
    """Every case as a pytest parameter, named by its group and itself."""
    return [
        pytest.param(*case, id=f"{group}: {name}")
        for group, cases in groups.items()
        for name, case in cases.items()
    ]


def counted(groups: Groups) -> list[Any]:
    """The cases that do not concern a parameter only a reply has."""
    return [case for case in named(groups) if not _about_the_reply(case.values[0])]


async def check_refused(body: Json, message: str) -> None:
    async with StandIn([Turn(Text("never played"))]) as api:
        answer = await post(api, body)
    assert message in answer.error
    assert answer.status == 400
    assert answer.json["error"]["type"] == "invalid_request_error"
    assert api.refusals == [(400, answer.error)]


async def check_counting_refused(body: Json, message: str) -> None:
    asked = {key: value for key, value in body.items() if key != "max_tokens"}
    async with StandIn() as api:
        answer = await post(api, asked, "/v1/messages/count_tokens")
    assert answer.status == 400
    assert message in answer.error


def _about_the_reply(body: Json) -> bool:
    return "stream" in body or body.get("max_tokens") != BASE["max_tokens"]

"""No request that a login adds to one of a server's waits for ever."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from glossator.mcp.http import Bearer
from glossator.mcp.logins import Login, Logins

URL = "https://notes.example.org/mcp"


@pytest.mark.parametrize("logged_in", [True, False])
async def test_each_request_has_a_limit_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, logged_in: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(401 if str(request.url) == URL else 404)

    logins = Logins(lambda _: None)
    if logged_in:
        token = "https://notes.example.org/token"
        await logins.keep(URL, Login(token, "", "me", "", "", "access", "refresh", None))
    auth = Bearer(URL, logins, lambda: None)
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer), auth=auth) as client:
        await client.post(URL)
    limits = [request.extensions["timeout"]["read"] for request in asked]
    assert len(limits) > 1
    assert None not in limits

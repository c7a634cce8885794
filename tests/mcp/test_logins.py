"""Logins to servers that ask for one: in the browser, kept, refreshed, refused, forgotten."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import UsageError
from glossator.core.question import QuestionAnswer
from glossator.mcp.answers import McpState
from glossator.mcp.login import log_in, log_out
from tests.mcp.guarded_server import Answer, Guarded, as_json, browse, ends_at, guarded
from tests.mcp.hubs import Hub, hub
from tests.passing import let_pass
from tests.patience import until

RESOURCE = "/.well-known/oauth-protected-resource/mcp"
METADATA = "/.well-known/oauth-authorization-server"
NEEDS = (
    "The MCP server web needs a login: run `glossator mcp login web`, or log in to it from your"
    " editor."
)


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Kept:
    """The file in which logins are kept."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        return self._path.exists()

    def text(self) -> str:
        return self._path.read_text()

    def mode(self) -> int:
        return stat.S_IMODE(self._path.stat().st_mode)

    def damage(self) -> None:
        self._path.write_text("{")


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "state" / "glossator" / "mcp-logins.json")


async def agree(url: str) -> None:
    await browse(url)


async def ignore(url: str) -> None:
    """The user closes the browser."""


@asynccontextmanager
async def logged_in(**more: Any) -> AsyncIterator[tuple[Hub, Guarded]]:
    async with guarded() as server, hub({"web": {"url": server.url, **more}}) as h:
        await log_in(h.servers, "web", agree, h.ask)
        assert h.view("web").state is McpState.READY, h.view("web").why
        yield h, server


async def test_nothing_opens_by_itself(kept: Kept) -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        assert h.view("web").state is McpState.LOGIN
        assert h.told == [NEEDS]
        await h.servers.refresh()
        assert h.view("web").state is McpState.LOGIN
        assert set(server.paths()) == {"/mcp"}
        with pytest.raises(UsageError, match="glossator mcp login web"):
            h.servers.connected("web")
    assert not kept.exists()


@pytest.mark.parametrize("described_at", [RESOURCE, METADATA])
async def test_a_refusal_that_does_not_say_how_to_log_in(described_at: str) -> None:
    """Where the server describes its login is found as the protocol has it."""
    async with guarded(challenges=False) as server:
        for place in {RESOURCE, METADATA} - {described_at}:
            server.instead[place] = (404, {}, b"")
        async with hub({"web": {"url": server.url}}) as h:
            assert h.view("web").state is McpState.LOGIN
            assert h.told == [NEEDS]
            assert not any(key for _, key in server.asked)
            server.instead.clear()
            await log_in(h.servers, "web", agree, h.ask)
            assert h.view("web").state is McpState.READY
            assert (await h.call("mcp__web__note"))[0].text == "remember the milk"


async def test_pages_that_describe_no_login(tmp_path: Path) -> None:
    async with guarded(challenges=False) as server:
        page = (200, {"content-type": "text/html"}, b"<p>Welcome</p>")
        for place in (RESOURCE, METADATA, "/.well-known/oauth-protected-resource"):
            server.instead[place] = page
        async with hub({"web": {"url": server.url}}) as h:
            assert h.view("web").state is McpState.WAITING
            assert "it answered 401: it wants a key in its headers, or a login" in h.told[0]


async def test_a_login_is_used_and_kept(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with logged_in() as (h, server):
        assert (await h.call("mcp__web__note"))[0].text == "remember the milk"
        (token,) = server.accounts.access
        assert kept.mode() == 0o600
        assert token in kept.text()
        assert {path for path, key in server.asked if key} == {"/mcp"}
        async with hub({"web": {"url": server.url}}) as other:  # after a start
            assert other.view("web").state is McpState.READY
        assert len(server.accounts.clients) == 1
        assert token not in f"{caplog.text}{h.told}{h.servers.listed()}"


async def test_another_server_of_ours_learns_of_a_login() -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        async with hub({"web": {"url": server.url}}) as other:
            await log_in(other.servers, "web", agree, other.ask)
        await h.servers.refresh()
        await h.servers.settled()
        assert h.view("web").state is McpState.READY


async def test_an_old_login_is_refreshed_silently() -> None:
    async with logged_in() as (h, server):
        server.accounts.seconds = 10  # so few that each request refreshes
        server.accounts.access.clear()
        calls = [h.call("mcp__web__note") for _ in range(3)]
        results = await asyncio.gather(*calls)
        assert {result.text for result, _ in results} == {"remember the milk"}
        assert server.accounts.refreshed
        before = server.accounts.refreshed
        assert (await h.call("mcp__web__note"))[0].text == "remember the milk"
        assert server.accounts.refreshed == before + 1
        assert len(h.told) == 1


async def test_a_refused_refresh_asks_for_a_login_once(kept: Kept) -> None:
    async with logged_in() as (h, server):
        server.accounts.access.clear()
        server.accounts.refresh.clear()
        h.told.clear()
        with pytest.raises(UsageError):
            await h.call("mcp__web__note")
        await until(lambda: h.view("web").state is McpState.LOGIN)
        assert h.told == [NEEDS]
        assert "access-" not in kept.text()
        await log_in(h.servers, "web", agree, h.ask)
        assert (await h.call("mcp__web__note"))[0].text == "remember the milk"


@pytest.mark.parametrize("answer", [as_json({}, 503), as_json({"access_token": 7})])
async def test_a_refresh_that_fails_for_now_is_tried_again(answer: Answer, kept: Kept) -> None:
    async with logged_in() as (h, server):
        before = kept.text()
        server.accounts.access.clear()
        server.instead["/token"] = answer
        with pytest.raises(UsageError):
            await h.call("mcp__web__note")
        await until(lambda: h.view("web").state is not McpState.READY)
        assert h.view("web").state is not McpState.LOGIN
        assert kept.text() == before
        del server.instead["/token"]
        await until(lambda: h.view("web").state is McpState.READY)


async def test_logout_forgets(kept: Kept) -> None:
    async with logged_in() as (h, _):
        h.told.clear()
        await log_out(h.servers, "web")
        assert h.view("web").state is McpState.LOGIN
        assert h.told == []
        assert "access-" not in kept.text()
        with pytest.raises(UsageError, match="not logged in"):
            await log_out(h.servers, "web")


async def test_a_login_whose_server_is_gone_is_forgotten_by_its_address(kept: Kept) -> None:
    async with logged_in() as (_, server):
        pass
    async with hub({}) as h:
        await log_out(h.servers, server.url)
        assert "access-" not in kept.text()
        with pytest.raises(UsageError, match="not logged in"):
            await log_out(h.servers, server.url)


async def test_a_foreign_answer_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        server.accounts.state = "of somebody else"

        async def follow(url: str) -> None:
            pages.append(await browse(url))
            let_pass(monkeypatch, 60)

        with pytest.raises(UsageError, match="Nobody logged in to web within 60 s"):
            await log_in(h.servers, "web", follow, h.ask, seconds=60)
        assert pages == ["This is not the login that Glossator waits for.\n"]
        assert not server.accounts.access
        assert h.view("web").state is McpState.LOGIN


async def test_the_user_closes_the_browser() -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        with pytest.raises(UsageError, match="Nobody logged in"):
            await log_in(h.servers, "web", ignore, h.ask, seconds=0.2)
        await log_in(h.servers, "web", agree, h.ask)
        assert h.view("web").state is McpState.READY


async def test_the_user_ends_it() -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        h.answers = [QuestionAnswer(("Do not log in",))]
        with pytest.raises(UsageError, match="ended"):
            await log_in(h.servers, "web", ignore, h.ask)
        waiting = asyncio.create_task(log_in(h.servers, "web", ignore, h.ask))
        await until(lambda: len(h.questions) > 1)
        with pytest.raises(UsageError, match="waits for you already"):
            await log_in(h.servers, "web", ignore, h.ask)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert not h.servers.logging_in


async def test_the_address_can_be_pasted() -> None:
    addresses: list[str] = []
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:

        async def paste(question: Any) -> QuestionAnswer:
            h.questions.append(question)
            return QuestionAnswer(words=addresses[0] if len(h.questions) > 1 else "http://x/?a=b")

        await log_in(h.servers, "web", ends_at(addresses), paste)
        assert h.view("web").state is McpState.READY
        first, second = (each.text for each in h.questions)
        assert second == f"What you pasted is not the address at which this login ended. {first}"


async def test_a_refusal_is_told() -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:

        async def refuse(url: str) -> None:
            addresses: list[str] = []
            await ends_at(addresses)(url)
            back = addresses[0].replace(
                "code=", "error=access_denied&error_description=No%0Away&x="
            )
            await browse(back)

        with pytest.raises(UsageError, match=r"was refused \(access_denied: No way\)"):
            await log_in(h.servers, "web", refuse, h.ask)


def issued_elsewhere(server: Guarded) -> None:
    server.instead[METADATA] = as_json(metadata(server) | {"issuer": "https://other.example"})


def unsafe_issuer(server: Guarded) -> None:
    about = {"resource": server.url, "authorization_servers": ["http://login.example"]}
    server.instead[RESOURCE] = as_json(about)


def unsafe_page(server: Guarded) -> None:
    page = {"authorization_endpoint": "http://login.example/authorize"}
    server.instead[METADATA] = as_json(metadata(server) | page)


def other_resource(server: Guarded) -> None:
    about = {"resource": "https://other.example/mcp", "authorization_servers": [server.origin]}
    server.instead[RESOURCE] = as_json(about)


def redirected_token(server: Guarded) -> None:
    server.instead["/token"] = 307, {"location": "https://other.example/token"}, b""


def odd_token(server: Guarded) -> None:
    server.instead["/token"] = as_json({"access_token": "access-x", "token_type": "mac"})


def no_registration(server: Guarded) -> None:
    server.instead["/register"] = as_json({"error": "no"}, 403)


def odd_registration(server: Guarded) -> None:
    server.instead["/register"] = as_json({"client_secret": "access-x"}, 201)


def plain_proof(server: Guarded) -> None:
    proofs = {"code_challenge_methods_supported": ["plain"]}
    server.instead[METADATA] = as_json(metadata(server) | proofs)


def metadata(server: Guarded) -> dict[str, Any]:
    return {
        "issuer": f"{server.origin}/",
        "authorization_endpoint": f"{server.origin}/authorize",
        "token_endpoint": f"{server.origin}/token",
        "registration_endpoint": f"{server.origin}/register",
    }


@pytest.mark.parametrize(
    ("hostile", "why"),
    [
        (issued_elsewhere, "issuer mismatch"),
        (unsafe_issuer, "it leads to http://login.example/"),
        (unsafe_page, "it leads to http://login.example/authorize, which is not https://"),
        (other_resource, "does not match expected"),
        (redirected_token, "Token exchange failed"),
        (odd_token, "Invalid token response"),
        (no_registration, "Registration failed: 403"),
        (odd_registration, "Invalid registration response."),
        (plain_proof, "PKCE"),
    ],
)
async def test_hostile_metadata(
    hostile: Callable[[Guarded], None],
    why: str,
    kept: Kept,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with guarded() as server, hub({"web": {"url": server.url}}) as h:
        hostile(server)
        with pytest.raises(UsageError, match="The login to web failed") as failure:
            await log_in(h.servers, "web", agree, h.ask)
        assert why in str(failure.value)
        assert "access-x" not in f"{failure.value}{caplog.text}"
        assert h.view("web").state is McpState.LOGIN
    assert not kept.exists()


async def test_a_registration_and_scopes_of_the_user() -> None:
    async with guarded() as server:
        given = {"url": server.url, "oauth": {"scopes": ["notes", "more"]}}
        async with hub({"web": given}) as h:
            await log_in(h.servers, "web", agree, h.ask)
            (client,) = server.accounts.clients.values()
            assert client.scope == "notes more"
        client.client_secret, client.token_endpoint_auth_method = "s3cret", "client_secret_post"
        await log_out_of(server.url)
        oauth = {"clientId": client.client_id, "clientSecret": "${SECRET}", "callbackPort": 0}
        async with hub({"web": given | {"oauth": oauth}}, environment={"SECRET": "s3cret"}) as h:
            client.redirect_uris = None
            with pytest.raises(UsageError, match="Nobody logged in"):  # it does not know the port
                await log_in(h.servers, "web", agree, h.ask, seconds=0.5)
        assert len(server.accounts.clients) == 1


async def log_out_of(url: str) -> None:
    async with hub({"web": {"url": url}}) as h:
        await log_out(h.servers, "web")


async def test_a_key_in_the_headers_wins() -> None:
    async with guarded() as server:
        headers = {"authorization": "Bearer x"}
        async with hub({"web": {"url": server.url, "headers": headers}}) as h:
            assert h.view("web").state is McpState.WAITING
            assert "another key" in h.told[0]
            with pytest.raises(UsageError, match="key in its headers"):
                await log_in(h.servers, "web", agree, h.ask)
        assert {key for _, key in server.asked} == {"Bearer x"}


async def test_a_password_in_the_address_wins() -> None:
    async with guarded() as server:
        url = server.url.replace("://", "://ada:s3cret@")
        async with hub({"web": {"url": url}}) as h:
            assert h.view("web").state is McpState.WAITING
            with pytest.raises(UsageError, match="a password in its address") as failure:
                await log_in(h.servers, "web", agree, h.ask)
        assert "s3cret" not in f"{failure.value}{h.told}"
        assert {key.split()[0] for _, key in server.asked if key} == {"Basic"}


async def test_what_is_proposed_is_adopted_before_a_login(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    async with guarded() as server:
        proposal = {"mcpServers": {"web": {"url": server.url}}}
        (root / ".mcp.json").write_text(json.dumps(proposal))
        async with hub({}, (str(root),)) as h:
            with pytest.raises(UsageError, match="adopt it"):
                await log_in(h.servers, "web", agree, h.ask)
            assert server.asked == []
            await h.servers.adopt("web", h.view("web").sha256)
            await h.servers.settled()
            assert h.view("web").state is McpState.LOGIN
            await log_in(h.servers, "web", agree, h.ask)
            assert h.view("web").state is McpState.READY


async def test_a_damaged_file_is_no_login(kept: Kept) -> None:
    async with logged_in() as (_, server):
        kept.damage()
        async with hub({"web": {"url": server.url}}) as h:
            assert h.view("web").state is McpState.LOGIN
            assert "cannot be used" in h.told[0]
            await log_in(h.servers, "web", agree, h.ask)
            assert h.view("web").state is McpState.READY

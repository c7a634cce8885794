"""A real MCP server on loopback that asks for a login, with the SDK's authorization server.

It checks PKCE, redirects and what tokens are for as any would. Tests change what it answers.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.patience import until

RIGHT = "notes"  # the scope it asks for
Answer = tuple[int, dict[str, str], bytes]


def as_json(value: object, status: int = 200) -> Answer:
    return status, {"content-type": "application/json"}, json.dumps(value).encode()


class Accounts(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """One user, who agrees to everything; refresh tokens count once."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.seconds = 3600
        self.state: str | None = None  # in place of what was asked with
        self.refreshed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        code = secrets.token_hex(20)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [RIGHT],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        state = self.state or params.state
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        found = self.codes.get(authorization_code)
        return found if found and found.client_id == client.client_id else None

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._tokens(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        found = self.refresh.get(refresh_token)
        return found if found and found.client_id == client.client_id else None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshed += 1
        return self._tokens(client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)

    def _tokens(
        self, client: OAuthClientInformationFull, scopes: list[str], resource: str | None
    ) -> OAuthToken:
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        about: dict[str, Any] = {
            "client_id": client.client_id,
            "scopes": scopes,
            "resource": resource,
        }
        self.access[access] = AccessToken(token=access, **about)
        self.refresh[refresh] = RefreshToken(token=refresh, **about)
        return OAuthToken(
            access_token=access,
            refresh_token=refresh,
            expires_in=self.seconds,
            scope=" ".join(scopes),
        )


@dataclass
class Guarded:
    """The server: `instead` answers at a path in its place, `asked` are all requests.

    Unless it `challenges`, a refusal does not say how to log in (WWW-Authenticate).
    """

    url: str
    accounts: Accounts
    challenges: bool = True
    instead: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)  # the path, and Authorization

    @property
    def origin(self) -> str:
        return self.url.removesuffix("/mcp")

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def over(self, app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                headers = {name.decode(): value.decode() for name, value in scope["headers"]}
                self.asked.append((scope["path"], headers.get("authorization", "")))
                if (found := self.instead.get(scope["path"])) is not None:
                    status, given, body = found
                    pairs = [(name.encode(), value.encode()) for name, value in given.items()]
                    await send({"type": "http.response.start", "status": status, "headers": pairs})
                    await send({"type": "http.response.body", "body": body})
                    return

            async def unsaid(message: Message) -> None:
                if not self.challenges and "headers" in message:
                    kept = [each for each in message["headers"] if each[0] != b"www-authenticate"]
                    message = {**message, "headers": kept}
                await send(message)

            await app(scope, receive, unsaid)

        return answer


@asynccontextmanager
async def guarded(*, challenges: bool = True) -> AsyncIterator[Guarded]:
    """The server, at a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    accounts = Accounts()
    server = MCPServer(
        "guarded",
        auth_server_provider=accounts,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(origin),
            resource_server_url=AnyHttpUrl(f"{origin}/mcp"),
            required_scopes=[RIGHT],
            validate_token_resource=True,
            client_registration_options=ClientRegistrationOptions(enabled=True),
        ),
    )

    @server.tool()
    def note() -> str:
        """A note."""
        return "remember the milk"

    it = Guarded(f"{origin}/mcp", accounts, challenges)
    app = it.over(server.streamable_http_app(json_response=True))
    running = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    serving = asyncio.create_task(running.serve(sockets=[listener]))
    await until(lambda: running.started)
    try:
        yield it
    finally:
        running.should_exit = True
        await serving


async def browse(url: str) -> str:
    """What a browser does whose user agrees: the text of the page where it ends."""
    async with httpx2.AsyncClient(follow_redirects=True) as client:
        return (await client.get(url)).text


def ends_at(addresses: list[str]) -> Callable[[str], Awaitable[None]]:
    """A browser that cannot come back; it notes the address where it ends."""

    async def browse_on(url: str) -> None:
        async with httpx2.AsyncClient() as client:
            addresses.append((await client.get(url)).headers["location"])

    return browse_on

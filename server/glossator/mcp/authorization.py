"""The login itself, by the SDK's OAuth client: discovery, registration, the browser, the tokens.

The SDK proves the code with PKCE, names the server as what the tokens are for, checks state and
issuer, and follows redirects only within their origin. Here each address is checked before anything
goes there, and what the SDK says of failures is kept out of logs, because it may hold tokens.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol
from urllib.parse import urljoin

import httpx2
from mcp.client.auth import (
    AuthorizationCodeResult,
    OAuthClientProvider,
    OAuthFlowError,
    OAuthTokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl, ValidationError

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.tool_result import shorten
from glossator.mcp.http import TIMES, bound
from glossator.mcp.logins import Login, ending, is_private_enough
from glossator.mcp.servers import Launch
from glossator.settings import McpOauthSettings

logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL + 1)  # it logs what servers answer

_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_VERSION = "2025-11-25"


class Browser(Protocol):
    """What the user logs in with."""

    redirect: str

    async def show(self, address: str) -> None:
        """Open an address."""

    def answer(self) -> Awaitable[Mapping[str, str]]:
        """The parameters that come back, of this login."""


async def authorize(name: str, launch: Launch, browser: Browser) -> Login:
    """The login to a server. Raises `UsageError`; waits for the user for as long as it takes."""
    try:
        return await _authorized(launch, browser)
    except (OAuthFlowError, httpx2.HTTPError, ValidationError) as error:
        why = _without_secrets(error) or type(error).__name__
        words = shorten(shown(" ".join(why.split())), 300).rstrip(".")
        raise UsageError(
            f"The login to {name} failed: {words}. Nothing was kept of it. If its documentation"
            " names a client id or scopes, set them in its oauth, and log in again."
        ) from None


def _without_secrets(error: Exception) -> str:
    """What failed, but for what the server sent as a token or a registration."""
    if isinstance(error, ValidationError):
        return f"{error.title} is not as it has to be"
    words = str(error)
    if isinstance(error, OAuthTokenError) or words.startswith("Invalid registration response"):
        return words.partition(":")[0]
    return words


async def _authorized(launch: Launch, browser: Browser) -> Login:
    kept = _InMemory(_registered(launch.oauth, browser.redirect))
    url = httpx2.URL(launch.url)
    first = True

    async def show(address: str) -> None:
        _check(address, launch.url)
        metadata = provider.context.oauth_metadata
        methods = metadata and metadata.code_challenge_methods_supported
        if methods is not None and "S256" not in methods:
            raise OAuthFlowError("its authorization server does not know PKCE with S256")
        await browser.show(address)

    async def answered() -> AuthorizationCodeResult:
        told = await browser.answer()
        if "error" in told:
            why = ": ".join(filter(None, (told["error"], told.get("error_description"))))
            raise OAuthFlowError(f"it was refused ({why})")
        return AuthorizationCodeResult(
            code=told.get("code", ""), state=told.get("state"), iss=told.get("iss")
        )

    async def check(request: httpx2.Request) -> None:
        _check(str(request.url), launch.url)

    async def ask(response: httpx2.Response) -> None:
        """A server that asks only at some calls is taken as if it asked at once."""
        nonlocal first
        if first and response.request.url == url:
            first, response.status_code = False, 401

    provider = OAuthClientProvider(
        launch.url, _wanted(launch.oauth, browser.redirect), kept, show, answered
    )
    client = await asyncio.to_thread(  # it reads the machine's certificates
        httpx2.AsyncClient,
        headers={"Accept-Encoding": "identity", **launch.headers},
        timeout=TIMES,
        event_hooks={"request": [check], "response": [bound, ask]},
        auth=provider,
    )
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": _VERSION}
    async with client, client.stream("POST", launch.url, json=_PING, headers=headers) as response:
        if response.status_code in (401, 403):
            raise OAuthFlowError(f"it refuses the login that it gave ({response.status_code})")
    return _login(provider, kept)


def _check(address: str, server: str) -> None:
    if not is_private_enough(address, server):
        raise OAuthFlowError(f"it leads to {address.partition('?')[0]}, which is not https://")


def _wanted(oauth: McpOauthSettings, redirect: str) -> OAuthClientMetadata:
    """How we register."""
    kind = _OwnScopes if oauth.scopes else OAuthClientMetadata
    return kind(
        client_name="Glossator",
        redirect_uris=[AnyUrl(redirect)],
        token_endpoint_auth_method="none",  # noqa: S106 - a method
        scope=" ".join(oauth.scopes) or None,
    )


class _OwnScopes(OAuthClientMetadata):
    """Asks for the user's scopes, where the SDK would ask for those that a server names."""

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401 - as in pydantic
        if name != "scope":
            super().__setattr__(name, value)


def _registered(oauth: McpOauthSettings, redirect: str) -> OAuthClientInformationFull | None:
    """The registration that the user has; None: we register."""
    if oauth.client_id is None:
        return None
    return OAuthClientInformationFull(
        client_id=oauth.client_id,
        client_secret=oauth.client_secret,
        token_endpoint_auth_method="client_secret_post" if oauth.client_secret else "none",
        redirect_uris=[AnyUrl(redirect)],
    )


class _InMemory:
    """The SDK's `TokenStorage` for one login; what comes of it is kept only once it is whole."""

    def __init__(self, client: OAuthClientInformationFull | None) -> None:
        self.client = client
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """None: each login begins without."""
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """The tokens of this login."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The registration of the settings."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """The registration that was made for this login."""
        self.client = client_info


def _login(provider: OAuthClientProvider, kept: _InMemory) -> Login:
    context, tokens, client = provider.context, kept.tokens, kept.client
    if tokens is None or client is None:
        raise OAuthFlowError("no token came")
    metadata = context.oauth_metadata
    named = context.should_include_resource_param(context.protocol_version)
    return Login(
        token_endpoint=str(
            metadata.token_endpoint if metadata else urljoin(context.server_url, "/token")
        ),
        resource=context.get_resource_url() if named else "",
        client_id=client.client_id,
        client_auth=client.token_endpoint_auth_method or "none",
        client_secret=client.client_secret or "",
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token or "",
        expires=ending(tokens.expires_in),
    )

"""Requests to a server with the kept login, which is refreshed silently; nobody is asked here.

The SDK's own provider is not used for this: after a start it knows neither when a token ends nor
where it is refreshed, holds all other requests up while one is answered, and opens a browser.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from urllib.parse import quote

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
)
from mcp.shared.auth import OAuthMetadata, OAuthToken, ProtectedResourceMetadata
from pydantic import ValidationError

from glossator.mcp.logins import Login, Logins

_UNAUTHORIZED = 401
_TIMES = {"timeout": httpx2.Timeout(10).as_dict()}  # seconds; the client's are for its own request
_LATER = (408, 429)  # these, and 500 and above, say nothing about the login


class Bearer(httpx2.Auth):
    """The login to the server at `url`; `refused` is called when there is none, or it is over."""

    def __init__(self, url: str, logins: Logins, refused: Callable[[], object]) -> None:
        self._url = url
        self._logins = logins
        self._refused = refused
        self._lock = asyncio.Lock()

    def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send the request; refresh the login before if it is old, or after if it is refused.

        Raises `httpx2.HTTPError` when the login can be refreshed neither now nor never again.
        """
        login = self._logins.of(self._url)
        return self._anonymous(request) if login is None else self._known(request, login)

    async def _anonymous(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        response = yield _with(request, None, self._url)
        if response.status_code != _UNAUTHORIZED:
            return
        challenge = response.headers.get("WWW-Authenticate", "")
        asks = "bearer" in challenge.lower()
        if not challenge:
            for place in _places(self._url):
                get = httpx2.Request("GET", place, extensions=_TIMES)
                if asks := await _describes_login((yield get)):
                    break
            yield request  # the last answer is the one that counts
        if asks:
            self._refused()

    async def _known(
        self, request: httpx2.Request, known: Login
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        login: Login | None = known
        if known.is_old and known.refresh_token:
            async with self._lock:
                login = self._logins.of(self._url)
                if login is not None and login.is_old:
                    login = await self._renewed(login, (yield _refresh(login)))
        response = yield _with(request, login, self._url)
        if response.status_code != _UNAUTHORIZED:
            return
        if login is None:
            self._refused()
            return
        async with self._lock:
            now = self._logins.of(self._url)
            if now == login and login.refresh_token:  # else another request refreshed it
                now = await self._renewed(login, (yield _refresh(login)))
        if now is not None and now != login:
            response = yield _with(request, now, self._url)
            if response.status_code != _UNAUTHORIZED:
                return
        if now is not None:
            await self._logins.drop(self._url, now)
        self._refused()

    async def _renewed(self, login: Login, response: httpx2.Response) -> Login | None:
        """The login after a refresh; None, and forgotten, if that was refused."""
        status = response.status_code
        content = await response.aread()
        if 400 <= status < 500 and status not in _LATER:
            now = self._logins.of(self._url)
            if now != login:  # another server of ours was faster with a token that counts once
                return now
            await self._logins.drop(self._url, login)
            return None
        if status != 200:
            raise httpx2.RequestError(f"the login could not be refreshed: the answer was {status}")
        try:
            token = OAuthToken.model_validate_json(content)
        except ValidationError:  # its message shows the content
            raise httpx2.RequestError(
                "the login could not be refreshed: the answer was no token"
            ) from None
        renewed = login.renewed(token.access_token, token.refresh_token, token.expires_in)
        await self._logins.keep(self._url, renewed)
        return renewed


def _places(url: str) -> list[str]:
    """Where a server describes its login that does not say where."""
    return [
        *build_protected_resource_metadata_discovery_urls(None, url),
        *build_oauth_authorization_server_metadata_discovery_urls(None, url),
    ]


async def _describes_login(response: httpx2.Response) -> bool:
    """Whether an answer is the metadata of a server with a login. Source: RFC 9728, RFC 8414."""
    if response.status_code != 200:
        return False
    content = await response.aread()
    for kind in (ProtectedResourceMetadata, OAuthMetadata):
        with suppress(ValidationError):
            kind.model_validate_json(content)
            return True
    return False


def _with(request: httpx2.Request, login: Login | None, url: str) -> httpx2.Request:
    """The request with the login, if it goes to the server that this is for."""
    request.headers.pop("Authorization", None)
    if login is not None and _origin(request.url) == _origin(httpx2.URL(url)):
        request.headers["Authorization"] = f"Bearer {login.access_token}"
    return request


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _refresh(login: Login) -> httpx2.Request:
    """The request for new tokens. Source: RFC 6749, 6 and 2.3.1; RFC 8707, 2.2."""
    data = {
        "grant_type": "refresh_token",
        "refresh_token": login.refresh_token,
        "client_id": login.client_id,
    }
    if login.resource:
        data["resource"] = login.resource
    headers = {"Accept": "application/json"}
    match login.client_auth:
        case "client_secret_basic":
            pair = f"{quote(login.client_id, safe='')}:{quote(login.client_secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        case "client_secret_post":
            data["client_secret"] = login.client_secret
    address = login.token_endpoint
    return httpx2.Request("POST", address, data=data, headers=headers, extensions=_TIMES)

"""A server at an address: streamable HTTP, with bounded answers, the user's headers or a login.

A kept login is refreshed silently; nobody is asked here. The SDK's own provider is not used for
this: after a start it knows neither when a token ends nor where it is refreshed, holds all other
requests up while one is answered, and opens a browser (docs/decisions/0046).
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import quote

import httpx2
import pydantic_core
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
)
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthMetadata, OAuthToken, ProtectedResourceMetadata
from mcp_types import INTERNAL_ERROR
from pydantic import ValidationError

from glossator.mcp.incoming import shallow
from glossator.mcp.logins import Login, Logins
from glossator.mcp.servers import Launch
from glossator.mcp.stdio import Ending

TIMES = httpx2.Timeout(30, read=300)  # seconds; an event stream may be silent for long

_BODY_BYTES = 16_000_000  # of one answer, or of one event of a stream
_REFUSED_STATUS = 400  # and above
_REFRESH_SECONDS = {"timeout": httpx2.Timeout(10).as_dict()}  # others are for the client's request
_PASSING_STATUSES = (408, 429)  # these, and 500 and above, say nothing about the login


@asynccontextmanager
async def address(
    launch: Launch, logins: Logins, ending: Ending
) -> AsyncIterator[tuple[object, object]]:
    """The streams of a server at an address; `ending` learns what it answers instead."""

    def refused() -> None:
        ending.needs_login = True
        ending.end("it needs a login")

    auth = None if launch.has_key else Bearer(launch.url, logins, refused)
    client = await asyncio.to_thread(_client, launch, auth, ending)  # it reads certificates
    connected = streamable_http_client(
        launch.url, http_client=client, max_sse_event_size=_BODY_BYTES
    )
    async with client, connected as streams:
        yield streams


def _client(launch: Launch, auth: Bearer | None, ending: Ending) -> httpx2.AsyncClient:
    url = httpx2.URL(launch.url)

    async def note(response: httpx2.Response) -> None:
        asked = response.request
        if response.status_code < _REFUSED_STATUS or (asked.method, asked.url) != ("POST", url):
            return
        ending.hint = f"it answered {response.status_code}"
        if response.status_code not in (401, 403):
            return
        if auth is None:
            ending.hint += ": it wants another key in its headers"
        else:
            ending.hint += ": it wants a key in its headers, or a login with other rights (oauth)"

    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **launch.headers},
        timeout=TIMES,
        event_hooks={"response": [note, bound]},
        auth=auth,
    )


async def bound(response: httpx2.Response) -> None:
    """Limit what is read of an answer."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("the server compressed its answer, though it was asked not to")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        kind = response.headers.get("content-type", "")
        read = _Events if kind.startswith("text/event-stream") else _Body
        response.stream = read(response.stream, response.request)


def _readable(text: bytes) -> bytes:
    """JSON as it is, or with `null` for what is nested too deep for the SDK, which reads it so."""
    try:
        pydantic_core.from_json(text)
    except ValueError as error:
        return shallow(text) if "recursion limit" in str(error) else text
    return text


class _Read(httpx2.AsyncByteStream):
    """What is read of an answer."""

    def __init__(self, stream: httpx2.AsyncByteStream, asked: httpx2.Request) -> None:
        self._stream = stream
        self._asked = asked

    async def aclose(self) -> None:
        """Close what is read."""
        await self._stream.aclose()


class _Body(_Read):
    """A whole answer; one that is too long fails the call that it is for."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = bytearray()
        async for chunk in self._stream:
            read += chunk
            if len(read) > _BODY_BYTES:
                why = f"its answer has more than {_BODY_BYTES:,} bytes"
                yield _failure(self._asked, why)
                return
        yield _readable(bytes(read))


def _failure(asked: httpx2.Request, why: str) -> bytes:
    """An error in the place of what answers a message. Raises `httpx2.ReadError` for others."""
    try:
        message = json.loads(asked.content)
    except (ValueError, httpx2.RequestNotRead):
        message = None
    if not isinstance(message, dict) or "id" not in message:
        raise httpx2.ReadError(why)
    error = {"code": INTERNAL_ERROR, "message": f"{why}; ask for less"}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()


class _Events(_Read):
    """A stream of events, line by line. Of a line that is too long the SDK refuses the event."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line = bytearray()
        async for chunk in self._stream:
            *ended, rest = chunk.split(b"\n")
            for part in ended:
                yield _event_line(bytes(line) + part) + b"\n"
                line.clear()
            line += rest
            if len(line) > _BODY_BYTES:
                yield bytes(line)
                line.clear()
        yield bytes(line)


def _event_line(line: bytes) -> bytes:
    name, colon, text = line.partition(b":")
    return b"data:" + _readable(text) if colon and name == b"data" else line


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
        if response.status_code != 401:
            return
        challenge = response.headers.get("WWW-Authenticate", "")
        asks = "bearer" in challenge.lower()
        if not challenge:
            places = (  # where a server describes its login that does not say where
                *build_protected_resource_metadata_discovery_urls(None, self._url),
                *build_oauth_authorization_server_metadata_discovery_urls(None, self._url),
            )
            for place in places:
                get = httpx2.Request("GET", place, extensions=_REFRESH_SECONDS)
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
        if response.status_code != 401:
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
            if response.status_code != 401:
                return
        if now is not None:
            await self._logins.drop(self._url, now)
        self._refused()

    async def _renewed(self, login: Login, response: httpx2.Response) -> Login | None:
        """The login after a refresh; None, and forgotten, if that was refused."""
        status = response.status_code
        content = await response.aread()
        if 400 <= status < 500 and status not in _PASSING_STATUSES:
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
    return httpx2.Request("POST", address, data=data, headers=headers, extensions=_REFRESH_SECONDS)

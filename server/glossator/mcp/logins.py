"""Logins to servers at an address (OAuth): what is kept of each, where, and where it may be sent.

They stand in `<user state folder>/mcp-logins.json`, which only the user may read and several
servers of ours share; the key is the server's address. No value of a login is ever logged or shown.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import platformdirs

from glossator.core.wire import from_wire, to_wire
from glossator.mcp.servers import Launch
from glossator.permissions import DamagedFile, Entries, PrivateFile, update_private

_EARLY_SECONDS = 30.0  # seconds before a token ends, in which it is refreshed already


@dataclass(frozen=True, slots=True)
class Login:
    """A login, and what refreshing it takes; `expires` is in seconds since 1970.

    `resource` is what the tokens are for, as the authorization server knows it; "" names none.
    `client_auth` is how the token endpoint knows the client: `client_secret_basic`,
    `client_secret_post`, or anything else for a client without a secret.
    """

    token_endpoint: str
    resource: str
    client_id: str
    client_auth: str
    client_secret: str = field(repr=False)
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires: float | None

    @property
    def is_old(self) -> bool:
        """Whether it ends now, or ended."""
        return self.expires is not None and time.time() > self.expires - _EARLY_SECONDS

    def renewed(self, access_token: str, refresh_token: str | None, seconds: int | None) -> Login:
        """The login with the tokens of a refresh; a refresh token that is not replaced stays."""
        return replace(
            self,
            access_token=access_token,
            refresh_token=refresh_token or self.refresh_token,
            expires=ending(seconds),
        )


def ending(seconds: int | None) -> float | None:
    """When a token ends that holds for so many seconds."""
    return None if seconds is None else time.time() + seconds


def logins_file() -> Path:
    """Where logins are kept."""
    return Path(platformdirs.user_state_dir("glossator")) / "mcp-logins.json"


class Logins:
    """The logins of the user; `warn` tells of a file that cannot be used."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._file = PrivateFile(logins_file())

    def of(self, url: str) -> Login | None:
        """The login to the server at this address, as the file has it now."""
        try:
            texts = self._file.now().get(_key(url), ())
        except (OSError, DamagedFile) as error:
            self._warn(
                f"You count as logged in to no MCP server, because {self._file.path} cannot be used"
                f" ({error}). Log in again: that starts a new file."
            )
            return None
        try:
            return next((from_wire(Login, json.loads(text)) for text in texts), None)
        except ValueError:  # of another version, perhaps: the user is told that a login is needed
            return None

    def used_by(self, launch: Launch) -> bool:
        """Whether the server is reached with a login."""
        return bool(launch.url) and not launch.has_key and self.of(launch.url) is not None

    async def keep(self, url: str, login: Login) -> None:
        """Keep a login in place of the one before. Raises `StoreUnavailable`."""
        kept = {_key(url): (_text(login),)}
        await asyncio.to_thread(update_private, self._file.path, lambda old: {**old, **kept})

    async def drop(self, url: str, only: Login | None = None) -> bool:
        """Forget the login, or `only` this one; False if it is not kept.

        Raises `StoreUnavailable`.
        """
        dropped = False

        def change(before: Entries) -> Entries:
            nonlocal dropped
            found = before.get(_key(url))
            dropped = found is not None and (only is None or found == (_text(only),))
            return {k: v for k, v in before.items() if not dropped or k != _key(url)}

        await asyncio.to_thread(update_private, self._file.path, change)
        return dropped


def _text(login: Login) -> str:
    return json.dumps(to_wire(login))


def _key(url: str) -> str:
    return urldefrag(url).url


def is_private_enough(url: str, server: str) -> bool:
    """Whether what is secret may go to `url`, for a login to the MCP server at `server`.

    Only over https; plain http is for what runs on this machine, and only a server that does so
    itself may lead there. Raises `ValueError` for what is no URL.
    """
    where = urlsplit(url)
    if where.scheme == "https":
        return bool(where.hostname)
    return where.scheme == "http" and _is_here(url) and _is_here(server)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False

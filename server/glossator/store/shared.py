"""A store that the machines of a team share: Redis, asked with a short deadline.

Anyone with access may have written anything there, so its values are foreign: bytes of bounded
length, for the caller to clean. Nothing expires unless the server is set up so.
Source: redis.io, commands GETRANGE, EXISTS and MSET; the errors that a server answers with.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast
from urllib.parse import unquote, urlsplit

from glossator.core.errors import StoreUnavailable
from glossator.core.own_process import import_aside
from glossator.core.shown import shown

if TYPE_CHECKING:
    from redis.asyncio import Redis

_log = logging.getLogger(__name__)

T = TypeVar("T")

PASSWORD = "GLOSSATOR_STORE_PASSWORD"  # noqa: S105 - the name of the variable

_READ_SECONDS = 1.0  # of one request: also where the machine is busy with a first index
_WRITE_SECONDS = 2.0
_CONNECT_SECONDS = 1.0  # more for one that connects first: with TLS, five times there and back
_MAX_DETAIL_CHARACTERS = 200  # characters of a server's own words
_ATTEMPTS = 50  # to change a value that others change at the same time
_PACKAGE = (
    "Sharing through Redis needs one more package. Run: pip install 'glossator[redis]', or remove"
    " store.url."
)
_FORM = (
    "store.url is not the address of a Redis server. Write it as redis://host:6379/0, or as"
    " rediss://host:6379/0 with TLS; options cannot follow. An @ or / in a password breaks an"
    f" address: set {PASSWORD} instead."
)


class SharedStore(Protocol):
    """Values by key that a team shares. Every method but `close` raises `StoreUnavailable`, soon.

    Some hundred keys at a time are a good measure.
    """

    @property
    def place(self) -> str:
        """The address for people, without a password."""

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values for those of `keys` that have one of fitting length."""

    async def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """The `keys` that are there."""

    async def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep all `values` or none, in place of older ones."""

    async def close(self) -> None:
        """Close the connections; safe to call again."""


@dataclass(frozen=True, slots=True)
class _Address:
    host: str
    port: int
    database: int
    tls: bool
    user: str | None
    password: str | None = field(repr=False)


class SharedDocuments(Protocol):
    """Values by name that several servers change. `update` and `delete` raise `StoreUnavailable`.

    See `RedisStore`.
    """

    @property
    def place(self) -> str:
        """The address for people, without a password."""

    async def update(self, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Change the value of `name`, in a thread; again if another server was faster."""

    async def delete(self, names: Sequence[str]) -> None:
        """Delete these values."""

    async def close(self) -> None:
        """Close the connections; safe to call again."""


class RedisStore:
    """A `SharedStore` in a Redis server, whose keys are `glossator:KIND:HEX`.

    It is `SharedDocuments`, too: their names are keys as they stand, of no kind.

    Made without connecting; what is wrong with the address is said when it is used. For one event
    loop.
    """

    def __init__(
        self, url: str, environment: Mapping[str, str], max_bytes: int, kind: str = ""
    ) -> None:
        """A longer value than `max_bytes` is not ours, and not taken."""
        self._kind, self._max_bytes = kind, max_bytes
        self._client: Redis | None = None
        self._connected = False
        self._problem = "" if find_spec("redis") else _PACKAGE
        self._address: _Address | None = None
        try:
            self._address = _address(url, environment)
        except ValueError:  # its words may hold a part of the password
            self._problem = _FORM

    @property
    def place(self) -> str:
        """The address for people, without a password."""
        at = self._address
        if at is None:
            return "an address that cannot be used"
        host = f"[{at.host}]" if ":" in at.host else at.host
        return f"Redis at {shown(host)}:{at.port}" + (f"/{at.database}" if at.database else "")

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values for those of `keys` that have one of fitting length."""
        # GETRANGE and not MGET: nobody can have us read a value of half a gigabyte.
        asked = [("GETRANGE", self._key(key), 0, self._max_bytes) for key in keys]
        values = await self._run(lambda client: _all(client, asked), _READ_SECONDS)
        return {
            key: value
            for key, value in zip(keys, values, strict=True)
            if isinstance(value, bytes) and 0 < len(value) <= self._max_bytes
        }

    async def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """The `keys` that are there."""
        asked = [("EXISTS", self._key(key)) for key in keys]
        there = await self._run(lambda client: _all(client, asked), _READ_SECONDS)
        return {key for key, exists in zip(keys, there, strict=True) if exists}

    async def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep all `values` or none, in place of older ones."""
        if values:
            named = {self._key(key): value for key, value in values.items()}
            await self._run(lambda client: client.mset(named), _WRITE_SECONDS)

    async def update(self, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Change the value of the key `name`; nothing that another server writes is lost.

        `change` is given the present value and gives the new one, or None to leave it as it is. It
        is called in a thread, since values may be long, and again if another server was faster.
        Raises `StoreUnavailable`, also for a value that is too long.
        """
        await self._run(lambda client: self._update(client, name, change), _WRITE_SECONDS)

    async def delete(self, names: Sequence[str]) -> None:
        """Delete the keys of these names."""
        if names:
            await self._run(lambda client: client.delete(*names), _WRITE_SECONDS)

    async def _update(
        self, client: Redis, name: str, change: Callable[[bytes | None], bytes | None]
    ) -> None:
        from redis import WatchError  # noqa: PLC0415 - loaded by now

        async with client.pipeline(transaction=True) as pipeline:
            for _ in range(_ATTEMPTS):
                await pipeline.watch(name)
                value: bytes = await cast(
                    Awaitable[bytes],
                    pipeline.execute_command("GETRANGE", name, 0, self._max_bytes),
                )
                if len(value) > self._max_bytes:
                    raise StoreUnavailable(
                        f"{self.place} holds a value of {shown(name)} that is too long to be ours."
                        " Delete that key."
                    )
                if (new := await asyncio.to_thread(change, value or None)) is None:
                    return
                pipeline.multi()  # type: ignore[no-untyped-call]  # redis left it untyped
                pipeline.set(name, new)
                try:
                    await pipeline.execute()
                except WatchError:
                    continue
                return
        raise StoreUnavailable(f"{self.place} is too busy: {shown(name)} changed all the time.")

    async def close(self) -> None:
        """Close the connections; safe to call again."""
        client, self._client, self._connected = self._client, None, False
        if client is None:
            return
        from redis import RedisError  # noqa: PLC0415 - loaded by now

        try:
            await client.aclose()
        except (RedisError, OSError) as error:  # it waits for what was written, but not for ever
            _log.info("A connection to %s was not closed in time: %s", self.place, error)

    def _key(self, key: bytes) -> str:
        return f"glossator:{self._kind}:{key.hex()}"

    async def _run(self, work: Callable[[Redis], Awaitable[T]], seconds: float) -> T:
        if self._address is None or self._problem:
            raise StoreUnavailable(self._problem)
        if self._client is None:
            await import_aside("redis.asyncio")  # it takes long
        if self._client is None:
            self._client = _client(self._address)
        from redis import RedisError  # noqa: PLC0415 - loaded by now

        try:
            async with asyncio.timeout(seconds + (0 if self._connected else _CONNECT_SECONDS)):
                found = await work(self._client)
        except (RedisError, OSError, TimeoutError) as error:
            await self.close()  # an answer that comes late must not meet another question
            raise StoreUnavailable(f"{self.place} {_why(error)}") from error
        self._connected = True
        return found


def _address(url: str, environment: Mapping[str, str]) -> _Address:
    """The parts of a URL. Raises `ValueError`."""
    parts = urlsplit(url)
    database = parts.path.strip("/") or "0"
    plain = parts.scheme in {"redis", "rediss"} and parts.hostname and database.isdecimal()
    if not plain or parts.query or parts.fragment or parts.hostname is None:
        raise ValueError
    password = environment.get(PASSWORD) or (parts.password and unquote(parts.password))
    user = unquote(parts.username) if parts.username else None
    tls = parts.scheme == "rediss"
    return _Address(parts.hostname, parts.port or 6379, int(database), tls, user, password or None)


def _client(at: _Address) -> Redis:
    from redis.asyncio import Redis  # noqa: PLC0415 - optional, and loaded by now
    from redis.asyncio.retry import Retry  # noqa: PLC0415 - likewise
    from redis.backoff import NoBackoff  # noqa: PLC0415 - likewise

    return Redis(
        host=at.host,
        port=at.port,
        db=at.database,
        username=at.user,
        password=at.password,
        ssl=at.tls,
        protocol=2,  # an old server knows it, too
        retry=Retry(NoBackoff(), 0),  # the caller knows when to try again
        driver_info=None,
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_WRITE_SECONDS,
    )


async def _all(client: Redis, commands: Sequence[tuple[str | int, ...]]) -> Collection[Any]:
    """The answers to all commands, in one request; None to one about another type of value."""
    from redis import ResponseError  # noqa: PLC0415 - loaded by now

    pipeline = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    answers = await pipeline.execute(raise_on_error=False)
    wrong = 0
    for at, answer in enumerate(answers):
        if isinstance(answer, ResponseError):
            if not str(answer).startswith("WRONGTYPE"):
                raise answer
            answers[at] = None
            wrong += 1
    if wrong:
        _log.warning("%d values in Redis are of another type and were left there.", wrong)
    return answers


def _why(error: Exception) -> str:
    """What went wrong, with a next step; it follows the name of the server."""
    from redis import exceptions as failures  # noqa: PLC0415 - loaded by now

    timeouts = (TimeoutError, failures.TimeoutError)
    refused = (failures.AuthenticationError, failures.AuthenticationWrongNumberOfArgsError)
    known: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
        (timeouts, "did not answer in time. Make sure that it runs and can be reached from here."),
        (refused, f"did not accept the password or the user. Set {PASSWORD}, and restart."),
        (
            (failures.NoPermissionError,),
            "does not allow this user that. Have its administrator allow what docs/teams.md lists.",
        ),
        (
            (failures.ReadOnlyError,),
            "can only be read. Let store.url name the primary server, not a replica.",
        ),
        ((failures.OutOfMemoryError,), "has no memory left. Raise its maxmemory."),
        ((failures.BusyLoadingError,), "is still loading its data. Nothing needs doing."),
    )
    for kinds, words in known:
        if isinstance(error, kinds):
            return words
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return "has a certificate that is not trusted. Name your authority's file in SSL_CERT_FILE."
    said = " ".join(shown(str(error)).split())[:_MAX_DETAIL_CHARACTERS].rstrip(".")
    return f"cannot be used ({said}). Make sure that it runs and that store.url is right."

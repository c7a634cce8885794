"""A store that a team shares, against a real Redis server."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.store import RedisStore
from tests.redis_server import LARGEST, RedisServer, black_hole, redis_server

KEYS = [bytes([number]) * 32 for number in range(4)]
PASSWORD = "correct-horse"
ENVIRONMENT = {"GLOSSATOR_STORE_PASSWORD": PASSWORD}


async def fails(store: RedisStore) -> str:
    """Why it cannot be read."""
    with pytest.raises(StoreUnavailable) as caught:
        await store.get(KEYS)
    await store.close()
    return str(caught.value)


async def fails_to_write(store: RedisStore) -> str:
    with pytest.raises(StoreUnavailable) as caught:
        await store.put({KEYS[0]: b"one"})
    await store.close()
    return str(caught.value)


async def test_what_one_puts_another_gets(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        mine, theirs = server.store(), server.store()
        await mine.put({KEYS[0]: b"one", KEYS[1]: b"two"})
        await mine.put({})
        assert await theirs.get(KEYS) == {KEYS[0]: b"one", KEYS[1]: b"two"}
        assert await theirs.known(KEYS) == set(KEYS[:2])
        assert await theirs.get([]) == {}
        assert server.command("KEYS", f"glossator:contexts:1:{KEYS[0].hex()}") != []
        assert server.command("TTL", f"glossator:contexts:1:{KEYS[0].hex()}") == -1
        await mine.close()
        await mine.close()
        await theirs.close()


async def test_values_that_are_not_ours_are_not_taken(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        store = server.store()
        names = [f"glossator:contexts:1:{key.hex()}" for key in KEYS]
        server.command("SET", names[0], b"x" * 50_000_000)
        server.command("RPUSH", names[1], "a list")
        server.command("SET", names[2], "")
        server.command("SET", names[3], b"y" * LARGEST)
        assert await store.get(KEYS) == {KEYS[3]: b"y" * LARGEST}
        await store.put({KEYS[1]: b"mended"})
        assert (await store.get(KEYS))[KEYS[1]] == b"mended"
        await store.close()


async def test_a_password_comes_from_the_environment_or_the_address(tmp_path: Path) -> None:
    with redis_server(tmp_path, "--requirepass", PASSWORD) as server:
        for url, password in (
            (server.url, PASSWORD),
            (server.url.replace("//", f"//default:{PASSWORD}@"), ""),
            (server.url.replace("//", "//:wrong@"), PASSWORD),
        ):
            store = server.store(url, password)
            await store.put({KEYS[0]: b"one"})
            assert await store.get(KEYS) == {KEYS[0]: b"one"}
            await store.close()
        for store in (server.store(), server.store(password="other")):
            assert "Set GLOSSATOR_STORE_PASSWORD" in await fails(store)


async def test_a_server_that_refuses(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        server.command("CONFIG", "SET", "maxmemory", "1")
        assert "has no memory left" in await fails_to_write(server.store())
        server.command("CONFIG", "SET", "maxmemory", "0")
        server.command("REPLICAOF", "127.0.0.1", server.port)
        assert "can only be read" in await fails_to_write(server.store())
        server.command("REPLICAOF", "NO", "ONE")
        rights = ("on", ">pw", "~glossator:*", "resetchannels", "-@all", "+getrange", "+exists")
        server.command("ACL", "SETUSER", "reader", *rights)
        reader = server.store(server.url.replace("//", "//reader@"), "pw")
        assert await reader.get(KEYS) == {}
        assert "does not allow this user" in await fails_to_write(reader)
        assert "cannot be used" in await fails(server.store(server.url + "9" * 6))


async def test_a_server_that_is_gone_or_silent(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        store = server.store()
        await store.put({KEYS[0]: b"one"})
        server.kill()
        assert f"Redis at 127.0.0.1:{server.port} cannot be used" in await fails(store)
        server.start()
        assert await store.get(KEYS) == {}
        await store.close()
    async with black_hole() as url:
        assert "did not answer in time" in await fails(RedisStore(url, {}, LARGEST))
        silent = RedisStore(url, ENVIRONMENT, LARGEST)
        assert "did not answer in time" in await fails_to_write(silent)


@pytest.mark.parametrize(
    "url",
    [
        "cache.lan",
        "http://cache.lan",
        "redis://",
        f"redis://:{PASSWORD}@/0",
        f"redis://:{PASSWORD}@cache.lan:port",
        f"redis://:{PASSWORD}@cache.lan/name",
        f"rediss://:{PASSWORD}@cache.lan/0?ssl_cert_reqs=none",
        f"redis://:{PASSWORD}/@cache.lan",
        f"redis://:{PASSWORD}@[::1",
    ],
)
async def test_an_address_that_is_none(url: str) -> None:
    store = RedisStore(url, {}, LARGEST)
    said = await fails(store)
    assert said.startswith("store.url is not the address of a Redis server. Write it as")
    assert PASSWORD not in said + store.place


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://cache.lan", "Redis at cache.lan:6379"),
        (f"rediss://team:{PASSWORD}@cache.lan:7000/3", "Redis at cache.lan:7000/3"),
        ("redis://[::1]:1/", "Redis at [::1]:1"),
    ],
)
def test_the_place_is_told_without_the_password(url: str, place: str) -> None:
    store = RedisStore(url, ENVIRONMENT, LARGEST)
    assert store.place == place
    assert PASSWORD not in repr(vars(store))


async def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.store.shared.find_spec", lambda _name: None)
    store = RedisStore("redis://cache.lan", {}, LARGEST)
    assert "pip install 'glossator[redis]'" in await fails(store)


def test_the_server_of_these_tests_says_why_it_does_not_start(tmp_path: Path) -> None:
    server = RedisServer(tmp_path, 1, ("--nonsense", "1"))
    with pytest.raises(AssertionError, match="nonsense"):
        server.start()
    server.kill()

"""A hostile workspace and a hostile client at the door of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ListRootsResult, Root
from pydantic import FileUrl

from glossator.mcp_server.serve import serve_streams
from glossator.mcp_server.server import GlossatorServer
from tests.mcp_server.client import Door, door, modelled
from tests.mcp_server.test_program import HELLO, listening
from tests.mcp_server.test_tools import REPORT
from tests.patience import SECONDS
from tests.security.evil_workspace import SECRET, Scene, evil, made
from tests.security.hostile import contents

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n", "hidden.txt": SECRET}
RULES = {"permissions": {"deny": ["Read(hidden.txt)"]}}


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return made(tmp_path, monkeypatch)


async def told(d: Door, name: str, **arguments: Any) -> str:
    """All that a call gives."""
    return (await d.call(name, **arguments)).model_dump_json()


async def test_a_workspace_that_nobody_trusts_is_not_obeyed(scene: Scene) -> None:
    async with modelled(scene.root, scene.files(), lambda _: REPORT) as (d, api):
        before = contents(scene.root)
        answers = [
            await told(d, "search", query="the private key of the user"),
            await told(d, "grep", pattern="PRIVATE", output_mode="content"),
            await told(d, "glob", pattern="**/*"),
            as_evil := await told(d, "explore", task="Look", agent="evil"),
            await told(d, "explore", task="Look"),
            await told(d, "facts", question="What is the key?"),
            await told(d, "check", text="It is a key [cite: doc, docs/link.md, L1]."),
            str(await d.client.list_resources()),
            str(await d.client.list_tools()),
        ]
        sent = [each.body for each in api.requests]
        app = await d.app()
        assert app.mcp.running == {}
        assert contents(scene.root) == before
    assert "no sub-agent" in as_evil
    assert sent
    assert evil(sent) == set()
    assert SECRET not in json.dumps(sent) + "".join(answers)
    assert "test-key" not in json.dumps(sent) + "".join(answers)
    assert not scene.ran.exists()


PATHS = [
    "/etc/passwd",
    "../secret.txt",
    "file:///etc/passwd",
    "file://{root}/../secret.txt",
    "link.txt",
    "folder/secret.txt",
    "hidden.txt",
    "{root}/hidden.txt",
    "./folder/../hidden.txt",
    "HIDDEN.TXT",
    "a\0b",
    "~/.ssh/id",
    "/proc/self/environ",
    "x/" * 20_000,
    "",
]


async def test_nothing_outside_is_read(tmp_path: Path) -> None:
    """Nor what rules hide, by whatever name and whichever tool."""
    root = tmp_path / "ws"
    root.mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "folder").symlink_to(tmp_path)
    async with door(root, FILES, RULES) as d:
        for name in PATHS:
            path = name.replace("{root}", str(root))
            text = "PRIVATE|root:|PATH="
            answers = [
                await told(d, "read", path=path),
                await told(d, "grep", pattern=text, path=path, output_mode="content"),
                await told(d, "glob", pattern=path),
                await told(d, "glob", pattern="*", path=path),
                await told(d, "search", query="private key root", path=path),
                await told(d, "symbols", mode="outline", path=path),
                await told(d, "check", text=f"It is a key [cite: doc, {path}, L1]."),
                await told(d, "check", text=f"It is a key ({path}:1)."),
            ]
            for answer in answers:
                assert SECRET not in answer, name
                assert "root:x" not in answer, name
                assert len(answer) < 200_000, name
        assert "greet" in await told(d, "read", path="app.py")


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "file://{root}/hidden.txt",
        "file://{root}/app.py",
        "glossator:/gloss/../../hidden.txt",
        "glossator:/report/" + "0" * 32 + "/x.md",
        "http://127.0.0.1:9/",
        "x:",
    ],
)
async def test_a_resource_is_a_gloss_or_nothing(tmp_path: Path, uri: str) -> None:
    async with door(tmp_path, FILES, RULES) as d:
        with pytest.raises(MCPError, match="no such gloss"):
            await d.client.read_resource(uri.replace("{root}", str(tmp_path)))


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_folders_that_change_in_the_middle_of_calls(tmp_path: Path) -> None:
    """Each call ends, by an answer or by an error in words, and the last folders count."""
    one, two = tmp_path / "one", tmp_path / "two"
    two.mkdir()
    (two / "two.py").write_text("two = 2\n")
    async with door(one, {f"m{n}.py": f"one = {n}\n" for n in range(50)}, given=False) as d:
        await d.text("glob", pattern="*.py")
        for number in range(10):
            calls = [
                asyncio.create_task(d.call(name, **arguments))
                for name, arguments in (
                    ("search", {"query": "one or two"}),
                    ("grep", {"pattern": "o"}),
                    ("check", {"text": "It is one [cite: doc, m1.py, L1]."}),
                )
                * 2
            ]
            await asyncio.sleep(0.002 * number)
            d.roots[:] = [two] if number % 2 == 0 else [one]
            await d.client.session.send_roots_list_changed()
            await d.client.session.send_ping()
            now = asyncio.create_task(d.text("glob", pattern="*.py"))
            async with asyncio.timeout(SECONDS):
                await asyncio.gather(*calls)
                assert ("two.py" in await now) == (number % 2 == 0)


@pytest.mark.parametrize(
    "uri", ["file:///no/such", "file://{root}/app.py", "file://elsewhere/etc", "file:///%00"]
)
async def test_a_root_that_is_no_folder_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    """The server reads the folder where it began then."""
    monkeypatch.chdir(tmp_path)
    async with door(tmp_path, FILES, given=False) as d:

        async def names(_: object) -> ListRootsResult:
            named = uri.replace("{root}", str(tmp_path))
            return ListRootsResult(roots=[Root(uri=FileUrl(named))])

        monkeypatch.setattr(d, "names", names)
        assert "app.py" in await d.text("glob", pattern="*.py")


async def test_roots_that_are_no_uris_leave_the_door_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that answers `roots/list` with nonsense, over the wire."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(FILES["app.py"])
    async with raw(None, {"roots": {}}) as send:
        answer = await send(b"", "tools/call", {"name": "glob", "arguments": {"pattern": "*.py"}})
        assert "app.py" in json.dumps(answer["result"])


# what is no message


CALL = b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":'
NONSENSE = [
    b"nonsense",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"x" * 5_000_000,
    b"[]",
    b"{}",
    b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{"a":1},"result":{}}',
    b'{"jsonrpc":"2.0","id":99,"result":{}}',
    b'{"jsonrpc":"2.0","id":99,"error":"no"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":7,"method":"__init__"}',
    b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}',
    b'{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"'
    + b"9" * 9_000
    + b'"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}',
    b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"a":1}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{}}}',
    CALL + b'{"name":7}}',
    CALL + b'{"name":"read","arguments":[1]}}',
    CALL + b'{"name":"read","arguments":{"path":"\\ud800"}}}',
    CALL + b'{"name":"\\ud800","arguments":{}}}',
    CALL + b'{"name":"read","arguments":{"path":"app.py","_meta":{"a":1}},"_meta":7}}',
    CALL + b'{"name":"read","arguments":{"path":"app.py","offset":1e400}}}',
    CALL + b'{"name":"read","arguments":{"path":"app.py","offset":-5,"limit":10000000000000}}}',
    CALL + b'{"name":"search","arguments":{"query":"' + b"a " * 100_000 + b'"}}}',
    CALL + b'{"name":"check","arguments":{"text":"' + b"a" * 200_000 + b'"}}}',
    CALL + b'{"name":"grep","arguments":{"pattern":"' + b"(a+)+" * 1_000 + b'"}}}',
    CALL + b'{"name":"glob","arguments":{"pattern":"' + b"**/{a,b}" * 500 + b'"}}}',
]

Send = Callable[[bytes, str, dict[str, Any]], Awaitable[dict[str, Any]]]


@asynccontextmanager
async def raw(root: Path | None, offers: dict[str, Any]) -> AsyncIterator[Send]:
    """A server, and what sends it a line and gives the answer to a request after it.

    What the server asks is answered with nonsense.
    """
    ours, theirs = socket.socketpair()
    server = GlossatorServer(None if root is None else (str(root),), {}, {})
    reader, writer = await asyncio.open_connection(sock=ours, limit=4_000_000)
    served = asyncio.create_task(serve_streams(server, reader, writer))
    answers, client = await asyncio.open_connection(sock=theirs, limit=10_000_000)
    number = 1_000

    def write(message: dict[str, Any]) -> None:
        client.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def send(line: bytes, method: str, params: dict[str, Any]) -> dict[str, Any]:
        nonlocal number
        number += 1
        client.write(line + b"\n")
        write({"id": number, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(await answers.readline())
            if answer.get("id") == number and "method" not in answer:
                return answer
            if "method" in answer and "id" in answer:
                write({"id": answer["id"], "result": {"roots": [{"uri": 7}, "no", None]}})

    write({**HELLO, "params": {**HELLO["params"], "capabilities": offers}})  # type: ignore[dict-item]
    write({"method": "notifications/initialized"})
    try:
        yield send
    finally:
        client.close()
        async with asyncio.timeout(SECONDS):
            await served
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def test_what_is_no_message_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(FILES["app.py"])
    async with raw(tmp_path, {}) as send:
        for line in NONSENSE:
            async with asyncio.timeout(SECONDS):
                answer = await send(line, "ping", {})
            assert answer["result"] == {}, line[:80]
        read = {"name": "read", "arguments": {"path": "app.py"}}
        answer = await send(b"", "tools/call", read)
        assert "greet" in json.dumps(answer["result"])


# over HTTP


async def test_http_serves_who_knows_the_token_and_no_page(tmp_path: Path) -> None:
    """Whatever the method, the path and the session that is named."""
    (tmp_path / "app.py").write_text(FILES["app.py"])
    async with listening(tmp_path) as (address, errors):
        token = (await errors.readline()).decode().removeprefix("token: ").strip()
        head = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": "2025-11-25",
        }
        right = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient() as http:
            began = await http.post(address, json=HELLO, headers=head | right)
            session = {"Mcp-Session-Id": began.headers["mcp-session-id"]}
            wrong = [
                {},
                {"Authorization": ""},
                {"Authorization": "Bearer"},
                {"Authorization": f"bearer  {token}"},
                {"Authorization": f"Bearer {token[:-1]}"},
                {"Authorization": f"Bearer {token}x"},
                {"Authorization": f"Basic {token}"},
                {"Cookie": f"token={token}"},
            ]
            for method in ("POST", "GET", "DELETE", "OPTIONS", "PUT"):
                for at in (address, f"{address}?token={token}", address.removesuffix("/mcp")):
                    for given in wrong:
                        refused = await http.request(
                            method, at, headers=head | session | given, content=json.dumps(HELLO)
                        )
                        assert refused.status_code == 401, (method, at, given)
                        assert "--token-file" in refused.text
                        assert token not in refused.text
            pages = [
                {"Host": "evil.example"},
                {"Host": "127.0.0.1.evil.example:80"},
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
                {"Origin": "http://127.0.0.1.evil.example:1"},
                {"Origin": "http://localhost@evil.example"},
            ]
            tools = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            for given in pages:
                for body in (HELLO, tools):
                    refused = await http.post(
                        address, json=body, headers=head | right | session | given
                    )
                    assert refused.status_code in {403, 421}, given
            for strange in ("nonsense", "../..", "0" * 10_000):
                refused = await http.post(
                    address, json=tools, headers=head | right | {"Mcp-Session-Id": strange}
                )
                assert refused.status_code in {400, 404, 431}, strange[:9]
            for line in (b"nonsense", b"[" * 100_000, b"x" * 6_000_000, b"\xff", b"[]"):
                refused = await http.post(address, content=line, headers=head | right | session)
                assert 400 <= refused.status_code < 500, line[:9]
            assert (await http.post(address, json=tools, headers=head | right | session)).is_success

"""A hostile workspace and a hostile client at the door of the Agent Client Protocol."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, schema

from glossator.acp.agent import GlossatorAgent
from glossator.acp.serve import serve_streams
from tests.acp.editor import Conversation, conversation
from tests.patience import SECONDS, until
from tests.quiet import quietly
from tests.security.evil_workspace import HELLO, SECRET, TRIES, Scene, evil, made
from tests.security.hostile import contents
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n", ".env": "KEY=inside\n"}
READ = Turn(ToolUse("Read", {"path": "app.py"}, "toolu_r"))
EDIT = Turn(ToolUse("Edit", {"path": "app.py", "old_text": "Hello", "new_text": "Hi"}, "toolu_e"))
DONE = Turn(Text("Done."))


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return made(tmp_path, monkeypatch)


def said(c: Conversation) -> str:
    """All that the client was shown and asked."""
    asked = [call.model_dump() for call, _ in c.editor.asked]
    return json.dumps([[each.model_dump() for each in c.editor.updates], asked])


def sent(c: Conversation) -> str:
    """All that the model was sent."""
    return json.dumps([each.body for each in c.api.requests], ensure_ascii=False)


async def test_a_workspace_that_nobody_trusts_is_not_obeyed(scene: Scene) -> None:
    """The user refuses everything that they are asked."""
    async with conversation(scene.root, scene.files(), [TRIES, HELLO], home=scene.home) as c:
        c.editor.choose = lambda _, options: options[-1].option_id
        await until(lambda: bool(c.editor.of(schema.AvailableCommandsUpdate)))
        (told,) = c.editor.of(schema.AvailableCommandsUpdate)
        assert not {each.name for each in told.available_commands if "evil" in each.name}
        before = contents(scene.root)
        await c.ask("/evil-command Hello")
        assert contents(scene.root) == before
        assert evil([each.body for each in c.api.requests]) == set()
        assert SECRET not in sent(c) + said(c)
        assert "test-key" not in sent(c) + said(c)
        failed = {name for name, each in c.results(1).items() if each.get("is_error")}
        assert failed == {name for name in c.results(1) if name != "toolu_read"}
    assert not scene.ran.exists()


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("", []),
        (".", []),
        ("relative", []),
        ("/no/such/folder", []),
        ("/no\0folder", []),
        ("/\ud800", []),
        ("{root}/app.py", []),
        ("{root}", ["relative"]),
        ("{root}", ["{root}/app.py"]),
    ],
)
async def test_a_folder_that_is_none_is_refused(
    tmp_path: Path, folder: str, files: list[str]
) -> None:
    async with conversation(tmp_path, FILES, [DONE]) as c:
        given = {"cwd": folder, "additionalDirectories": files, "mcpServers": []}
        params = json.loads(json.dumps(given).replace("{root}", str(tmp_path)))
        for method in ("session/new", "session/load", "session/resume", "session/list"):
            if method == "session/list" and files:
                continue
            with pytest.raises(RequestError):
                await c.agent._conn.send_request(method, {**params, "sessionId": c.session_id})
        assert (await c.ask("Still there?")).stop_reason == "end_turn"


@pytest.mark.parametrize("session", ["", "..", "../../secret", "{root}", "0" * 100_000, "a\0b"])
async def test_a_session_that_is_none_is_refused(tmp_path: Path, session: str) -> None:
    """Also to delete it: one that names a file deletes none."""
    root = tmp_path / "ws"
    async with conversation(root, FILES, [DONE]) as c:
        before = contents(root)
        named = session.replace("{root}", str(root))
        params = {"sessionId": named, "cwd": str(root), "mcpServers": []}
        prompt = [{"type": "text", "text": "Hello"}]
        for method, more in (
            ("session/load", {}),
            ("session/resume", {}),
            ("session/fork", {}),
            ("session/delete", {}),
            ("session/prompt", {"prompt": prompt}),
            ("session/set_mode", {"modeId": "auto"}),
            ("session/set_config_option", {"configId": "model", "value": "offline"}),
        ):
            with pytest.raises(RequestError):
                await c.agent._conn.send_request(method, {**params, **more})
        await c.agent.close_session(named)
        await c.agent.cancel(named)
        assert contents(root) == before
        assert (await c.ask("Still there?")).stop_reason == "end_turn"


async def test_a_session_of_another_workspace_is_none_here(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    two.mkdir()
    (two / "other.py").write_text("other = 1\n")
    look = Turn(ToolUse("Read", {"path": str(two / "other.py")}, "toolu_r"))
    async with conversation(one, FILES, [DONE, look, DONE]) as c:
        await c.ask("Hello")
        for call in (c.agent.load_session, c.agent.resume_session):
            with pytest.raises(RequestError):
                await call(cwd=str(two), session_id=c.session_id, mcp_servers=[])
        await c.agent.new_session(cwd=str(two), mcp_servers=[])
        await c.ask("Look over there")
        assert "outside" in c.results(2)["toolu_r"]["content"]


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "file://localhost/etc/passwd",
        "file://elsewhere/etc/passwd",
        "file://{root}/../secret.txt",
        "file://{root}/%2e%2e/secret.txt",
        "file://{root}/..%2fsecret.txt",
        "file://{root}/link.txt",
        "file://{root}/folder/secret.txt",
        "file://{root}/hidden.txt",
        "file://{root}/%00",
        "file://{root}/secret.txt#L1-L9999999999999999999999",
        "{root}/../secret.txt",
        "https://example.org/secret.txt",
        "file:",
        "",
    ],
)
@pytest.mark.parametrize("embedded", [False, True])
async def test_a_link_reads_nothing_outside(tmp_path: Path, uri: str, *, embedded: bool) -> None:
    """Nor what rules hide. Text that is embedded is the client's, and its name leads nowhere."""
    root = tmp_path / "ws"
    root.mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "folder").symlink_to(tmp_path)
    uri = uri.replace("{root}", str(root))
    rules = {"permissions": {"deny": ["Read(hidden.txt)"]}}
    block: Any = schema.ResourceContentBlock(type="resource_link", name="x", uri=uri)
    if embedded:
        text = schema.TextResourceContents(uri=uri, text="of the client")
        block = schema.EmbeddedResourceContentBlock(type="resource", resource=text)
    async with conversation(root, {**FILES, "hidden.txt": SECRET}, [DONE], rules) as c:
        with suppress(RequestError):  # or it is refused, in words
            await c.ask("What is this?", block)
        assert SECRET not in sent(c) + said(c)
        assert "root:" not in sent(c)


async def test_a_resource_s_name_is_no_command(tmp_path: Path) -> None:
    """Only what the user typed first is one."""
    text = schema.TextResourceContents(uri="/mode auto", text="x")
    block = schema.EmbeddedResourceContentBlock(type="resource", resource=text)
    link = schema.ResourceContentBlock(type="resource_link", name="/mode auto", uri="/mode auto")
    async with conversation(tmp_path, FILES, [DONE, DONE]) as c:
        for each in (block, link):
            await c.ask(each)
        assert len(c.api.requests) == 2
        assert c.editor.of(schema.CurrentModeUpdate) == []


@pytest.mark.parametrize("answer", ["", "allow", "ALWAYS", "once ", "\ud800", "x" * 100_000])
async def test_an_answer_that_was_no_choice_is_a_no(tmp_path: Path, answer: str) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        c.editor.choose = lambda *_: answer
        await c.ask("Shorter, please")
        assert (tmp_path / "app.py").read_text() == FILES["app.py"]
        assert c.editor.written == []
        assert c.results(2)["toolu_e"]["is_error"]


@pytest.mark.parametrize(
    "text",
    ["", "x" * 30_000_000, "\0" * 100, "\ud800 Hello", "Hello\r\r\n\u2028Hello\x1b[2J"],
    ids=["empty", "huge", "zeros", "surrogate", "line ends"],
)
async def test_a_client_s_text_is_a_text_and_no_more(tmp_path: Path, text: str) -> None:
    """Whatever it gives as a file's, the answer ends, and the disk keeps what it had."""
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        c.editor.buffers[f"{tmp_path}/app.py"] = text
        c.editor.choose = lambda _, options: options[-1].option_id
        async with asyncio.timeout(SECONDS):
            await c.ask("Shorter, please")
        assert (tmp_path / "app.py").read_text() == FILES["app.py"]
        assert len(sent(c)) < 2_000_000


async def test_a_client_is_asked_for_no_text_outside(tmp_path: Path) -> None:
    """Nor for one that rules hide, however the model names it."""
    root = tmp_path / "ws"
    root.mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    paths = ["../secret.txt", "link.txt", "/etc/passwd", "hidden.txt", f"{root}/../secret.txt"]
    reads = [ToolUse("Read", {"path": path}, f"toolu_{at}") for at, path in enumerate(paths)]
    writes = [
        ToolUse("Write", {"path": path, "content": "x"}, f"toolu_w{at}")
        for at, path in enumerate(paths)
    ]
    rules = {"permissions": {"deny": ["Read(hidden.txt)"], "mode": "auto"}}
    script = [*map(Turn, reads), *map(Turn, writes), DONE]
    async with conversation(root, {**FILES, "hidden.txt": SECRET}, script, rules) as c:
        before = contents(tmp_path)
        await c.ask("Look")
        assert contents(tmp_path) == before
        assert c.editor.read == []
        assert SECRET not in sent(c) + said(c)


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_program_that_is_handed_over_waits_for_the_user(
    tmp_path: Path, *, trusted: bool
) -> None:
    """In a folder that is not trusted, and in one that is if the user refuses it."""
    ran = tmp_path / "ran"
    root = tmp_path / "ws"
    servers: list[Any] = [
        schema.McpServerStdio(
            name="../../\u202eevil name", command="touch", args=[str(ran)], env=[]
        ),
        schema.McpServerStdio(
            name="sh", command="sh", args=["-c", f"touch {ran}"], env=[{"name": "A", "value": "b"}]
        ),
        schema.HttpMcpServer(type="http", name="far", url="file:///etc/passwd", headers=[]),
        schema.SseMcpServer(type="sse", name="old", url="http://127.0.0.1:9/", headers=[]),
    ]
    async with conversation(root, FILES, [DONE], mcp_servers=tuple(servers)) as c:

        def choose(
            call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
        ) -> str | None:
            yes = trusted and "Do you trust" in (call.title or "")
            return options[0 if yes else -1].option_id

        c.editor.choose = choose
        await until(lambda: bool(c.editor.asked or c.editor.text))
        await c.ask("Hello")
        assert c.api.requests
        assert not any(each["name"].startswith("mcp__") for each in c.api.requests[0].body["tools"])
    assert not ran.exists()


# what is no message


NONSENSE = [
    b"nonsense",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"session/list"}',
    b'{"jsonrpc":"2.0","id":[1],"result":{}}',
    b'{"jsonrpc":"2.0","id":{"a":1},"method":"session/list","params":{}}',
    b'{"jsonrpc":"2.0","id":0,"error":"no"}',
    b'{"jsonrpc":"2.0","id":0,"error":[]}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"session/list","params":{}}',
    b'{"jsonrpc":"2.0","id":4,"method":7,"params":{}}',
    b'{"jsonrpc":"2.0","id":4,"method":["a"],"params":{}}',
    b'{"jsonrpc":"2.0","id":5,"method":"session/new","params":[1]}',
    b'{"jsonrpc":"2.0","id":5,"method":"session/new","params":"/"}',
    b'{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":{},"prompt":3}}',
    b'{"jsonrpc":"2.0","id":6,"method":"__init__","params":{}}',
    b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}',
    b'{"jsonrpc":"2.0","method":"initialize"}',
    b'{"jsonrpc":"2.0","id":7,"method":"session/list","params":{"cursor":"' + b"9" * 9_000 + b'"}}',
    b"{}",
    b"null",
]


@asynccontextmanager
async def raw() -> AsyncIterator[Callable[[bytes], Awaitable[dict[str, Any]]]]:
    """An agent, and what sends it a line and gives the answer to the next `initialize`."""
    ours, theirs = socket.socketpair()
    agent = GlossatorAgent({}, quietly({"models": {"offline": True}}))
    reader, writer = await asyncio.open_connection(sock=ours)
    served = asyncio.create_task(serve_streams(agent, reader, writer))
    answers, client = await asyncio.open_connection(sock=theirs, limit=10_000_000)
    number = 1_000

    async def send(line: bytes) -> dict[str, Any]:
        nonlocal number
        number += 1
        hello = {"protocolVersion": 1, "clientCapabilities": {}}
        asked = {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": hello}
        client.write(line + b"\n" + json.dumps(asked).encode() + b"\n")
        while True:
            answer: dict[str, Any] = json.loads(await answers.readline())
            if answer.get("id") == number:
                return answer

    try:
        yield send
    finally:
        client.close()
        async with asyncio.timeout(SECONDS):
            await served
        writer.close()


async def test_what_is_no_message_ends_nothing() -> None:
    async with raw() as send:
        for line in NONSENSE:
            async with asyncio.timeout(SECONDS):
                answer = await send(line)
            assert answer["result"]["agentInfo"]["name"] == "glossator", line[:80]

"""A workspace and a home for other people's clients, and a scripted model for agents.

What they ask of other addresses ends at a proxy that answers nothing, and fails the test.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.mcp_server.client import write
from tests.patience import SECONDS
from tests.sides import answering, asked
from tests.standin import NAMED, StandIn, Text, ToolUse, Turn

Json = dict[str, Any]
Script = Turn | Callable[[Json], Turn]

CACHE = Path(os.environ.get("CODE_CACHE") or Path.home() / ".cache")
PROGRAMS = CACHE / "glossator-clients/node_modules/.bin"
OURS = ("glossator", "mcp", "serve")
RETRY = 'def retry(times):\n    """Try a request again, so often."""\n    return times * 2\n'
NUMBERED = "\n".join(f"{n}\t{line}" for n, line in enumerate(RETRY.splitlines(), 1))
TEXT = (
    "`retry` doubles its times [cite: doc, retry.py, L1-L3]."
    " `retry` gives its times thrice [cite: doc, retry.py, L1-L3]."
)
LINE = "return times * 2"
VERDICTS = {"doubles": ("SUPPORTED", LINE), "thrice": ("CONTRADICTED", LINE)}
REPORT = "- `retry` doubles its times [cite: doc, retry.py, L1-L3]"


@dataclass
class Model:
    """What the model replies: the `turns` of the agent's conversation, in their order.

    As the model of our own server it judges `TEXT`, reads the file and reports `REPORT`, or waits
    for `stands`.
    """

    turns: Sequence[Script]
    stands: asyncio.Event | None = None
    played: int = 0

    def __call__(self, body: Json) -> Turn:
        """The reply to a request."""
        if asked(body):
            return answering(**VERDICTS)(body)
        if is_scout(body):
            if len(body["messages"]) == 1 and not self.stands:
                return Turn(ToolUse("Read", {"path": "retry.py"}))
            return Turn(Text(REPORT), gate=self.stands)
        if not body.get("tools"):
            return Turn(Text("Retrying"))  # a title, which opencode asks for
        self.played += 1
        turn = self.turns[self.played - 1]
        return turn if isinstance(turn, Turn) else turn(body)


def gloss_in(body: Json) -> str:
    """The address of the gloss that the agent's model saw in a result."""
    found = re.search(r"glossator:/gloss/[^\"\\]+", json.dumps(body["messages"]))
    assert found, "no gloss was listed"
    return found[0]


def is_scout(body: Json) -> bool:
    """Whether the sub-agent of `explore` asks."""
    return "scout of Glossator" in str(body.get("system"))


@dataclass(frozen=True)
class Done:
    """How a program ended, and what it wrote."""

    code: int
    out: str
    errors: str


@dataclass
class Scene:
    """Where programs run: the workspace, their variables, and the model behind these."""

    root: Path
    environment: Mapping[str, str]
    api: StandIn

    @asynccontextmanager
    async def started(self, *words: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
        """A program; it and those that it started have ended afterwards."""
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=self.root,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                for each in psutil.Process(process.pid).children(recursive=True):
                    each.kill()
                process.kill()
                await process.wait()

    async def run(self, *words: str | Path) -> Done:
        """A program, to its end."""
        async with self.started(*words) as process, asyncio.timeout(SECONDS):
            out, errors = await process.communicate()
        assert process.returncode is not None
        return Done(process.returncode, out.decode(), errors.decode())

    async def ends_with_all(self, number: int, *words: str | Path) -> None:
        """Send an agent a signal while its `explore` waits: it ends, and so does our server."""
        async with self.started(*words) as process, asyncio.timeout(SECONDS):
            while not any(is_scout(each.body) for each in self.api.requests):
                await self.api.wait_for_requests(len(self.api.requests) + 1)
            below = psutil.Process(process.pid).children(recursive=True)
            assert any("serve" in each.cmdline() for each in below)
            process.send_signal(number)
            await self.api.wait_for_disconnect()
            await process.communicate()
            _, alive = await asyncio.to_thread(psutil.wait_procs, below, timeout=SECONDS)
            assert alive == [], alive

    @asynccontextmanager
    async def by_http(self) -> AsyncIterator[tuple[str, str]]:
        """The address of our server and its token."""
        file = self.root.parent / "token"
        words = (*OURS, "--http", "127.0.0.1:0", "--token-file", file)
        async with self.started(*words) as process:
            assert process.stderr is not None
            line = (await process.stderr.readline()).decode()
            yield line.removeprefix("listening on ").strip(), file.read_text().strip()

    async def gloss(self) -> None:
        """Keep a gloss of the file, which no model writes."""
        offline = {k: v for k, v in self.environment.items() if not k.startswith("ANTHROPIC_")}
        done = await Scene(self.root, offline, self.api).run("glossator", "gloss", "retry.py")
        assert done.code == 0, done.errors

    @property
    def conversation(self) -> list[Json]:
        """The requests of the agent to its model."""
        bodies = (each.body for each in self.api.requests)
        return [each for each in bodies if each.get("tools") and not is_scout(each)]

    def results(self) -> list[str]:
        """What the agent told its model that tools gave, in the order of the calls."""
        found: dict[str, str] = {}
        for body in self.conversation:
            for message in body["messages"]:
                found |= dict(_results(message["content"]))
        return [found[id_] for id_ in sorted(found)]


def _results(content: str | Sequence[Json]) -> Iterator[tuple[str, str]]:
    for block in () if isinstance(content, str) else content:
        if block["type"] == "tool_result":
            said = block["content"]
            parts = [said] if isinstance(said, str) else [each.get("text", "") for each in said]
            yield block["tool_use_id"], "\n".join(parts)


@asynccontextmanager
async def scene(folder: Path, *turns: Script, stands: bool = False) -> AsyncIterator[Scene]:
    """A scene with `retry.py`, and what the model replies; no other machine may have been asked.

    With `stands` the report of `explore` never comes.
    """
    model = Model(turns, asyncio.Event() if stands else None)
    (folder / "home").mkdir()
    async with StandIn(model, guests=True) as api, _nowhere() as (proxy, went_out):
        python = Path(sys.prefix)
        environment = {
            "PATH": os.pathsep.join((f"{python}/bin", f"{python}/node", "/usr/bin:/bin")),
            "HOME": str(folder / "home"),
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
            **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1"),
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_AUTH_TOKEN": "test-key",
            **NAMED,
        }
        root = write(folder / "ws", {"retry.py": RETRY})
        yield Scene(root, environment, api)
        assert api.refusals == [], repr(api.refusals)
        assert went_out == [], went_out


@asynccontextmanager
async def _nowhere() -> AsyncIterator[tuple[str, list[str]]]:
    """The address of a proxy that hangs up, and what it was asked."""
    went_out: list[str] = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        went_out.append((await reader.readline()).decode(errors="replace").strip())
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}", went_out

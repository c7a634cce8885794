"""The other doors: how soon an agent panel shows something, and an agent finds something."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.client import server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import timed_api
from tests.quiet import quietly, write_quiet_settings
from tests.standin import Text, Turn

_STARTS = 9
_PROMPTS = 40  # of each door
_PAUSE = 0.1  # seconds, in which a server writes down what the turn before established
_SEARCHES = 60
_LIMIT = 50_000_000  # bytes of a line
_QUERIES = (
    "how does a queryset cache its results",
    "where are migrations applied in order",
    "csrf token compared",
    "template loader finds a file",
    "session expiry date",
    "prefetch related objects",
)


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with state_folder() as state:
        write_quiet_settings(state / "config")
        figures = [
            *await _starts(root),
            *await _prompts(root, state),
            *await _searches(root, state),
        ]
    return show_figures("Other doors", figures, note)


@dataclass
class Lines:
    """A program that speaks JSON-RPC in lines; `told` are its notifications, by method."""

    process: asyncio.subprocess.Process
    started: float
    told: dict[str, asyncio.Event] = field(default_factory=dict)
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)

    async def request(self, method: str, **params: Any) -> Any:
        number = len(self.waiting) + 1
        self.waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return await self.waiting[number]

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if "method" in message:
                self.told.setdefault(message["method"], asyncio.Event()).set()
            else:
                self.waiting[message["id"]].set_result(message.get("result"))

    def since_start(self) -> float:
        """Milliseconds."""
        return (time.perf_counter() - self.started) * 1000


@asynccontextmanager
async def _program(*words: str, environment: Mapping[str, str]) -> AsyncIterator[Lines]:
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environment),
        limit=_LIMIT,
    )
    lines = Lines(process, started)
    reading = asyncio.create_task(lines.read())
    try:
        yield lines
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        await reading


async def _begun(agent: Lines, root: Path) -> tuple[str, float, float]:
    """A new session's id, when `initialize` was answered and when the first update came, in ms."""
    told = agent.told.setdefault("session/update", asyncio.Event())
    await agent.request("initialize", protocolVersion=1, clientCapabilities={})
    initialized = agent.since_start()
    session = await agent.request("session/new", cwd=str(root), mcpServers=[])
    await told.wait()
    return session["sessionId"], initialized, agent.since_start()


async def _starts(root: Path) -> list[Figure]:
    initialized, updated = [], []
    for _ in range(_STARTS + 1):
        async with _program("acp", environment=usual_environment()) as agent:
            _, first, second = await _begun(agent, root)
        initialized.append(first)
        updated.append(second)
    return [
        Figure("acp: process start → answer to initialize", median(initialized[1:]), "ms", 400),
        Figure("acp: process start → first update", median(updated[1:]), "ms", 800),
    ]


async def _prompts(root: Path, state: Path) -> list[Figure]:
    """The same prompts by both doors, turn by turn, so that the machine's mood is shared."""
    async with timed_api([Turn(Text("Yes.")) for _ in range(2 * _PROMPTS)]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        environment = usual_environment() | model | {"XDG_CONFIG_HOME": str(state / "config")}
        async with server(environment) as editor, _program("acp", environment=environment) as agent:
            await editor.request(
                "initialize",
                {
                    "processId": None,
                    "capabilities": {},
                    "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                    "initializationOptions": {"settings": quietly({})},
                },
            )
            editor.notify("initialized", {})
            await editor.command("status", wait=True)
            while (await editor.command("status"))["index"]["pending"]:
                await editor.command("tool", name="Grep", arguments={"pattern": "zzzqqqxxx"})
            session, *_ = await _begun(agent, root)
            await asyncio.sleep(2)  # its listing is complete
            sent: list[float] = []
            asked: Any = None
            for _ in range(_PROMPTS):
                await asyncio.sleep(_PAUSE)
                sent.append(time.perf_counter())
                answer = await editor.command(
                    "ask", question="Is it so?", **({"sessionId": asked} if asked else {})
                )
                asked = asked or answer["sessionId"]
                await asyncio.sleep(_PAUSE)
                sent.append(time.perf_counter())
                prompt = [{"type": "text", "text": "Is it so?"}]
                await agent.request("session/prompt", sessionId=session, prompt=prompt)
        seen = await api.seen()
    times = [(came - began) * 1000 for began, came in zip(sent, seen.arrivals, strict=True)]
    by_editor, by_agent = times[4::2], times[5::2]
    return [
        Figure("lsp: prompt → first request, p50", median(by_editor), "ms"),
        Figure("acp: prompt → first request, p50", median(by_agent), "ms"),
        Figure("acp more than lsp, p50", median(by_agent) - median(by_editor), "ms", 3),
    ]


async def _searches(root: Path, state: Path) -> list[Figure]:
    """Without vectors: these take minutes to make, and what makes them takes a processor."""
    settings = state / "words" / "glossator" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[retrieval]\nembedder = "none"\n', "utf-8")
    environment = usual_environment() | {"XDG_CONFIG_HOME": str(state / "words")}
    async with _program("mcp", "serve", "-C", str(root), environment=environment) as tools:
        await tools.request(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        tools.notify("notifications/initialized")
        await _complete(tools)
        times = []
        for number in range(_SEARCHES):
            query = {"query": f"{_QUERIES[number % len(_QUERIES)]}{' ' * (number // 6)}"}
            began = time.perf_counter()
            await tools.request("tools/call", name="search", arguments=query)
            times.append((time.perf_counter() - began) * 1000)
    return [
        Figure("mcp: search over stdio, by words, p50", median(times[6:]), "ms", 15),
        Figure("mcp: search over stdio, by words, p95", percentile(times[6:], 0.95), "ms"),
    ]


async def _complete(tools: Lines) -> None:
    """Wait until the chunks of every file are in the index."""
    before: Sequence[Any] = ()
    while True:
        found = await tools.request("tools/call", name="search", arguments={"query": "queryset"})
        said = found["structuredContent"]["searched"]
        if "not" not in said and said == before:
            return
        before = said
        await asyncio.sleep(1)

"""A long conversation: what a turn costs beside the model and the tools, and what is sent."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import psutil

from glossator.application.application import Application
from glossator.commands.ask import AskRequest, ask
from glossator.core.answer import Answer
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.llm.meter import Spending
from glossator.llm.model import ContentBlock, Message
from glossator.settings.load import load_settings
from glossator.tools.base import ToolArgs, ToolContext
from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import Seen, timed_api
from tests.quiet import quietly
from tests.stage import Recorder
from tests.standin import Text, Thinking, ToolUse, Turn

_LONG = 200  # turns
_CACHED = 40  # turns
_SETTINGS = quietly({"limits": {"turns": _LONG + 1, "tokens": 10**9}})
_FILE = "django/db/models/query.py"
_PROMPTS = 20  # of a resident server
_WHOLE = (ToolUse("Glob", {"pattern": "**/*"}), ToolUse("Grep", {"pattern": "def get_queryset"}))
_NAMES = ("aggregate", "annotate", "bulk_create", "contains", "defer", "distinct", "earliest")


class _Numbered(ToolArgs):
    number: int


class _Instant:
    """A tool that takes no time and gives some 5 kB of code, as a Read of one function would."""

    name: ClassVar[str] = "Instant"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = _Numbered
    description = "Gives text."

    async def run(self, args: _Numbered, _context: ToolContext) -> ToolResult:
        lines = (f'{n}\t    value_{args.number} = {{"line": {n}}}  # é\n' for n in range(125))
        return ToolResult("".join(lines))


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    note = await asyncio.to_thread(describe, root)
    with state_folder():
        figures = [*await _overhead(), *await _in_an_editor(root), *await _sent(root)]
    return show_figures("A long conversation", figures, note)


async def _overhead() -> list[Figure]:
    """Turns whose tool takes no time: what is left is ours, with the loopback's part of it."""
    script = [
        Turn(Thinking(f"Number {n} is next."), ToolUse("Instant", {"number": n}))
        for n in range(_LONG)
    ]
    script.append(Turn(Text("Done.")))
    with tempfile.TemporaryDirectory() as root:
        async with _application(Path(root), script) as (app, seen):
            app.tools = {**app.tools, "Instant": _Instant()}
            await ask(app, AskRequest("What is in all of these?"))
            saw = await seen()
    early, late = saw.gaps[4:24], saw.gaps[-20:]
    detail = f"the last request has {saw.sizes[-1] / 1e6:.2f} MB"
    return [
        Figure("overhead of a turn, p50", median(saw.gaps), "ms"),
        Figure(f"overhead of a turn, p95 of {_LONG}", percentile(saw.gaps, 0.95), "ms", 15),
        Figure("turns 5 to 24, p50", median(early), "ms"),
        Figure(f"the last 20 of {_LONG}, p50", median(late), "ms", 15, detail=detail),
    ]


async def _in_an_editor(root: Path) -> list[Figure]:
    """As an editor runs it: the server's own process, its index, its journal."""
    warm = [Turn(Text("Yes.")) for _ in range(_PROMPTS)]
    first = [Turn(*_WHOLE), Turn(Text("Done."))]
    script = [*warm, *first, *map(_small_grep, range(_LONG)), Turn(Text("Done."))]
    async with timed_api(script) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with server(usual_environment() | model) as client:
            await client.request(
                "initialize",
                {
                    "processId": None,
                    "capabilities": {},
                    "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                    "initializationOptions": {"settings": _SETTINGS},
                },
            )
            client.notify("initialized", {})
            await _indexed(client)
            sent = []
            for _ in warm:
                sent.append(time.perf_counter())
                await client.command("ask", question="Is it so?")
            await client.command("ask", question="What is in here?")
            await client.command("ask", question="Where are these?")
            memory = _memory(client.pid)
        seen = await api.seen()
    asked = [(came - began) * 1000 for began, came in zip(sent, seen.arrivals, strict=False)]
    gaps = seen.gaps[_PROMPTS + len(first) :]
    return [
        Figure("prompt → first request, resident, p50", median(asked), "ms", 10),
        Figure("first Glob and Grep of everything", seen.gaps[_PROMPTS], "ms", 30),
        Figure("small-grep turn, p50", median(gaps), "ms", 8, detail="the tool included"),
        Figure(f"small-grep turn, p95 of {_LONG}", percentile(gaps, 0.95), "ms", 20),
        Figure("memory of all processes (PSS)", memory / 1e6, "MB", 150),
    ]


def _memory(pid: int) -> int:
    """Bytes of a process and its children, shared ones by their part."""
    process = psutil.Process(pid)
    together = [process, *process.children(recursive=True)]
    return sum(each.memory_full_info().pss for each in together)


async def _indexed(client: BenchClient) -> None:
    """Wait until every file is in the index."""
    await client.command("status", wait=True)
    while (await client.command("status"))["index"]["pending"]:
        await client.command("tool", name="Grep", arguments={"pattern": "zzzqqqxxx"})


async def _sent(root: Path) -> list[Figure]:
    """Sizes, and the cache's part of the input, with every tool and real results."""
    script = [
        Turn(ToolUse("Read", {"path": _FILE}, id="first")),
        Turn(ToolUse("Read", {"path": _FILE}, id="again")),
        Turn(ToolUse("Grep", {"pattern": "self"}, id="paths")),
        Turn(ToolUse("Grep", {"pattern": "self", "output_mode": "content"}, id="lines")),
        *map(_small_grep, range(_CACHED - 5)),
        Turn(Text("Done.")),
    ]
    async with _application(root, script) as (app, seen):
        await app.ready()
        answer = await ask(app, AskRequest("How does a queryset know its fields?"))
        saw = await seen()
        session = await app.sessions.open(answer.session_id)
        results = dict(_results(session.conversation.messages))
    return [
        Figure("the first request, with every tool", saw.sizes[0], "B", 14_000),
        Figure("a file that is read again, unchanged", len(results["again"]), "B", 95),
        Figure("Grep with very many matches, paths", len(results["paths"]), "B", 2_200),
        Figure("the same, lines", len(results["lines"]), "B", 2_200),
        _cached(answer),
    ]


def _cached(answer: Answer) -> Figure:
    share = Spending(answer.usage).read_share * 100
    return Figure(
        f"input read from the cache in {answer.turns} turns", share, "%", 95, at_least=True
    )


def _results(messages: Sequence[Message]) -> Iterator[tuple[str, bytes]]:
    blocks: Iterator[ContentBlock] = (block for message in messages for block in message["content"])
    return (
        (block["tool_use_id"], block["content"].encode())
        for block in blocks
        if block.get("type") == "tool_result"
    )


def _small_grep(number: int) -> Turn:
    """A search of one file that finds a few lines; no two are the same call."""
    asked: dict[str, Any] = {
        "pattern": rf"\b{_NAMES[number % len(_NAMES)]}\b",
        "path": _FILE,
        "output_mode": "content",
        "head_limit": 1 + number // len(_NAMES),
    }
    return Turn(Text(f"Number {number} is next."), ToolUse("Grep", asked))


@asynccontextmanager
async def _application(
    root: Path, script: Sequence[Turn]
) -> AsyncIterator[tuple[Application, Callable[[], Awaitable[Seen]]]]:
    """An application for an editor that tells diagnostics, and what its model has seen."""
    async with timed_api(script) as api:
        environment = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        settings = load_settings(_SETTINGS, environment, file=root / "no-settings.toml")
        port = Recorder()
        port.diagnosed = []
        app = Application((str(root),), settings, port, "utf-16", environment)
        await app.start()
        gc.freeze()  # as the server does when it has begun
        try:
            yield app, api.seen
        finally:
            await app.close()

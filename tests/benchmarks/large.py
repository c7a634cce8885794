"""A large foreign repository: tools, and hover while an ask runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.corpus import describe
from tests.benchmarks.measure import Row, show

_OPEN = "django/db/models/query.py"
_QUESTION = "How does QuerySet.update_or_create lock the rows it changes?"
_TOOLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Glob **/*.py", "Glob", {"pattern": "**/*.py"}),
    ("Grep update_or_create, files", "Grep", {"pattern": "update_or_create"}),
    (
        r"Grep def \w+_cache, content",
        "Grep",
        {"pattern": r"def \w+_cache", "output_mode": "content"},
    ),
    ("Grep, no match", "Grep", {"pattern": "zzzqqqxxx"}),
    ("Read", "Read", {"path": _OPEN, "limit": 2000}),
    ("Search", "Search", {"query": _QUESTION}),
)
_ROUNDS = 5


async def run(root: Path) -> bool:
    """Measure on `root`; gives whether the targets are met."""
    environment = {
        name: text for name, text in usual_environment().items() if "ANTHROPIC" not in name
    }
    async with server(environment) as client:
        await client.initialize(root)
        client.notify("initialized", {})
        _open(client, root)
        cold = (await client.command("tool", name="Grep", arguments={"pattern": "zq"}))[
            "milliseconds"
        ]
        rows = [Row("first Grep: nothing cached yet", [cold])]
        for title, name, arguments in _TOOLS:
            answers = [
                await client.command("tool", name=name, arguments=arguments) for _ in range(_ROUNDS)
            ]
            rows.append(Row(title, [answer["milliseconds"] for answer in answers]))
        rows.append(Row("hover, idle", [await _hover(client, root) for _ in range(50)]))
        hovers, asked = await _hover_while_asking(client, root)
        rows.append(Row("hover while an ask runs", hovers, 100))
        rows.append(Row("that ask, offline", [asked]))
    return show("A large repository", rows, describe(root))


def _open(client: BenchClient, root: Path) -> None:
    path = root / _OPEN
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1}
    client.notify("textDocument/didOpen", {"textDocument": document | {"text": path.read_text()}})


async def _hover(client: BenchClient, root: Path) -> float:
    where = {"line": 300, "character": 10}
    params = {"textDocument": {"uri": (root / _OPEN).as_uri()}, "position": where}
    return await client.timed("textDocument/hover", params)


async def _hover_while_asking(client: BenchClient, root: Path) -> tuple[list[float], float]:
    hovers: list[float] = []
    ask = asyncio.create_task(client.command("ask", question=_QUESTION))
    while not ask.done():
        hovers.append(await _hover(client, root))
    return hovers, ask.result()["milliseconds"]

"""Prompt → first request in a session of its own, with all that is told before a question.

Resident servers answer in turns on the same workspace: one with instruction files, memories, the
fast model's recall, the dispatcher, facts, skills, sub-agents, git, the editor's state and an MCP
server, one with none of these, and one with the dispatcher and facts alone. Their ratios hold on a
busy machine, too.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from glossator.ledger.files import ledger_folder
from glossator.memory import Memories, Memory, MemoryType
from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import DiskChanged
from tests.benchmarks.client import BenchClient, server, usual_environment
from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.benchmarks.opened import state_folder
from tests.benchmarks.timed_api import Seen, TimedApi, timed_api
from tests.ledger.support import kept
from tests.mcp.hubs import odd
from tests.standin import Text, Turn
from tests.workspaces import idle_indexing

_PROMPTS = 60
_WARM = 10  # prompts before, that do not count
_QUESTION = "Where is the total of a basket made?"
_SMALLEST = 10_000  # bytes of a first request; what the fast model is asked is smaller
_GIT = ("git", "-c", "user.name=U", "-c", "user.email=u@example.org")
_OFF: Mapping[str, Any] = {
    "context": {"ambient": False},
    "memory": {"enabled": False},
    "plan": {"dispatch": "off"},
    "facts": {"enabled": False},
}
_GROUNDED: Mapping[str, Any] = {**_OFF, "plan": {"dispatch": "model"}, "facts": {"enabled": True}}
_FACTS = 500


async def run() -> bool:
    """Measure; gives whether the targets are met."""
    with state_folder(), tempfile.TemporaryDirectory() as folder:
        bare, grounded, full = (Path(folder, name) for name in ("bare", "grounded", "full"))
        for root in (bare, grounded, full):
            _sources(root)
        _described(full)
        for root in (grounded, full):
            await _learnt(root)
        mcp = {"servers": {"odd": odd(Path(folder, "notes"), "plain")}}
        async with (
            _resident(bare, _OFF) as one,
            _resident(grounded, _GROUNDED) as two,
            _resident(full, {"mcp": mcp}) as three,
        ):
            sides = [(client, api, list[float]()) for client, api in (one, two, three)]
            for _ in range(_WARM + _PROMPTS):
                for client, _api, sent in sides:
                    sent.append(time.perf_counter())
                    await client.command("ask", question=_QUESTION)
            delays = [_delays(sent, await api.seen()) for _, api, sent in sides]
    note = f"{_PROMPTS} prompts each, in turns, each in a new session; {_FACTS} facts"
    return show_figures("Prompt → first request, warm", _figures(*delays), note)


def _figures(
    without: Sequence[float], grounded: Sequence[float], all_on: Sequence[float]
) -> list[Figure]:
    bare = median(without)
    return [
        Figure("with none of it, p50", bare, "ms"),
        Figure("with none of it, p95", percentile(without, 0.95), "ms"),
        Figure("with dispatcher and facts, p50", median(grounded), "ms"),
        Figure("with dispatcher and facts, p95", percentile(grounded, 0.95), "ms"),
        Figure("with all of it, p50", median(all_on), "ms", 10),
        Figure("with all of it, p95", percentile(all_on, 0.95), "ms", 10),
        Figure("ratio of the medians: dispatcher and facts", median(grounded) / bare, "", 1.5),
        Figure("ratio of the medians: all of it", median(all_on) / bare, ""),
    ]


def _delays(sent: Sequence[float], seen: Seen) -> list[float]:
    """Milliseconds from each prompt to its first request, without those to warm up."""
    pairs = zip(seen.arrivals, seen.sizes, strict=True)
    came = [arrival for arrival, size in pairs if size >= _SMALLEST]
    return [(a - s) * 1000 for s, a in zip(sent, came, strict=True)][_WARM:]


@asynccontextmanager
async def _resident(
    root: Path, settings: Mapping[str, Any]
) -> AsyncIterator[tuple[BenchClient, TimedApi]]:
    """A server whose workspace is indexed, and its model."""
    script = [Turn(Text("none"))] * (3 * (_WARM + _PROMPTS))
    async with timed_api(script, niceness=19) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with server(usual_environment() | model | {"HOME": str(root.parent)}) as client:
            options = {"settings": settings, "trusted": True}
            folders = [{"uri": root.as_uri(), "name": root.name}]
            opening: dict[str, Any] = {
                "processId": None,
                "capabilities": {},
                "workspaceFolders": folders,
            }
            await client.request("initialize", opening | {"initializationOptions": options})
            client.notify("initialized", {})
            await client.command("status", wait=True)
            _look_at(client, root)
            yield client, api


def _look_at(client: BenchClient, root: Path) -> None:
    """Open a few documents, and tell what the editor shows."""
    files = sorted(root.glob("shop/*.py"))[:8]
    for file in files:
        text = {"languageId": "python", "version": 1, "text": file.read_text("utf-8")}
        opened = {"textDocument": {"uri": file.as_uri(), **text}}
        client.notify("textDocument/didOpen", opened)
    shown = {"active": files[0].as_uri(), "visible": {"firstLine": 1, "lastLine": 40}}
    state = shown | {"selected": None, "tabs": [file.as_uri() for file in files]}
    client.notify("glossator/editorState", state)


def _sources(root: Path) -> None:
    for number in range(200):
        _write(root / "shop" / f"part{number}.py", f"def total_{number}(basket):\n    return 1\n")


async def _learnt(root: Path) -> None:
    """Facts of earlier answers, of which many bear on the question."""
    host = WorkspaceHost((str(root),), WorkspaceSettings(), idle_indexing(Worker()))
    host.apply(DiskChanged(frozenset({str(root)})))
    async with kept(host, ledger_folder(), most=2 * _FACTS) as k:
        found = [
            k.new(f"`total_{at % 200}` makes total {at} of a basket.", f"shop/part{at % 200}.py", 1)
            for at in range(_FACTS)
        ]
        await k.ledger.remember("s", "r", found)
    await host.close()


def _described(root: Path) -> None:
    """Everything that files can say, and a repository with a commit and changes."""
    _write(root / "AGENTS.md", "# Rules\n\nUse tabs.\n\n@docs/style.md\n" + "Be kind.\n" * 200)
    _write(root / "docs" / "style.md", "Short words.\n" * 100)
    _write(root / "CLAUDE.md", "Test first.\n" * 50)
    for number in range(20):
        head = (
            f"---\nname: skill{number}\ndescription: {'What it is good for. ' * 5}\n---\nDo it.\n"
        )
        _write(root / ".claude" / "skills" / f"skill{number}" / "SKILL.md", head)
    for number in range(5):
        head = f"---\nname: agent{number}\ndescription: Knows part {number}.\n---\nYou know it.\n"
        _write(root / ".claude" / "agents" / f"agent{number}.md", head)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
        subprocess.run([*_GIT, *words], cwd=root, check=True)
    _write(root / "shop" / "part0.py", "def total_0(basket):\n    return 2\n")
    memories = Memories(lambda: (str(root.resolve()),))
    now = datetime.now(UTC)
    for number in range(30):
        said = " ".join(f"{chr(97 + number % 26)}{at}{number}" for at in range(12))
        text = f"{said}: see shop/part{number}.py for the total."
        name, kind = f"fact-{number}", MemoryType.PROJECT
        memories.write(Memory(Path(), False, name, text, kind, text, now, now))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")

"""References by language servers of ours, against the same servers asked directly; and by outlines.

Asked directly: a bare script that starts the server outside of any sandbox, and asks with what it
minimally needs. Of 100 names of a repository the lines with references must be the same. Outlines
find references by name; their precision and recall are against what the server says.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from glossator.core.code import CodeAnswer, CodeKind, CodeQuestion
from glossator.core.frames import frame, read_frame
from glossator.core.uri import to_path, to_uri
from glossator.settings.model import WorkspaceSettings
from glossator.symbols.find import Limits, Name
from glossator.symbols.finder import SymbolFinder
from glossator.worker.client import Worker
from tests.benchmarks.corpus import describe, django, rxjs
from tests.benchmarks.measure import Figure, Times, percentile, show_figures
from tests.language_servers.asked import Asked, asked

_NAMES = 100
_SEED = 7
_SECONDS = 300.0
_EVERY = Limits(texts=1_000_000, hits=1_000_000)
_COMPILER = Path(__file__).parents[2] / "vscode-client" / "node_modules" / "typescript" / "bin"
_READ = re.compile(r"(Found \d+|No) source files?")  # pyright knows the files
_PYTHON = re.compile(r"^\s*(?:async )?(?:def|class) ([A-Za-z]\w{3,})", re.MULTILINE)
_TYPESCRIPT = re.compile(
    r"^\s*export (?:abstract )?(?:function|class|interface|const|type) (\w{3,})", re.MULTILINE
)

Lines = frozenset[tuple[str, int]]  # paths and 0-based lines


@dataclass(frozen=True)
class _Corpus:
    """A repository, the folder whose definitions are asked about, and the server, if started bare.

    `language` is as LSP names it.
    """

    root: Path
    below: str
    suffix: str
    defined: re.Pattern[str]
    language: str
    server: tuple[str, ...]
    searched: str = ""


@dataclass(frozen=True)
class _Place:
    """Where a name is defined: 0-based line, and how many characters stand before it."""

    name: str
    path: Path
    text: str
    line: int
    before: str


@dataclass
class _Shares:
    """How many lines one side gives, and how many of them the other gives, too."""

    same: int = 0
    given: int = 0
    true: int = 0
    both: int = 0
    differing: list[str] = field(default_factory=list)

    def add(self, name: str, given: Lines, true: Lines) -> None:
        self.same += given == true
        self.given += len(given)
        self.true += len(true)
        self.both += len(given & true)
        if given != true:
            self.differing.append(name)

    @property
    def precision(self) -> float:
        return 100 * self.both / max(1, self.given)

    @property
    def recall(self) -> float:
        return 100 * self.both / max(1, self.true)


async def run() -> bool:
    """Measure both repositories; gives whether the sets are the same."""
    python = str(Path(sys.prefix) / "bin" / "basedpyright-langserver")
    bare = str(_COMPILER / "tsc"), "--lsp", "--stdio"
    corpora = (
        _Corpus(django(), "django", ".py", _PYTHON, "python", (python, "--stdio")),
        _Corpus(rxjs(), "src", ".ts", _TYPESCRIPT, "typescript", bare, "src"),
    )
    return all([await _measure(corpus) for corpus in corpora])


async def _measure(corpus: _Corpus) -> bool:
    note = await asyncio.to_thread(describe, corpus.root)
    places = await asyncio.to_thread(_places, corpus)
    path = f"{Path(corpus.server[0]).parent}:{os.environ['PATH']}"
    direct = await _directly(corpus, places, path)
    ours, outlined, times = _Shares(), _Shares(), Times()
    async with _workspace(corpus, path) as ws:
        first = await ws.servers.ask(_question(places[0]), _SECONDS)
        assert isinstance(first, CodeAnswer), first
        worker = Worker()
        finder = SymbolFinder(worker, WorkspaceSettings(index=False))
        for place, told in zip(places, direct, strict=True):
            with times.one():
                answer = await ws.servers.ask(_question(place), _SECONDS)
            assert isinstance(answer, CodeAnswer), answer
            ours.add(place.name, _within(corpus, _lines(answer)), told)
            found = await finder.uses(ws.host.snapshot(), Name.parse(place.name), limits=_EVERY)
            uses = ((each.line.path, each.line.number - 1) for each in found.hits)
            by_name = _within(corpus, chain(uses, [(str(place.path), place.line)]))
            outlined.add(place.name, by_name, told)
        [state] = [each for each in ws.servers.states() if each.state == "runs"]
        await worker.close()
    figures = [
        Figure(
            f"{first.by}: names with the same lines as directly",
            ours.same,
            f"of {_NAMES}",
            _NAMES,
            at_least=True,
            detail=f"{ours.given:,} lines; {', '.join(ours.differing[:5])}",
        ),
        Figure("outlines: names with the same lines", outlined.same, f"of {_NAMES}"),
        Figure("outlines: precision", outlined.precision, "%", detail=f"{outlined.given:,} lines"),
        Figure("outlines: recall", outlined.recall, "%", detail=f"{outlined.true:,} lines"),
        Figure("a question, median", percentile(times.counted, 0.5), "ms"),
        Figure("a question, p95", percentile(times.counted, 0.95), "ms"),
        Figure("start, until it has read the files", state.start_seconds or 0, "s"),
        Figure("memory", (state.memory or 0) / 1e6, "MB"),
    ]
    return show_figures(f"References by language servers: {corpus.language}", figures, note)


@asynccontextmanager
async def _workspace(corpus: _Corpus, path: str) -> AsyncIterator[Asked]:
    async with asked(corpus.root, {}, path=path) as ws:
        yield ws


def _places(corpus: _Corpus) -> list[_Place]:
    """Definitions, drawn by chance, each name once."""
    found: dict[str, _Place] = {}
    for path in sorted((corpus.root / corpus.below).rglob(f"*{corpus.suffix}")):
        text = path.read_text("utf-8")
        for match in corpus.defined.finditer(text):
            line = text.count("\n", 0, match.start(1))
            before = text[text.rfind("\n", 0, match.start(1)) + 1 : match.start(1)]
            found.setdefault(match[1], _Place(match[1], path, text, line, before))
    return random.Random(_SEED).sample(sorted(found.values(), key=lambda it: it.name), _NAMES)


def _question(place: _Place) -> CodeQuestion:
    uri = to_uri(str(place.path))
    return CodeQuestion(CodeKind.REFERENCES, uri, place.line, place.before, place.text, None)


def _lines(answer: CodeAnswer) -> Iterator[tuple[str, int]]:
    return ((to_path(each.uri) or each.uri, each.line) for each in answer.places)


def _within(corpus: _Corpus, lines: Iterable[tuple[str, int]]) -> Lines:
    """Those in the repository's own sources; RxJS' package has copies of them."""
    folder = corpus.root / corpus.searched
    return frozenset(each for each in lines if Path(each[0]).is_relative_to(folder))


async def _directly(corpus: _Corpus, places: Sequence[_Place], path: str) -> list[Lines]:
    """What the server says without Glossator, with the same `PATH`, where it finds a Python."""
    process = await asyncio.create_subprocess_exec(
        *corpus.server,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=tempfile.gettempdir(),
        env={**os.environ, "PATH": path},
        start_new_session=True,
    )
    bare = _Bare(process)
    root = to_uri(str(corpus.root))
    try:
        await bare.request(
            "initialize",
            {
                "processId": None,
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": "root"}],
                "capabilities": {},
            },
        )
        bare.send({"method": "initialized", "params": {}})
        if corpus.language == "python":
            await bare.read_until(_READ)
        told = []
        for place in places:
            uri = to_uri(str(place.path))
            item = {"uri": uri, "languageId": corpus.language, "version": 1, "text": place.text}
            bare.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
            params = {
                "textDocument": {"uri": uri},
                "position": {"line": place.line, "character": len(place.before)},  # all ASCII
                "context": {"includeDeclaration": True},
            }
            result = await bare.request("textDocument/references", params)
            found = ((to_path(e["uri"]) or "", e["range"]["start"]["line"]) for e in result or [])
            told.append(_within(corpus, found))
            bare.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})
        return told
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # a script's Node, too
        await process.wait()


class _Bare:
    """As little of a client as there can be."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._writer, self._reader = process.stdin, process.stdout
        self._number = 0

    def send(self, message: dict[str, Any]) -> None:
        self._writer.write(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    async def request(self, method: str, params: Any) -> Any:
        self._number += 1
        number = f"bare-{self._number}"
        self.send({"id": number, "method": method, "params": params})
        while (message := await self._next()).get("id") != number:
            pass
        assert "error" not in message, message
        return message["result"]

    async def read_until(self, logged: re.Pattern[str]) -> None:
        """Until it logs this."""
        while not logged.match(str((await self._next()).get("params", {}).get("message", ""))):
            pass

    async def _next(self) -> dict[str, Any]:
        """The next message; what it asks is answered with nothing."""
        body = await read_frame(self._reader)
        assert isinstance(body, bytes)
        message: dict[str, Any] = json.loads(body)
        if "method" in message and "id" in message:
            items = (message.get("params") or {}).get("items")
            self.send({"id": message["id"], "result": [None for _ in items] if items else None})
        return message

"""The tables of docs/context.md: `python -m tools.context_page` measures first requests.

The requests are real ones, made with the tests' stand-in for a provider: of a session in a
workspace where nothing is described, and of sessions where one thing is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.core.attached import EditorState, ShownLines
from glossator.core.tokens import BYTES_PER_TOKEN, estimate_tokens
from tests.benchmarks.opened import state_folder
from tests.mcp.hubs import odd
from tests.memory.remembering import by_hand
from tests.stage import Stage, stage
from tests.standin import Text, Turn

PAGE = Path(__file__).parents[1] / "docs" / "context.md"
_BEGIN = "<!-- measured by tools/context_page.py -->\n"
_BEGIN_ADDED = "<!-- added, measured by tools/context_page.py -->\n"
_END = "<!-- end -->\n"
_ROOT = "/home/you/project"  # in place of the folder that was measured
_QUESTION = "Hello"
_FIELDS = ("name", "description", "input_schema")


@dataclass(frozen=True)
class Described:
    """One thing that goes into the window, and an example of it."""

    what: str
    example: str
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    memories: int = 0
    server: bool = False
    show: Callable[[Stage], object] = lambda _: None  # what the editor shows


_ABOUT = "Says what it is for and when it is to be used. " * 2 + "So far"  # 100 characters
_SKILL = f"---\ndescription: {_ABOUT}\n---\nDo it.\n"
_AGENT = f"---\nname: agent{{}}\ndescription: {_ABOUT}\n---\nYou do it.\n"
_MEMORY = f"---\ntype: project\ndescription: {_ABOUT}\n---\nIt is so.\n"


def _show(s: Stage) -> None:
    uris = tuple((s.root / name).as_uri() for name in ("a.py", "b.py", "c.py"))
    s.app.editor_state = EditorState(uris[0], ShownLines(1, 40), ShownLines(3, 5), uris)


DESCRIBED = (
    Described("instruction files", "`AGENTS.md` of 1,000 characters", {"AGENTS.md": "x" * 1_000}),
    Described(
        "skills",
        "ten, with descriptions of 100 characters; the tool `Skill`",
        {f".claude/skills/skill{number}/SKILL.md": _SKILL for number in range(10)},
    ),
    Described(
        "sub-agents",
        "three, with descriptions of 100 characters",
        {f".claude/agents/agent{n}.md": _AGENT.format(n) for n in range(3)},
    ),
    Described("index of memories", "ten, with descriptions of 100 characters", memories=10),
    Described(
        "your profile",
        "a role, and three rules of 60 characters",
        settings={"profile": {"role": "reviewer", "rules": [_ABOUT[:60]] * 3}},
    ),
    Described("language", "German", settings={"context": {"language": "German"}}),
    Described("an MCP server", "18 small tools, and a sentence on their use", server=True),
    Described("what the editor shows", "three open files, lines and a selection", show=_show),
)


def with_tables(page: str, body: Mapping[str, Any], added: Mapping[str, int]) -> str:
    """The page with the parts of a bare request, and the bytes that each thing adds to it."""
    page = _with(page, _BEGIN, "".join(_table(body)))
    return _with(page, _BEGIN_ADDED, "".join(_table_of(added)))


def _with(page: str, begin: str, table: str) -> str:
    before, _, rest = page.partition(begin)
    return before + begin + table + _END + rest.partition(_END)[2]


async def first_request(described: Described | None = None) -> dict[str, Any]:
    """The body of a session's first request, a bare one's unless something is described."""
    it = described or Described("", "")
    with state_folder() as state:
        root = state / "project"
        for number in range(it.memories):
            by_hand(root, f"memory{number}.md", _MEMORY)
        files = {"a.py": "one = 1\n" * 50, **it.files}
        settings = dict(it.settings)
        if it.server:
            settings["mcp"] = {"servers": {"odd": odd(state / "notes")}}
        async with stage(root, files, lambda _: Turn(Text("none")), settings) as s:
            await s.app.mcp.refresh()
            await s.app.mcp.settled()
            await s.app.ready()
            it.show(s)
            await s.ask(_QUESTION)
            sent = next(each.body for each in s.api.requests if each.body.get("tools"))
            text = _json(sent).replace(s.app.host.roots[0], _ROOT).replace(str(state), "/state")
    body: dict[str, Any] = json.loads(text)
    return body


async def what_is_added(bare: Mapping[str, Any]) -> dict[str, int]:
    """The bytes by which each thing makes a bare first request larger."""
    return {each.what: _size(await first_request(each)) - _size(bare) for each in DESCRIBED}


def _table_of(added: Mapping[str, int]) -> Iterator[str]:
    yield "| section | example | bytes | tokens |\n|---|---|---:|---:|\n"
    for each in DESCRIBED:
        size = added[each.what]
        yield f"| {each.what} | {each.example} | {size:,} | {round(size / BYTES_PER_TOKEN):,} |\n"


def _table(body: Mapping[str, Any]) -> Iterator[str]:
    yield "| part | bytes | tokens |\n|---|---:|---:|\n"
    total = _size(body)
    left = total
    for name, value, text in _parts(body):
        size = _size(value)
        left -= size
        yield f"| {name} | {size:,} | {estimate_tokens(text):,} |\n"
    yield f"| names of fields, limits, cache marks | {left:,} | |\n"
    yield f"| **the whole request** | **{total:,}** | |\n"


def _parts(body: Mapping[str, Any]) -> Iterator[tuple[str, object, str]]:
    """Each part: its name, what of it is sent, and what of that takes room in the window."""
    for name, block in zip(("the rules", "this session"), body["system"], strict=True):
        yield f"system prompt: {name}", block["text"], block["text"]
    for tool in sorted(body["tools"], key=lambda each: -_size(each)):
        sent = {field: tool[field] for field in _FIELDS}
        yield f"tool: `{tool['name']}`", sent, _json(list(sent.values()))
    for block in body["messages"][0]["content"]:
        name = "the question" if block["text"] == _QUESTION else "the permission mode"
        yield f"message: {name}", block["text"], block["text"]


def _size(value: object) -> int:
    return len(_json(value).encode())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    bare = asyncio.run(first_request())
    added = asyncio.run(what_is_added(bare))
    PAGE.write_text(with_tables(PAGE.read_text("utf-8"), bare, added), "utf-8")

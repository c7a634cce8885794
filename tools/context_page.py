"""The table of docs/context.md: `python -m tools.context_page` measures a session's first request.

The request is a real one, of a session in a workspace where nothing is described, made with the
tests' stand-in for a provider.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glossator.core.price import estimate_tokens
from tests.benchmarks.opened import state_folder
from tests.stage import stage
from tests.standin import Text, Turn

PAGE = Path(__file__).parents[1] / "docs" / "context.md"
_BEGIN = "<!-- measured by tools/context_page.py -->\n"
_END = "<!-- end -->\n"
_ROOT = "/home/you/project"  # in place of the folder that was measured
_QUESTION = "Hello"
_FIELDS = ("name", "description", "input_schema")


def with_table(page: str, body: Mapping[str, Any]) -> str:
    """The page with the table of the parts of this request."""
    before, _, rest = page.partition(_BEGIN)
    return before + _BEGIN + "".join(_table(body)) + _END + rest.partition(_END)[2]


async def first_request() -> dict[str, Any]:
    """The body of a bare session's first request."""
    with state_folder() as state:
        async with stage(state / "project", {"a.py": "one = 1\n"}, [Turn(Text("Hello."))]) as s:
            await s.ask(_QUESTION)
            text = _json(s.sent(0)).replace(s.app.host.roots[0], _ROOT)
    body: dict[str, Any] = json.loads(text)
    return body


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
    measured = asyncio.run(first_request())
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), measured), "utf-8")

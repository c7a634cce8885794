"""The least that an agent can be: the SDK, a search, a read and a loop, to compare a turn with.

`python -m tests.benchmarks.bare_loop FOLDER QUESTION…` asks the questions one after the other, each
in a conversation of its own. It checks nothing, keeps nothing and shows nothing.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic

TOOLS: Any = [
    {
        "name": "Grep",
        "description": "Lines of a file that match.",
        "input_schema": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("pattern", "path")},
        },
    },
    {
        "name": "Read",
        "description": "Numbered lines of a file.",
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "offset": {"type": "integer"},
                "limit": {"type": "integer"},
            },
        },
    },
]
SENT = {"type", "text", "id", "name", "input"}


def call(root: Path, name: str, given: dict[str, Any]) -> str:
    """What a tool finds."""
    lines = list(enumerate((root / given["path"]).read_text(encoding="utf-8").splitlines(), 1))
    if name == "Grep":
        found = re.compile(given["pattern"])
        lines = [each for each in lines if found.search(each[1])][: given["head_limit"]]
    else:
        first = given["offset"] - 1
        lines = lines[first : first + given["limit"]]
    return "\n".join(f"{number}\t{line}" for number, line in lines)


async def ask(client: AsyncAnthropic, root: Path, question: str) -> None:
    """Go on until the model calls no tool."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        async with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=8_000, tools=TOOLS, messages=messages
        ) as stream:
            reply = await stream.get_final_message()
        blocks = [each.model_dump(include=SENT, exclude_none=True) for each in reply.content]
        messages.append({"role": "assistant", "content": blocks})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": each["id"],
                "content": call(root, each["name"], each["input"]),
            }
            for each in blocks
            if each["type"] == "tool_use"
        ]
        if not results:
            return
        messages.append({"role": "user", "content": results})


async def main(folder: str, *questions: str) -> None:
    """Ask all questions."""
    client = AsyncAnthropic()
    for question in questions:
        await ask(client, Path(folder), question)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

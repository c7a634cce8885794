"""Reads a scenario: a Markdown file that tells what a user, the model and the world do.

A level-2 heading is a step, and what stands below it belongs to it; `tests/scenario_player.py` says
which steps there are. *80 turns like this* repeats the steps in level-3 headings below it, with the
number of the turn for `{n}`.
"""

from __future__ import annotations

import json
import re
from asyncio import Event
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.standin import Text, ToolUse, Turn

BROKEN_OFF = "…"  # at the end of a reply: the rest never comes

_REPEATED = re.compile(r"(\d+) turns like this")
_FILE = re.compile(
    r"^### ([^\n]+)\n+(?P<fence>```+)(?P<form>\w*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_BLOCK = re.compile(r"^(?P<fence>```+)\w*\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^- (\w+) (\{.*\})$", re.MULTILINE)
_ITEM = re.compile(r"^- (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A heading and what stands below it."""

    title: str
    body: str


def load_steps(path: Path) -> list[Step]:
    """The steps in order, repeated ones as often as they come."""
    return list(_steps(path.read_text("utf-8"), "##"))


def _steps(text: str, level: str) -> Iterator[Step]:
    _, *parts = re.split(f"^{level} (.+)$", text, flags=re.MULTILINE)
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        if repeated := _REPEATED.fullmatch(title):
            for n in range(1, int(repeated[1]) + 1):
                yield from _steps(body.replace("{n}", str(n)), level + "#")
        else:
            yield Step(title, body)


def files_in(body: str) -> dict[str, bytes]:
    """A level-3 heading and a fenced block for each; a block of `hex` gives the bytes."""
    return {
        found[1].strip(): bytes.fromhex(found["text"])
        if found["form"] == "hex"
        else found["text"].encode()
        for found in _FILE.finditer(body)
    }


def blocks_in(body: str) -> list[str]:
    """The fenced blocks."""
    return [found["text"] for found in _BLOCK.finditer(body)]


def items_in(body: str) -> list[str]:
    """The list items, a line each."""
    return _ITEM.findall(body)


def turn_in(body: str, gate: Event, usage: Mapping[str, int] | None) -> Turn:
    """A reply of the model: list items `Tool {json}`, or else the answer's text."""
    calls = [ToolUse(name, json.loads(arguments)) for name, arguments in _CALL.findall(body)]
    said = () if calls else (Text(body.strip()),)
    return Turn(*said, *calls, gate=gate, usage=usage)


def matches(expected: str, actual: str) -> bool:
    """Equality, except that a line `…` stands for any lines."""
    pieces = [re.escape(piece) for piece in re.split(r"^…\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)?".join(pieces), actual.rstrip("\n") + "\n", re.DOTALL) is not None

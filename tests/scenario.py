"""Reads a scenario: a Markdown file that tells a run from the workspace to the answer.

Level-2 headings, in order: *Workspace* (a level-3 heading and a fenced block for each file),
*Unsaved* (likewise, optional), *Settings* (JSON, optional), *User* (the question), then by turns
*Model* (list items `Tool {json}`, or else the answer's text), *Permissions* (list items `Tool
choice`, where the user is asked) and *Results* (a fenced block for each tool result, in the order
of the calls; a line with an ellipsis stands for any lines), *Citations* (list items `path:1-2
status`, optional), and *Files* (what is on disk afterwards of those named, optional).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.standin import Text, ToolUse, Turn

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_FILE = re.compile(
    r"^### ([^\n]+)\n+(?P<fence>```+)\w*\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
_BLOCK = re.compile(r"^(?P<fence>```+)\w*\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^- (\w+) (\{.*\})$", re.MULTILINE)
_PERMISSION = re.compile(r"^- (\w+) (\w+)$", re.MULTILINE)
_ITEM = re.compile(r"^- (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Scenario:
    """What a file tells."""

    files: dict[str, str]
    unsaved: dict[str, str]
    question: str
    turns: tuple[Turn, ...]
    results: tuple[tuple[str, ...], ...]
    answer: str
    citations: tuple[str, ...]
    settings: dict[str, Any]
    permissions: tuple[tuple[str, str], ...]
    after: dict[str, str]


def load_scenario(path: Path) -> Scenario:
    _, *parts = _SECTION.split(path.read_text("utf-8"))
    sections = list(zip(parts[::2], parts[1::2], strict=True))
    found = {name: [body for title, body in sections if title == name] for name, _ in sections}
    return Scenario(
        files=_files(found["Workspace"]),
        unsaved=_files(found.get("Unsaved", [])),
        question=found["User"][0].strip(),
        turns=tuple(_turn(body) for body in found["Model"]),
        results=tuple(tuple(_blocks([body])) for body in found["Results"]),
        answer=found["Model"][-1].strip(),
        citations=tuple(_ITEM.findall("".join(found.get("Citations", [])))),
        settings=json.loads("".join(_blocks(found.get("Settings", []))) or "{}"),
        permissions=tuple(_PERMISSION.findall("".join(found.get("Permissions", [])))),
        after=_files(found.get("Files", [])),
    )


def matches(expected: str, actual: str) -> bool:
    """Equality, except that a line `…` stands for any lines."""
    pieces = [re.escape(piece) for piece in re.split(r"^…\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)?".join(pieces), actual.rstrip("\n") + "\n", re.DOTALL) is not None


def _files(bodies: list[str]) -> dict[str, str]:
    return {m[1].strip(): m["text"] for body in bodies for m in _FILE.finditer(body)}


def _blocks(bodies: list[str]) -> list[str]:
    return [m["text"] for body in bodies for m in _BLOCK.finditer(body)]


def _turn(body: str) -> Turn:
    calls = [ToolUse(name, json.loads(arguments)) for name, arguments in _CALL.findall(body)]
    return Turn(*calls) if calls else Turn(Text(body.strip()))

"""Conversations with a plan: who asks the stand-in is told by the prompt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from glossator.core.prompts import load_prompt
from tests.standin import Text, Turn

Body = dict[str, Any]
Reply = Turn | Callable[[Body], Turn]

FILES = {
    "client.py": "def fetch(url):\n    retries = 3\n    return url, retries\n",
    "store.py": "def save(row):\n    limit = 5\n    return row, limit\n",
    "shell.py": "def run(words):\n    patience = 7\n    return words, patience\n",
}
QUESTION = "Compare how fetch, save and run limit themselves."
COMPLEX = Turn(Text('{"task_type": "COMPLEX"}'))
SIMPLE = Turn(Text('{"task_type": "SIMPLE"}'))
DISPATCH = {"plan": {"dispatch": "model"}}
ANSWER = Turn(Text("Three limits [cite: doc, client.py, L2-L2]."))

_ROLES = ("dispatcher", "decomposer", "generation", "synthesis")


def plan(*tasks: tuple[str, list[int]], **more: Any) -> Turn:
    """A plan of tasks: descriptions and what each depends on."""
    listed = [
        {"id": number, "description": description, "dependencies": needs}
        for number, (description, needs) in enumerate(tasks, 1)
    ]
    return Turn(Text(json.dumps({"sub_tasks": listed, "ambiguity": None, **more})))


def unclear(question: str, *options: str) -> Turn:
    asked = {"question": question, "options": options}
    return Turn(Text(json.dumps({"sub_tasks": [], "ambiguity": asked})))


FOUR = plan(
    ("What limit does fetch have?", []),
    ("What limit does save have?", []),
    ("What do the limits of fetch and save have in common?", [1, 2]),
    ("How patient is run?", []),
)


def cites(path: str, line: int = 2, words: str = "It is there.") -> Turn:
    return Turn(Text(f"- {words} [cite: doc, {path}, L{line}-L{line}]"))


class Cast:
    """What each who asks is told: the conversation in order, all others by their prompt.

    `tasks` are by a word of the task's description. `asked` are the requests of each, in order.
    """

    def __init__(
        self, *main: Reply, tasks: Mapping[str, Reply] | None = None, **roles: Any
    ) -> None:
        self.scripts: dict[str, list[Reply]] = {"main": list(main)}
        self.scripts |= {
            role: list(given) if isinstance(given, tuple) else [given]
            for role, given in roles.items()
        }
        self.tasks = dict(tasks or {})
        self.asked: dict[str, list[Body]] = {}
        self.arrived = asyncio.Event()

    def __call__(self, body: Body) -> Turn:
        who = role_of(body)
        self.asked.setdefault(who, []).append(body)
        self.arrived.set()
        if who == "generation" or who.startswith("explore"):
            text = last_text(body) if who == "generation" else str(body["messages"][0])
            task = text.rpartition("# The task")[2]
            reply = next(reply for word, reply in self.tasks.items() if word in task)
        else:
            reply = self.scripts["main" if who == "synthesis" else who].pop(0)
        return reply(body) if callable(reply) else reply

    def is_done(self) -> bool:
        return not any(self.scripts.values())


def together(*replies: Turn) -> list[Reply]:
    """Replies none of which is whole before all have been asked for."""
    gate, asked = asyncio.Event(), []

    def held(turn: Turn) -> Reply:
        def reply(_: Body) -> Turn:
            asked.append(turn)
            if len(asked) == len(replies):
                gate.set()
            return Turn(*turn.blocks, gate=gate)

        return reply

    return [held(each) for each in replies]


def role_of(body: Body) -> str:
    texts = [block.get("text", "") for message in body["messages"] for block in message["content"]]
    for role in _ROLES:
        if any(text.startswith(load_prompt(f"grounding/{role}").opening) for text in texts):
            return role
    return "explore" if "scout of Glossator" in str(body.get("system")) else "main"


def last_text(body: Body) -> str:
    return str(body["messages"][-1]["content"][-1]["text"])

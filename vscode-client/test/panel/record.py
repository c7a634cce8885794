"""Records the streams in `streams/`: what the extension tells the panel, from the real server.

Run it from the repository's root, with `server` and `.` in PYTHONPATH, when the events change.
"""

# ruff: noqa: INP001 - a script beside what it makes, not a package
from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lsp.support.desk import ALL, Desk
from tests.lsp.support.editor import Message, spawned
from tests.standin import NAMED, HttpError, StandIn, StreamError, Text, Thinking, ToolUse, Turn

HERE = Path(__file__).parent / "streams"
KNOWS = {
    "workspace": ALL,
    "experimental": {
        "glossator": {"events": True, "permissions": True, "reviews": True, "questions": True}
    },
}
FILES = {
    "prices.py": '''"""Prices, with and without the tax."""

VAT = 0.19


def net(price):
    return price / (1 - VAT)


def gross(price):
    return price * (1 - VAT)


def show(price):
    print(price)
''',
    "shop.py": '''"""The shop's till."""

from prices import gross, show


def total(basket):
    """What the basket costs, tax included."""
    return sum(gross(price) * count for price, count in basket)


def till(basket):
    show(total(basket))
''',
    "README.md": "# Shop\n\nPrices are net; `gross` adds the tax.\n",
}
_TEST = "from prices import net\n\n\ndef test_net():\n    assert net(119) == 100\n"
ASKED = {
    "glossator/permission": ("permission", "request"),
    "glossator/question": ("question", "question"),
    "glossator/review": ("review", "plan"),
}


@dataclass
class Scene:
    """A stream to record: the question, the model's turns, and what the user answers."""

    name: str
    question: str
    turns: list[Turn] = field(default_factory=list)
    settings: Message = field(default_factory=dict)
    answers: dict[str, Callable[[Message], object]] = field(default_factory=dict)
    offline: bool = False
    cancelled_after: str | None = None  # an event's kind


EXPLANATION = """The total comes from `total`, which adds up `gross` prices
[cite: doc, shop.py, L6-L8].

But **`gross` takes the tax off** instead of adding it [cite: doc, prices.py, L10-L11]; the
README says otherwise [cite: doc, README.md, L3]. Tests would have shown it
[cite: doc, test_shop.py, L1-L9].

| function | does | should |
|---|:-:|--:|
| `net` | `p / 0.81` | `p / 1.19` |
| `gross` | `p * 0.81` | `p * 1.19` |

```python
def gross(price):
    return price * (1 + VAT)  # not 1 - VAT
```

- [x] found where it is computed
- [ ] mended
"""

SCENES = [
    Scene("offline", "Where is the tax added to a price?", offline=True),
    Scene(
        "answered",
        "Why is the total too low?",
        [
            Turn(
                Thinking("The total is computed somewhere in the shop.\nI look for it first."),
                ToolUse(
                    "Todo",
                    {
                        "steps": [
                            {"text": "Find where the total is computed", "state": "active"},
                            {"text": "Check the tax", "state": "pending"},
                            {"text": "Explain", "state": "pending"},
                        ]
                    },
                ),
                ToolUse("Grep", {"pattern": "def total|VAT", "output_mode": "content"}),
                ToolUse("Read", {"path": "shop.py"}),
                ToolUse("Read", {"path": "till.py"}),
            ),
            Turn(
                Text("Found the till. Now the prices."),
                ToolUse("Read", {"path": "prices.py"}),
                ToolUse("Read", {"path": "README.md"}),
                ToolUse(
                    "Todo",
                    {
                        "steps": [
                            {"text": "Find where the total is computed", "state": "done"},
                            {"text": "Check the tax", "state": "done"},
                            {"text": "Explain", "state": "active"},
                        ]
                    },
                ),
            ),
            Turn(Text(EXPLANATION)),
        ],
    ),
    Scene(
        "edits",
        "Mend the prices, and round what is shown.",
        [
            Turn(ToolUse("Read", {"path": "prices.py"})),
            Turn(
                ToolUse(
                    "MultiEdit",
                    {
                        "path": "prices.py",
                        "edits": [
                            {"old_text": "price / (1 - VAT)", "new_text": "price / (1 + VAT)"},
                            {
                                "old_text": "price * (1 - VAT)",
                                "new_text": "round(price * (1 + VAT))",
                            },
                            {"old_text": "print(price)", "new_text": "print(round(price, 2))"},
                        ],
                    },
                )
            ),
            Turn(
                ToolUse(
                    "Write",
                    {
                        "path": "test_prices.py",
                        "content": _TEST,
                    },
                )
            ),
            Turn(ToolUse("Bash", {"command": "python -m pytest -q test_prices.py"})),
            Turn(
                Text(
                    "Two of the three places are mended [cite: doc, prices.py, L6-L7]; "
                    "the tests were not run."
                )
            ),
        ],
        {"permissions": {"mode": "acceptEdits"}, "edits": {"review": "propose"}},
        {
            "glossator/review": lambda plan: {
                "accepted": [h["id"] for at, h in enumerate(plan["hunks"]) if at != 1],
                **({"message": "Round only what is shown."} if len(plan["hunks"]) > 1 else {}),
            },
            "glossator/permission": lambda _: {"choice": "deny", "message": "Not here."},
        },
    ),
    Scene(
        "asked",
        "Add a currency.",
        [
            Turn(
                ToolUse(
                    "AskUser",
                    {
                        "question": "Which currencies are there?",
                        "options": [
                            {"label": "Euro only", "detail": "A constant is enough."},
                            {"label": "Several", "detail": "Each price names its own."},
                        ],
                    },
                )
            ),
            Turn(Text("Then a constant is enough.")),
        ],
        answers={"glossator/question": lambda _: {"chosen": ["Euro only"]}},
    ),
    Scene(
        "discarded",
        "What does show do?",
        [
            Turn(Text("It prints the price with two digi"), fault=StreamError(after=2)),
            Turn(Text("It prints the price as it is.")),
        ],
    ),
    Scene(
        "failed",
        "What does net do?",
        [
            Turn(Text("Looking."), ToolUse("Read", {"path": "prices.py"})),
            Turn(fault=HttpError(401, message="invalid x-api-key")),
        ],
    ),
    Scene(
        "cancelled",
        "Tell me all about prices.",
        [Turn(Text("Prices are " + "many, " * 20), gate=asyncio.Event())],
        cancelled_after="text.delta",
    ),
]


async def record(scene: Scene) -> list[Message]:
    """Play it with a server of its own; the messages in the order in which they came."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "shop"
        root.mkdir()
        for name, text in FILES.items():
            (root / name).write_text(text, "utf-8")
        async with StandIn(scene.turns) as api:
            model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url} | NAMED
            environment = {**os.environ, **({} if scene.offline else model), "HOME": place}
            async with spawned(module="glossator.lsp", env=environment) as process:
                editor = process.editor
                Desk(editor)
                editor.answers |= scene.answers
                settings = scene.settings | ({"models": {"offline": True}} if scene.offline else {})
                await editor.initialize(
                    KNOWS,
                    workspaceFolders=[{"uri": root.as_uri(), "name": "shop"}],
                    initializationOptions={"settings": settings, "trusted": True},
                )
                request = {"question": scene.question, "runId": scene.name}
                command = editor.command("glossator.ask", request)
                if scene.cancelled_after:
                    await editor.told("glossator/event", scene.cancelled_after)
                    await editor.result(editor.command("glossator.cancel", {"runId": scene.name}))
                reply = await editor.reply(command)
                messages = [said for each in editor.received for said in told(each)]
                await editor.shut_down()
        ending = ended(scene.name, reply)
        text = json.dumps([*messages, *ending], ensure_ascii=False)
        text = text.replace(root.as_uri(), "file:///w/shop").replace(place, "/w")
        address = api.base_url.removeprefix("http://")
        session = next(each["events"][0]["sessionId"] for each in messages if "events" in each)
        text = text.replace(session, "s1")
        found: list[Message] = json.loads(text.replace(address, "api.example.com"))
        return found


def told(message: Message) -> list[Message]:
    """What the extension tells the panel of a message from the server."""
    method, params = message.get("method", ""), message.get("params")
    if method == "glossator/event":
        return [{"type": "events", "events": [params]}]
    if method in ASKED:
        kind, name = ASKED[method]
        number = str(message["id"])
        return [{"type": kind, "id": number, name: params}, {"type": "withdrawn", "id": number}]
    return []


def ended(run: str, reply: Message) -> list[Message]:
    """How the command ended."""
    if "result" in reply:
        return [{"type": "answer", "answer": reply["result"]}]
    return [{"type": "failed", "runId": run, "message": reply["error"]["message"]}]


async def main() -> None:
    """Record all."""
    for scene in SCENES:
        messages: list[Any] = await record(scene)
        path = HERE / f"{scene.name}.json"
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in messages)
        path.write_text(f"[\n{lines}\n]\n", "utf-8")
        print(scene.name, len(messages))  # noqa: T201 - a script for people


if __name__ == "__main__":
    asyncio.run(main())

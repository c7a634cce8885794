"""From a key in `glossator chat` to its letter: at rest, and while an answer streams.

Each key is a letter of its own, so that a line that is drawn again shows none twice.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Figure, percentile, show_figures
from tests.cli.terminal import CTRL_D, Terminal, at_terminal
from tests.quiet import write_quiet_settings
from tests.standin import StandIn, Text, Turn

_KEYS = 240
_IN_A_LINE = 40  # keys, before the line is emptied
_BETWEEN = (0.05, 0.15)  # seconds between two keys
_PACE, _CHUNK = 0.02, 12  # seconds between deltas, and their characters: 150 tokens in a second
_AIM = 30  # ms
_LETTERS = "".join(map(chr, range(0x0400, 0x0400 + _KEYS)))
_EMPTIES = "\x15"  # Ctrl-U
_READY = "/quit or Ctrl-D ends.\n>"
_PART = (
    "A circle's *area* is computed by **pi** and its radius:\n\n- the radius is squared\n"
    "- it is multiplied by `math.pi`\n\n```python\ndef area(radius):\n"
    "    return math.pi * radius * radius\n```\n\n| radius | area |\n|---|---|\n| 1 | 3.14 |\n\n"
)


async def run() -> bool:
    """Measure in a workspace of one file; gives whether the aim is met."""
    characters = _KEYS * sum(_BETWEEN) / _PACE * _CHUNK  # twice what is needed
    answer = "".join(f"## Part {n}\n\n{_PART}" for n in range(int(characters / len(_PART))))
    script = [Turn(Text(answer + "That is all."), chunk=_CHUNK, pace=_PACE)]
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write_quiet_settings(root / "config")
        (root / "demo").mkdir()
        (root / "demo" / "circle.py").write_text("PI = 3.14\n", "utf-8")
        async with StandIn(script) as api:
            env = {
                "ANTHROPIC_API_KEY": "k",
                "ANTHROPIC_BASE_URL": api.base_url,
                "XDG_CONFIG_HOME": str(root / "config"),
                "XDG_STATE_HOME": str(root / "state"),
            }
            chat = at_terminal(["-m", "glossator", "chat"], root / "demo", env)
            async with chat as terminal:
                await terminal.sees(_READY)
                at_rest = await _keys(terminal)
                terminal.type("What is it?\r")
                await terminal.until("Part 1")
                streaming = await _keys(terminal)
                still = "That is all." not in terminal.seen
                terminal.type("\x03")
                await terminal.sees("Stopped")
                terminal.type(CTRL_D)
    load = os.getloadavg()[0]
    figures = [
        Figure("at rest, p95", percentile(at_rest, 0.95), "ms", detail=_median(at_rest)),
        Figure(
            "while an answer streams, p95",
            percentile(streaming, 0.95),
            "ms",
            _AIM,
            detail=_median(streaming),
        ),
    ]
    assert still, "the answer ended before the last key"
    return show_figures("A key in `glossator chat`", figures, f"load {load:.1f}")


async def _keys(terminal: Terminal) -> list[float]:
    """Milliseconds of each key."""
    times = []
    waits = random.Random(1)
    for at, letter in enumerate(_LETTERS):
        if at % _IN_A_LINE == 0:
            terminal.type(_EMPTIES)
            await asyncio.sleep(_BETWEEN[1])
        times.append(await terminal.echo(letter) * 1000)
        await asyncio.sleep(waits.uniform(*_BETWEEN))
    return times


def _median(times: list[float]) -> str:
    longest = f"longest {max(times):.0f} ms"
    return f"median {percentile(times, 0.5):.1f} ms, {longest}, {len(times)} keys"

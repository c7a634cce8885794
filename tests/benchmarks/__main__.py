"""`make bench`: every benchmark, one table each; exits with 1 when a target is missed.

`python -m tests.benchmarks kubernetes` runs one part of them.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import (
    anchoring,
    code,
    completing,
    doors,
    echoing,
    embedding,
    engine,
    facts,
    grounding,
    hovering,
    large,
    light,
    memory,
    opening,
    patterns,
    retrieving,
    startup,
    turns,
)
from tests.benchmarks.corpus import cpython, django, kubernetes, linux, typescript

HERE = Path(__file__).parents[2]


async def _embeddings() -> bool:
    with TemporaryDirectory() as folder:
        return embedding.run(HERE / "server", Path(folder))


PARTS: Mapping[str, Callable[[], Awaitable[bool]]] = {
    "start": lambda: startup.run(HERE),
    "start-django": lambda: startup.run(django()),
    "turns": lambda: turns.run(django()),
    "light": lambda: light.run(django()),
    "opening": opening.run,
    "doors": lambda: doors.run(django()),
    "completing": lambda: completing.run(django()),
    "echo": echoing.run,
    "hovering": lambda: hovering.run(django()),
    "grounding": lambda: grounding.run(HERE / "server" / "glossator"),
    "anchors": lambda: anchoring.run(HERE / "server"),
    "facts": facts.run,
    "code": code.run,
    "large": lambda: large.run(django()),
    "memory": lambda: memory.run(django(), HERE / "docs"),
    "embeddings": _embeddings,
    "retrieval": lambda: retrieving.run(kubernetes(), HERE / "server"),
    "kubernetes": lambda: engine.run(kubernetes(), patterns.KUBERNETES),
    "cpython": lambda: engine.run(cpython(), patterns.CPYTHON),
    "typescript": lambda: engine.run(typescript(), patterns.TYPESCRIPT),
    "linux": lambda: engine.run(linux(), patterns.LINUX),
}


async def main(chosen: Sequence[str]) -> bool:
    """Run the chosen parts, or all of them."""
    results = [await PARTS[name]() for name in chosen or PARTS]
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main(sys.argv[1:])) else 1)

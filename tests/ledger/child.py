"""A server of its own that keeps facts until it is killed: see `crash.py`.

It prints what it finds as `known ID`, then `begun`, then each fact as `kept ID` when it is
acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

from glossator.settings.model import WorkspaceSettings
from glossator.worker.client import Worker
from glossator.workspace.documents.host import WorkspaceHost
from tests.ledger.support import kept
from tests.workspaces import idle_indexing


async def main(root: str, folder: str, redis: str, start: int) -> None:
    worker = Worker()
    host = WorkspaceHost((root,), WorkspaceSettings(), idle_indexing(worker))
    await host.start()
    await host.ready()
    async with kept(host, Path(folder), most=20_000, redis=redis) as k:
        for fact in k.ledger.every():
            _say(f"known {fact.id}")
        _say("begun")
        for number in count(start):
            line = number % 200 + 1
            fact = await k.add(f"Number {number} is on line {line}.", "a.py", line)
            _say(f"kept {fact.id}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    root, folder, redis, start = sys.argv[1:]
    asyncio.run(main(root, folder, redis, int(start)))

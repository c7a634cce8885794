"""Draws how toad asks about an edit, for the docs: `python -m tests.clients.picture FILE`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.cli.picture import drawn
from tests.clients.test_toad import EDIT, READY, ask, toad
from tests.standin import StandIn, ToolUse, Turn

SIZE = (24, 110)  # lines, columns
_SHOWN = "/home/you/work/shop"  # as long as the folder's own path


def main(picture: Path) -> None:
    """Play a session in a workspace of its own, and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        picture.write_text(asyncio.run(played(Path(folder))), "utf-8")


async def played(folder: Path) -> str:
    """An edit that is asked about; as SVG."""
    look = Turn(ToolUse("Read", {"path": "app.py"}))
    async with StandIn([look, EDIT]) as api, toad(folder, api=api, size=SIZE) as terminal:
        await terminal.sees(READY)
        await ask(terminal, "Say Hi instead")
        await terminal.sees("Approval request", "5      return f'Hi {name}'", "Reject once")
        return drawn(terminal, "toad").replace(str(folder / "ws"), _SHOWN)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Draws the chat that docs/cli.md shows: `python -m tests.cli.picture FILE`."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import tempfile
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text as Drawn

from tests.cli.terminal import CTRL_C, CTRL_D, Terminal, at_terminal
from tests.cli.test_acting import EDIT, workspace
from tests.cli.test_talking import READY
from tests.patience import until
from tests.quiet import write_quiet_settings
from tests.standin import StandIn, Text, ToolUse, Turn

SIZE = (28, 84)  # lines, columns
ANSWER = """\
**One fathom**: `depth` is 1 [fish.py:1], and nothing else sets it. To dive:

1. raise `depth`,
2. run the tests.
"""
COLOURS: Mapping[str, str] = {"brown": "yellow"}


def main(picture: Path) -> None:
    """Play a chat in a workspace of its own, and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "sea"), Path(folder, "home")
        root.mkdir()
        workspace(root)
        (root / "files.md").touch()
        write_quiet_settings(home)
        picture.write_text(asyncio.run(played(root, home)), "utf-8")


async def played(root: Path, home: Path) -> str:
    """An edit was made, its run goes on, and a word is completed; as SVG."""
    look = Turn(ToolUse("Read", {"path": "fish.py"}))
    held = Turn(Text("Done."), gate=asyncio.Event())
    folders = {f"XDG_{name}_HOME": str(home) for name in ("CONFIG", "STATE", "CACHE")}
    async with StandIn([look, Turn(Text(ANSWER)), Turn(EDIT), look, held]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        arguments = ["-m", "glossator", "chat", "--mode", "acceptEdits"]
        async with at_terminal(arguments, root, folders | model, size=SIZE) as terminal:
            await terminal.sees(READY)
            terminal.type("How deep does it dive?\r")
            await terminal.sees("session", READY)
            terminal.type("Dive deeper.\r")
            await until(lambda: len(api.requests) == 5)
            terminal.type("Which tests are about @fi")
            await terminal.sees("files.md", " · 1 s")
            picture = drawn(terminal, "glossator chat")
            terminal.type(CTRL_C)
            await terminal.sees(READY)
            terminal.type(f"{CTRL_C}{CTRL_D}")
            await terminal.ended()
            return picture


def drawn(terminal: Terminal, title: str) -> str:
    """The screen as SVG."""
    lines = terminal.cells()
    width = len(lines[0])
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    for line in lines:
        while line and (line[-1].data, line[-1].bg, line[-1].reverse) == (" ", "default", False):
            line.pop()
        text = Drawn(no_wrap=True)
        for look, cells in groupby(line, lambda each: each._replace(data="")):
            style = Style(
                color=colour(look.fg),
                bgcolor=colour(look.bg),
                bold=look.bold,
                reverse=look.reverse,
            )
            text.append("".join(each.data for each in cells), style)
        console.print(text)
    return console.export_svg(title=title)


def colour(name: str) -> str | None:
    """A colour of pyte's, as rich names it."""
    if name == "default":
        return None
    is_hex = len(name) == 6 and set(name) <= set("0123456789abcdef")
    return f"#{name}" if is_hex else COLOURS.get(name, name.replace("bright", "bright_"))


if __name__ == "__main__":
    os.environ.pop("ANTHROPIC_API_KEY", None)
    main(Path(sys.argv[1]))

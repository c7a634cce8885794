"""A long text in the user's pager."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys

_QUITS_AT_ONCE = "FX"  # as git has it: less ends where all fits, and leaves the screen as it is


async def page(text: str) -> bool:
    """Show `text` in $PAGER, or less, until it is left; False where there is no pager.

    The terminal is the pager's meanwhile. What is asked goes on when it ends, or ends it.
    """
    command = _pager() if sys.stdin.isatty() and sys.stdout.isatty() else []
    if not command:
        return False
    environment = {"LESS": _QUITS_AT_ONCE, **os.environ}
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, env=environment
        )
    except OSError:
        return False
    try:
        await process.communicate(text.encode("utf-8", "backslashreplace"))
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return True


def _pager() -> list[str]:
    """The words of the command; none where nothing of the kind is installed."""
    try:
        named = shlex.split(os.environ.get("PAGER", ""))
    except ValueError:
        named = []
    for words in (named, ["less"], ["more"]):
        if words and shutil.which(words[0]):
            return words
    return []

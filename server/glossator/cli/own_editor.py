"""The user's own editor, for texts that they change at a terminal."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from pathlib import Path

from glossator.core.errors import UsageError


async def edit_file(path: str) -> None:
    """Open a file with $VISUAL or $EDITOR, which has the terminal until it ends.

    Raises `UsageError` if it cannot be started, or fails.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(f"Set EDITOR to the program that should open it: the file is {path}.")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the editor's
    try:
        process = await asyncio.create_subprocess_exec(*shlex.split(editor), path)
        try:
            code = await process.wait()
        finally:
            if process.returncode is None:  # the question was taken back
                process.terminate()
                await process.wait()
    except (OSError, ValueError) as error:
        raise UsageError(f"{editor} cannot be started: {error}. Set EDITOR to another.") from error
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise UsageError(f"{editor} ended with code {code}.")


async def edit_text(text: str) -> str:
    """A Markdown text as the user leaves it. Raises as `edit_file`."""
    with tempfile.TemporaryDirectory(prefix="glossator-") as folder:
        path = Path(folder, "plan.md")
        await asyncio.to_thread(path.write_text, text + "\n", encoding="utf-8")
        await edit_file(str(path))
        return (await asyncio.to_thread(path.read_text, "utf-8", "replace")).strip()

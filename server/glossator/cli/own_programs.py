"""The user's own programs: the editor for texts that they change, the browser for an address."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
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


def open_in_browser(url: str) -> bool:
    """Start the browser without waiting for it; False where none can be shown."""
    if not url.startswith(("https://", "http://")):
        raise UsageError("Only web addresses are opened in a browser.")
    if sys.platform == "win32":
        os.startfile(url)  # noqa: S606 - a web address, see above
        return True
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    has_screen = sys.platform == "darwin" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))
    )
    program = shutil.which(opener)
    if program is None or not has_screen:  # without a screen a text browser would take the terminal
        return False
    subprocess.Popen(  # noqa: S603 - the system's own opener
        (program, url),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return True

"""The last commit that touched a file, or lines of it, as git tells, in the sandbox of commands.

Of a workspace that is not trusted nothing is asked: git obeys what a repository says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.errors import UsageError
from glossator.sandbox.output import Exit
from glossator.sandbox.shell import LimitedShell, ShellCommand

logger = logging.getLogger(__name__)

_SECONDS = 3.0
_FIELDS = "%h%x1f%ad%x1f%an%x1f%s"
_GIT = (
    "git",
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("log", "-1", "-s", "--date=short", f"--format={_FIELDS}"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its short hash, the day, who made it, and its first line."""

    name: str
    day: str
    author: str
    subject: str


async def last_commit(
    app: Application, path: str, lines: tuple[int, int] | None = None
) -> Commit | None:
    """The commit; of the whole file where git has no such lines. None if there is none to be had.

    `path` is absolute, lines are 1-based and inclusive.
    """
    if not await asyncio.to_thread(lambda: app.acting.trust.is_trusted):
        return None
    shell = await asyncio.to_thread(app.acting.limited, app.host.snapshot())
    if shell.open_reason is not None:
        return None
    folder, name = os.path.split(path)
    if lines is not None:
        of_lines = await _asked(shell, folder, f"-L{lines[0]},{lines[1]}:./{name}")
        if of_lines is not None:
            return of_lines
    return await _asked(shell, folder, "--", f"./{name}")


async def _asked(shell: LimitedShell, folder: str, *about: str) -> Commit | None:
    command = ShellCommand(shlex.join((*_GIT, *about)), folder)
    try:
        finished = await shell.run(command, _SECONDS)
    except (UsageError, OSError) as error:
        logger.info("git was not asked: %s", error)
        return None
    told = finished.output.head.decode(errors="replace")
    fields = told.strip("\n").partition("\n")[0].split("\x1f")
    if finished.exit != Exit(0) or len(fields) != 4:
        return None
    return Commit(*fields)

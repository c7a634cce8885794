"""From the words of a command line to an exit code.

The server takes the longest to start, so it is started first; the command line is read and the
libraries that draw are imported while it boots. This module imports little, and nothing slow.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

from glossator.cli.server import Server
from glossator.core.errors import UsageError

# The commands that ask a server; a wrong guess costs a process that is ended at once.
_ASKING = frozenset({"ask", "search", "tool", "status", "doctor"})
_HELP = frozenset({"--help", "-h"})
_MISUSED = 2
_INTERRUPTED = 130


class Launch:
    """The event loop of this process and the server it talks to."""

    def __init__(self, server_command: Sequence[str]) -> None:
        self._server_command = server_command
        self._runner = asyncio.Runner()
        self._server: Server | None = None

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` on the event loop."""
        self._runner.run(work)

    def server(self) -> Server:
        """The server, started at the first call. Raises `OSError`."""
        if self._server is None:
            self._server = self._runner.run(Server.start(self._server_command))
        return self._server

    def close(self) -> None:
        """Leave no process behind, whatever happened."""
        if self._server is not None:
            self._server.kill()
            self._runner.run(_reap(self._server))
        self._runner.close()


def run(arguments: Sequence[str], server_command: Sequence[str]) -> int:
    """Run one command line; `server_command` starts a language server on its standard streams."""
    launch = Launch(server_command)
    try:
        if arguments and arguments[0] in _ASKING and not _HELP.intersection(arguments):
            launch.server()
        from glossator.cli.app import app  # noqa: PLC0415 - imported while the server boots

        app(list(arguments), prog_name="glossator", obj=launch)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return _MISUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    finally:
        launch.close()
    return 0


async def _reap(server: Server) -> None:
    await server.ended()

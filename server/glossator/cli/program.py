"""One run of the program: the command line, the event loop, and the server it talks to."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Coroutine, Sequence
from subprocess import Popen
from typing import Any

from typer.exceptions import TyperException

from glossator.cli.app import app
from glossator.cli.errors import REQUEST_FAILED
from glossator.cli.launch import spawn
from glossator.cli.server import Server
from glossator.core.errors import UsageError

_MISUSED = 2
_INTERRUPTED = 130


class Program:
    """What every command is given; `early` is the server that was spawned on a guess."""

    def __init__(self, server_command: Sequence[str], early: Popen[bytes] | None) -> None:
        self._server_command = server_command
        self._process = early
        self._server: Server | None = None
        self._runner = asyncio.Runner()

    def run(self, arguments: Sequence[str]) -> int:
        """Run the command line; gives the exit code and leaves no process behind.

        Raises `OSError` for output that cannot be written.
        """
        options = list(arguments)[: arguments.index("--") if "--" in arguments else None]
        as_json = "--json" in options
        try:
            # errors in JSON are ours to write, all others typer draws
            code = app(
                list(arguments), prog_name="glossator", obj=self, standalone_mode=not as_json
            )
        except (UsageError, TyperException) as error:
            message = str(getattr(error, "format_message", error.__str__)())  # typer's, and ours
            if as_json:
                print(json.dumps({"error": {"code": REQUEST_FAILED, "message": message}}))
            print(f"error: {message}", file=sys.stderr)
            return _MISUSED
        except KeyboardInterrupt:
            return _INTERRUPTED
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending already
            self._close()
        return code if isinstance(code, int) else 0

    def work(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` on the event loop."""
        self._runner.run(work)

    def server(self, *, verbose: bool) -> Server:
        """The server, spawned at the first call if it was not before. Raises `OSError`."""
        if self._server is None:
            self._process = self._process or spawn(self._server_command)
            self._server = self._runner.run(Server.attach(self._process, verbose=verbose))
        return self._server

    def _close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._server is not None:
            self._runner.run(self._server.release())
        self._runner.close()

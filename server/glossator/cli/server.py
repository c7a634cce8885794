"""The language server as a child process, from its start to its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import cast

_LOG_BYTES = 16_384  # of the log's end that are kept
_LOG_LINES = 12  # of it that are shown
_LAST_SECONDS = 1  # for a server that closed its output to end
_LOG_SECONDS = 0.2  # for the log's end to arrive, after the server's

# Ctrl-C in a terminal reaches the whole foreground group. The server must not get it: the command
# is cancelled first, and its answer awaited. Each of the two is ignored where it has no meaning.
_OWN_GROUP = 0
_OWN_WINDOWS_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


class Server:
    """A running server. Its log (stderr) is kept, and copied to ours while `verbose` is true."""

    def __init__(self, process: Process) -> None:
        # all three are pipes, so none of the streams is None
        self.stdin = cast(asyncio.StreamWriter, process.stdin)
        self.stdout = cast(asyncio.StreamReader, process.stdout)
        self._stderr = cast(asyncio.StreamReader, process.stderr)
        self.verbose = False
        self._process = process
        self._log = bytearray()
        self._logging = asyncio.create_task(self._keep_log())

    @staticmethod
    async def start(command: Sequence[str]) -> Server:
        """Start `command`, which speaks LSP over its standard streams. Raises `OSError`."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            process_group=_OWN_GROUP,
            creationflags=_OWN_WINDOWS_GROUP,
        )
        return Server(process)

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self) -> int:
        """Its exit code, once it has ended and its log is complete."""
        code = await self._process.wait()
        # a child of the server may still hold the log open; it is not waited for
        await asyncio.wait({self._logging}, timeout=_LOG_SECONDS)
        self._logging.cancel()
        return code

    async def obituary(self) -> str:
        """How it ended and the last lines of its log; it is killed if it goes on."""
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                code = await self.ended()
            how = f"It ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}."
        except TimeoutError:
            self.kill()
            await self.ended()
            how = "It was ended."
        lines = self._log.decode("utf-8", "replace").splitlines()[-_LOG_LINES:]
        return "\n".join([f"{how} Its log's last lines:" if lines else how, *_indented(lines)])

    async def _keep_log(self) -> None:
        while chunk := await self._stderr.read(_LOG_BYTES):
            self._log += chunk
            del self._log[:-_LOG_BYTES]
            if self.verbose:
                os.write(sys.stderr.fileno(), chunk)


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]

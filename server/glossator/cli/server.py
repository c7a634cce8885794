"""The language server as a child process, from its start to its end."""

from __future__ import annotations

import asyncio
import os
import sys
from subprocess import Popen
from typing import IO

_LOG_BYTES = 16_384  # of the log's end that are kept
_LOG_LINES = 12  # of it that are shown
_LAST_SECONDS = 1  # for a server that closed its output to end
_LOG_SECONDS = 0.2  # for the log's end to arrive, after the server's


class Server:
    """A running server. Its log (stderr) is kept, and copied to ours when `verbose`."""

    def __init__(
        self,
        process: Popen[bytes],
        stdin: asyncio.WriteTransport,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        *,
        verbose: bool,
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self._verbose = verbose
        self._process = process
        self._log = bytearray()
        self._logging = asyncio.create_task(self._keep_log(stderr))

    @staticmethod
    async def attach(process: Popen[bytes], *, verbose: bool) -> Server:
        """Take over a process that speaks LSP over its standard streams, all of them pipes."""
        loop = asyncio.get_running_loop()
        stdin, _ = await loop.connect_write_pipe(asyncio.Protocol, process.stdin)
        stdout, stderr = await _reader(process.stdout), await _reader(process.stderr)
        return Server(process, stdin, stdout, stderr, verbose=verbose)

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        self._process.kill()

    async def ended(self) -> int:
        """Its exit code, once it has ended and its log is complete."""
        code = await asyncio.to_thread(self._process.wait)
        # a child of the server may still hold the log open; it is not waited for
        await asyncio.wait({self._logging}, timeout=_LOG_SECONDS)
        self._logging.cancel()
        return code

    async def obituary(self) -> str:
        """How it ended and the last lines of its log; it is killed if it goes on."""
        try:
            code = await asyncio.wait_for(self.ended(), _LAST_SECONDS)
            how = f"It ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}."
        except TimeoutError:
            self.kill()
            await self.ended()
            how = "It was ended."
        lines = self._log.decode("utf-8", "replace").splitlines()[-_LOG_LINES:]
        return "\n".join([f"{how} Its log's last lines:" if lines else how, *_indented(lines)])

    async def release(self) -> None:
        """Let go of the pipes of a process that has ended."""
        self._logging.cancel()
        self.stdin.close()

    async def _keep_log(self, stderr: asyncio.StreamReader) -> None:
        while chunk := await stderr.read(_LOG_BYTES):
            self._log += chunk
            del self._log[:-_LOG_BYTES]
            if self._verbose:
                os.write(sys.stderr.fileno(), chunk)


async def _reader(pipe: IO[bytes] | None) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]

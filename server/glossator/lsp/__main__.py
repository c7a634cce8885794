"""`python -m glossator.lsp [--tcp HOST:PORT]`: what editors start."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable

from glossator.lsp.listen import serve_stdio, serve_tcp
from glossator.lsp.logs import log_to_stderr
from glossator.lsp.server import Server, build_server

# How long a worker thread may keep the event loop from running Python; the default is 5 ms.
_SWITCH_SECONDS = 0.001


def main(arguments: list[str] | None = None, build: Callable[[], Server] = build_server) -> int:
    """Serve one client; gives the process's exit code."""
    parser = argparse.ArgumentParser("glossator.lsp", description="The Glossator language server.")
    parser.add_argument(
        "--tcp",
        type=_address,
        metavar="HOST:PORT",
        help="serve one client over TCP instead of stdio; port 0 takes a free one",
    )
    options = parser.parse_args(arguments)
    sys.setswitchinterval(_SWITCH_SECONDS)
    log_to_stderr()
    if options.tcp:
        return asyncio.run(serve_tcp(build(), *options.tcp))
    return asyncio.run(serve_stdio(build()))


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:0")
    return host.strip("[]") or "127.0.0.1", int(port)


if __name__ == "__main__":
    sys.exit(main())
